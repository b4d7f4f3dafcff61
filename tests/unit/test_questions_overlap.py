"""Which questions two sets share, and the table of it. All questions are invented."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from workflow_scripts import check_overlap
from workflow_scripts.errors import UserError
from workflow_scripts.provenance.document import read_record
from workflow_scripts.questions.overlap import normal_text, overlaps
from workflow_scripts.questions.schema import Question, write_questions
from workflow_scripts.questions.sources import load_questions
from workflow_scripts.settings.question_sets import QuestionSetSpec

MEDQA = Path(__file__).parents[3] / "shared" / "data" / "medqa"


def choice(name: str, text: str, *options: str, gold: str = "A") -> Question:
    lettered = dict(zip("ABCDE", options, strict=False))
    return Question(name, "set", text, lettered, "choice", {}, gold)


def number(name: str, text: str, answer: str = "1") -> Question:
    return Question(name, "set", text, None, "number", {}, answer)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A 65-year-old man.\nWhich drug?", "a 65 year old  man , WHICH drug"),
        ("\N{FULLWIDTH LATIN CAPITAL LETTER W}hich?", "which"),
        ("the patient\N{RIGHT SINGLE QUOTATION MARK}s age:  5", "The patient's age 5"),
        ("Find $x$ if $x - 1 = 2$.", "find x if x\N{MINUS SIGN}1=2"),
        ("Stra\N{LATIN SMALL LETTER SHARP S}e", "STRASSE"),
        ("aged 5\N{EN DASH}10 years", "Aged 5-10 years"),
    ],
)
def test_case_spaces_and_punctuation_do_not_make_another_question(one: str, other: str) -> None:
    assert normal_text(one) == normal_text(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What is 2-3?", "What is 2/3?"),
        ("What is x*y?", "What is x y?"),
        ("What is 1.5 mg?", "What is 15 mg?"),
        ("Solve x+1=2", "Solve x=1+2"),
        ("Is K\N{SUPERSCRIPT PLUS SIGN} low?", "Is K low?"),
        ("Which of these?", "Which of those?"),
    ],
)
def test_what_is_asked_makes_another_question(one: str, other: str) -> None:
    assert normal_text(one) != normal_text(other)


def test_pairs_are_counted_from_both_sides_with_their_golds() -> None:
    a = [
        choice("a1", "Which drug?", "Iron", "Zinc", gold="A"),
        choice("a2", "Which food?", "Rice", "Corn", gold="A"),
        choice("a3", "Why?", "x", "y"),
        choice("a4", "How?", "x", "y"),
    ]
    b = [
        choice("b1", "which drug", "Zinc", "iron", gold="B"),  # the same gold under another letter
        choice("b2", "which food", "Rice", "Corn", gold="B"),
        choice("b3", "Which food?", "Rye", "Oats"),  # a text that this set asks twice
        choice("b4", "When?", "x", "y"),
        choice("b5", "Where?", "x", "y"),
    ]
    free = [number("f1", "Why?"), number("f2", "Who?")]
    rows = overlaps({"a": a, "b": b, "free": free})
    assert [(row.set_a, row.set_b) for row in rows] == [("a", "b"), ("a", "free"), ("b", "free")]
    first, second, third = rows
    assert (first.questions_a, first.shared_a, first.share_a) == (4, 2, 0.5)
    assert (first.questions_b, first.shared_b, first.share_b) == (5, 3, 0.6)
    assert first.same_gold == 1
    assert (second.shared_a, second.shared_b, second.share_b, second.same_gold) == (1, 1, 0.5, None)
    assert (third.shared_a, third.shared_b) == (0, 0)


def run(tmp_path: Path, **sets: list[Question]) -> Path:
    paths = []
    for name, questions in sets.items():
        paths.append(tmp_path / name / "questions.parquet")
        write_questions(paths[-1], questions)
    config = json.dumps({"question_sets": list(sets)})
    out = tmp_path / "overlap.csv"
    check_overlap.main(["--config", config, "--questions", *map(str, paths), "--out", str(out)])
    return out


def test_the_table_says_how_much_is_shared_and_never_what(tmp_path: Path) -> None:
    a = [choice("a1", "Which drug?", "Iron", "Zinc"), choice("a2", "Why?", "Rust", "Luck")]
    out = run(tmp_path, first=a, second=a[:1], other=[number("n", "How many?")])
    rows = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
    assert [(row["set_a"], row["set_b"], row["shared_a"], row["same_gold"]) for row in rows] == [
        ("first", "second", "1", "1"),
        ("first", "other", "0", ""),
        ("second", "other", "0", ""),
    ]
    text = out.with_suffix(".md").read_text(encoding="utf-8")
    assert text.startswith("# Question sets: shared questions\n")
    assert "| first | 2 | second | 1 | 1 | 50.0% | 100.0% | 1 |" in text
    assert "| first | 2 | other | 1 | 0 | 0.0% | 0.0% | - |" in text
    for word in ("drug", "Iron", "Rust", "How many"):
        assert word not in text + out.read_text(encoding="utf-8")
    record = read_record(out.with_name("overlap.csv.prov.json"))
    assert [item.name for item in record.inputs] == ["questions.0", "questions.1", "questions.2"]
    assert [output.name for output in record.outputs] == ["csv", "md"]


def test_one_set_alone_is_a_row_that_says_so(tmp_path: Path) -> None:
    out = run(tmp_path, only=[number("n", "How many?")])
    (row,) = csv.DictReader(out.read_text(encoding="utf-8").splitlines())
    assert (row["set_a"], row["questions_a"], row["set_b"]) == ("only", "1", "")
    assert "| only | 1 | none: this is the only question set |" in out.with_suffix(".md").read_text()


def test_names_and_files_must_match(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="1 files for the 2 question_sets"):
        check_overlap.main(
            [
                *("--config", '{"question_sets": ["a", "b"]}'),
                *("--questions", "a.parquet", "--out", str(tmp_path / "overlap.csv")),
            ]
        )


@pytest.mark.skipif(not MEDQA.is_dir(), reason="no ../shared/data/medqa beside the repository")
def test_medqa_with_four_and_with_five_options_asks_the_same_questions() -> None:
    """All 1,273 are shared, and the four options are five less a wrong one, so the gold texts agree."""
    sets = {}
    for n in (4, 5):
        source = {"kind": "local", "path": str(MEDQA / f"us_{n}_options_test.jsonl"), "shape": "medqa"}
        entry = {
            "source": source,
            "prompt": {"user": "{text}"},
            "answer": {"kind": "choice"},
            "licence": "cc",
        }
        sets[f"medqa_{n}op"] = load_questions(f"medqa_{n}op", QuestionSetSpec.model_validate(entry)).questions
    (row,) = overlaps(sets)
    assert (row.questions_a, row.questions_b) == (1273, 1273)
    assert (row.shared_a, row.shared_b, row.same_gold) == (1273, 1273, 1273)
