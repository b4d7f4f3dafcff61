"""Question sets from files in the formats of their sources. All rows are invented."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.questions.card import question_card
from workflow_scripts.questions.sources import Loaded, load_questions
from workflow_scripts.settings.specs import QuestionSetSpec

DATA = Path(__file__).parents[3] / "shared" / "data"
OPTIONS = {"A": "Zinc", "B": "Warfarin", "C": "Iron", "D": "Salt"}
MEDQA = {"question": "Which thins blood?", "options": OPTIONS, "answer_idx": "B", "answer": "Warfarin"}
HUB_ROW = {"question": "Which?", "opa": "Zinc", "opb": "Warfarin", "opc": "Iron", "opd": "Salt"}


def spec(path: Path, shape: str = "medqa", **changes: Any) -> QuestionSetSpec:
    return QuestionSetSpec.model_validate(
        {
            "source": {"kind": "local", "path": str(path), "shape": shape},
            "prompt": {"user": "{text}\n{options}"},
            "answer": {"kind": "choice"},
            "licence": "invented",
            **changes,
        }
    )


def load(tmp_path: Path, rows: list[dict], shape: str = "medqa", **changes: Any) -> Loaded:
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return load_questions("set", spec(path, shape, **changes), None)


def golds(loaded: Loaded) -> list[str]:
    return [question.answer for question in loaded.questions]


# ------------------------------------------------------------------ shapes


def test_medqa_rows_become_questions(tmp_path: Path) -> None:
    rows = [{**MEDQA, "meta_info": "step1", "metamap_phrases": ["blood"]}]
    question = load(tmp_path, rows).questions[0]
    assert (question.id, question.source, question.text) == ("set-00000", "set", "Which thins blood?")
    assert (question.options, question.answer, question.answer_kind) == (OPTIONS, "B", "choice")
    assert question.meta == {"meta_info": "step1"}


def test_medqa_options_may_be_a_list_of_keys_and_values(tmp_path: Path) -> None:
    pairs = [{"key": letter, "value": text} for letter, text in OPTIONS.items()]
    assert load(tmp_path, [{**MEDQA, "options": pairs}]).questions[0].options == OPTIONS


def test_a_gold_given_as_text_alone_finds_its_letter(tmp_path: Path) -> None:
    assert golds(load(tmp_path, [{key: MEDQA[key] for key in ("question", "options", "answer")}])) == ["B"]


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [([0, 3, 1], "ADB"), ([1, 4, 2], "ADB"), ([1, 2, 3], "BCD"), (["2.0", 0.0], "CA"), (["b", "D"], "BD")],
)
def test_medmcqa_numbers_count_from_0_unless_the_file_uses_4(
    tmp_path: Path, numbers: list, expected: str
) -> None:
    rows = [{**HUB_ROW, "question": f"Which {i}?", "cop": number} for i, number in enumerate(numbers)]
    assert golds(load(tmp_path, rows, "medmcqa")) == list(expected)


def test_medmcqa_rows_without_a_published_answer_are_dropped_and_counted(tmp_path: Path) -> None:
    loaded = load(tmp_path, [{**HUB_ROW, "cop": -1}, {**HUB_ROW, "cop": 0}], "medmcqa")
    assert golds(loaded) == ["A"]
    assert [dropped.reason for dropped in loaded.dropped] == ["no gold answer (cop is -1)"]
    with pytest.raises(UserError, match=r"no question is left .*cop is -1"):
        load(tmp_path, [{**HUB_ROW, "cop": -1}], "medmcqa")


def test_medmcqa_explanations_do_not_reach_the_question(tmp_path: Path) -> None:
    row = {**HUB_ROW, "cop": 1, "exp": "Ans. is b", "subject_name": "Pharmacology", "id": "x-1"}
    question = load(tmp_path, [row], "medmcqa").questions[0]
    assert (question.id, question.meta) == ("x-1", {"subject_name": "Pharmacology"})


@pytest.mark.parametrize("prefix", ["", "{letter}. "])
def test_medmcqa_choices_with_and_without_letters_in_front(tmp_path: Path, prefix: str) -> None:
    choices = [prefix.format(letter=letter) + text for letter, text in OPTIONS.items()]
    question = load(tmp_path, [{"question": "Which?", "choices": choices, "answer": 2}], "medmcqa").questions[
        0
    ]
    assert (question.options, question.answer) == (OPTIONS, "C")


def test_medmcqa_in_the_fields_of_medqa(tmp_path: Path) -> None:
    assert golds(load(tmp_path, [{**MEDQA, "realidx": "ab-1"}], "medmcqa")) == ["B"]


def test_own_columns_with_options_and_meta_as_json_text(tmp_path: Path) -> None:
    row = {
        "id": "c1",
        "source": "elsewhere",
        "text": "Which?",
        "options": json.dumps(OPTIONS),
        "answer": "D",
        "meta": '{"n": 1}',
    }
    question = load(tmp_path, [row], "questions").questions[0]
    assert (question.id, question.source, question.answer, question.meta) == (
        "c1",
        "elsewhere",
        "D",
        {"n": 1},
    )


# ------------------------------------------------------------------ file kinds


def test_the_file_kind_does_not_change_the_questions(tmp_path: Path) -> None:
    rows = [
        {"id": f"q{i}", "text": f"Which {i}?", "options": json.dumps(OPTIONS), "answer": "A"}
        for i in range(3)
    ]
    (tmp_path / "a.json").write_text(json.dumps(rows), encoding="utf-8")
    (tmp_path / "lines.json").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (tmp_path / "b.jsonl").write_text("\ufeff" + "\n\n".join(map(json.dumps, rows)), encoding="utf-8")
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "c.parquet")
    with open(tmp_path / "d.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    names = ("a.json", "lines.json", "b.jsonl", "c.parquet", "d.csv")
    loaded = [load_questions("set", spec(tmp_path / name, "questions"), None).questions for name in names]
    assert all(questions == loaded[0] for questions in loaded)
    assert len(loaded[0]) == 3


def test_parquet_rows_with_fewer_options_than_others(tmp_path: Path) -> None:
    few = {**MEDQA, "question": "Other?", "options": {"A": "Zinc", "B": "Warfarin"}}
    pq.write_table(pa.Table.from_pylist([MEDQA, few]), tmp_path / "q.parquet")
    questions = load_questions("set", spec(tmp_path / "q.parquet"), None).questions
    assert [len(question.options or {}) for question in questions] == [4, 2]


# ------------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"options": None}, r"rows\.jsonl, line 1: .*options"),
        ({"options": {}}, "no options"),
        ({"options": {"A": "Zinc"}}, "at least two options"),
        ({"options": {"A": "Zinc", "B": " "}}, "none of them empty"),
        ({"options": {"A": "Zinc", "C": "Iron"}, "answer_idx": "A", "answer": "Zinc"}, "lettered A, B"),
        ({"answer_idx": "E"}, "'E' is not among the options A, B, C, D"),
        ({"answer": "Iron"}, "answer_idx B is 'Warfarin', but answer is 'Iron'"),
        ({"answer_idx": None, "answer": "Gold"}, "'Gold' is not among the options"),
        ({"answer_idx": None, "answer": None}, "gold answer is missing"),
        ({"question": "  "}, "field question is missing or empty"),
    ],
)
def test_a_broken_row_is_named(tmp_path: Path, row: dict, message: str) -> None:
    with pytest.raises(UserError, match=message):
        load(tmp_path, [{**MEDQA, **row}])


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({**HUB_ROW, "cop": 4.5}, "neither a whole number nor a letter"),
        ({**HUB_ROW, "cop": 7}, "7 is not among the 4 options"),
        ({**HUB_ROW, "opd": None, "cop": 1}, "opd is missing"),
    ],
)
def test_a_broken_medmcqa_row_is_named(tmp_path: Path, row: dict, message: str) -> None:
    with pytest.raises(UserError, match=message):
        load(tmp_path, [row], "medmcqa")


def test_numbers_that_fit_neither_count_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="both 0 and 4"):
        load(tmp_path, [{**HUB_ROW, "cop": 0}, {**HUB_ROW, "question": "Other?", "cop": 4}], "medmcqa")


def test_two_questions_of_one_id_are_refused(tmp_path: Path) -> None:
    rows = [{**MEDQA, "id": "q7"}, {**MEDQA, "id": "q7", "question": "Other?"}]
    with pytest.raises(UserError, match="id q7 occurs twice"):
        load(tmp_path, rows)


def test_a_repeated_question_is_dropped_with_a_reason(tmp_path: Path) -> None:
    loaded = load(tmp_path, [MEDQA, MEDQA])
    assert len(loaded.questions) == 1
    assert loaded.dropped[0].reason == "repeats the question set-00000"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("cut.jsonl", b'{"question": "a"}\n{"quest', r"cut\.jsonl, line 2: not JSON"),
        ("cut.json", b'[{"question": "a"}, {"quest', r"cut\.json, line 1: not JSON"),
        ("cut.parquet", b"PAR1 and no more", r"cut\.parquet is not a readable parquet"),
        ("cut.csv", b'question,answer\n"a,b', r"cut\.csv, line \d"),
        ("short.csv", b"question,answer\na\n", r"short\.csv, line 2: number of cells"),
        ("empty.jsonl", b"", r"empty\.jsonl has no rows"),
        ("latin.jsonl", b'{"question": "\xe9"}', r"latin\.jsonl is not UTF-8"),
        ("list.jsonl", b"[1]", r"list\.jsonl, line 1: need an object"),
        ("deep.json", b"[" * 100_000, r"deep\.json: cannot be read"),
        (
            "half.jsonl",
            b'{"question": "\\ud800", "options": ["a", "b"], "answer_idx": "A"}',
            r"half\.jsonl, line 1: cannot be kept as UTF-8",
        ),
        ("rows.xlsx", b"", "cannot read .xlsx"),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=message):
        load_questions("set", spec(tmp_path / name), None)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no data file .*absent\.jsonl"):
        load_questions("set", spec(tmp_path / "absent.jsonl"), None)


def test_row_counts_are_checked_and_subsets_cut(tmp_path: Path) -> None:
    rows = [{**MEDQA, "question": f"Which {i}?"} for i in range(5)]
    assert [q.text for q in load(tmp_path, rows, subset=2, expected_rows=5).questions] == [
        "Which 0?",
        "Which 1?",
    ]
    with pytest.raises(UserError, match="5 rows where expected_rows says 6"):
        load(tmp_path, rows, expected_rows=6)
    with pytest.raises(UserError, match="subset 6 is more than its 5"):
        load(tmp_path, rows, subset=6)


def test_the_hub_needs_a_pinned_revision() -> None:
    hub = spec(Path("x")).model_dump() | {
        "source": {"kind": "hub", "id": "some/set", "split": "test", "shape": "medqa"}
    }
    with pytest.raises(UserError, match="no revision for some/set"):
        load_questions("set", QuestionSetSpec.model_validate(hub), None)


def test_hub_rows_take_the_same_way_as_local_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {}

    def load_dataset(*names: str | None, **options: str) -> list[dict]:
        asked["call"] = (names, options)
        return [{**HUB_ROW, "cop": 1}]

    monkeypatch.setattr("datasets.load_dataset", load_dataset)
    source = {
        "kind": "hub",
        "id": "some/set",
        "split": "validation",
        "revision": "c0ffee",
        "shape": "medmcqa",
    }
    hub = QuestionSetSpec.model_validate(spec(Path("x")).model_dump() | {"source": source})
    assert golds(load_questions("set", hub, None)) == ["B"]
    assert asked["call"] == (("some/set", None), {"split": "validation", "revision": "c0ffee"})


def test_the_card_counts_letters_duplicates_and_drops(tmp_path: Path) -> None:
    twins = {
        "question": "Other?",
        "options": {"A": "Zinc", "B": "zinc."},
        "answer_idx": "A",
        "answer": "Zinc",
    }
    loaded = load(tmp_path, [MEDQA, MEDQA, twins])
    card = question_card("set", spec(tmp_path / "rows.jsonl"), loaded)
    assert card["rows"] == 2
    assert card["letter_balance"] == {"A": 1, "B": 1}
    assert card["options_per_question"] == {"2": 1, "4": 1}
    assert card["duplicate_options"] == {"questions": 1, "ids": ["set-00002"]}
    assert len(card["dropped"]) == 1


# ------------------------------------------------------------------ published files


@pytest.mark.skipif(not DATA.is_dir(), reason="the shared data slices are not beside this checkout")
@pytest.mark.parametrize(
    ("file", "shape", "rows", "first", "duplicates", "balance"),
    [
        ("medqa/us_4_options_test.jsonl", "medqa", 1273, "B", 0, {"A": 353, "B": 309, "C": 346, "D": 265}),
        (
            "medqa/us_5_options_test.jsonl",
            "medqa",
            1273,
            "C",
            0,
            {"A": 273, "B": 277, "C": 252, "D": 269, "E": 202},
        ),
        ("medmcqa/medagents_test.jsonl", "medmcqa", 2816, "C", 14, {"A": 950, "B": 735, "C": 617, "D": 514}),
        ("medmcqa/medpredict_validation.jsonl", "medmcqa", 200, "A", 2, {"A": 71, "B": 61, "C": 37, "D": 31}),
    ],
)
def test_published_files_are_read_whole(
    file: str, shape: str, rows: int, first: str, duplicates: int, balance: dict[str, int]
) -> None:
    question_set = spec(DATA / file, shape, expected_rows=rows)
    loaded = load_questions("set", question_set, None)
    card = question_card("set", question_set, loaded)
    assert (len(loaded.questions), golds(loaded)[0]) == (rows, first)
    assert card["letter_balance"] == balance
    assert card["duplicate_options"]["questions"] >= duplicates
