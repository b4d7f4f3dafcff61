"""How the reader agrees with the letters that others stored beside real model outputs.

A count of differences stands for rows that were read one by one; why each of them differs is said where it is counted.
"""

from __future__ import annotations

import json
import re
import string
from collections import Counter
from pathlib import Path

import pytest

from workflow_scripts.answers.choice import read_choice
from workflow_scripts.answers.found import Reading
from workflow_scripts.questions.schema import UnlabelledQuestion
from workflow_scripts.settings.question_sets import ChoiceRule

DATA = Path(__file__).parents[3] / "shared" / "data"
OUTPUTS = DATA / "model_outputs"
PHI3 = DATA / "mmlu_pro" / "outputs_Phi-3-mini-4k-instruct_5shot.json"

pytestmark = pytest.mark.skipif(
    not OUTPUTS.is_dir(), reason="the shared model outputs are not beside this checkout"
)


def read(text: str, options: dict[str, str]) -> Reading:
    return read_choice(
        text, UnlabelledQuestion("q1", "test", "?", options, "choice", {}), ChoiceRule(kind="choice")
    )


def rows(path: Path) -> list[dict]:
    text = path.read_text(encoding="utf-8")
    return json.loads(text) if path.suffix == ".json" else [json.loads(line) for line in text.splitlines()]


def mirage(name: str, options: dict[str, dict[str, str]]) -> list[tuple[str, Reading]]:
    replies = rows(OUTPUTS / f"mirage_{name}_gpt-35-turbo-16k_cot.jsonl")
    texts = [(Path(reply["file"]).stem, (reply["content"] or [""])[0]) for reply in replies]
    return [(text, read(text, options[stem])) for stem, text in texts]


def stored_choice(text: str) -> str | None:
    """Return the letter in the field `answer_choice`; None where it holds none or several."""
    try:
        field = json.loads(text)["answer_choice"]
    except json.JSONDecodeError:
        return "no valid JSON"
    match = re.fullmatch(r"([A-D])(?:[.:)] .*|\.)?", field)
    return match.group(1) if match else None


def test_mirage_medqa_replies_are_read_as_their_json_field() -> None:
    questions = rows(DATA / "medqa" / "us_4_options_test.jsonl")
    found = mirage("medqa", {f"test_{n:04}": row["options"] for n, row in enumerate(questions)})
    stored = [stored_choice(text) for text, _ in found]
    same = [reading.answer == label for (_, reading), label in zip(found, stored, strict=True)]
    assert (len(found), sum(same)) == (400, 395)
    # Two files hold no reply; three hold invalid JSON (bare quotation marks), whose last field reads C all the same.
    other = [(text, reading) for (text, reading), agreed in zip(found, same, strict=True) if not agreed]
    assert Counter((bool(text), reading.answer) for text, reading in other) == {
        (False, None): 2,
        (True, "C"): 3,
    }


def test_mirage_medmcqa_replies_are_read_as_their_json_field() -> None:
    questions = rows(DATA / "medmcqa" / "medagents_test.jsonl")
    found = mirage("medmcqa", {f"dev_{row['realidx']}": row["options"] for row in questions})
    stored = [stored_choice(text) for text, _ in found]
    same = [reading.answer == label for (_, reading), label in zip(found, stored, strict=True)]
    assert (len(found), sum(same)) == (300, 297)
    # One file holds no reply; two hold invalid JSON (a comma is missing): `B and C`, and C.
    other = [reading for (_, reading), agreed in zip(found, same, strict=True) if not agreed]
    assert Counter((reading.answer, reading.rule) for reading in other) == {
        (None, "nothing stated"): 1,
        (None, "several options"): 1,
        ("C", "statement"): 1,
    }


def test_gpt_4o_mini_replies_are_read_as_their_authors_did_but_for_two_guesses() -> None:
    found = [
        (read(row["raw_response"], row["options"]), row["predicted_answer"])
        for row in rows(OUTPUTS / "medagents_medmcqa_hard_gpt-4o-mini_cot.json")
    ]
    other = [reading for reading, label in found if reading.answer != label]
    assert (len(found), len(other)) == (100, 2)
    # Both replies say that no option can be chosen; the authors' second model chose A for them.
    assert {reading.answer for reading in other} == {None}


def test_unfinished_thoughts_of_qwq_hold_no_answer_and_all_finished_ones_agree() -> None:
    found = [
        (row["completion"], read(row["completion"], row["options"]), row["predicted_answer"])
        for row in rows(OUTPUTS / "medagents_medmcqa_hard_QwQ-32B_zero_shot.json")
    ]
    finished = [(reading.answer, label) for text, reading, label in found if "</think>" in text]
    assert len(finished) == 32
    assert all(answer == label for answer, label in finished)
    cut_off = [reading for text, reading, _ in found if "</think>" not in text]
    assert Counter((reading.answer, reading.rule) for reading in cut_off) == {(None, "inside <think>"): 68}


@pytest.mark.parametrize(("name", "n_other"), [("medqa", 0), ("medmcqa", 1)])
def test_ensemble_replies_are_read_as_their_authors_did(name: str, n_other: int) -> None:
    table = rows(OUTPUTS / f"medagents_{name}_hard_gpt-4o-mini_cot_sc5.json")
    other = [
        (row, reading)
        for row in table
        if (reading := read(row["ensemble_response"], row["options"])).answer != row["predicted_answer"]
    ]
    assert (len(table), len(other)) == (100, n_other)
    # The one reply argues for B, then counts votes and ends with D: its last statement is D.
    assert all(reading.answer == "D" and row["predicted_answer"] == "B" for row, reading in other)
    assert all(read(letter, row["options"]).answer == letter for row in table for letter in row["solutions"])


def test_phi_3_outputs_are_read_as_the_benchmark_did_but_for_five() -> None:
    found = [
        (
            read(row["generated_text"], dict(zip(string.ascii_uppercase, row["options"], strict=False))),
            row["pred"],
        )
        for row in rows(PHI3)
    ]
    other = [(reading.answer, label) for reading, label in found if reading.answer != label]
    assert len(found) == 210
    # Twice a second statement follows, which counts here; twice several options are stated, which is no answer here;
    # once their expression missed `the best option that describes this is (C)`.
    assert Counter(answer is None for answer, _ in other) == {True: 2, False: 3}
    # Nothing can be read from 19 outputs, and the benchmark stores nothing for them.
    assert sum(reading.answer is None and label is None for reading, label in found) == 19
