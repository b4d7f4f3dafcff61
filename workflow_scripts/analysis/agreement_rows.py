"""Rows on what rewards and labels of TTRL's kind were worth: at step 0, and in parts of the run.

They are worked out as those of the ledger (`analysis.quantities`): each question counts once, and the interval is a
bootstrap over questions of the mean over seeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workflow_scripts.analysis.quantities import Estimate, estimate
from workflow_scripts.analysis.sampled_rows import base_place
from workflow_scripts.analysis.terms import NoEvidence, NotComparable
from workflow_scripts.analysis.training_rows import Row
from workflow_scripts.analysis.training_terms import window_end
from workflow_scripts.settings.claims import Term
from workflow_scripts.settings.evidence import BaseEvidence, Evidence, RunEvidence
from workflow_scripts.settings.training import StatisticsSpec

SHARES: dict[str, tuple[str, str | None]] = {
    "protection_gap": ("protection_gap", None),
    "protection_rate": ("protection_gap", "label_wrong"),
    "lucky_label_right": ("hit_label_right", "reward_accuracy"),
    "lucky_wrong_label_missed": ("hit_wrong_label_missed", "reward_accuracy"),
    "lucky_unparseable": ("hit_unparseable", "reward_accuracy"),
}
"""Metric -> the column of `visit_values` that it is the mean of, and the one whose mean it is divided by, if any."""

WINDOWS = {"first_pass": "first_pass", "run_mean": "run", "last_tenth": "last_tenth"}
"""How the rows name a part of the run -> how a term does (`settings.claims.Where`)."""


@dataclass(frozen=True)
class Share:
    """A metric of `SHARES` as a quantity; `method` None: of the base's samples."""

    metric: str
    method: str | None
    where: str

    @property
    def kind(self) -> str:
        return "level" if SHARES[self.metric][1] is None else "ratio"

    def sums(self) -> list[list[Term]]:
        return [[Term(1.0, f"train.{name}", self.method, self.where)] for name in SHARES[self.metric] if name]


def step_zero_rows(
    base: BaseEvidence, metrics: Sequence[str], evidence: Evidence, statistics: StatisticsSpec
) -> list[Row]:
    """Return what majority labels would reward among the base's samples, by the names of `SHARES`.

    Nothing where the samples are not among the evidence; no rate where every label is right.
    """
    place = base_place(base)
    rows: list[Row] = []
    for metric in metrics:
        found = _measured(Share(metric, None, "base"), place, evidence, statistics)
        rows += _rows(found, {**place, "metric": metric}) if found else []
    return rows


def window_rows(
    runs: Sequence[RunEvidence],
    metrics: Sequence[str],
    place: Row,
    evidence: Evidence,
    statistics: StatisticsSpec,
) -> list[Row]:
    """Return `metrics` of one method's seeds in each part of the run, as `train.<metric>_<part>`.

    None for rewards that do not come from a label, and no rate where every label is right.
    """
    rows: list[Row] = []
    for metric in metrics:
        for name, where in WINDOWS.items():
            found = _measured(Share(metric, runs[0].method, where), place, evidence, statistics)
            if found:
                step = max(window_end(run.rollouts, where) for run in runs)
                rows += _rows(found, {**place, "step": step, "metric": f"train.{metric}_{name}"})
    return rows


def _measured(share: Share, place: Row, evidence: Evidence, statistics: StatisticsSpec) -> Estimate | None:
    try:
        return estimate(
            share, evidence, [str(place["policy_role"])], [str(place["questions_role"])], statistics
        )
    except (NoEvidence, NotComparable):
        return None


def _rows(found: Estimate, common: Row) -> list[Row]:
    """The mean over seeds with its interval, then each seed alone; the base is one row."""
    row: Row = {"value": found.value, "low": found.low, "high": found.high, "n": found.n, "k": found.k}
    if found.by_seed:
        row |= {"seed": "mean", "n_seeds": len(found.by_seed), "sd": found.sd}
    return [
        {**common, **row},
        *(
            {**common, "seed": str(seed), "n_seeds": 1, "value": value}
            for seed, value in found.by_seed.items()
        ),
    ]
