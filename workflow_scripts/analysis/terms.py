"""One term of a quantity in one cell (a policy role on a question set role): its values seed by seed, by question."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from workflow_scripts.analysis.metrics import question_values, samples_per_question
from workflow_scripts.analysis.step_zero import step_zero_values
from workflow_scripts.analysis.tables import read_curve, read_per_question
from workflow_scripts.analysis.training_terms import LAST_SHARE, training_values
from workflow_scripts.settings.claims import Term
from workflow_scripts.settings.evidence import Evidence, RunEvidence


class NoEvidence(Exception):
    """A term's run or evaluation does not exist at this scale."""


class NotComparable(Exception):
    """The terms exist but cannot be added: other questions, or a metric that depends on k at unequal k."""


@dataclass(frozen=True)
class Cell:
    """The evidence of one policy role on one question set role."""

    evidence: Evidence
    policy_role: str
    questions_role: str


def term_values(term: Term, cell: Cell) -> tuple[pd.DataFrame, int]:
    """Return the values of the term, unweighted (seeds x questions; one row for the base), and k.

    A training metric of the base is what majority labels would reward among its evaluated samples.

    Raises NoEvidence or NotComparable with a reason for people.
    """
    if term.method is None and term.is_of_training:
        values, k = step_zero_values(_base_samples(cell), term.metric)
        return values.to_frame(0).T, k
    if term.method is None:
        table = read_per_question(_base(cell))
        return question_values(table, term.metric).to_frame(0).T, samples_per_question(table)
    if term.adapted_on not in (None, cell.questions_role):
        home = replace(cell, questions_role=str(term.adapted_on))
        if any(cell.questions_role in run.validation for run in _found_runs(home, term.method)):
            return _from_curves(term, _runs(home, term.method), cell.questions_role)
        return _evaluated(term.metric, _transferred(cell, term.method, str(term.adapted_on)))
    runs = _runs(cell, term.method)
    if term.is_of_training:
        return _trained(term, runs)
    evaluated = {run.seed: run.per_question for run in runs if run.per_question is not None}
    if term.where == "last" and len(evaluated) == len(runs):
        return _evaluated(term.metric, evaluated)
    return _from_curves(term, runs)


# ------------------------------------------------------------------ where it lies


def _base(cell: Cell) -> str:
    """Return the base's evaluation: as asked for, or as the start of a comparison on unseen questions."""
    for base in cell.evidence.base:
        if (base.policy_role, base.questions_role) == (cell.policy_role, cell.questions_role):
            return base.per_question
    for moved in cell.evidence.transfers:
        if (moved.policy_role, moved.questions_role, moved.method) == (
            cell.policy_role,
            cell.questions_role,
            None,
        ):
            return moved.per_question
    raise NoEvidence(_reason(cell, None))


def _base_samples(cell: Cell) -> str:
    for base in cell.evidence.base:
        if (base.policy_role, base.questions_role) == (
            cell.policy_role,
            cell.questions_role,
        ) and base.samples:
            return base.samples
    raise NoEvidence(_reason(cell, None))


def _runs(cell: Cell, method: str) -> list[RunEvidence]:
    found = _found_runs(cell, method)
    if not found:
        raise NoEvidence(_reason(cell, method))
    return sorted(found, key=lambda run: run.seed)


def _found_runs(cell: Cell, method: str) -> list[RunEvidence]:
    wanted = (cell.policy_role, cell.questions_role, method)
    return [run for run in cell.evidence.runs if (run.policy_role, run.questions_role, run.method) == wanted]


def _transferred(cell: Cell, method: str, adapted_on: str) -> dict[int, str]:
    """Return seed -> evaluation on the cell's questions of the policies adapted on others."""
    wanted = (cell.policy_role, adapted_on, cell.questions_role, method)
    found = {
        moved.seed: moved.per_question
        for moved in cell.evidence.transfers
        if (moved.policy_role, moved.adapted_on, moved.questions_role, moved.method) == wanted
        and moved.seed is not None
    }
    if not found:
        raise NoEvidence(_reason(cell, method))
    return dict(sorted(found.items()))


def _reason(cell: Cell, method: str | None) -> str:
    for absent in cell.evidence.not_run:
        if (absent.policy_role, absent.questions_role, absent.method) == (
            cell.policy_role,
            cell.questions_role,
            method,
        ):
            return absent.reason
    return f"no {method or 'base'} for {cell.policy_role} on {cell.questions_role} at this scale"


# ------------------------------------------------------------------ what it says


def _evaluated(metric: str, paths: dict[int, str]) -> tuple[pd.DataFrame, int]:
    tables = {seed: read_per_question(path) for seed, path in paths.items()}
    values = pd.DataFrame({seed: question_values(table, metric) for seed, table in tables.items()}).T
    return values, min(samples_per_question(table) for table in tables.values())


def _from_curves(
    term: Term, runs: list[RunEvidence], validation: str | None = None
) -> tuple[pd.DataFrame, int]:
    """Return a metric of the samples that were drawn while training, at the steps of `where`.

    `validation`: role of the questions; None: those of the training.
    """
    curves = {run.seed: read_curve(run.curve, validation and run.validation[validation]) for run in runs}
    steps = _evaluation_steps(term, curves)
    rows, ks = {}, []
    for seed, curve in curves.items():
        at_steps = [curve[curve["step"] == step] for step in steps]
        if any(table.empty for table in at_steps):
            raise NotComparable(f"the seeds of {term.method} are evaluated at different steps")
        ks += [samples_per_question(table) for table in at_steps]
        rows[seed] = pd.DataFrame([question_values(table, term.metric) for table in at_steps]).mean(axis=0)
    return pd.DataFrame(rows).T, min(ks)


def _evaluation_steps(term: Term, curves: dict[int, pd.DataFrame]) -> list[int]:
    first = next(iter(curves.values()))
    steps = sorted(int(step) for step in first["step"].unique())
    if term.where == "first":
        return steps[:1]
    if term.where == "last":
        return steps[-1:]
    if term.where == "last_tenth":
        return [step for step in steps if step > (1 - LAST_SHARE) * steps[-1]] or steps[-1:]
    means = [
        np.mean([question_values(c[c["step"] == step], term.metric).mean() for c in curves.values()])
        for step in steps
    ]
    return [steps[int(np.argmax(means))]]


def _trained(term: Term, runs: list[RunEvidence]) -> tuple[pd.DataFrame, int]:
    found = {run.seed: training_values(run.rollouts, term.metric, term.where) for run in runs}
    if any(values.isna().all() for values, _ in found.values()):
        raise NotComparable("the rewards do not come from a label")
    return pd.DataFrame({seed: values for seed, (values, _) in found.items()}).T, min(
        k for _, k in found.values()
    )
