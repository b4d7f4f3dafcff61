"""PROSE, Figure 3: one step of the method, drawn from code; TTRL's vote, which it replaces, beside it."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd
from matplotlib.figure import Figure

from workflow_scripts.artefacts.literal import one_line
from workflow_scripts.artefacts.paper_numbers import printed_name
from workflow_scripts.artefacts.style import BASE_COLOUR, BLUE, FULL_WIDTH, VERMILLION
from workflow_scripts.settings.evidence import Render

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEIGHT = 3.55
"""Inches; all places and sizes below are in inches, from the lower left corner."""

INK = "#222222"
NEUTRAL, OURS, REPLACED = "#F2F2F2", "#DCEAF5", "#FBE9DF"
"""Fills: shared by both methods; the reward of PROSE; the reward of TTRL."""

NO_PROOF = "it holds no number and proves nothing"
"""The limit of the figure."""


@dataclass(frozen=True)
class Box:
    """A part of the loop. x, y: its lower left corner. text: in mathtext, with the number of the paper's equation."""

    x: float
    y: float
    width: float
    height: float
    title: str
    text: str
    fill: str = NEUTRAL
    edge: str = BASE_COLOUR

    @property
    def method(self) -> str:
        """Whose part it is."""
        return {OURS: "PROSE", REPLACED: "TTRL"}.get(self.fill, "both")

    @property
    def middle(self) -> tuple[float, float]:
        return self.x + self.width / 2, self.y + self.height / 2


BOXES = {
    "question": Box(0.05, 2.04, 0.98, 0.84, "question", "$q$, unlabelled"),
    "policy": Box(1.3, 2.04, 0.98, 0.84, "policy", r"$\pi_\theta$"),
    "rollouts": Box(2.68, 1.62, 1.62, 1.68, "$K$ rollouts: steps, answer (1)", ""),
    "prm": Box(4.68, 2.5, 1.06, 0.8, "process\nreward model", r"$p_i(+)$ per step (4)", OURS, BLUE),
    "minimum": Box(5.9, 2.5, 1.05, 0.8, "weakest step", r"$r_k = \min_i\, p_i$ (5)", OURS, BLUE),
    "guard": Box(5.9, 1.48, 1.05, 0.74, "format guard", "$r_k = 0$ if $a_k$\ncannot be read (6)", OURS, BLUE),
    "vote": Box(
        2.68,
        0.72,
        1.62,
        0.52,
        "majority vote",
        r"$\hat{a} = \mathrm{MV}(a_1, \ldots, a_K)$ (3)",
        REPLACED,
        VERMILLION,
    ),
    "agreement": Box(
        4.52, 0.72, 1.12, 0.52, "agreement", r"$r_k = 1[a_k = \hat{a}]$ (3)", REPLACED, VERMILLION
    ),
    "advantage": Box(5.9, 0.66, 1.05, 0.58, "group advantage", r"$A_k = (r_k - \mu)\, /\, \sigma$ (2)"),
    "update": Box(1.3, 0.66, 0.98, 0.58, "GRPO update", r"of $\theta$"),
}


@dataclass(frozen=True)
class Arrow:
    """From one box to another along the points; the last one carries the head."""

    start: str
    end: str
    points: tuple[tuple[float, float], ...]
    label: str = ""

    @property
    def method(self) -> str:
        """Whose part it is: that of the box at either end which is not of both, or of both."""
        own = {BOXES[self.start].method, BOXES[self.end].method} - {"both"}
        return own.pop() if own else "both"


ARROWS = (
    Arrow("question", "policy", ((1.03, 2.46), (1.3, 2.46))),
    Arrow("policy", "rollouts", ((2.28, 2.46), (2.68, 2.46)), "sample"),
    Arrow("rollouts", "prm", ((4.3, 2.9), (4.68, 2.9)), "steps"),
    Arrow("prm", "minimum", ((5.74, 2.9), (5.9, 2.9))),
    Arrow("minimum", "guard", ((6.425, 2.5), (6.425, 2.22))),
    Arrow("rollouts", "guard", ((4.3, 1.85), (5.9, 1.85)), "answer $a_k$"),
    Arrow("guard", "advantage", ((6.425, 1.48), (6.425, 1.24)), "$r_k$"),
    Arrow("rollouts", "vote", ((3.49, 1.62), (3.49, 1.24)), "answers"),
    Arrow("vote", "agreement", ((4.3, 0.98), (4.52, 0.98))),
    Arrow("agreement", "advantage", ((5.64, 0.98), (5.9, 0.98))),
    Arrow(
        "advantage", "update", ((6.425, 0.66), (6.425, 0.42), (1.79, 0.42), (1.79, 0.66)), "advantages $A_k$"
    ),
    Arrow("update", "policy", ((1.79, 1.24), (1.79, 2.04)), "next step"),
)


