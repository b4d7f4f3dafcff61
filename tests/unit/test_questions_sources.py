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
from workflow_scripts.questions.prompts import check_prompt
from workflow_scripts.questions.schema import Question, write_questions
from workflow_scripts.questions.sources import Loaded, load_questions
from workflow_scripts.questions.tables import Row
from workflow_scripts.questions.wrong_answers import frequent_wrong_answers
from workflow_scripts.settings.load import load_scale_file
from workflow_scripts.settings.question_sets import HubQuestions, QuestionSetSpec

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"
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


def load_table(tmp_path: Path, rows: list[dict], **changes: Any) -> Loaded:
    """Load rows of the shape medqa with `columns` or `keep`, which belong to the source."""
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    source = {key: changes.pop(key) for key in ("columns", "keep") if key in changes}
    question_set = spec(path, **changes).model_dump()
    question_set["source"] |= source
    return load_questions("set", QuestionSetSpec.model_validate(question_set), None)


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
    assert loaded.dropped.counts == {"no gold answer (cop is -1)": 1}
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
        ({"answer_idx": "E"}, r"'E' \(answer_idx\) is not among the options A, B, C, D"),
        ({"answer": "Iron"}, "answer is not the text of option B, which answer_idx names"),
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
        ({**HUB_ROW, "cop": 7}, "'7' is not among the 4 options"),
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
    assert loaded.dropped.counts == {"repeats an earlier question": 1}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("cut.jsonl", b'{"question": "a"}\n{"quest', r"cut\.jsonl, line 2: not JSON"),
        ("cut.json", b'[{"question": "a"}, {"quest', r"cut\.json, line 1: not JSON"),
        ("cut.parquet", b"PAR1 and no more", r"cut\.parquet is not a readable parquet"),
        ("cut.csv", b'question,answer\n"a,b', r"cut\.csv, line \d"),
        ("short.csv", b"question,answer\na\n", r"short\.csv, line 2: number of cells"),
        ("twice.csv", b"question,answer,answer\na,b,c\n", r"twice\.csv: two columns have the same name"),
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


# ------------------------------------------------------------------ columns and keep


def test_columns_are_renamed_before_the_shape_sees_them(tmp_path: Path) -> None:
    rows = [{"query": "Which?", "choices": OPTIONS, "gold": "B", "meta_info": "x"}]
    columns = {"question": "query", "options": "choices", "answer_idx": "gold"}
    question = load_table(tmp_path, rows, columns=columns).questions[0]
    assert (question.text, question.options, question.answer) == ("Which?", OPTIONS, "B")


def test_a_renamed_column_wins_over_one_of_that_name(tmp_path: Path) -> None:
    # What stands in `answer` is a model's; the gold is in `truth`.
    rows = [{**MEDQA, "answer_idx": "D", "answer": None, "truth": "B"}]
    assert golds(load_table(tmp_path, rows, columns={"answer_idx": "truth"})) == ["B"]


def test_a_renamed_gold_is_not_kept_under_its_old_name(tmp_path: Path) -> None:
    # `type` is among the fields that `meta` keeps.
    rows = [{**MEDQA, "answer_idx": None, "answer": None, "type": "B"}]
    question = load_table(tmp_path, rows, columns={"answer_idx": "type"}).questions[0]
    assert (question.answer, question.meta) == ("B", {})


@pytest.mark.parametrize("key", ["columns", "keep"])
def test_a_column_that_no_row_has_is_named(tmp_path: Path, key: str) -> None:
    wrong: dict[str, Any] = {"columns": {"question": "querry"}, "keep": {"querry": ["x"]}}
    message = rf"source\.{key} names querry, but the rows have question, options, answer_idx, answer"
    with pytest.raises(UserError, match=message):
        load_table(tmp_path, [MEDQA], **{key: wrong[key]})


@pytest.mark.parametrize("values", [[3, "4"], [3.0, 4.0], ["3", "4"]])
def test_rows_are_kept_by_the_values_of_a_column(tmp_path: Path, values: list[Any]) -> None:
    rows = [{**MEDQA, "question": f"Which {i}?", "level": i} for i in (1, 3, 4, None)]
    loaded = load_table(tmp_path, rows, keep={"level": [int(float(v)) for v in values]}, expected_rows=4)
    assert [question.text for question in loaded.questions] == ["Which 3?", "Which 4?"]
    assert loaded.dropped.counts == {"not among the rows that `keep` names by level": 2}
    for row, value in zip(rows[1:3], values, strict=True):
        row["level"] = value
    assert [question.text for question in load_table(tmp_path, rows, keep={"level": ["3", 4]}).questions] == [
        "Which 3?",
        "Which 4?",
    ]


