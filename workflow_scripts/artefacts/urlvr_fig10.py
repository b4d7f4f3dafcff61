"""URLVR, Figure 10: four policies of two families under the majority reward."""

from workflow_scripts.artefacts.training_panels import Panel, TrainingFigure

FIGURE = TrainingFigure(
    panels=(
        Panel("reward_accuracy", "reward accuracy", "share of rewards right", share=True),
        Panel("entropy", "actor entropy", "nats per token"),
    ),
    NO_PROOF="it does not prove which property of a family decides: its members differ in more than one",
)
