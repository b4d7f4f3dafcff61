"""The command `evaluate` on responses that somebody already has. All rows are invented but those named."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.evaluate import main

OUTPUTS = Path(__file__).parents[3] / "shared" / "data" / "model_outputs"
COLUMNS = ("--text", "responses", "--gold", "gold", "--kind", "number")
FAST = ("--bootstrap", "200")


def boxed(*answers: Any) -> list[str]:
    return ["no answer" if answer is None else f"So \\boxed{{{answer}}}." for answer in answers]


# Two questions x four responses; the right answers are 2 and 1.
ROWS = [
    {"responses": boxed(1, 2, 2, None), "gold": "2", "scores": [0.9, 0.2, 0.3, 0.95]},
    {"responses": boxed(2, 1, 1, 2), "gold": "1.0", "scores": [0.1, 0.2, 0.6, 0.5]},
]
BY_HAND = {
    "avg@4": 0.5,
    "maj@4": 0.5,  # the second question ties, and 2 was seen first
    "pass@1": 0.5,
    "pass@2": 5 / 6,  # per question 1 - C(2,2)/C(4,2)
    "pass@4": 1.0,
    "bon@4": 0.5,  # the best answered response of the first (0.9) says 1; of the second (0.6) 1
    "sc_rm@4": 0.5,  # first: 0.9 for 1, 0.5 for 2; second: 0.8 for 1, 0.6 for 2
}


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    if path.suffix == ".parquet":
        pd.DataFrame(rows).to_parquet(path)
    else:
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def evaluate(
    tmp_path: Path,
    rows: list[dict],
    *flags: str,
    name: str = "rows.jsonl",
    columns: tuple[str, ...] = COLUMNS,
) -> dict[str, Any]:
    out = tmp_path / "out" / "metrics.json"
    main([str(write(tmp_path / name, rows)), *columns, *FAST, "--out", str(out), *flags])
    return json.loads(out.read_text(encoding="utf-8"))


def values(written: dict[str, Any]) -> dict[str, float]:
    return {name: metric["value"] for name, metric in written["metrics"].items()}


def one_per_row(rows: list[dict]) -> list[dict]:
    """The same responses, one in each row, the questions in turn."""
    return [
        {"responses": row["responses"][k], "gold": row["gold"], "scores": row["scores"][k], "q": f"q{i}"}
        for k in range(4)
        for i, row in enumerate(rows)
    ]


# ------------------------------------------------------------------ numbers


def test_metrics_by_hand(tmp_path: Path) -> None:
    written = evaluate(tmp_path, ROWS, "--score", "scores")
    assert {name: values(written)[name] for name in BY_HAND} == pytest.approx(BY_HAND)
    assert (written["questions"], written["gold_unreadable"]) == (2, 0)
    assert all(m["n"] == 2 and m["low"] <= m["value"] <= m["high"] for m in written["metrics"].values())
    assert not {"bon@4", "sc_rm@4"} & set(evaluate(tmp_path, ROWS)["metrics"])


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.parquet"])
def test_a_list_per_question_and_a_row_per_response_are_the_same(tmp_path: Path, name: str) -> None:
    flags = ("--score", "scores")
    assert values(evaluate(tmp_path, one_per_row(ROWS), *flags, "--group", "q", name=name)) == values(
        evaluate(tmp_path, ROWS, *flags)
    )


def test_rows_without_a_group_are_questions_of_their_own(tmp_path: Path) -> None:
    written = evaluate(tmp_path, one_per_row(ROWS))
    assert written["questions"] == 8
    assert values(written)["avg@1"] == values(written)["maj@1"] == 0.5


def test_choices_and_countdown_are_evaluated_by_the_same_columns(tmp_path: Path) -> None:
    options = ["Zinc", "Iron", "Salt"]
    choices = [
        {"responses": ["The answer is (B).", "It is Iron.", "\\boxed{C}"], "gold": "Iron", "o": options}
    ]
    columns = ("--text", "responses", "--gold", "gold", "--kind", "choice", "--options", "o")
    assert values(evaluate(tmp_path, choices, columns=columns))["pass@3"] == 1.0
    sums = [
        {"responses": ["<answer>5*2-1</answer>", "<answer>9</answer>"], "numbers": [1, 2, 5], "target": 9}
    ]
    columns = ("--text", "responses", "--kind", "countdown", "--numbers", "numbers", "--target", "target")
    assert values(evaluate(tmp_path, sums, columns=columns))["avg@2"] == 0.5


def test_negative_scores_are_summed_as_they_are(tmp_path: Path) -> None:
    # 1 has -3, 2 has -1 - 1: the sum prefers 2, a vote of shifted or of absolute scores would not say so alone.
    rows = [{"responses": boxed(1, 2, 2), "gold": 2, "scores": [-3, -1, -1]}]
    assert values(evaluate(tmp_path, rows, "--score", "scores"))["sc_rm@3"] == 1.0
    rows = [{"responses": boxed(1, 2, 2), "gold": 2, "scores": [-1.5, -1, -1]}]
    scored = values(evaluate(tmp_path, rows, "--score", "scores"))
    assert (scored["sc_rm@3"], scored["bon@3"]) == (0.0, 1.0)


def test_questions_with_an_unreadable_gold_are_left_out_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    without = [{**ROWS[0], "gold": gold} for gold in (None, "", "\\frac{1")]
    written = evaluate(tmp_path, [without[0], *ROWS, *without[1:]], "--score", "scores")
    assert (written["questions"], written["gold_unreadable"]) == (2, 3)
    assert {name: values(written)[name] for name in BY_HAND} == pytest.approx(BY_HAND)
    assert "2 questions, 4 responses each, 3 left out: gold unreadable" in capsys.readouterr().out


def test_intervals_follow_their_flags(tmp_path: Path) -> None:
    rows = [{"responses": boxed(i % 3), "gold": 0} for i in range(30)]
    runs = [
        evaluate(tmp_path, rows, *flags)["metrics"]["avg@1"]
        for flags in ((), (), ("--seed", "1"), ("--confidence", "0.5"))
    ]
    assert runs[0] == runs[1] and runs[0]["value"] == pytest.approx(1 / 3)
    assert (runs[0]["low"], runs[0]["high"]) != (runs[2]["low"], runs[2]["high"])
    assert runs[0]["low"] < runs[3]["low"] < runs[3]["high"] < runs[0]["high"]


# ------------------------------------------------------------------ numbers of responses


def test_questions_need_equally_many_responses_unless_the_first_ones_are_asked_for(tmp_path: Path) -> None:
    rows = [ROWS[0], {"responses": boxed(1, 1, 2, 2, 1), "gold": 1}]
    with pytest.raises(UserError, match=r"group '1' has 4 responses, others 5.*--first 4"):
        evaluate(tmp_path, rows)
    written = evaluate(tmp_path, rows, "--first", "2")
    # 1 of 2 and 2 of 2 are right; 1 was seen first in the first question.
    assert (values(written)["avg@2"], values(written)["maj@2"]) == (0.75, 0.5)
    with pytest.raises(UserError, match=r"group '1' has 4 responses, --first asks for 5"):
        evaluate(tmp_path, rows, "--first", "5")


def test_an_unreadable_gold_does_not_set_the_number_of_responses(tmp_path: Path) -> None:
    rows = [*[{k: row[k] for k in ("responses", "gold")} for row in ROWS], {"responses": ["x"], "gold": ""}]
    assert "avg@4" in evaluate(tmp_path, rows)["metrics"]


# ------------------------------------------------------------------ scores


def test_a_score_may_stand_in_a_list_of_its_own_or_be_a_text(tmp_path: Path) -> None:
    rows = [{**row, "scores": [[str(score)] for score in row["scores"]]} for row in ROWS]
    assert values(evaluate(tmp_path, rows, "--score", "scores"))["sc_rm@4"] == BY_HAND["sc_rm@4"]


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([0.1, 0.2, None, 0.3], "line 2: score 2 of scores is None, no finite number"),
        ([0.1, float("nan"), 0.2, 0.3], "line 2: score 1 of scores is nan"),
        ([0.1, 0.2, 0.3, float("inf")], "line 2: score 3 of scores is inf"),
        ([True, False, True, True], "line 2: score 0 of scores is True"),
        (["good", 0.2, 0.3, 0.4], "line 2: score 0 of scores is 'good'"),
        ([10**400, 0.2, 0.3, 0.4], "line 2: score 0 of scores is 1000"),
        ([0.1, 0.2, 0.3], "line 2: scores holds 3 scores for 4 responses"),
        (0.5, "line 2: scores holds 1 scores for 4 responses"),
        ([[0.1, 0.2], [0.3], [0.4], [0.5]], "line 2: score 0 of scores is a list of 2 numbers"),
    ],
)
def test_a_score_that_is_none_is_named_with_its_row(tmp_path: Path, scores: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        evaluate(tmp_path, [ROWS[0], {**ROWS[1], "scores": scores}], "--score", "scores")
    assert not list(tmp_path.glob("out/*"))


def test_a_missing_score_of_a_table_is_named_with_its_row(tmp_path: Path) -> None:
    rows = one_per_row(ROWS)
    rows[3]["scores"] = None
    with pytest.raises(UserError, match=r"row 4: score 0 of scores is None"):
        evaluate(tmp_path, rows, "--score", "scores", "--group", "q", name="rows.parquet")


# ------------------------------------------------------------------ the command line


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("x.jsonl", "--config", "{}"), "--config does not go with a FILE"),
        (("x.jsonl", "--text", "t", "--samples", "s.parquet"), "--samples does not go with a FILE"),
        (("--config", "{}", "--text", "t"), "--text needs a FILE"),
        (("--config", "{}", "--seed", "1"), "--seed needs a FILE"),
        (("--config", "{}", "--questions", "q", "--out", "o"), "--samples is missing"),
        ((), "--config is missing"),
        (("x.jsonl", *COLUMNS, "--bootstrap", "0"), "--bootstrap 0: need at least 1"),
        (("x.jsonl", *COLUMNS, "--confidence", "95"), r"--confidence 95\.0: need a number between 0 and 1"),
        (("x.jsonl", *COLUMNS, "--confidence", "nan"), "--confidence nan"),
        (("x.jsonl", *COLUMNS, "--seed", "-1"), "--seed -1"),
        (("rows.jsonl", *COLUMNS, "--first", "0"), "--first 0: need at least 1"),
        (("x.jsonl", *COLUMNS), "no data file x.jsonl"),
        (("x.jsonl", "--text", "t", "--kind", "number"), "--kind number needs --gold"),
    ],
)
def test_the_two_forms_do_not_mix_and_mistakes_take_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], message: str
) -> None:
    write(tmp_path / "rows.jsonl", ROWS)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=message) as caught:
        main(list(arguments))
    assert "\n" not in str(caught.value)


def test_a_file_is_evaluated_from_the_shell_without_writing_anything(tmp_path: Path) -> None:
    file = write(tmp_path / "rows.jsonl", ROWS)
    command = [sys.executable, "-m", "workflow_scripts.evaluate", str(file), *COLUMNS, *FAST]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "maj@4                0.5000  [" in done.stdout
    assert list(tmp_path.iterdir()) == [file]


# ------------------------------------------------------------------ real outputs with stored verdicts


@pytest.mark.skipif(not OUTPUTS.is_dir(), reason="the slices of public model outputs are not here")
@pytest.mark.parametrize("kind", ["number", "latex"])
@pytest.mark.parametrize(
    ("gold", "expected"),
    [
        ("gt", {"avg@8": 0.9375, "pass@8": 0.98, "maj@8": 0.96, "bon@8": 0.96, "sc_rm@8": 0.96}),
        # One question's gold is `\\text{4:30 p.m.}`. The authors' normaliser cut it to `4:30p`, so their verdict on
        # its eight responses `4:30 \\text{ p.m.}` is wrong; by the published answer all eight are right.
        ("answer", {"avg@8": 0.9575, "pass@8": 1.0, "maj@8": 0.98, "bon@8": 0.98, "sc_rm@8": 0.98}),
    ],
)
def test_the_figures_of_real_math_samples_are_those_of_their_stored_verdicts_but_for_one_clipped_gold(
    tmp_path: Path, kind: str, gold: str, expected: dict[str, float]
) -> None:
    """Qwen2.5-Math, math_cot_100.jsonl: 50 questions x 8 samples; figures from its pred, score and pred_score."""
    out = tmp_path / "metrics.json"
    columns = ("--text", "code", "--gold", gold, "--kind", kind, "--score", "pred_score")
    main([str(OUTPUTS / "qwen_math_cot_100.jsonl"), *columns, *FAST, "--out", str(out)])
    figures = values(json.loads(out.read_text(encoding="utf-8")))
    assert {name: figures[name] for name in expected} == pytest.approx(expected)