def test_rows_must_match_every_column_of_keep(tmp_path: Path) -> None:
    rows = [{**MEDQA, "question": f"{a}{b}?", "a": a, "b": b} for a in "xy" for b in "xy"]
    loaded = load_table(tmp_path, rows, keep={"a": ["x"], "b": ["x", "y"]})
    assert [question.text for question in loaded.questions] == ["xx?", "xy?"]


def test_rows_that_are_not_kept_may_be_broken(tmp_path: Path) -> None:
    rows = [{**MEDQA, "part": "a"}, {"part": "b"}]
    assert len(load_table(tmp_path, rows, keep={"part": ["a"]}).questions) == 1


# ------------------------------------------------------------------ repeats


def test_equal_ids_with_equal_content_are_a_repeat(tmp_path: Path) -> None:
    rows = [{**MEDQA, "id": "q7"}] * 8
    loaded = load(tmp_path, rows)
    assert loaded.dropped.counts == {"repeats an earlier question": 7}
    assert [name.rpartition(", ")[2] for name in loaded.dropped.examples["repeats an earlier question"]] == [
        f"line {i}" for i in range(2, 7)
    ]


def test_a_repeat_with_another_answer_is_counted_apart(tmp_path: Path) -> None:
    loaded = load(tmp_path, [MEDQA, {**MEDQA, "answer_idx": "C", "answer": "Iron"}])
    assert golds(loaded) == ["B"]
    assert loaded.dropped.counts == {"repeats an earlier question, with another answer": 1}


def test_the_same_text_with_other_options_is_another_question(tmp_path: Path) -> None:
    assert len(load(tmp_path, [MEDQA, {**MEDQA, "options": {**OPTIONS, "A": "Tin"}}]).questions) == 2


# ------------------------------------------------------------------ gold answers


def maths(tmp_path: Path, golds: list[Any], kind: str = "number", **changes: Any) -> Loaded:
    rows = [{"problem": f"What is {i}?", "answer": gold} for i, gold in enumerate(golds)]
    return load(tmp_path, rows, "problem", answer={"kind": kind}, **changes)


def test_golds_come_in_normal_form_and_the_raw_text_is_hidden(tmp_path: Path) -> None:
    questions = maths(tmp_path, ["142.0", 142, "\\boxed{1,000}"]).questions
    assert [question.answer for question in questions] == ["142", "142", "1000"]
    assert [question.meta for question in questions] == [
        {"truth": {"answer": "142.0"}},
        {},
        {"truth": {"answer": "1,000"}},
    ]
    assert all(question.unlabelled().meta == {} for question in questions)


def test_questions_whose_gold_cannot_be_read_are_dropped_and_counted(tmp_path: Path) -> None:
    loaded = maths(tmp_path, ["7", "t(0,4]", None])
    assert golds(loaded) == ["7"]
    assert loaded.dropped.counts == {"no gold answer": 1, "its gold answer cannot be read as number": 1}
    assert loaded.dropped.examples["its gold answer cannot be read as number"] == ["set-00001"]
    with pytest.raises(UserError, match=r"no question is left .*cannot be read as number"):
        maths(tmp_path, ["t(0,4]"])


@pytest.mark.parametrize(
    ("row", "shape", "kind"),
    [(MEDQA, "medqa", "number"), ({"problem": "What?", "answer": 1}, "problem", "choice")],
)
def test_questions_of_another_kind_than_the_entry_reads_are_refused(
    tmp_path: Path, row: dict[str, Any], shape: str, kind: str
) -> None:
    with pytest.raises(UserError, match=f"`answer.kind` is {kind}"):
        load(tmp_path, [row], shape, answer={"kind": kind})


def test_own_rows_without_a_kind_take_the_entrys(tmp_path: Path) -> None:
    row = {"text": "What is 1 + 1?", "answer": "2.0"}
    assert golds(load(tmp_path, [row], "questions", answer={"kind": "number"})) == ["2"]
    with pytest.raises(UserError, match=r"is of the kind latex, but `answer\.kind` is number"):
        load(tmp_path, [{**row, "answer_kind": "latex"}], "questions", answer={"kind": "number"})


