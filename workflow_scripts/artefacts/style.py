"""The look that all figures share: sizes, fonts, and a fixed colour and marker per method.

Colours are those of Okabe and Ito (2008), told apart by colour-blind readers; markers tell them apart in grey.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

FULL_WIDTH = 7.0
"""Inches: the text width of a two-column paper."""

PNG_DPI = 200

BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, VERMILLION, PURPLE = (
    "#000000",
    "#E69F00",
    "#56B4E9",
    "#009E73",
    "#F0E442",
    "#0072B2",
    "#D55E00",
    "#CC79A7",
)
BASE_COLOUR = "#4D4D4D"
BAND_ALPHA = 0.18
RAW_ALPHA = 0.35
"""Of the value of every single step, beside its moving average."""


@dataclass(frozen=True)
class Look:
    """Colour and marker of one method, the same in every figure."""

    colour: str
    marker: str


METHOD_LOOKS = {
    "ttrl": Look(VERMILLION, "o"),
    "prose": Look(BLUE, "s"),
    "prose_mean": Look(ORANGE, "D"),
    "prose_product": Look(SKY, "v"),
    "prose_last": Look(PURPLE, "^"),
    "prose_sum": Look(YELLOW, "P"),
    "prose_noguard": Look(PURPLE, "X"),
    "prm_label": Look(GREEN, "^"),
    "prm_label_bon": Look(SKY, "v"),
    "self_certainty": Look(BLUE, "s"),
    "token_entropy": Look(ORANGE, "D"),
    "token_entropy_temperature_1_2": Look(ORANGE, "D"),
    "trajectory_entropy": Look(GREEN, "^"),
    "trajectory_entropy_temperature_1_2": Look(GREEN, "^"),
    "probability": Look(PURPLE, "v"),
    "probability_temperature_1_2": Look(PURPLE, "v"),
    "oracle": Look(BLACK, "*"),
    "random": Look("#999999", "x"),
    "format_only": Look("#999999", "+"),
}

_SPARE_LOOKS = [
    Look(colour, marker) for colour, marker in zip((GREEN, PURPLE, SKY, BLACK), "^XvP", strict=True)
]


def method_look(method: str, position: int) -> Look:
    """Return the look of `method`; one without its own takes a spare one by its position."""
    return METHOD_LOOKS.get(method, _SPARE_LOOKS[position % len(_SPARE_LOOKS)])


_PLACE_LOOKS = [
    Look(colour, marker)
    for colour, marker in zip(
        ("#08306B", BLUE, SKY, GREEN, ORANGE, VERMILLION, PURPLE, BLACK), "so^DvPX*", strict=True
    )
]


def place_look(position: int) -> Look:
    """Return the look of a policy's or question set's line by its position; near positions have near colours."""
    return _PLACE_LOOKS[position % len(_PLACE_LOOKS)]


SETTINGS: dict[str, object] = {
    "font.family": "DejaVu Sans",  # ships with matplotlib, so that every machine draws the same
    "font.size": 7.5,
    "axes.titlesize": 8,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 7.5,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.6,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "xtick.major.size": 3,
    "ytick.major.size": 3,
    "lines.linewidth": 1.6,
    "lines.markersize": 3.8,
    "pdf.fonttype": 42,
    "savefig.dpi": PNG_DPI,
    "figure.dpi": PNG_DPI,
    "figure.constrained_layout.wspace": 0.05,  # of a panel: keeps labels off the panel before
    "axes.unicode_minus": True,
    "text.parse_math": False,  # a label's $ is a $; the drawing of prose_fig3 asks for its formulas
}


@contextmanager
def paper_style() -> Iterator[None]:
    """Apply the shared style over matplotlib's defaults, whatever the user's own settings are."""
    import matplotlib

    logging.getLogger("fontTools").setLevel(logging.WARNING)
    matplotlib.use("agg")
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(SETTINGS)
        yield
