"""URLVR, Figure 8: training on the few questions of the test against training on a large pool."""

from workflow_scripts.artefacts.training_panels import Panel, TrainingFigure

FIGURE = TrainingFigure(
    panels=(
        Panel("accuracy", "ground-truth reward", "share of rollouts correct", share=True),
        Panel("majority_ratio", "majority-voting reward", "share with the majority", share=True),
    ),
    NO_PROOF="it does not prove that test-time training is safe: what it improves on are the questions that it saw",
)
