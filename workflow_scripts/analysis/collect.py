"""From the files behind an artefact to one tidy table: a row per method, seed, step and metric.

Rows with `seed` "mean" hold the mean over seeds: `sd` is the standard deviation between seeds (empty for
one seed), `low` and `high` bound it by a bootstrap over questions. Rows with a seed's number hold that seed
alone. The base is the method "base" at step 0, without a seed. What a scale cannot run is a row with metric
`not_run`.

`adapted_on` is the question set role of the training; where it differs from `questions_role`, the policy was
frozen and asked other questions. It is empty for the base and for averages. `questions_role` "average" is the
average over the artefact's question sets.

`n` counts questions and `k` samples per question (`train.*`: of one optimiser step; of a part of the run: the fewest
rollouts of one question in it); for `step_auc` and `prm_auc.*` `n` counts the steps of the responses, over all seeds
in the row "mean".

`train.<metric>_first_pass`, `_run_mean` and `_last_tenth` are parts of the run, as the ledger has them
(`analysis.agreement_rows`); `train.letter_share_max_pass` is of a pass over the questions that ends at `step`
(`analysis.letter_rows`), `gold_letter_share_max` of the right answers. `gain.<metric>` is the last checkpoint minus the
base, paired question by question. `wrong_collision` is of the base; `n` counts the questions with two wrong samples,
for others it says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

import numpy as np
import pandas as pd

from workflow_scripts.analysis.agreement_rows import step_zero_rows, window_rows
from workflow_scripts.analysis.collapse_rows import collapse_rows
from workflow_scripts.analysis.letter_rows import letter_rows
from workflow_scripts.analysis.recipes import Recipe
from workflow_scripts.analysis.sampled_rows import (
    Sampled,
    average_rows,
    base_place,
    base_samples,
    collision_samples,
    curve_samples,
    final_samples,
    gain_over,
    last_step,
    sampled_rows,
    transfer_samples,
)
from workflow_scripts.analysis.tables import read_prm_aucs, read_step_auc
from workflow_scripts.analysis.training_rows import Row, seed_sd, training_rows
from workflow_scripts.columns import TEXT, Column
from workflow_scripts.settings.evidence import (
    Analyse,
    BaseEvidence,
    Evidence,
    NotRun,
    RunEvidence,
    TransferEvidence,
)

NUMBER = Column("number", missing=True)
COUNT = Column("whole", low=1, high=1e12, missing=True)
COLUMNS = {
    "artefact": TEXT,
    "policy_role": TEXT,
    "questions_role": TEXT,
    "adapted_on": Column("text", missing=True),
    "method": TEXT,
    "seed": Column("text", missing=True),
    "step": replace(COUNT, low=0),
    "metric": TEXT,
    "value": NUMBER,
    "sd": replace(NUMBER, low=0),
    "low": NUMBER,
    "high": NUMBER,
    "n": COUNT,
    "k": COUNT,
    "n_seeds": replace(COUNT, low=0),
}
"""`n_seeds` of a mean is 0 where no seed has a value."""


def collect(config: Analyse, recipe: Recipe) -> pd.DataFrame:
    """Return the tidy table of one artefact, columns `COLUMNS`, in the order of the evidence.

    Raises UserError where a file is missing or damaged, or where runs that are averaged differ in their steps
    or questions.
    """
    evidence, statistics = config.evidence, config.statistics
    rows: list[Row] = []
    final: list[Sampled] = []
    for base in evidence.base:
        found = base_samples(base, recipe)
        final += found
        rows += step_zero_rows(base, recipe.agreement, evidence, statistics)
        rows += _rows_of(found, config) + (_base_step_auc(base) if recipe.step_auc else [])
        rows += _rows_of(collision_samples(base), config) if recipe.collisions else []
    for runs in _groups(evidence.runs):
        place = _place(runs[0])
        elsewhere = (
            runs[0].validation and runs[0].per_question is None
        )  # its curve is not of its own questions
        at_end = final_samples(runs, recipe.final, place) if recipe.final and not elsewhere else []
        final += at_end
        rows += _rows_of(curve_samples(runs, recipe.curve, place) if recipe.curve else [], config)
        for role in runs[0].validation if recipe.validation else ():
            watched = curve_samples(runs, recipe.validation, {**place, "questions_role": role}, role)
            rows += _rows_of([*watched, *_gains_over_time(watched, recipe)], config)
        rows += training_rows(runs, recipe, place)
        rows += collapse_rows(runs, place) if recipe.collapse else []
        rows += window_rows(runs, recipe.agreement, place, evidence, statistics)
        rows += letter_rows(runs, _base_of(place, evidence), place) if recipe.letters else []
        rows += _rows_of(at_end, config)
        rows += _rows_of(_gains(at_end, final, recipe), config)
        rows += _step_auc_rows(runs) if recipe.step_auc else []
        rows += _prm_auc_rows(runs) if recipe.prm_auc else []
    rows += _transfer_rows(evidence, recipe, config)
    if recipe.average:
        rows += average_rows(final, _question_roles(evidence), statistics)
    rows += [_not_run(absent) for absent in evidence.not_run]
    table = pd.DataFrame([{"artefact": config.artefact, **row} for row in rows], columns=list(COLUMNS))
    return table.astype({"n": "Int64", "k": "Int64", "n_seeds": "Int64", "step": "Int64"})


def _rows_of(found: Iterable[Sampled], config: Analyse) -> list[Row]:
    return [row for sampled in found for row in sampled_rows(sampled, config.statistics)]


OneSeed = TypeVar("OneSeed", RunEvidence, TransferEvidence)


def _groups(found: Iterable[OneSeed]) -> list[list[OneSeed]]:
    """The seeds of one policy, training, question set and method together, in order of the seed."""
    groups: dict[tuple[str | None, ...], list[OneSeed]] = {}
    for one in found:
        trained = one.adapted_on if isinstance(one, TransferEvidence) else None
        key = (one.policy_role, trained, one.questions_role, one.method)
        groups.setdefault(key, []).append(one)
    return [sorted(group, key=lambda one: one.seed or 0) for group in groups.values()]


def _place(run: RunEvidence) -> Row:
    return {
        "policy_role": run.policy_role,
        "questions_role": run.questions_role,
        "adapted_on": run.questions_role,
        "method": run.method,
    }


def _base_of(place: Row, evidence: Evidence) -> BaseEvidence | None:
    where = (place["policy_role"], place["questions_role"])
    return next((base for base in evidence.base if (base.policy_role, base.questions_role) == where), None)


def _gains(at_end: list[Sampled], final: list[Sampled], recipe: Recipe) -> Iterator[Sampled]:
    """The gains of one method's last checkpoints; none where its base was not asked for."""
    bases = {
        (one.place["policy_role"], one.place["questions_role"], one.metric): one
        for one in final
        if one.place["method"] == "base"
    }
    for after in at_end:
        before = bases.get((after.place["policy_role"], after.place["questions_role"], after.metric))
        if before is not None and after.metric in recipe.gains:
            yield gain_over(before, after)


