"""Every published data file beside this checkout becomes questions, or is refused for the right reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.questions.card import question_card
from workflow_scripts.questions.schema import read_questions, write_questions
from workflow_scripts.questions.sources import Loaded, load_questions
from workflow_scripts.settings.question_sets import QuestionSetSpec

DATA = Path(__file__).parents[3] / "shared" / "data"
pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="the shared data slices are not beside this checkout"
)

CHOICE = {"kind": "choice"}
NUMBER = {"kind": "number"}
LATEX = {"kind": "latex"}
COUNTDOWN = {"kind": "countdown"}

# file: (shape, answer, number of questions)
LOADED: dict[str, tuple[str, dict[str, str], int]] = {
    "aime24/dapo_aime-2024.parquet": ("chat", NUMBER, 30),
    "aime24/qwen_test.jsonl": ("problem", NUMBER, 30),
    "aime24/rllm_aime.json": ("problem", NUMBER, 30),
    "aime24/ttrl_test.json": ("problem", NUMBER, 30),
    "aime25/areal_test.jsonl": ("problem", NUMBER, 30),
    "aime25/eval_reasoning_test.jsonl": ("problem", NUMBER, 30),
    "amc/aimo-validation-amc.jsonl": ("problem", NUMBER, 83),
    "amc/rllm_amc.json": ("problem", NUMBER, 83),
    "amc/ttrl_test.json": ("problem", NUMBER, 83),
    "amc23/covo_amc23.jsonl": ("problem", NUMBER, 40),
    "amc23/qwen_test.jsonl": ("problem", NUMBER, 40),
    "commonsenseqa/covo_commonsenseqa.jsonl": ("options_in_text", CHOICE, 100),
    "commonsenseqa/dev_rand_split.jsonl": ("commonsenseqa", CHOICE, 1221),
    "countdown/countdown_cd3_test.jsonl": ("countdown", COUNTDOWN, 256),
    "dapo17k/co_rewarding_dapo_train_300.parquet": ("chat", LATEX, 300),
    "ddxplus/readme_patient_example_en.json": ("ddxplus", CHOICE, 1),
    "gsm8k/rllm_gsm8k.json": ("problem", NUMBER, 50),
    "gsm8k/test.jsonl": ("problem", NUMBER, 1319),
    "math500/covo_math500.jsonl": ("problem", LATEX, 100),
    "math500/math500_test.jsonl": ("problem", LATEX, 500),
    "math500/rllm_math.json": ("problem", LATEX, 500),
    "math500/ttrl_test.json": ("problem", LATEX, 500),
    "medmcqa/medagents_test.jsonl": ("medmcqa", CHOICE, 2816),
    "medmcqa/medpredict_validation.jsonl": ("medmcqa", CHOICE, 200),
    "medqa/us_4_options_test.jsonl": ("medqa", CHOICE, 1273),
    "medqa/us_5_options_test.jsonl": ("medqa", CHOICE, 1273),
    "mmlu_pro/medagents_health_test.jsonl": ("mmlu_pro", CHOICE, 183),
    "mmlu_pro/outputs_Phi-3-mini-4k-instruct_5shot.json": ("mmlu_pro", CHOICE, 210),
    "model_outputs/d1_countdown_256_128_0.json": ("countdown", COUNTDOWN, 37),
    "model_outputs/d1_countdown_256_128_1.json": ("countdown", COUNTDOWN, 37),
    "model_outputs/d1_countdown_256_128_2.json": ("countdown", COUNTDOWN, 37),
    "model_outputs/d1_math500_256_128_0.json": ("problem", LATEX, 84),
    "model_outputs/gsm8k_openai_example_model_solutions.jsonl": ("problem", NUMBER, 150),
    "model_outputs/medagents_medmcqa_hard_QwQ-32B_zero_shot.json": ("medmcqa", CHOICE, 100),
    "model_outputs/medagents_medmcqa_hard_gpt-4o-mini_cot.json": ("medmcqa", CHOICE, 100),
    "model_outputs/medagents_medmcqa_hard_gpt-4o-mini_cot_sc5.json": ("medmcqa", CHOICE, 100),
    "model_outputs/medagents_medqa_hard_gpt-4o-mini_cot_sc5.json": ("medqa", CHOICE, 100),
    "model_outputs/qwen_math_cot_100.jsonl": ("problem", LATEX, 50),
    "olympiadbench/covo_olympiad.jsonl": ("problem", LATEX, 148),
    "olympiadbench/qwen_test.jsonl": ("olympiadbench", LATEX, 198),
    "prm/RM-scored-example.json": ("problem", LATEX, 1),
    "prm/prmbench_subset.jsonl": ("problem", LATEX, 4),
}

# file: (shape, answer, what the refusal says)
REFUSED: dict[str, tuple[str, dict[str, str], str]] = {
    "README.md": ("questions", CHOICE, r"cannot read \.md"),
    "manifest.json": ("problem", NUMBER, r"manifest\.json, row 1: the fields problem, .* missing or empty"),
    "ddxplus/readme_condition_example_en.json": (
        "ddxplus",
        CHOICE,
        r"condition_example_en\.json, row 1: AGE",
    ),
    "ddxplus/readme_condition_example_fr.json": (
        "ddxplus",
        CHOICE,
        r"condition_example_fr\.json, row 1: AGE",
    ),
    "ddxplus/readme_evidence_example_en.json": ("ddxplus", CHOICE, r"evidence_example_en\.json, row 1: AGE"),
    "ddxplus/readme_evidence_example_fr.json": ("ddxplus", CHOICE, r"evidence_example_fr\.json, row 1: AGE"),
    "ddxplus/readme_patient_example_fr.json": (
        "ddxplus",
        CHOICE,
        r"patient_example_fr\.json, row 1: unknown condition",
    ),
    "ddxplus/release_conditions.json": ("ddxplus", CHOICE, r"release_conditions\.json, row 1: AGE"),
    "ddxplus/release_evidences.json": ("ddxplus", CHOICE, r"release_evidences\.json, row 1: AGE"),
    # Outputs whose questions lie in another file.
    "model_outputs/mirage_medmcqa_gpt-35-turbo-16k_cot.jsonl": (
        "medmcqa",
        CHOICE,
        r"line 1: the field options is missing",
    ),
    "model_outputs/mirage_medqa_gpt-35-turbo-16k_cot.jsonl": (
        "medqa",
        CHOICE,
        r"line 1: the field options is missing",
    ),
    # Labelled steps and results: no problems, or problems without an answer.
    "prm/best-of-n-results.jsonl": ("problem", LATEX, r"line 1: the fields problem, .* missing or empty"),
    "prm/prm800k-phase1-test-example.json": ("problem", LATEX, r"row 1: the field question is no text"),
    "prm/prm800k-phase2-test-example.json": ("problem", LATEX, r"row 1: the field question is no text"),
    "prm/processbench_gsm8k.json": ("problem", NUMBER, r"no question is left \(no gold answer\)"),
}

# Answers that no reader can compare, and questions that the file holds twice.
DROPPED: dict[str, dict[str, int]] = {
    "aime24/dapo_aime-2024.parquet": {"repeats an earlier question": 930},
    "mmlu_pro/medagents_health_test.jsonl": {"repeats an earlier question": 17},
    "olympiadbench/covo_olympiad.jsonl": {"its gold answer cannot be read as latex": 2},
    "olympiadbench/qwen_test.jsonl": {"its gold answer cannot be read as latex": 2},
    "prm/prmbench_subset.jsonl": {"no gold answer": 96},
}

# The manifest counts the rows of model outputs before they were cut to size.
MANIFEST = [
    entry
    for entry in (json.loads((DATA / "manifest.json").read_text(encoding="utf-8")) if DATA.is_dir() else [])
    if entry["file"] in LOADED and not entry["file"].startswith("model_outputs/")
]


def spec(file: str, shape: str, answer: dict[str, str], **more: Any) -> QuestionSetSpec:
    source: dict[str, Any] = {"kind": "local", "path": str(DATA / file), "shape": shape}
    if shape == "ddxplus":
        folder = DATA / "ddxplus"
        source["side_files"] = {
            name: str(folder / f"release_{name}.json") for name in ("evidences", "conditions")
        }
        more["options"] = {"n": 5, "seed": 0}
    return QuestionSetSpec.model_validate(
        {
            "source": source,
            "prompt": {"user": "{text}{options}"},
            "answer": answer,
            "licence": "as published",
            **more,
        }
    )


def load(file: str) -> Loaded:
    shape, answer, _ = LOADED[file]
    return load_questions("set", spec(file, shape, answer))


def answers(file: str) -> list[str]:
    return [question.answer for question in load(file).questions]


def test_every_file_is_in_one_of_the_two_tables() -> None:
    found = {path.relative_to(DATA).as_posix() for path in DATA.rglob("*") if path.is_file()}
    assert set(LOADED) | set(REFUSED) == found
    assert not set(LOADED) & set(REFUSED)


@pytest.mark.parametrize("file", LOADED)
def test_a_file_becomes_valid_questions(file: str, tmp_path: Path) -> None:
    shape, answer, number = LOADED[file]
    question_set = spec(file, shape, answer)
    loaded = load_questions("set", question_set)
    questions = loaded.questions
    assert len(questions) == len({question.id for question in questions}) == number
    assert loaded.dropped.counts == DROPPED.get(file, {})
    assert loaded.source_rows == number + loaded.dropped.total()
    for question in questions:
        assert question.text == question.text.strip() != ""
        assert question.answer_kind == answer["kind"]
        assert question.answer.strip()
        assert (question.options is not None) == (answer is CHOICE)
        if question.options is not None:
            assert question.answer in question.options
    write_questions(tmp_path / "questions.parquet", questions)
    assert read_questions(tmp_path / "questions.parquet") == questions
    json.dumps(question_card("set", question_set, loaded), allow_nan=False)


@pytest.mark.parametrize("file", REFUSED)
def test_a_file_without_questions_is_refused_in_one_line(file: str) -> None:
    shape, answer, message = REFUSED[file]
    with pytest.raises(UserError, match=message) as error:
        load_questions("set", spec(file, shape, answer))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("entry", MANIFEST, ids=lambda entry: str(entry["file"]))
def test_as_many_rows_are_read_as_the_manifest_counts(entry: dict[str, Any]) -> None:
    assert load(entry["file"]).source_rows == entry["rows_kept"]


def test_the_template_around_a_problem_is_stripped_exactly() -> None:
    file = "aime24/dapo_aime-2024.parquet"
    rows = pq.read_table(DATA / file).to_pylist()
    problems = {row["extra_info"]["raw_problem"].strip() for row in rows}
    assert {question.text for question in load(file).questions} == problems


@pytest.mark.parametrize(
    "files",
    [
        ("aime24/qwen_test.jsonl", "aime24/rllm_aime.json", "aime24/ttrl_test.json"),
        ("aime24/ttrl_test.json", "aime24/dapo_aime-2024.parquet"),
        ("aime25/areal_test.jsonl", "aime25/eval_reasoning_test.jsonl"),
        ("amc/aimo-validation-amc.jsonl", "amc/rllm_amc.json", "amc/ttrl_test.json"),
        ("amc23/covo_amc23.jsonl", "amc23/qwen_test.jsonl"),
        ("math500/math500_test.jsonl", "math500/rllm_math.json", "math500/ttrl_test.json"),
    ],
)
def test_copies_of_a_set_hold_the_same_gold_answers(files: tuple[str, ...]) -> None:
    first, *others = (sorted(answers(file)) for file in files)
    assert all(other == first for other in others)


def test_parts_of_a_set_agree_with_the_whole() -> None:
    assert answers("gsm8k/rllm_gsm8k.json") == answers("gsm8k/test.jsonl")[:50]
    assert answers("math500/covo_math500.jsonl") == answers("math500/math500_test.jsonl")[:100]
    assert (
        answers("commonsenseqa/covo_commonsenseqa.jsonl")
        == (answers("commonsenseqa/dev_rand_split.jsonl")[:100])
    )


def test_the_two_forms_of_medqa_agree_on_the_text_of_the_answer() -> None:
    four, five = (load(f"medqa/us_{n}_options_test.jsonl").questions for n in (4, 5))
    for a, b in zip(four, five, strict=True):
        assert a.text == b.text
        assert a.options is not None
        assert b.options is not None
        assert a.options[a.answer] == b.options[b.answer]


def test_mmlu_pro_has_4_to_10_options() -> None:
    questions = load("mmlu_pro/outputs_Phi-3-mini-4k-instruct_5shot.json").questions
    assert {len(question.options or {}) for question in questions} == {4, 5, 6, 7, 8, 9, 10}
