"""URLVR, Figure 2: majority voting against the ground truth as reward."""

from workflow_scripts.artefacts.training_panels import Panel, TrainingFigure

FIGURE = TrainingFigure(
    panels=(
        Panel("majority_ratio", "majority-voting reward", "share with the majority", share=True),
        Panel("reward_accuracy", "reward accuracy", "share of rewards right", share=True),
        Panel("entropy", "actor entropy", "nats per token"),
    ),
    NO_PROOF="it does not prove when a larger policy would fall: the step of a fall depends on policy, questions and "
    "learning rate",
)
