"""The command `evaluate`, from rollouts to metrics.json and per_question.parquet."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.evaluate import main
from workflow_scripts.evaluation.metrics import evaluation_metrics, powers_of_two
from workflow_scripts.evaluation.per_question import question_result
from workflow_scripts.questions.schema import Question, write_questions

CONFIG = json.dumps(
    {
        "samples": "s",
        "questions": "q",
        "question_set": {
            "source": {"kind": "local", "path": "x.jsonl", "shape": "medqa"},
            "prompt": {"user": "{text}\n{options}"},
            "answer": {"kind": "choice"},
            "licence": "invented",
        },
        "prm": None,
        "aggregation": "min",
        "bootstrap_samples": 500,
        "confidence": 0.95,
        "seed": 0,
    }
)
# Two questions x four samples; the right answers are B and A.
ANSWERS = {"q1": ["A", "B", "B", None], "q2": ["B", "A", "A", "B"]}
GOLDS = {"q1": "B", "q2": "A"}
# The minimum is 0.9, 0.2, 0.3, 0.8 and 0.1, 0.2, 0.6, 0.5.
STEPS = {
    "q1": [[0.9, 0.95], [0.2, 1.0], [0.3], [0.8]],
    "q2": [[0.1, 1.0], [0.2], [0.6, 0.9], [0.5]],
}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    options = {"A": "Zinc", "B": "Iron"}
    write_questions(
        tmp_path / "questions.parquet",
        [Question(id, "test", "Which?", options, "choice", {}, gold) for id, gold in GOLDS.items()],
    )
    rollouts().to_parquet(tmp_path / "rollouts.parquet")
    steps().to_parquet(tmp_path / "step_scores.parquet")
    return tmp_path


def rollouts() -> pd.DataFrame:
    rows = [
        {
            "question_id": q,
            "sample": i,
            "text": f"text {answer}",
            "answer": answer,
            "correct": answer == GOLDS[q],
        }
        for q, answers in ANSWERS.items()
        for i, answer in enumerate(answers)
    ]
    return pd.DataFrame(rows)


def steps() -> pd.DataFrame:
    rows = [
        {"question_id": q, "sample": i, "step": j, "p": p}
        for q, samples in STEPS.items()
        for i, scores in enumerate(samples)
        for j, p in enumerate(scores)
    ]
    return pd.DataFrame(rows)


def evaluate(files: Path, *more: str, aggregation: str = "min") -> dict[str, dict]:
    out = files / "out" / "metrics.json"
    paths = ["--questions", str(files / "questions.parquet"), "--samples", str(files / "rollouts.parquet")]
    config = json.dumps({**json.loads(CONFIG), "aggregation": aggregation})
    main(["--config", config, *paths, "--out", str(out), *more])
    return json.loads(out.read_text(encoding="utf-8"))


def test_metrics_by_hand(files: Path) -> None:
    metrics = evaluate(files)
    assert {name: metric["value"] for name, metric in metrics.items()} == pytest.approx(
        {
            "avg@4": 0.5,
            "maj@4": 0.5,  # q2 ties and B was seen first
            "pass@1": 0.5,
            "pass@2": 5 / 6,  # per question 1 - C(2,2)/C(4,2)
            "pass@4": 1.0,
            "distinct_responses": (3 / 4 + 2 / 4) / 2,
            "distinct_answers": 2.0,
            "answer_entropy": (0.636514 + 0.693147) / 2,  # of (1/3, 2/3) and (1/2, 1/2)
            "unparseable": 1 / 8,
            "tie_share": 0.5,
            "wrong_collision": 0.5,  # q1: A and an unreadable one do not meet; q2: both wrong ones are B
        },
        abs=1e-6,
    )
    assert all(
        metric["n"] == 2 and metric["low"] <= metric["value"] <= metric["high"] for metric in metrics.values()
    )
    assert metrics["pass@2"]["k"] == 2
    assert (files / "out" / "metrics.json.prov.json").is_file()


def test_questions_without_two_wrong_samples_are_left_out_of_collisions_and_n_says_so(files: Path) -> None:
    change_rollouts(
        files,
        lambda t: t.assign(
            answer=["B", "B", "B", "A", "B", "B", "C", "A"], correct=[True] * 3 + [False] * 4 + [True]
        ),
    )
    metric = evaluate(files)["wrong_collision"]
    # q1 has one wrong sample. q2: of the pairs BB, BC, BC one is equal.
    assert (metric["value"], metric["n"], metric["k"]) == (pytest.approx(1 / 3), 1, 4)
    table = pd.read_parquet(files / "out" / "per_question.parquet").set_index("question_id")
    assert table["wrong_collision"].isna().to_dict() == {"q1": True, "q2": False}

    right = rollouts().assign(answer=["B"] * 4 + ["A"] * 4, correct=True)
    right.to_parquet(files / "rollouts.parquet")
    assert "wrong_collision" not in evaluate(files)


def test_scores_add_best_of_n_and_the_weighted_vote(files: Path) -> None:
    scores = ("--step-scores", str(files / "step_scores.parquet"))
    metrics = evaluate(files, *scores)
    # q1: the best answered sample (0.9) says A; A 0.9 outweighs B 0.2 + 0.3. q2: 0.6 says A; A 0.8, B 0.6.
    assert metrics["bon@4"]["value"] == 0.5
    assert metrics["sc_rm@4"]["value"] == 0.5
    # Last steps: q1 A 0.95, B 1.0 + 0.3; q2 B 1.0 + 0.5, A 0.2 + 0.9. Best: q1 B (1.0), q2 B (1.0).
    last = evaluate(files, *scores, aggregation="last")
    assert (last["bon@4"]["value"], last["sc_rm@4"]["value"]) == (0.5, 0.5)
    table = pd.read_parquet(files / "out" / "per_question.parquet").set_index("question_id")
    assert table["bon_correct"].to_dict() == {"q1": True, "q2": False}


def test_the_table_per_question(files: Path) -> None:
    evaluate(files)
    table = pd.read_parquet(files / "out" / "per_question.parquet").set_index("question_id")
    assert table.loc["q1", ["n", "n_correct", "majority_answer", "n_unparseable"]].tolist() == [4, 2, "B", 1]
    assert table["tie"].to_dict() == {"q1": False, "q2": True}
    assert table["bon_correct"].isna().all()


def test_the_order_of_rows_does_not_matter(files: Path) -> None:
    metrics = evaluate(files)
    rollouts().sample(frac=1, random_state=0).to_parquet(files / "rollouts.parquet")
    assert evaluate(files) == metrics


def change_rollouts(files: Path, change) -> None:
    change(rollouts()).to_parquet(files / "rollouts.parquet")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.drop(index=3), "q1 has 3 of 4 samples"),
        (lambda t: t[t.question_id == "q1"], "no sample of question q2"),
        (lambda t: pd.concat([t, t[:1]]), "q1 has two samples number 0"),
        (lambda t: t.replace({"question_id": {"q2": "q9"}}), "q9 is not in the question file"),
        (lambda t: t.assign(correct=~t.correct), "contradicts the question file"),
        (lambda t: t.drop(columns="answer"), "lacks the column answer"),
        (lambda t: t.assign(answer=1), "column answer is stored as int64, not as text"),
        (lambda t: t.assign(correct=1), "column correct is stored as int64, not as true or false"),
        (lambda t: t.assign(sample=None), "column sample is stored as null, not as a whole number"),
        (lambda t: t.assign(text=None), "column text is stored as null, not as text"),
        (lambda t: t.assign(question_id=[None, *t.question_id[1:]]), "column question_id is empty in row 1"),
    ],
)
def test_incomplete_or_foreign_samples_are_refused(files: Path, change, message: str) -> None:
    change_rollouts(files, change)
    with pytest.raises(UserError, match=message):
        evaluate(files)
    assert not list(files.glob("out/*"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.replace({"question_id": {"q2": "q9"}}), "q9, sample 0 is not among the samples"),
        (lambda t: t.assign(p=1.5), "column p is not within 0 and 1 in row 1"),
        (lambda t: t.assign(p=float("nan")), "column p is empty in row 1"),
        (lambda t: t.assign(p="0.5"), "column p is stored as (large_)?string, not as a number"),
        (lambda t: t.assign(step=-1), "column step is not within 0 and inf in row 1"),
        (lambda t: t.assign(sample=0.0), "column sample is stored as double, not as a whole number"),
        (lambda t: pd.concat([t, t[:1]]), "step 0 is scored twice"),
        (lambda t: t[:0], "has no scores"),
    ],
)
def test_foreign_or_broken_scores_are_refused(files: Path, change, message: str) -> None:
    change(steps()).to_parquet(files / "step_scores.parquet")
    with pytest.raises(UserError, match=message):
        evaluate(files, "--step-scores", str(files / "step_scores.parquet"))


def test_a_sample_without_steps_scores_zero(files: Path) -> None:
    steps().query("not (question_id == 'q1' and sample == 0)").to_parquet(files / "step_scores.parquet")
    metrics = evaluate(files, "--step-scores", str(files / "step_scores.parquet"))
    # Without the 0.9 of the wrong A, q1 goes to B.
    assert (metrics["bon@4"]["value"], metrics["sc_rm@4"]["value"]) == (1.0, 1.0)


def test_a_truncated_file_is_named(files: Path) -> None:
    path = files / "rollouts.parquet"
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(UserError, match=r"rollouts\.parquet.*truncated"):
        evaluate(files)


def test_pass_at_k_is_shown_for_powers_of_two_and_k_itself() -> None:
    assert powers_of_two(1) == [1]
    assert powers_of_two(16) == [1, 2, 4, 8, 16]
    assert powers_of_two(6) == [1, 2, 4, 6]


def test_questions_of_different_k_have_no_common_metric() -> None:
    results = [question_result("a", "A", ["A"], ["x"]), question_result("b", "A", ["A", "B"], ["x", "y"])]
    with pytest.raises(ValueError, match="same number"):
        evaluation_metrics(results, 10, 0.95, 0)