# ------------------------------------------------------------------ subsets


def test_seeded_subsets_are_nested_and_skipped_ones_disjoint(tmp_path: Path) -> None:
    golds = list(range(60))

    def ids(**subset: Any) -> list[str]:
        return [question.id for question in maths(tmp_path, golds, subset=subset).questions]

    whole = ids(n=60, seed=0)
    assert sorted(whole) == [f"set-{i:05d}" for i in range(60)]
    assert whole not in (sorted(whole), ids(n=60, seed=1))
    for n in (1, 16, 32):
        assert ids(n=n, seed=0) == whole[:n]
    assert ids(n=20, skip=40, seed=0) == whole[40:]
    assert not set(ids(n=20, skip=40, seed=0)) & set(ids(n=40, seed=0))
    assert ids(n=2, skip=3) == ["set-00003", "set-00004"]


def test_two_entries_of_one_source_share_their_order(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(json.dumps({"problem": f"What is {i}?", "answer": i}) for i in range(60)))

    def texts(name: str, **subset: Any) -> list[str]:
        entry = spec(path, "problem", answer={"kind": "number"}, subset={"seed": 0, **subset})
        return [question.text for question in load_questions(name, entry).questions]

    train, validation = texts("train", n=40), texts("validation", n=20, skip=40)
    assert sorted(train + validation) == sorted(f"What is {i}?" for i in range(60))
    assert texts("train_16", n=16) == train[:16]


def test_a_seeded_subset_moves_no_question_when_one_leaves_the_source(tmp_path: Path) -> None:
    whole = [
        question.text for question in maths(tmp_path, list(range(60)), subset={"n": 60, "seed": 0}).questions
    ]
    golds: list[Any] = list(range(60))
    golds[17] = None
    fewer = [question.text for question in maths(tmp_path, golds, subset={"n": 59, "seed": 0}).questions]
    assert fewer == [text for text in whole if text != "What is 17?"]


def test_a_subset_beyond_the_end_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="subset 3 after 8 skipped is more than its 10 questions"):
        maths(tmp_path, list(range(10)), subset={"n": 3, "skip": 8, "seed": 0})


# ------------------------------------------------------------------ files of rows in other forms


def test_rows_beside_other_things_in_one_object(tmp_path: Path) -> None:
    path = tmp_path / "outputs.json"
    path.write_text(json.dumps({"metrics": {"n": 1}, "generations": [MEDQA]}), encoding="utf-8")
    assert golds(load_questions("set", spec(path))) == ["B"]


def test_one_object_is_one_row_even_if_its_fields_are_lists_of_objects(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    pairs = [{"key": letter, "value": text} for letter, text in OPTIONS.items()]
    path.write_text(json.dumps({**MEDQA, "options": pairs}), encoding="utf-8")
    assert golds(load_questions("set", spec(path))) == ["B"]


@pytest.mark.parametrize("name", ["chats.json", "chats.jsonl"])
def test_rows_that_are_lists_of_turns(tmp_path: Path, name: str) -> None:
    chats = [
        [
            {"from": "human", "value": f"What is {i}?"},
            {"from": "assistant", "ground_truth": {"value": str(i)}},
        ]
        for i in range(3)
    ]
    text = json.dumps(chats) if name == "chats.json" else "\n".join(map(json.dumps, chats))
    (tmp_path / name).write_text(text, encoding="utf-8")
    loaded = load_questions("set", spec(tmp_path / name, "chat", answer={"kind": "number"}))
    assert golds(loaded) == ["0", "1", "2"]


def test_a_parquet_file_of_repeats_is_read_in_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"problem": f"What is {i % 7}?", "answer": i % 7} for i in range(2500)]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "rows.parquet", row_group_size=600)

    def whole_table(*_: Any, **__: Any) -> None:
        raise AssertionError("the table is read whole")

    monkeypatch.setattr(pq, "read_table", whole_table)
    loaded = load_questions("set", spec(tmp_path / "rows.parquet", "problem", answer={"kind": "number"}))
    assert (loaded.source_rows, golds(loaded)) == (2500, [str(i) for i in range(7)])
    assert loaded.dropped.counts == {"repeats an earlier question": 2493}
    assert len(loaded.dropped.examples["repeats an earlier question"]) == 5


