"""The command `grade`: any table of responses, and what is right in it. All rows are invented but those named."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.grade import main

OUTPUTS = Path(__file__).parents[3] / "shared" / "data" / "model_outputs"
OPTIONS = {"A": "Zinc", "B": "Warfarin", "C": "Iron", "D": "Salt"}
CHOICE = ("--text", "response", "--gold", "gold", "--kind", "choice", "--options", "options")
MATHS = ("--text", "response", "--gold", "gold", "--kind", "latex")
COUNTDOWN = ("--text", "response", "--kind", "countdown", "--numbers", "numbers", "--target", "target")


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Write rows as the ending of `path` says; a csv holds everything that is no text as JSON."""
    if path.suffix == ".parquet":
        pd.DataFrame(rows).to_parquet(path)
    elif path.suffix == ".csv":
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            for row in rows:
                writer.writerow({k: v if isinstance(v, str) else json.dumps(v) for k, v in row.items()})
    else:
        text = json.dumps(rows) if path.suffix == ".json" else "\n".join(map(json.dumps, rows))
        path.write_text(text, encoding="utf-8")
    return path


def grade(tmp_path: Path, rows: list[dict[str, Any]], *flags: str, name: str = "rows.jsonl") -> list[dict]:
    out = tmp_path / "graded.jsonl"
    main([str(write(tmp_path / name, rows)), *flags, "--out", str(out)])
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def verdicts(graded: list[dict]) -> list[str]:
    return [row["verdict"] for row in graded]


def choice(gold: Any = "B", response: Any = "The answer is (B).", options: Any = OPTIONS) -> dict[str, Any]:
    return {"response": response, "gold": gold, "options": options}


# ------------------------------------------------------------------ what is written


def test_a_response_gets_its_answer_its_verdict_and_the_rule_that_read_it(tmp_path: Path) -> None:
    rows = [
        {"response": "So \\boxed{\\frac{1}{2}}.", "gold": "0.5"},
        {"response": "So \\boxed{3}.", "gold": "0.5"},
        {"response": "I cannot tell.", "gold": "0.5"},
        {"response": "So \\boxed{3}.", "gold": None},
    ]
    graded = grade(tmp_path, rows, *MATHS)
    assert graded[0] == {
        "row": 1,
        "group": "1",
        "sample": 0,
        "extracted": "\\frac{1}{2}",
        "answer": "0.5",
        "gold": "0.5",
        "verdict": "right",
        "rule": "box",
    }
    assert verdicts(graded) == ["right", "wrong", "no answer", "gold unreadable"]
    assert [row["row"] for row in graded] == [1, 2, 3, 4]
    assert (graded[2]["answer"], graded[2]["extracted"], graded[3]["gold"]) == (None, None, None)


def test_parquet_holds_what_jsonl_holds(tmp_path: Path) -> None:
    rows = [choice(), choice(response="no idea"), choice("C")]
    graded = grade(tmp_path, rows, *CHOICE)
    main([str(tmp_path / "rows.jsonl"), *CHOICE, "--out", str(tmp_path / "graded.parquet")])
    table = pd.read_parquet(tmp_path / "graded.parquet").astype(object)
    assert table.where(table.notna(), None).to_dict("records") == graded


def test_the_summary_leaves_questions_with_an_unreadable_gold_out_of_every_share(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"response": ["\\boxed{3}"] * 2, "gold": gold} for gold in ("3", "4", "", None)]
    grade(tmp_path, rows, *MATHS)
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["8", "responses", "to", "4", "questions"]
    assert ["right", "2", "0.5000", "of", "4"] in lines
    assert ["gold", "unreadable", "4", "(2", "questions,", "in", "no", "share)"] in lines
    assert ["box", "8"] in lines


@pytest.mark.parametrize("name", ["rows.json", "rows.jsonl", "rows.csv", "rows.parquet"])
def test_every_kind_of_table_gives_the_same(tmp_path: Path, name: str) -> None:
    rows = [choice("B"), choice("C"), choice("D", "So \\boxed{D}")]
    assert verdicts(grade(tmp_path, rows, *CHOICE, name=name)) == ["right", "wrong", "right"]


