"""Runs that are followed on other questions: tidy rows, claims, collapse, and the figures drawn from them."""

import pandas as pd
import pytest
from synthetic_evidence import STATISTICS, evidence, question_rows, write_run

from workflow_scripts.analysis.collapse_rows import collapse_name, collapse_rows
from workflow_scripts.analysis.collect import collect
from workflow_scripts.analysis.quantities import estimate
from workflow_scripts.analysis.recipes import Recipe
from workflow_scripts.analysis.tables import last_evaluated_step, read_curve
from workflow_scripts.errors import UserError
from workflow_scripts.settings.claims import Gain, Lead, MethodTerm
from workflow_scripts.settings.evidence import Analyse

WATCHED = {
    "aime24": {0: question_rows([1, 1], 4), 10: question_rows([3, 3], 4), 20: question_rows([2, 2], 4)}
}


def run_of(folder, method="ttrl", seed=0, watched=WATCHED, **values):
    return write_run(folder, method, seed, {}, questions="dapo", validation=watched, **values)


def tidy(runs, recipe):
    return collect(
        Analyse(artefact="urlvr_fig2", evidence=evidence(None, runs), statistics=STATISTICS), recipe
    )


def test_a_curve_has_a_question_set_for_each_validation_role(tmp_path):
    watched = WATCHED | {"amc23": {0: question_rows([4], 4), 20: question_rows([0], 4)}}
    run = run_of(tmp_path, watched=watched)
    assert len(read_curve(run.curve, "aime24.id")) == 6
    assert len(read_curve(run.curve, "amc23.id")) == 2
    assert last_evaluated_step(run.curve) == 20
    with pytest.raises(UserError, match=r"curve\.parquet has no evaluation on its own questions"):
        read_curve(run.curve)
    table = tidy([run], Recipe(validation=("avg@k",)))
    rows = table[(table["seed"] == "mean") & (table["metric"] == "avg@k")]
    assert rows.set_index(["questions_role", "step"])["value"].to_dict() == {
        ("aime24", 0): 0.25,
        ("aime24", 10): 0.75,
        ("aime24", 20): 0.5,
        ("amc23", 0): 1.0,
        ("amc23", 20): 0.0,
    }
    assert set(rows["adapted_on"]) == {"dapo"}


def test_the_gain_on_a_validation_set_is_of_its_last_over_its_first_evaluation(tmp_path):
    table = tidy([run_of(tmp_path)], Recipe(validation=("avg@k",), gains=("avg@k",)))
    (row,) = table[(table["metric"] == "gain.avg@k") & (table["seed"] == "mean")].to_dict("records")
    assert (row["value"], row["low"], row["high"], row["step"], row["questions_role"]) == (
        *(0.25, 0.25, 0.25, 20),
        "aime24",
    )


@pytest.mark.parametrize(
    ("where", "over", "value"),
    [("peak", "first", 0.5), ("last_tenth", "peak", -0.25), ("last", "first", 0.25)],
)
def test_a_claim_can_follow_a_validation_set(tmp_path, where, over, value):
    quantity = Gain(kind="gain", metric="avg@k", method="ttrl", where=where, over=over, adapted_on="dapo")
    found = estimate(quantity, evidence(None, [run_of(tmp_path)]), ["main_policy"], ["aime24"], STATISTICS)
    assert (found.value, found.n, found.k) == (value, 2, 4)


def test_a_claim_compares_methods_late_in_training_on_a_validation_set(tmp_path):
    low = {"aime24": {0: question_rows([1, 1], 4), 20: question_rows([1, 1], 4)}}
    runs = [run_of(tmp_path), run_of(tmp_path, "a", watched=low), run_of(tmp_path, "b", watched=low)]
    terms = [
        MethodTerm(metric="avg@k", method=name, where="last_tenth", adapted_on="dapo")
        for name in ("ttrl", "a", "b")
    ]
    quantity = Lead(kind="lead", of=terms[0], over=terms[1:])
    found = estimate(quantity, evidence(None, runs), ["main_policy"], ["aime24"], STATISTICS)
    assert found.value == 0.25


@pytest.mark.parametrize(
    ("metric", "column", "values", "expected"),
    [
        ("train.tokens", "n_tokens", [[10, 20], [30, 50]], 25.0),
        ("train.repetition", "repetition", [[0.0, 0.2], [0.4, 0.6]], 0.4),
        ("train.accuracy", "correct", [[True, False], [True, True]], 0.5),
    ],
)
def test_claims_on_the_responses_of_training(tmp_path, metric, column, values, expected):
    from workflow_scripts.settings.claims import Contrast, WeightedTerm

    rows = [
        {"step": step, "question_id": "q0", "reward": 0.5, "advantage": 0.0, column: value}
        for step, of_step in enumerate(values, start=1)
        for value in of_step
    ]
    run = run_of(tmp_path, rollouts=pd.DataFrame(rows))
    quantity = Contrast(
        kind="contrast",
        sum=[
            WeightedTerm(weight=weight, metric=metric, method="ttrl", where=where)
            for weight, where in ((1.0, "last"), (-1.0, "first_pass"))
        ],
    )
    found = estimate(quantity, evidence(None, [run]), ["main_policy"], ["dapo"], STATISTICS)
    assert found.value == pytest.approx(expected)


def test_collapse_is_the_first_of_three_steps_below_and_tokens_are_counted_until_then(tmp_path):
    accuracy = [0.5, 0.03, 0.5, 0.03, 0.03, 0.03, 0.0]
    training = {"reward_accuracy": accuracy, "tokens": [10.0] * 7}
    runs = [
        run_of(tmp_path, rewards=[0.5] * 7, training=training),
        run_of(tmp_path, seed=1, rewards=[0.5] * 7, training=training | {"reward_accuracy": [0.5] * 7}),
    ]
    rows = {(row["metric"], row["seed"]): row["value"] for row in collapse_rows(runs, {})}
    assert rows[collapse_name(0.04), "0"] == 4
    assert pd.isna(rows[collapse_name(0.01), "0"])
    assert pd.isna(rows[collapse_name(0.04), "1"])
    assert rows[collapse_name(0.04), "mean"] == 4
    # 112 rollouts a step (synthetic_evidence) of 10 tokens
    assert rows[f"tokens_to_{collapse_name(0.04)}", "0"] == 4 * 1120
    assert rows[f"tokens_to_{collapse_name(0.04)}", "1"] == rows["train.tokens_sampled", "1"] == 7 * 1120


def test_metrics_without_the_names_of_a_collapse_are_named(tmp_path):
    run = run_of(tmp_path)
    with pytest.raises(UserError, match=r"metrics\.jsonl: no metric `reward_accuracy`"):
        collapse_rows([run], {})
