"""URLVR, Figure 7: how far training moves the policy, by the size of the training set."""

from workflow_scripts.artefacts.training_panels import Panel, TrainingFigure

FIGURE = TrainingFigure(
    panels=(
        Panel("kl_token", "KL to the base, per token", "nats per token"),
        Panel("kl_sequence", "KL to the base, per response", "nats per response"),
    ),
    validation=False,
    NO_PROOF="it does not prove that the distance causes the fall: both may follow from what is learned",
)