def draw(table: pd.DataFrame, config: Render) -> tuple[Figure, pd.DataFrame]:
    """Return the drawing, and its parts as a table; `table` is empty: the drawing shows no numbers."""
    figure = Figure(figsize=(FULL_WIDTH, HEIGHT))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, FULL_WIDTH)
    axes.set_ylim(0, HEIGHT)
    axes.axis("off")
    names = _names(config)
    for name, box in BOXES.items():
        _box(axes, box, names.get(name, ""))
    _rollouts(axes, BOXES["rollouts"])
    for arrow in ARROWS:
        _arrow(axes, arrow)
    axes.text(
        5.82,
        3.42,
        "PROSE: reward of the reasoning steps",
        color=BLUE,
        ha="center",
        va="center",
        weight="bold",
    )
    axes.text(
        5.06,
        1.42,
        "TTRL: agreement,\nreplaced by the above",
        color=VERMILLION,
        ha="center",
        va="center",
        weight="bold",
    )
    axes.text(
        0.05,
        0.12,
        f"drawing, no numbers [{config.artefact}, scale {config.scale}]",
        fontsize=6,
        color=BASE_COLOUR,
        va="center",
    )
    return figure, parts(names)


def _names(config: Render) -> dict[str, str]:
    """What the policy and the questions are at this scale."""
    policy, questions = config.entry.policies[0], config.entry.question_sets[0]
    return {
        "policy": printed_name(policy, config.policy_labels.get(policy, policy)),
        "question": printed_name(questions, config.question_set_labels.get(questions, questions)),
    }


def parts(names: dict[str, str]) -> pd.DataFrame:
    """Return the boxes and arrows of the drawing, one row each."""
    boxes = [
        {
            "kind": "box",
            "name": name,
            "text": " ".join(f"{box.title} {box.text} {names.get(name, '')}".split()),
            "method": box.method,
        }
        for name, box in BOXES.items()
    ]
    arrows = [
        {
            "kind": "arrow",
            "name": f"{arrow.start} -> {arrow.end}",
            "text": arrow.label,
            "method": arrow.method,
        }
        for arrow in ARROWS
    ]
    return pd.DataFrame([*boxes, *arrows])


def clauses(numbers: pd.DataFrame, labels: Mapping[str, str]) -> list[str]:
    """Return what is drawn, in words: the same whatever the runs."""
    return ["one step of PROSE as this pipeline computes it, and the vote of TTRL that it replaces"]


def _box(axes: Axes, box: Box, name: str) -> None:
    from matplotlib.patches import FancyBboxPatch

    axes.add_patch(
        FancyBboxPatch(
            (box.x, box.y),
            box.width,
            box.height,
            boxstyle="round,pad=0,rounding_size=0.07",
            facecolor=box.fill,
            edgecolor=box.edge,
            linewidth=0.9,
        )
    )
    x, _ = box.middle
    look: dict[str, Any] = {"ha": "center", "fontsize": 6.8}
    _write(axes, x, box.y + box.height - 0.07, box.title, va="top", weight="bold", **look)
    lines = [line.replace("$", r"\$") for line in textwrap.wrap(one_line(name), 17)]  # a name is no formula
    _write(axes, x, box.y + 0.07, "\n".join([box.text, *lines]), va="bottom", **look)


def _write(axes: Axes, x: float, y: float, text: str, *, color: str = INK, **look: Any) -> None:
    """Write a text of the drawing's own, in which `$...$` is a formula."""
    axes.text(x, y, text, color=color, parse_math=True, **look)


def _rollouts(axes: Axes, box: Box) -> None:
    """Chains of steps with an answer at the end: the first, the second and the last of K."""
    from matplotlib.patches import Circle, Rectangle

    for y, subscript, n_steps in ((2.84, "1", 3), (2.5, "2", 4), (1.9, "K", 2)):
        _write(axes, box.x + 0.08, y, f"$o_{subscript}$", va="center", fontsize=7)
        x = box.x + 0.32
        for _ in range(n_steps):
            axes.add_patch(
                Rectangle((x, y - 0.08), 0.18, 0.16, facecolor="white", edgecolor=BASE_COLOUR, linewidth=0.8)
            )
            x += 0.24
        axes.add_patch(
            Circle((box.x + 1.42, y), 0.1, facecolor="white", edgecolor=BASE_COLOUR, linewidth=0.8)
        )
        _write(axes, box.x + 1.42, y, f"$a_{subscript}$", ha="center", va="center", fontsize=6)
    axes.text(box.x + 0.14, 2.2, "⋮", ha="center", va="center", fontsize=8, color=INK)


def _arrow(axes: Axes, arrow: Arrow) -> None:
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path

    colour = {"PROSE": BLUE, "TTRL": VERMILLION}.get(arrow.method, INK)
    axes.add_patch(
        FancyArrowPatch(
            path=Path(arrow.points),
            arrowstyle="-|>",
            mutation_scale=8,
            linewidth=1.0,
            linestyle=(0, (3, 2)) if arrow.method == "TTRL" else "-",
            edgecolor=colour,
            facecolor="none" if len(arrow.points) > 2 else colour,
            shrinkA=0,
            shrinkB=0,
        )
    )
    if not arrow.label:
        return
    before, after = arrow.points[len(arrow.points) // 2 - 1 : len(arrow.points) // 2 + 1]
    x, y = (before[0] + after[0]) / 2, (before[1] + after[1]) / 2
    if before[0] == after[0]:
        _write(axes, x + 0.05, y, arrow.label, ha="left", va="center", fontsize=6.5, color=colour)
    else:
        _write(axes, x, y + 0.04, arrow.label, ha="center", va="bottom", fontsize=6.5, color=colour)
