"""The panel of PROSE's Figure 2 that prints protection gap, protection rate and the reasons for right rewards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from workflow_scripts.analysis.training_terms import last_tenth
from workflow_scripts.artefacts.style import BASE_COLOUR, GREEN, ORANGE, PURPLE, SKY, Look
from workflow_scripts.settings.evidence import Render

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GAP, RATE = "protection_gap", "protection_rate"
MISSED = "lucky_wrong_label_missed"

FORMS = {"amc_free": "free-form", "amc_4op": "4 options"}
"""Question set role -> as printed: here the answer space is all that differs."""

FORM_LOOKS = (Look(GREEN, "o"), Look(PURPLE, "s"))

LUCKY_LOOKS = {
    "lucky_label_right": ("right rewards: label right", SKY),
    MISSED: ("… wrong label missed", ORANGE),
    "lucky_unparseable": ("… answer not readable", "#8C8C8C"),
}
"""Reason for a right reward -> as printed, colour."""

SUMMARY = {
    GAP: "protection gap",
    RATE: "protection rate",
    **{name: reason for name, (reason, _) in LUCKY_LOOKS.items()},
}
"""The lines of (i): metric -> as printed. The reasons are shares of the right rewards, as in (g) and (h)."""

STEP_ZERO = "step_zero"
WINDOWS = {STEP_ZERO: "step 0", "run_mean": "run", "last_tenth": "last tenth"}
"""Step 0 is the unadapted policy on all questions, by its evaluated samples; the others are parts of the training."""


def form_name(role: str) -> str:
    """Return the answer space of a question set role, as printed."""
    return FORMS.get(role, role)


def of_role(plotted: pd.DataFrame, role: str) -> pd.DataFrame:
    """Return the rows of one question set role."""
    return plotted[plotted["questions_role"] == role]


def window_metric(metric: str, window: str) -> str:
    """Return how the tidy table names a metric of `SUMMARY` in a window."""
    return metric if window == STEP_ZERO else f"train.{metric}_{window}"


def window_rows(plotted: pd.DataFrame, role: str, metric: str) -> dict[str, pd.Series]:
    """Return window -> its row (the mean over seeds, or the base), for the windows that have a value."""
    rows = of_role(plotted, role)
    found = {
        window: rows[(rows["metric"] == window_metric(metric, window)) & rows["value"].notna()]
        for window in WINDOWS
    }
    return {window: of_window.iloc[0] for window, of_window in found.items() if len(of_window)}


def draw_summary(axes: Axes, plotted: pd.DataFrame, config: Render) -> None:
    """Print gap, rate and reasons over the parts of the run, with their intervals: a line each, a column per window."""
    axes.axis("off")
    axes.set_xlim(0, 1)
    axes.set_ylim(len(SUMMARY) + 1.5, 0.2)
    axes.set_title(f"(i) over all questions, with {100 * config.confidence:g} % intervals")
    for line, (metric, label) in enumerate(SUMMARY.items(), start=2):
        if metric in LUCKY_LOOKS:
            axes.plot(0.008, line, "s", color=LUCKY_LOOKS[metric][1], markersize=5, clip_on=False)
        axes.text(0.022 if metric in LUCKY_LOOKS else 0, line, label, fontsize=6.5, va="center")
    for position, (role, look) in enumerate(zip(config.entry.question_sets, FORM_LOOKS, strict=False)):
        left = 0.27 + 0.38 * position
        centres = {window: left + 0.12 * i + 0.06 for i, window in enumerate(WINDOWS)}
        axes.plot([left + 0.005, left + 0.355], [1.45, 1.45], color=look.colour, linewidth=1.0)
        axes.text(left + 0.18, 0.4, form_name(role), fontsize=7, weight="bold", ha="center", va="center")
        for window, x in centres.items():
            axes.text(x, 1.05, WINDOWS[window], fontsize=6.5, ha="center", va="center")
        for line, metric in enumerate(SUMMARY, start=2):
            rows = window_rows(plotted, role, metric)
            for window, x in centres.items():
                row = rows.get(window)
                value = "–" if row is None else number(row["value"])
                axes.text(x, line - 0.2, value, fontsize=6.5, ha="center", va="center")
                if row is not None:
                    axes.text(
                        *(x, line + 0.27, interval(row)),
                        fontsize=5.5,
                        color=BASE_COLOUR,
                        ha="center",
                        va="center",
                    )


def number(value: float) -> str:
    """Return the value as printed; what rounds to zero has no sign."""
    return f"{value:z.2f}".replace("-", "−")


def interval(row: pd.Series) -> str:
    """Return a row's interval as printed."""
    return f"[{number(row['low'])}, {number(row['high'])}]"


def summary_notes(plotted: pd.DataFrame, config: Render) -> list[str]:
    """Return clauses on what (i) rests on; none where nothing ran."""
    notes = []
    start = plotted[plotted["metric"] == GAP]
    if not start.empty:
        n, k = start["n"].min(), start["k"].min()
        notes.append(
            f"(i) step 0: majority labels on {n} × {k} samples of the base at T = {config.evaluation_temperature:g}"
        )
    steps = plotted[plotted["metric"] == f"train.{GAP}"]
    for window, what in (("run_mean", "run"), ("last_tenth", "last tenth")):
        rows = plotted[plotted["metric"] == window_metric(GAP, window)]
        if not rows.empty and not steps.empty:
            n_steps = steps["step"].nunique()
            n_steps = n_steps if window == "run_mean" else last_tenth(n_steps)
            rollouts = n_steps * int((steps["n"] * steps["k"]).max())
            notes.append(f"{what}: n = {rows['n'].min()} questions, {rollouts:,} rollouts per seed")
    return notes