def _gains_over_time(watched: list[Sampled], recipe: Recipe) -> Iterator[Sampled]:
    """The last evaluation of each metric minus the first."""
    for metric in recipe.gains:
        of_metric = [one for one in watched if one.metric == metric]
        if of_metric:
            first, *_, last = of_metric
            difference = last.by_question - first.by_question
            yield replace(last, metric=f"gain.{metric}", by_question=difference)


def _transfer_rows(evidence: Evidence, recipe: Recipe, config: Analyse) -> list[Row]:
    """The last checkpoints on other questions; the base only on those where it is not asked for anyway."""
    asked = {(base.policy_role, base.questions_role) for base in evidence.base}
    rows: list[Row] = []
    for group in _groups(evidence.transfers):
        first = group[0]
        if first.method is None:
            if (first.policy_role, first.questions_role) in asked:
                continue
            asked.add((first.policy_role, first.questions_role))
        trained = [
            run
            for run in evidence.runs
            if (run.policy_role, run.questions_role, run.method)
            == (first.policy_role, first.adapted_on, first.method)
        ]
        rows += _rows_of(transfer_samples(group, trained, recipe.final), config)
    return rows


def _question_roles(evidence: Evidence) -> list[str]:
    """The question sets that the artefact asks for, run or not."""
    items: list[BaseEvidence | RunEvidence | NotRun] = [*evidence.base, *evidence.runs, *evidence.not_run]
    return list(dict.fromkeys(item.questions_role for item in items))


def _not_run(absent: NotRun) -> Row:
    return {
        "policy_role": absent.policy_role,
        "questions_role": absent.questions_role,
        "method": absent.method or "base",
        "metric": "not_run",
    }


def _base_step_auc(base: BaseEvidence) -> list[Row]:
    found = read_step_auc(base.step_scores_report) if base.step_scores_report is not None else None
    return [{**base_place(base), "metric": "step_auc", "value": found[0], "n": found[1]}] if found else []


def _step_auc_rows(runs: list[RunEvidence]) -> list[Row]:
    """The process reward model on the adapted policies' own responses, which is where hacking shows.

    Seeds whose responses hold no right or no wrong step have no AUC.
    """
    found = {run.seed: read_step_auc(run.step_scores_report) for run in runs if run.step_scores_report}
    known = {seed: pair for seed, pair in found.items() if pair is not None}
    if not known:
        return []
    last = last_step(runs)
    common: Row = {**_place(runs[0]), "step": last, "metric": "step_auc"}
    values = np.array([auc for auc, _ in known.values()])
    mean = {"seed": "mean", "n_seeds": len(known), "value": values.mean(), "sd": seed_sd(values)}
    rows = [{**common, **mean, "n": sum(n for _, n in known.values())}]
    return rows + [
        {**common, "seed": str(seed), "n_seeds": 1, "value": auc, "n": n} for seed, (auc, n) in known.items()
    ]


def _prm_auc_rows(runs: list[RunEvidence]) -> list[Row]:
    """The process reward model that rewarded these runs, on responses that it was not trained on.

    All seeds have the same one.
    """
    report = runs[0].prm_report
    return [
        {**_place(runs[0]), "metric": f"prm_auc.{kind}", "value": auc, "n": n}
        for kind, (auc, n) in (read_prm_aucs(report) if report else {}).items()
    ]
