"""config/claims.yaml, the published numbers, and the ledger that the command writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
import yaml
from pydantic import ValidationError
from synthetic_evidence import STATISTICS, evidence, question_rows, write_base, write_run

from workflow_scripts import check_claims
from workflow_scripts.analysis.claims import CheckedPart, part_cells
from workflow_scripts.analysis.recipes import RECIPES
from workflow_scripts.analysis.verdicts import judge
from workflow_scripts.artefacts.paper_numbers import (
    PublishedNumber,
    find_number,
    published_number,
    read_paper_numbers,
)
from workflow_scripts.errors import UserError
from workflow_scripts.settings.claims import MINUS, Gain, Part, Term, all_terms, sum_text
from workflow_scripts.settings.evidence import CheckClaims, ClaimSpec, ClaimWithEvidence, Evidence
from workflow_scripts.training.metric_names import METRICS

CONFIG = Path(__file__).parents[2] / "config"
NUMBERS = CONFIG / "paper_numbers.csv"


def read_claims() -> dict[str, ClaimSpec]:
    entries = yaml.safe_load((CONFIG / "claims.yaml").read_text(encoding="utf-8"))
    return {name: ClaimSpec.model_validate_json(json.dumps(entry)) for name, entry in entries.items()}


def test_all_claims_of_prose_that_a_miniature_can_test_are_there() -> None:
    assert set(range(1, 18)) <= {int(name.removeprefix("claim_")) for name in read_claims()}


def published_cells() -> Iterator[tuple[str, Part, PublishedNumber | None]]:
    """Every cell of every part that names a published number, and that number."""
    numbers = read_paper_numbers(NUMBERS)
    for name, claim in read_claims().items():
        for part in claim.parts:
            for policies, questions in part_cells(part, claim):
                if part.published is not None:
                    checked = CheckedPart(part, policies, questions, None, "not run", "")
                    yield (
                        f"{name}: {part.says} ({policies}, {questions})",
                        part,
                        published_number(checked, numbers),
                    )


def test_every_published_number_that_a_claim_names_exists_in_every_cell() -> None:
    assert [where for where, _, number in published_cells() if number is None] == []


def test_training_metrics_of_claims_and_recipes_are_ones_that_training_writes() -> None:
    terms = [
        term for claim in read_claims().values() for part in claim.parts for term in all_terms(part.quantity)
    ]
    named = {term.metric.removeprefix("train.") for term in terms if term.metric.startswith("train.")}
    named.discard("label_wrong")  # 1 - label_accuracy, which is there
    assert named | {name for recipe in RECIPES.values() for name in recipe.training} <= set(METRICS)


def test_the_papers_own_numbers_satisfy_the_claims_built_on_them() -> None:
    for where, part, number in published_cells():
        assert number is not None
        value = number.value
        assert judge(part.test, part.threshold, value, value, value, []) == "holds", where


def test_a_cell_is_compared_with_the_same_cell_of_the_paper() -> None:
    found = {
        tuple(questions): published_number(
            CheckedPart(part, policies, questions, None, "not run", ""), numbers
        )
        for numbers in (read_paper_numbers(NUMBERS),)
        for claim in (read_claims()["claim_04"],)
        for part in claim.parts[1:]
        for policies, questions in part_cells(part, claim)
        if policies == ["second_policy"]
    }
    # Table 2, Qwen3-8B: 0.754 - 0.696, 0.645 - 0.606, 0.907 - 0.866, 0.760 - 0.729.
    values = [number.value for number in found.values() if number is not None]
    assert values == pytest.approx([0.058, 0.039, 0.041, 0.031])


def test_the_mean_over_question_sets_is_compared_with_the_papers_average() -> None:
    claim = read_claims()["claim_14"]
    checked = CheckedPart(claim.parts[0], ["main_policy"], claim.needs.question_sets, None, "not run", "")
    number = published_number(checked, read_paper_numbers(NUMBERS))
    assert number is not None
    assert (number.question_set, number.value) == ("Avg.", pytest.approx(0.749 - 0.700))


def test_numbers_worked_out_from_tables_agree_with_the_tables() -> None:
    numbers = read_paper_numbers(NUMBERS)

    def value(place: str, row: str, metric: str = "avg@16") -> float:
        number = find_number(numbers, "prose", place, row, metric, "MedQA-5op", "Llama-3.1-8B")
        assert number is not None
        return number.value

    assert value("Table 1", "TTRL gain") == pytest.approx(value("Table 1", "TTRL") - value("Table 1", "base"))
    assert value("Table 1", "PROSE gain") == pytest.approx(
        value("Table 1", "PROSE") - value("Table 1", "base")
    )
    assert value("Table 1", "TTRL gain minus half of PROSE gain") == pytest.approx(
        value("Table 1", "TTRL gain") - 0.5 * value("Table 1", "PROSE gain")
    )
    rows = ("MV as label", "PRM as label", "PRM as reward (PROSE)")
    majority, label, reward = (value("Table 3", row) for row in rows)
    assert value("Table 3", "PRM as label minus MV as label") == pytest.approx(label - majority)
    assert value("Table 3", "PRM as reward minus PRM as label") == pytest.approx(reward - label)
    widening = value("Table 3", "PRM as reward minus PRM as label, widening", "maj@16 - avg@16")
    label_maj, reward_maj = (value("Table 3", row, "maj@16") for row in rows[1:])
    assert widening == pytest.approx((reward_maj - label_maj) - (reward - label))


def test_a_published_number_that_is_no_number_is_named_by_line(tmp_path: Path) -> None:
    path = tmp_path / "numbers.csv"
    path.write_text(NUMBERS.read_text().splitlines()[0] + "\nprose,Table 1,a,avg@16,q,p,high,\n")
    with pytest.raises(UserError, match="line 2: `high` is not a number"):
        read_paper_numbers(path)


def test_the_same_published_number_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "numbers.csv"
    row = "prose,Table 1,a,avg@16,q,p,0.5,\n"
    path.write_text(NUMBERS.read_text().splitlines()[0] + "\n" + row + row)
    with pytest.raises(UserError, match="line 3: the same number"):
        read_paper_numbers(path)


def test_quantity_is_printed_as_a_sum() -> None:
    terms = [Term(1.0, "avg@k", "ttrl", "last"), Term(-0.5, "avg@k", None, "base")]
    assert sum_text(terms) == f"avg@k(ttrl, last) {MINUS} 0.5·avg@k(base)"


def claim_dict(**changes: object) -> dict[str, object]:
    part = {
        "says": "gain",
        "quantity": {"kind": "gain", "metric": "avg@k", "method": "ttrl"},
        "test": "lower_above",
        "threshold": 0.0,
    }
    needs = {"policies": ["main_policy"], "question_sets": ["medqa_5op"], "methods": ["ttrl"]}
    return {"paper": "prose", "place": "x", "statement": "y", "needs": needs, "parts": [part], **changes}


def test_a_part_about_a_method_that_is_not_needed_is_refused() -> None:
    needs = {"policies": ["main_policy"], "question_sets": ["medqa_5op"], "methods": ["prose"]}
    with pytest.raises(ValidationError, match=r"ttrl is not in needs\.methods"):
        ClaimSpec.model_validate_json(json.dumps(claim_dict(needs=needs)))


def test_a_part_against_the_base_needs_the_base() -> None:
    needs = {"policies": ["main_policy"], "question_sets": ["medqa_5op"], "methods": ["ttrl"], "base": False}
    with pytest.raises(ValidationError, match=r"needs\.base is false"):
        ClaimSpec.model_validate_json(json.dumps(claim_dict(needs=needs)))


def test_training_and_evaluated_metrics_do_not_mix() -> None:
    quantity = {
        "kind": "contrast",
        "sum": [
            {"weight": 1.0, "metric": "avg@k", "method": "ttrl"},
            {"weight": -1.0, "metric": "train.reward", "method": "ttrl"},
        ],
    }
    part = {"says": "odd", "quantity": quantity, "test": "lower_above", "threshold": 0.0}
    with pytest.raises(ValidationError, match="mixes training metrics"):
        Part.model_validate_json(json.dumps(part))


def test_training_gain_over_the_base_is_refused() -> None:
    with pytest.raises(ValidationError, match="a training metric has first"):
        Part(
            says="odd",
            quantity=Gain(kind="gain", metric="train.reward", method="ttrl"),
            test="lower_above",
            threshold=0.0,
        )


def bad(change: dict[str, object], needs: dict[str, object] | None = None) -> None:
    """A claim like `claim_dict`, with its part (and needs) changed, must be refused."""
    claim = claim_dict()
    claim["parts"] = [{**claim["parts"][0], **change}]  # type: ignore[index]
    claim["needs"] = {**claim["needs"], **(needs or {})}  # type: ignore[dict-item]
    ClaimSpec.model_validate_json(json.dumps(claim))


def test_a_part_on_a_role_that_is_not_needed_is_refused() -> None:
    with pytest.raises(ValidationError, match=r"ddxplus is not in needs\.question_sets"):
        bad({"question_sets": ["ddxplus"]})
    with pytest.raises(ValidationError, match=r"second_policy is not in needs\.policies"):
        bad({"policies": ["second_policy"]})
    gain = {"kind": "gain", "metric": "avg@k", "method": "ttrl"}
    elsewhere = {"question_sets": ["ddxplus"], "quantity": gain}
    with pytest.raises(ValidationError, match=r"needs\.question_sets; .* `adapted_on`"):
        bad(elsewhere, {"transfer": ["ddxplus"]})
    elsewhere["quantity"] = {**gain, "adapted_on": "medqa_5op"}
    with pytest.raises(ValidationError, match=r"ddxplus is not in needs\.transfer"):
        bad(elsewhere)
    bad(elsewhere, {"transfer": ["ddxplus"]})


def test_selection_by_scores_needs_scored_samples() -> None:
    level = {"quantity": {"kind": "level", "metric": "bon@k", "where": "base"}}
    with pytest.raises(ValidationError, match=r"base is not in needs\.score_steps"):
        bad(level)
    bad(level, {"score_steps": ["base"]})


def test_only_samples_are_of_a_policy_adapted_elsewhere() -> None:
    gain = {"kind": "gain", "metric": "avg@k", "method": "ttrl", "adapted_on": "medqa_5op"}
    with pytest.raises(ValidationError, match="`adapted_on` goes with evaluated samples of a method"):
        bad({"quantity": {**gain, "metric": "train.reward"}})
    bad({"quantity": gain})


def test_a_claim_that_no_part_decides_is_refused() -> None:
    with pytest.raises(ValidationError, match="no part decides"):
        bad({"decides": False})


def run_ledger(tmp_path: Path, found: Evidence, claim: ClaimSpec) -> tuple[pd.DataFrame, str, dict]:
    config = CheckClaims(
        scale="tiny",
        claims={"claim_03": ClaimWithEvidence(claim=claim, evidence=found)},
        statistics=STATISTICS,
    )
    out = tmp_path / "claims" / "ledger.csv"
    check_claims.main(
        ["--config", config.model_dump_json(), "--paper-numbers", str(NUMBERS), "--out", str(out)]
    )
    return (
        pd.read_csv(out),
        out.with_suffix(".md").read_text(encoding="utf-8"),
        json.loads(out.with_suffix(".json").read_text(encoding="utf-8")),
    )


def prose_evidence(tmp_path: Path, ends: list[list[int]]) -> Evidence:
    base = write_base(tmp_path, question_rows([1, 1, 1, 1], 4))
    runs = [
        write_run(tmp_path, "prose", seed, {0: question_rows([1, 1, 1, 1], 4), 9: question_rows(end, 4)})
        for seed, end in enumerate(ends)
    ]
    return evidence(base, runs)


def test_ledger_shows_value_interval_counts_paper_and_verdict(tmp_path: Path) -> None:
    table, text, document = run_ledger(
        tmp_path, prose_evidence(tmp_path, [[4, 4, 4, 4], [3, 3, 3, 3]]), read_claims()["claim_03"]
    )
    row = table.iloc[0]
    assert row["claim_verdict"] == row["verdict"] == "holds"
    assert row["value"] == pytest.approx((0.75 + 0.5) / 2)
    assert (row["low"], row["high"]) == pytest.approx((0.625, 0.625))
    assert (row["n"], row["k"], row["n_seeds"]) == (4, 4, 2)
    assert row["seed_values"] == "0=0.75;1=0.5"
    assert row["published"] == pytest.approx(0.088)
    for shown in ("**holds**", "+0.625 [+0.625, +0.625]", "+0.088 (Table 1)"):
        assert shown in text
    assert document["parts"][0]["seed_values"] == {"0": 0.75, "1": 0.5}


def test_record_of_the_ledger_names_what_decides_claims(tmp_path: Path) -> None:
    run_ledger(tmp_path, prose_evidence(tmp_path, [[4, 4, 4, 4]]), read_claims()["claim_03"])
    record = json.loads((tmp_path / "claims" / "ledger.csv.prov.json").read_text(encoding="utf-8"))
    names = {Path(item["path"]).name for item in record["inputs"]}
    assert names == {"per_question.parquet", "curve.parquet", "rollouts.parquet", "paper_numbers.csv"}


def test_ledger_shows_a_refuted_claim_as_refuted(tmp_path: Path) -> None:
    table, text, _ = run_ledger(
        tmp_path, prose_evidence(tmp_path, [[0, 0, 0, 0], [0, 1, 0, 0]]), read_claims()["claim_03"]
    )
    assert set(table["claim_verdict"]) == {"does not hold"}
    assert "**does not hold**" in text


def test_ledger_says_that_seeds_disagree(tmp_path: Path) -> None:
    table, text, _ = run_ledger(
        tmp_path, prose_evidence(tmp_path, [[4, 4, 4, 4], [0, 0, 0, 0]]), read_claims()["claim_03"]
    )
    # Mean gain (0.75 - 0.25) / 2 = 0.25 for every question: the interval is clear, the seeds are not.
    assert table.iloc[0]["low"] == pytest.approx(0.25)
    assert table.iloc[0]["verdict"] == "undecided"
    assert "undecided: the seeds do not agree" in text


def test_ledger_keeps_claims_that_did_not_run(tmp_path: Path) -> None:
    found = evidence(
        write_base(tmp_path, question_rows([1], 4)),
        [],
        {"prose": "the scale tiny has no process_reward_model"},
    )
    table, text, document = run_ledger(tmp_path, found, read_claims()["claim_03"])
    assert set(table["claim_verdict"]) == {"not run"}
    assert "not run: the scale tiny has no process_reward_model" in text
    assert document["parts"][0]["value"] is None
