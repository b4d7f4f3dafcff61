"""URLVR, Figure 9: training on questions of which nearly every majority is wrong."""

from workflow_scripts.artefacts.training_panels import Panel, TrainingFigure

FIGURE = TrainingFigure(
    panels=(
        Panel("label_accuracy", "label accuracy", "share of labels right", share=True),
        Panel("majority_ratio", "majority-voting reward", "share with the majority", share=True),
    ),
    NO_PROOF="it does not prove that wrong labels teach anything: a gain elsewhere may come from sharpening alone",
)