def test_parquet_pages_that_are_broken_are_named(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    rows = [{**MEDQA, "question": f"Which {i}? {i * 7919}"} for i in range(3000)]
    pq.write_table(pa.Table.from_pylist(rows), path, compression="zstd")
    content = bytearray(path.read_bytes())
    content[4:400] = b"\xff" * 396
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"rows\.parquet is not a readable parquet file"):
        load_questions("set", spec(path))


# ------------------------------------------------------------------ the hub


def hub_spec(**source: Any) -> QuestionSetSpec:
    hub = {"kind": "hub", "id": "some/set", "split": "test", "shape": "medmcqa", **source}
    return QuestionSetSpec.model_validate(spec(Path("x")).model_dump() | {"source": hub})


def test_the_hub_needs_a_revision() -> None:
    with pytest.raises(UserError, match="no revision for some/set") as error:
        load_questions("set", hub_spec())
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("own", "given", "used"),
    [("c0ffee", None, "c0ffee"), (None, "f00d", "f00d"), ("c0ffee", "f00d", "c0ffee")],
)
def test_hub_rows_take_the_same_way_as_local_ones(
    monkeypatch: pytest.MonkeyPatch, own: str | None, given: str | None, used: str
) -> None:
    asked = {}

    def hub_rows(name: str, source: HubQuestions, revision: str) -> list[Row]:
        asked["call"] = (name, source.id, revision)
        return [Row("some/set, row 1", 0, {**HUB_ROW, "cop": 1})]

    monkeypatch.setattr("workflow_scripts.questions.hub.hub_rows", hub_rows)
    question_set = hub_spec(revision=own)
    loaded = load_questions("set", question_set, revision=given)
    assert golds(loaded) == ["B"]
    assert asked["call"] == ("set", "some/set", used)
    assert loaded.revision == used
    assert question_card("set", question_set, loaded)["source"]["revision"] == used


# ------------------------------------------------------------------ matched questions

MATCHED = {"source": {"kind": "matched", "of": "amc"}, "options": {"n": 4, "seed": 0}}


def matched_spec(**changes: Any) -> QuestionSetSpec:
    return QuestionSetSpec.model_validate(spec(Path("x")).model_dump() | MATCHED | changes)


def write_base(path: Path, answers: dict[str, str]) -> Path:
    questions = [
        Question(name, "amc", f"What is {name}?", None, "number", {}, gold) for name, gold in answers.items()
    ]
    write_questions(path, questions)
    return path


def test_matched_questions_offer_the_most_frequent_wrong_answers(tmp_path: Path) -> None:
    base = write_base(tmp_path / "base.parquet", {"a": "12", "b": "30"})
    said = [("a", "5", False), ("a", "7", False), ("a", "9", False), ("a", "9", False), ("a", "8", False)]
    said += [("a", "12", True)] * 3 + [("a", None, False)] * 4 + [("b", "31", False), ("other", "1", False)]
    columns = dict(zip(("question_id", "answer", "correct"), map(list, zip(*said, strict=True)), strict=True))
    pq.write_table(pa.table(columns), tmp_path / "rollouts.parquet")
    assert frequent_wrong_answers(tmp_path / "rollouts.parquet") == {
        "a": ["9", "5", "7", "8"],
        "b": ["31"],
        "other": ["1"],
    }
    loaded = load_questions("set", matched_spec(), base=base, base_samples=tmp_path / "rollouts.parquet")
    first, second = loaded.questions
    # 9 was said twice; of those said once the first two count: the order is that of the samples.
    assert set((first.options or {}).values()) == {"12", "9", "5", "7"}
    assert "31" in (second.options or {}).values()
    assert [(q.id, (q.options or {})[q.answer]) for q in loaded.questions] == [("a", "12"), ("b", "30")]
    assert loaded.source_rows == 2


def test_base_questions_without_near_misses_are_counted(tmp_path: Path) -> None:
    base = write_base(tmp_path / "base.parquet", {"a": "12", "b": "x+1"})
    loaded = load_questions("set", matched_spec(), base=base)
    assert [question.id for question in loaded.questions] == ["a"]
    assert loaded.dropped.examples == {
        "its answer is no whole number: near misses are made of those only": ["b"]
    }


