"""URLVR, Figure 6: training sets of different sizes, as many steps each."""

from workflow_scripts.artefacts.training_panels import Panel, TrainingFigure

FIGURE = TrainingFigure(
    panels=(
        Panel("accuracy", "ground-truth reward", "share of rollouts correct", share=True),
        Panel("majority_ratio", "majority-voting reward", "share with the majority", share=True),
        Panel("reward_accuracy", "reward accuracy", "share of rewards right", share=True),
    ),
    NO_PROOF="it does not prove a limit in questions: how many are few depends on the policy and the number of steps",
)