def test_rows_stay_in_the_order_of_the_file_when_groups_are_mixed(tmp_path: Path) -> None:
    rows = [{"response": f"\\boxed{{{i}}}", "gold": "1", "q": q} for i, q in enumerate(["x", "y", "x"])]
    graded = grade(tmp_path, rows, *MATHS, "--group", "q")
    assert [(row["row"], row["group"], row["sample"]) for row in graded] == [
        (1, "x", 0),
        (2, "y", 0),
        (3, "x", 1),
    ]


def test_a_list_of_responses_gives_one_row_each_and_null_is_an_empty_response(tmp_path: Path) -> None:
    graded = grade(tmp_path, [{"response": ["\\boxed{2}", None, "\\boxed{2}"], "gold": 2}], *MATHS)
    assert [(row["sample"], row["verdict"]) for row in graded] == [
        (0, "right"),
        (1, "no answer"),
        (2, "right"),
    ]


# ------------------------------------------------------------------ columns


@pytest.mark.parametrize(
    ("row", "path"),
    [
        ({"model": {"solution": "\\boxed{7}"}}, "model.solution"),
        ({"6b.tuned": {"out": [{"text": "\\boxed{7}"}]}}, "6b.tuned.out.0.text"),
        ({"a.b": "\\boxed{7}", "a": {"b": "\\boxed{8}"}}, "a.b"),  # a whole name before a path
        ({"a": {"b.c": {"d": "\\boxed{7}"}}}, "a.b.c.d"),
    ],
)
def test_a_path_reaches_into_a_column(tmp_path: Path, row: dict, path: str) -> None:
    flags = ("--text", path, "--gold", "gold", "--kind", "number")
    assert verdicts(grade(tmp_path, [{**row, "gold": 7}], *flags)) == ["right"]


@pytest.mark.parametrize(
    "options",
    [
        OPTIONS,
        list(OPTIONS.values()),
        [{"key": letter, "value": text} for letter, text in OPTIONS.items()],
        json.dumps(OPTIONS),
        {**OPTIONS, "E": None},
    ],
    ids=["object", "list", "pairs", "JSON text", "null option"],
)
@pytest.mark.parametrize("gold", ["B", "(b)", "Warfarin", "warfarin."])
def test_options_and_their_gold_come_in_several_forms(tmp_path: Path, options: Any, gold: str) -> None:
    graded = grade(tmp_path, [choice(gold, options=options), choice("C", options=options)], *CHOICE)
    assert ([row["gold"] for row in graded], verdicts(graded)) == (["B", "C"], ["right", "wrong"])


@pytest.mark.parametrize(("base", "numbers"), [("0", [1, "1", 1.0, "1.0"]), ("1", [2, "2", 2.0, "2.0"])])
def test_a_number_of_an_option_counts_from_where_it_is_said_to(
    tmp_path: Path, base: str, numbers: list
) -> None:
    # The options' texts are numbers, too: a number is not taken for a text then.
    options = ["2", "3", "1", "0"]
    for number in numbers:
        graded = grade(tmp_path, [choice(number, options=options)], *CHOICE, "--gold-base", base)
        assert graded[0]["gold"] == "B"
    beyond = [choice(numbers[0]), choice(int(base) + 4), choice(int(base) - 1)]
    assert [r["gold"] for r in grade(tmp_path, beyond, *CHOICE, "--gold-base", base)] == ["B", None, None]


def test_a_column_holds_letters_or_texts_even_where_a_text_is_a_letter(tmp_path: Path) -> None:
    blood = ["O", "A", "B", "AB"]
    letters = [choice("B", options=blood), choice("A")]
    assert [row["gold"] for row in grade(tmp_path, letters, *CHOICE)] == ["B", "A"]
    texts = [choice("B", options=blood), choice("Zinc")]
    assert [row["gold"] for row in grade(tmp_path, texts, *CHOICE)] == ["C", "A"]


def test_a_gold_that_is_no_option_or_two_of_them_is_never_right(tmp_path: Path) -> None:
    twice = {"A": "Zinc", "B": "Warfarin", "C": "warfarin"}
    rows = [choice("Zinc"), choice("Lead"), choice(None), choice("Warfarin", options=twice)]
    assert [row["gold"] for row in grade(tmp_path, rows, *CHOICE)] == ["A", None, None, None]


