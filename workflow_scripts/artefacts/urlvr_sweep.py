"""URLVR, Figures 16 to 35 and 37 to 41: one setting, policy or training pool varied at a time."""

from workflow_scripts.artefacts.training_panels import Panel, TrainingFigure

FIGURE = TrainingFigure(
    panels=(
        Panel("label_accuracy", "label accuracy", "share of labels right", share=True),
        Panel("majority_ratio", "majority-voting reward", "share with the majority", share=True),
        Panel("entropy", "actor entropy", "nats per token"),
    ),
    NO_PROOF="it does not prove an order of the settings: each has one training seed",
)
