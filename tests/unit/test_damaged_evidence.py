"""Damaged evidence is named, with its column and row or line, before it becomes a number or a figure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.unit.test_artefacts_rendering import analysed, render_config
from workflow_scripts import render
from workflow_scripts.analysis import tables
from workflow_scripts.errors import UserError

PER_QUESTION: dict[str, list[Any]] = {
    "question_id": ["a", "b"],
    "n": [4, 4],
    "n_correct": [4, 0],
    "majority_correct": [True, False],
    "n_unparseable": [0, 4],
    "n_distinct_responses": [1, 4],
    "n_distinct_answers": [1, 0],
    "answer_entropy": [0.0, 0.0],
    "bon_correct": [True, None],
    "sc_rm_correct": [None, None],
    "wrong_collision": [None, 1.0],
}
CURVE = {"step": [0, 20], **PER_QUESTION}
ROLLOUTS: dict[str, list[Any]] = {
    "step": [1, 1],
    "question_id": ["a", "a"],
    "sample": [0, 1],
    "answer": ["A", None],
    "correct": [True, False],
    "label": ["A", "A"],
    "reward": [1.0, 0.25],
    "advantage": [0.5, None],
}
READERS: dict[str, tuple[Callable[[Path], pd.DataFrame], dict[str, list[Any]]]] = {
    "curve": (tables.read_curve, CURVE),
    "per_question": (tables.read_per_question, PER_QUESTION),
    "trained": (tables.read_trained_rollouts, ROLLOUTS),
    "judged": (tables.read_judged_rollouts, ROLLOUTS),
    "samples": (tables.read_samples, ROLLOUTS),
}
INF, NAN = float("inf"), float("nan")


@pytest.mark.parametrize("name", READERS)
def test_what_the_pipeline_writes_is_read(tmp_path: Path, name: str) -> None:
    read, columns = READERS[name]
    pd.DataFrame(columns).to_parquet(tmp_path / "table.parquet")
    assert len(read(tmp_path / "table.parquet")) in (1, 2)


@pytest.mark.parametrize(
    ("name", "column", "values", "words"),
    [
        *[
            (name, *damage)
            for name in ("curve", "per_question")
            for damage in [
                ("n", ["four", "4"], "is stored as"),
                ("n", [4.0, 4.0], "is stored as double, not as a whole number"),
                ("n", [4, None], "is stored as double"),
                ("n", [0, 4], "is not within 1 and inf in row 1"),
                ("n_correct", [99, 0], "exceeds n in row 1"),
                ("n_correct", [4, -1], "is not within 0 and inf in row 2"),
                ("n_unparseable", [0, 5], "exceeds n in row 2"),
                ("n_distinct_responses", [0, 1], "is not within 1"),
                ("n_distinct_answers", [5, 0], "exceeds n in row 1"),
                ("majority_correct", ["yes", "no"], "not as true or false"),
                ("majority_correct", [1, 0], "is stored as int64, not as true or false"),
                ("majority_correct", [True, None], "is empty in row 2"),
                ("answer_entropy", ["low", "high"], "not as a number"),
                ("answer_entropy", [0.0, NAN], "is empty in row 2"),
                ("answer_entropy", [INF, 0.0], "is infinite in row 1"),
                ("answer_entropy", [-0.1, 0.0], "is not within 0"),
                ("question_id", [1, 2], "is stored as int64, not as text"),
                ("question_id", ["a", None], "is empty in row 2"),
            ]
        ],
        ("per_question", "bon_correct", ["yes", None], "not as true or false"),
        ("per_question", "wrong_collision", [None, 1.5], "is not within 0 and 1 in row 2"),
        ("curve", "step", [0, None], "is stored as double"),
        ("curve", "step", ["0", "twenty"], "not as a whole number"),
        ("curve", "step", [-1, 20], "is not within 0"),
        *[
            (name, "reward", *damage)
            for name in ("trained", "judged")
            for damage in [
                (["good", "bad"], "not as a number"),
                ([INF, 0.0], "is infinite in row 1"),
                ([True, False], "is stored as bool, not as a number"),
            ]
        ],
        ("judged", "reward", [None, None], "column reward holds no value"),
        ("trained", "advantage", ["high", "low"], "not as a number"),
        ("trained", "advantage", [0.5, -INF], "is infinite in row 2"),
        *[
            (name, "correct", *damage)
            for name in ("judged", "samples")
            for damage in [
                (["yes", "no"], "not as true or false"),
                ([True, None], "is empty in row 2"),
            ]
        ],
        ("judged", "step", [0, 1], "is not within 1"),
        ("samples", "sample", [0, -1], "is not within 0"),
        ("samples", "answer", [1, 2], "not as text"),
        ("samples", "question_id", [None, "a"], "is empty in row 1"),
    ],
)
def test_a_damaged_column_is_named(
    tmp_path: Path, name: str, column: str, values: list[Any], words: str
) -> None:
    read, columns = READERS[name]
    path = tmp_path / "table.parquet"
    pd.DataFrame({**columns, column: values}).to_parquet(path)
    with pytest.raises(UserError) as caught:
        read(path)
    text = str(caught.value)
    assert text.startswith(f"{path}: column {column} ")
    assert words in text
    assert "elete" in text
    assert "\n" not in text


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("share", [0.0, 0.5, 0.99])
def test_a_table_that_is_cut_off_is_named(tmp_path: Path, name: str, share: float) -> None:
    read, columns = READERS[name]
    path = tmp_path / "table.parquet"
    pd.DataFrame(columns).to_parquet(path)
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(UserError, match="is not a readable parquet file"):
        read(path)


@pytest.mark.parametrize(
    ("second", "words"),
    [
        (b'{"step": 2, "reward": "high"}', "line 2: `reward` is 'high', not a finite number"),
        (b'{"step": 2, "reward": [1]}', "line 2: `reward` is [1]"),
        (b'{"step": 2, "reward": {"a": 1}}', "line 2: `reward` is {'a': 1}"),
        (b'{"step": 2, "reward": true}', "line 2: `reward` is True"),
        (b'{"step": 2, "reward": Infinity}', "line 2: `reward` is inf"),
        (b'{"step": 2, "reward": NaN}', "line 2: `reward` is nan"),
        (b'{"step": null, "reward": 1}', "line 2: no whole number `step`"),
        (b'{"step": "2", "reward": 1}', "line 2: no whole number `step`"),
        (b'{"step": 2.0, "reward": 1}', "line 2: no whole number `step`"),
        (b'{"step": true, "reward": 1}', "line 2: no whole number `step`"),
        (b'{"reward": 1}', "line 2: no whole number `step`"),
        (b'{"step": 1, "reward": 1}', "line 2: step 1 does not come after step 1"),
        (b'{"step": 0, "reward": 1}', "line 2: step 0 does not come after step 1"),
        (b'{"step": 2, "rew', "line 2: not JSON"),
        (b"[2, 1]", "line 2: no whole number `step`"),
        (b'{"step": 2, "reward": "\xff"}', "not UTF-8"),
    ],
)
def test_a_damaged_line_of_training_metrics_is_named(tmp_path: Path, second: bytes, words: str) -> None:
    path = tmp_path / "metrics.jsonl"
    path.write_bytes(b'{"step": 1, "reward": null}\n' + second + b"\n")
    with pytest.raises(UserError) as caught:
        tables.read_training_metrics(path)
    text = str(caught.value)
    assert text.startswith(str(path))
    assert words in text
    assert "\n" not in text


def test_a_metric_that_was_not_defined_is_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    path.write_text('{"step": 1, "reward": null}\n\n{"step": 2, "reward": 1}\n', encoding="utf-8")
    values = tables.training_metric(tables.read_training_metrics(path), "reward", path)
    assert pd.isna(values[0])
    assert values[1] == 1


# ------------------------------------------------------------------ the tidy table, as `render` reads it

Change = Callable[[pd.DataFrame], pd.DataFrame]


def put(column: str, value: object, row: int = 0) -> Change:
    def change(table: pd.DataFrame) -> pd.DataFrame:
        table[column] = table[column].astype(object)
        table.loc[row, column] = value
        return table

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put("value", "high"), "is not a table of the step `analyse`"),
        (put("sd", "wide"), "is not a table of the step `analyse`"),
        (put("value", INF), "column value is infinite in row 1"),
        (put("low", -INF), "column low is infinite"),
        (put("low", 2.0), "value is outside low and high in row 1"),
        (put("high", -1.0), "value is outside low and high in row 1"),
        (put("n", None), "n or k is missing in row 1"),
        (put("k", None), "n or k is missing in row 1"),
        (put("n", 2.5), "is not a table"),
        (put("n", -1), "column n is not within 0"),
        (put("step", "last"), "is not a table"),
        (put("metric", None), "column metric is empty in row 1"),
        (put("method", None), "column method is empty in row 1"),
        (lambda table: table.drop(columns="sd"), "the columns must be"),
        (lambda table: table.iloc[:-1], "is not as `analyse` wrote it"),
        (put("value", 0.0, row=1), "wrote it"),
    ],
)
def test_a_damaged_tidy_table_is_not_drawn(tmp_path: Path, change: Change, words: str) -> None:
    analysis = analysed(tmp_path, "prose_fig1", 1)
    change(pd.read_csv(analysis)).to_csv(analysis, index=False)
    refuse(tmp_path, analysis, words)


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_tidy_table_that_is_cut_off_is_not_drawn(tmp_path: Path, share: float) -> None:
    analysis = analysed(tmp_path, "prose_fig1", 1)
    content = analysis.read_bytes()
    analysis.write_bytes(content[: int(share * len(content))].rstrip(b"\n"))
    refuse(tmp_path, analysis, "its last line is cut off")


def refuse(folder: Path, analysis: Path, words: str) -> None:
    out = folder / "out"
    config = render_config("prose_fig1").model_dump_json()
    with pytest.raises(UserError) as caught:
        render.main(["--config", config, "--analysis", str(analysis), "--out-dir", str(out)])
    assert str(analysis) in str(caught.value)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not out.exists()