def test_letters_alone_are_graded_by_the_number_of_options(tmp_path: Path) -> None:
    rows = [{"response": r, "gold": "D"} for r in ("The answer is D.", "The answer is E.", "\\boxed{D}")]
    flags = ("--text", "response", "--gold", "gold", "--kind", "choice", "--n-options", "4")
    assert verdicts(grade(tmp_path, rows, *flags)) == ["right", "no answer", "right"]


@pytest.mark.parametrize(
    "gold",
    [1200, 1200.0, "1200.0", "1,200", "\\boxed{1200}", "3 * 400 =\n#### 1,200", ["1200"], "so\nA: 1200"],
)
@pytest.mark.parametrize("kind", ["number", "latex"])
def test_a_gold_number_takes_the_way_of_an_answer(tmp_path: Path, gold: Any, kind: str) -> None:
    rows = [{"response": f"\\boxed{{{answer}}}", "gold": gold} for answer in ("1200", "1{,}200.0", "12")]
    flags = ("--text", "response", "--gold", "gold", "--kind", kind)
    assert verdicts(grade(tmp_path, rows, *flags)) == ["right", "right", "wrong"]


def test_several_gold_answers_are_none(tmp_path: Path) -> None:
    rows = [{"response": "\\boxed{2}", "gold": gold} for gold in (["2"], ["2", "3"], [])]
    assert verdicts(grade(tmp_path, rows, *MATHS)) == ["right", "gold unreadable", "gold unreadable"]


@pytest.mark.parametrize(("accept", "expected"), [("boxed", None), ("stated", None), ("last_number", "9")])
def test_how_much_is_accepted_as_a_statement_is_a_choice(tmp_path: Path, accept: str, expected: Any) -> None:
    rows = [{"response": "That makes 9 apples in all", "gold": "9"}]
    assert grade(tmp_path, rows, *MATHS, "--accept", accept)[0]["answer"] == expected


def test_a_countdown_answer_must_reach_the_target_with_the_given_numbers(tmp_path: Path) -> None:
    responses = ["55 - 53 + 49", "51", "49 + 55", "import os"]
    rows = [{"response": f"<answer>{r}</answer>", "numbers": [49, 55, 53], "target": 51} for r in responses]
    assert verdicts(grade(tmp_path, rows, *COUNTDOWN)) == ["right", "wrong", "wrong", "no answer"]
    nested = [{"response": "<answer>2*3</answer>", "truth": [[2, 3], 6]}]
    flags = ("--text", "response", "--kind", "countdown", "--numbers", "truth.0", "--target", "truth.1")
    assert verdicts(grade(tmp_path, nested, *flags)) == ["right"]


def test_strange_text_is_graded_and_written(tmp_path: Path) -> None:
    rows = [
        {"response": r, "gold": "1"} for r in ("\ud800\x00 \\boxed{\ud800}", "", "{" * 10_000, "\\boxed{1}")
    ]
    assert verdicts(grade(tmp_path, rows, *MATHS))[1:] == ["no answer", "no answer", "right"]
    main([str(tmp_path / "rows.jsonl"), *MATHS, "--out", str(tmp_path / "graded.parquet")])
    assert len(pd.read_parquet(tmp_path / "graded.parquet")) == 4


# ------------------------------------------------------------------ mistakes


