"""URLVR, Figure 3: five intrinsic rewards, each with the settings that suit it best, and how each of them fails."""

from workflow_scripts.artefacts.training_panels import Panel, TrainingFigure

FIGURE = TrainingFigure(
    panels=(
        Panel("label_accuracy", "label accuracy", "share of labels right", share=True),
        Panel("entropy", "actor entropy", "nats per token"),
        Panel("tokens", "response length", "tokens per rollout"),
        Panel("repetition", "repetition", "share of repeated 4-grams", share=True),
    ),
    NO_PROOF="it does not prove that a reward fails in the same way on long free texts: the responses of this scale "
    "have room for little else than their steps",
)