def test_matched_questions_need_their_base_and_options(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"questions\.parquet of amc, .* as --base"):
        load_questions("set", matched_spec())
    base = write_base(tmp_path / "base.parquet", {"a": "12"})
    with pytest.raises(UserError, match="need `options"):
        load_questions("set", matched_spec(options=None), base=base)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no samples"),
        (b"PAR1", "not a readable rollouts"),
        ({"answer": ["1"]}, "lacks the column question_id"),
    ],
)
def test_samples_that_cannot_be_read_are_named(tmp_path: Path, content: Any, message: str) -> None:
    path = tmp_path / "rollouts.parquet"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        pq.write_table(pa.table(content), path)
    base = write_base(tmp_path / "base.parquet", {"a": "12"})
    with pytest.raises(UserError, match=message):
        load_questions("set", matched_spec(), base=base, base_samples=path)


# ------------------------------------------------------------------ the card


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
    assert card["dropped"] == {
        "repeats an earlier question": {"rows": 1, "examples": [f"{tmp_path}/rows.jsonl, line 2"]}
    }
    assert card["answer_kinds"] == {"choice": 2}
    json.dumps(card)


def test_a_card_quotes_no_question(tmp_path: Path) -> None:
    row = {
        "Question": "Which secret?",
        "Correct Answer": "secret iron",
        **{f"Incorrect Answer {i}": f"secret {i}" for i in (1, 2, 3)},
        "Record ID": "rec1",
    }
    twins = {**row, "Record ID": "rec2", "Incorrect Answer 1": "secret 2"}
    changes: dict[str, Any] = {"options": {"seed": 0}, "subset": {"n": 2, "seed": 0}}
    loaded = load(tmp_path, [row, row, twins], "gpqa", **changes)
    card = question_card("set", spec(tmp_path / "rows.jsonl", "gpqa", **changes), loaded)
    assert (card["rows"], card["subset"]) == (2, {"n": 2, "skip": 0, "seed": 0})
    assert card["duplicate_options"] == {"questions": 1, "ids": ["rec2"]}
    assert "secret" not in json.dumps(card)


# ------------------------------------------------------------------ config/questions.yaml

REGISTRY = load_scale_file(ROOT / "config" / "mini.yaml", ROOT).questions


def test_every_question_set_of_the_papers_has_an_entry() -> None:
    sizes = {f"dapo_{2**i}" for i in range(5, 15)}
    assert sizes | {
        *("medqa_5op", "medqa_4op", "medmcqa", "ddxplus", "med_prm_bundle", "med_prm_ddxplus"),
        *("amc", "amc_4op", "amc23", "aime24", "aime25", "math_500", "math_test"),
        *("math_8k_simplerl_level_3_to_5", "dapo_17k", "deepscaler_40k", "orz_56k", "covo_train"),
        *("gsm8k", "gsm8k_train", "olympiadbench", "mmlu", "mmlu_pro", "commonsenseqa"),
        *("gpqa_main", "gpqa_diamond", "countdown_train", "countdown_validation"),
    } <= set(REGISTRY)


@pytest.mark.parametrize("name", REGISTRY)
def test_an_entry_asks_for_the_answer_that_it_reads(name: str) -> None:
    entry = REGISTRY[name]
    check_prompt(entry.prompt, has_options=entry.answer.kind == "choice")
    source = REGISTRY[entry.source.of].source if entry.source.kind == "outvoted" else entry.source
    if source.kind == "generated":
        return  # their tiny policies are trained on their own wording
    said = f"{entry.prompt.system} {entry.prompt.user}"
    form = {"choice": "the answer is (X)", "countdown": "<answer>"}.get(entry.answer.kind, "\\boxed{}")
    assert form in said


def test_subsets_of_dapo_are_nested_and_those_of_countdown_disjoint() -> None:
    for i in range(5, 15):
        entry = REGISTRY[f"dapo_{2**i}"]
        subset: Any = entry.subset
        assert (subset.n, subset.skip, subset.seed) == (2**i, 0, 0)
        assert entry.model_copy(update={"subset": None}) == REGISTRY["dapo_17k"]
    train, validation = REGISTRY["countdown_train"], REGISTRY["countdown_validation"]
    first: Any = train.subset
    second: Any = validation.subset
    assert (first.n, second.n, first.seed) == (4000, 1000, second.seed)
    assert first.skip + first.n <= second.skip
    assert train.source == validation.source


def test_what_has_a_gate_says_so() -> None:
    for name in ("gpqa_main", "gpqa_diamond", "ddxplus"):
        assert "gated" in REGISTRY[name].licence


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