@pytest.mark.parametrize(
    ("row", "flags", "message"),
    [
        ({}, ("--text", "answer"), r"line 1: no column answer; there are response, gold, options"),
        ({"m": {"a": 1}}, ("--text", "m.b"), r"no column m\.b; there are m\.a"),
        ({"response": {"text": "B"}}, (), r"line 1: response holds no text but \{'text': 'B'\}"),
        ({"response": []}, (), "line 1: response is an empty list"),
        ({"options": {"A": "x"}}, (), "line 1: options: options must be lettered"),
        ({"options": {"B": "x", "A": "y"}}, (), "must be lettered A, B"),
        ({"options": "x, y"}, (), "holds no options"),
        ({"options": list("abcdefghijkl")}, (), "at most ten"),
        ({"gold": 1}, (), "gold is the number 1.*--gold-base"),
        ({"gold": "Lead"}, (), "no gold answer in gold can be read as a choice answer"),
        ({"q": " "}, ("--group", "q"), "line 1: q is empty"),
        ({}, ("--accept", "boxed"), "--accept has no meaning with --kind choice"),
        ({}, ("--numbers", "n"), "--numbers has no meaning with --kind choice"),
        ({}, ("--n-options", "4"), "needs --options or --n-options, and not both"),
        ({}, ("--kind", "countdown"), "--gold has no meaning with --kind countdown"),
        ({}, ("--kind", "latex"), "--options has no meaning with --kind latex"),
    ],
)
def test_a_mistake_is_named_in_one_line_and_nothing_is_written(
    tmp_path: Path, row: dict, flags: tuple[str, ...], message: str
) -> None:
    with pytest.raises(UserError, match=message) as caught:
        grade(tmp_path, [{**choice(), **row}], *CHOICE, *flags)
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.glob("graded*"))


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--gold", "gold", "--kind", "latex"), "--text is missing"),
        (("--text", "response", "--gold", "gold"), "--kind is missing"),
        (("--text", "response", "--kind", "number"), "--kind number needs --gold"),
        (("--text", "response", "--kind", "countdown", "--target", "gold"), "needs --numbers"),
        (("--text", "response", "--kind", "choice", "--gold", "gold"), "needs --options or --n-options"),
        (("--text", "response", "--kind", "choice", "--gold", "gold", "--n-options", "11"), "need 2 to 10"),
    ],
)
def test_a_missing_flag_is_named(tmp_path: Path, flags: tuple[str, ...], message: str) -> None:
    with pytest.raises(UserError, match=message):
        grade(tmp_path, [choice()], *flags)


def test_rows_of_one_group_must_agree_on_the_question(tmp_path: Path) -> None:
    for other in ({"gold": "C"}, {"options": dict(zip("ABCD", "wxyz", strict=True))}):
        rows = [{**choice(), "q": "blood"}, {**choice(), "q": "blood", **other}]
        with pytest.raises(
            UserError, match=r"line 2: .* differ from those of row 1 in the same group 'blood'"
        ):
            grade(tmp_path, rows, *CHOICE, "--group", "q")


@pytest.mark.parametrize("numbers", ["1, 2", [], [1.5], ["x"], [10**400], None])
def test_the_numbers_of_countdown_are_whole_numbers(tmp_path: Path, numbers: Any) -> None:
    with pytest.raises(UserError, match="numbers holds no"):
        grade(tmp_path, [{"response": "x", "numbers": numbers, "target": 3}], *COUNTDOWN)


def test_the_command_prints_a_summary_and_needs_no_output_file(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "workflow_scripts.grade", str(write(tmp_path / "r.jsonl", [choice()]))]
    done = subprocess.run([*command, *CHOICE], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("1 responses to 1 questions\n  right")
    failed = subprocess.run([*command, *CHOICE, "--out", "x.txt"], capture_output=True, text=True)
    assert (failed.returncode, failed.stderr.count("\n")) == (2, 1)
    assert failed.stderr.startswith("error: --out x.txt")


# ------------------------------------------------------------------ real outputs with stored verdicts


@pytest.mark.skipif(not OUTPUTS.is_dir(), reason="the slices of public model outputs are not here")
@pytest.mark.parametrize(
    "model", ["6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification"]
)
def test_the_verdicts_on_gsm8k_solutions_are_those_that_were_published(tmp_path: Path, model: str) -> None:
    """OpenAI's grade-school-math, example_model_solutions.jsonl: `is_correct` of each solution."""
    file, out = OUTPUTS / "gsm8k_openai_example_model_solutions.jsonl", tmp_path / "graded.jsonl"
    flags = ("--text", f"{model}.solution", "--gold", "ground_truth", "--kind", "number")
    main([str(file), *flags, "--out", str(out)])
    graded = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    published = [
        json.loads(line)[model]["is_correct"] for line in file.read_text(encoding="utf-8").splitlines()
    ]
    assert [verdict == "right" for verdict in verdicts(graded)] == published
