"""Damaged evidence is named, with its column and row or line, before it becomes a number or a figure."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from synthetic_claims import judged_rows
from synthetic_evidence import (
    POLICY,
    QUESTIONS,
    STATISTICS,
    evidence,
    question_rows,
    write_base,
    write_run,
)

from tests.unit.test_artefacts_rendering import analysed, gathered, render_config
from workflow_scripts import analyse, check_claims, render
from workflow_scripts.analysis import tables
from workflow_scripts.analysis.recipes import RECIPES
from workflow_scripts.errors import UserError
from workflow_scripts.settings.evidence import Analyse, CheckClaims, Evidence

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
                ("n", pd.array([4, None], dtype="Int64"), "is empty in row 2"),
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
        *[
            (name, "reward", *damage)
            for name in ("trained", "judged")
            for damage in [
                ([None, 0.25], "is empty in row 1, which has an advantage"),
                ([NAN, NAN], "is empty in row 1"),
            ]
        ],
        ("trained", "advantage", [None, None], "holds no value"),
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
def test_a_damaged_column_is_named(tmp_path: Path, name: str, column: str, values: Any, words: str) -> None:
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


def test_rewards_that_were_no_finite_numbers_and_trained_nothing_are_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "rollouts.parquet"
    pd.DataFrame({**ROLLOUTS, "reward": [NAN, 0.5], "advantage": [0.0, 0.5]}).to_parquet(path)
    assert len(tables.read_trained_rollouts(path)) == 2
    assert len(tables.read_judged_rollouts(path)) == 1


@pytest.mark.parametrize(("name", "key"), [("curve", "step"), ("per_question", "n"), ("samples", "sample")])
def test_a_row_that_is_there_twice_is_named(tmp_path: Path, name: str, key: str) -> None:
    read, columns = READERS[name]
    same = {column: [columns[column][0]] * 2 for column in ("question_id", key)}
    pd.DataFrame({**columns, **same}).to_parquet(tmp_path / "table.parquet")
    with pytest.raises(
        UserError, match=r"table\.parquet: row 2 has the .*question_id.* of an earlier row\. Delete"
    ):
        read(tmp_path / "table.parquet")


@pytest.mark.parametrize("name", READERS)
def test_a_column_that_is_there_twice_or_not_utf8_is_refused(tmp_path: Path, name: str) -> None:
    read, columns = READERS[name]
    path = tmp_path / "table.parquet"
    table = pa.Table.from_pandas(pd.DataFrame(columns))
    parquet.write_table(table.append_column("question_id", table["question_id"]), path)
    with pytest.raises(UserError, match=r"table\.parquet: column question_id is there twice\. Delete"):
        read(path)
    ends = pa.py_buffer(np.array([0, 1, 2], dtype=np.int32).tobytes())
    text = pa.Array.from_buffers(pa.string(), 2, [None, ends, pa.py_buffer(b"\xff\xfe")])
    parquet.write_table(table.set_column(table.column_names.index("question_id"), "question_id", text), path)
    with pytest.raises(UserError, match="is not a readable parquet file"):
        read(path)


@pytest.mark.parametrize(
    "values",
    [
        {"auc": "0.9"},
        {"auc": True},
        {"auc": 1.5},
        {"auc": NAN},
        {"auc": -INF},
        {"n_right": "3"},
        {"n_right": 2.5},
        {"n_wrong": 0},
        {"n_wrong": -4},
        {"n_wrong": INF},
        {"n_wrong": None},
    ],
)
def test_a_damaged_step_auc_is_refused(tmp_path: Path, values: dict[str, Any]) -> None:
    report = {"auc": 0.9, "n_right": 3, "n_wrong": 1}
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report))
    assert tables.read_step_auc(path) == (0.9, 4)
    path.write_text(json.dumps(report | values))
    with pytest.raises(UserError, match=r"report\.json is not a report of the step `score_steps`\. Delete"):
        tables.read_step_auc(path)
    path.write_text(json.dumps({"loss": 0.1, "corrupted": report, "reasoner": report | values}))
    with pytest.raises(UserError, match=r"report\.json is not a report of the step `train_prm`\. Delete"):
        tables.read_prm_aucs(path)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'"auc"', b"\xff", b"[" * 100_000])
def test_a_report_that_is_no_json_object_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(content)
    for read in (tables.read_step_auc, tables.read_prm_aucs):
        with pytest.raises(UserError, match=r"report\.json is not a report of the step"):
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
        (b'{"step": 2, "reward": 1%s}' % (b"0" * 400), "line 2: `reward` is 1000"),
        (b'{"step": 2, "reward": 1%s}' % (b"0" * 5000), "line 2: not JSON"),
        (b'{"step": 2}', "line 2: line 1 and this line do not both have `reward`"),
        (b'{"step": 2, "reward": 1, "loss": 1}', "line 2: line 1 and this line do not both have `loss`"),
        (b'{"step": 2, "n_questions": 0}', "line 2: `n_questions` is 0, not a whole number from 1"),
        (b'{"step": 2, "n_rollouts": null}', "line 2: `n_rollouts` is None, not a whole number from 1"),
        (b'{"step": null, "reward": 1}', "line 2: `step` is None, not a whole number"),
        (b'{"step": "2", "reward": 1}', "line 2: `step` is '2', not a finite number"),
        (b'{"step": 2.0, "reward": 1}', "line 2: `step` is 2.0, not a whole number"),
        (b'{"step": true, "reward": 1}', "line 2: `step` is True, not a finite number"),
        (b'{"reward": 1}', "line 2: `step` is None, but step 2 is next"),
        (b'{"step": 1, "reward": 1}', "line 2: `step` is 1, but step 2 is next"),
        (b'{"step": 0, "reward": 1}', "line 2: `step` is 0, not a whole number from 1"),
        (b'{"step": 4, "reward": 1}', "line 2: `step` is 4, but step 2 is next"),
        (b'{"step": 2, "rew', "line 2: not JSON"),
        (b"[" * 100_000, "line 2: not JSON"),
        (b"[2, 1]", "line 2: not an object"),
        (b'{"step": 2, "reward": "\xff"}', "not UTF-8"),
    ],
    ids=lambda value: value[:30] if isinstance(value, bytes) else "",
)
def test_a_damaged_line_of_training_metrics_is_named(tmp_path: Path, second: bytes, words: str) -> None:
    path = tmp_path / "metrics.jsonl"
    path.write_bytes(b'{"step": 1, "reward": null}\n' + second + b"\n")
    with pytest.raises(UserError) as caught:
        tables.read_training_metrics(path)
    text = str(caught.value)
    assert text.startswith(str(path))
    assert words in text
    assert text.endswith("Delete the run and train again.")
    assert "\n" not in text
    assert len(text) < 300 + len(str(path))


def test_a_metric_that_was_not_defined_is_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    path.write_text('{"step": 1, "reward": null}\n\n{"step": 2, "reward": 1}\n', encoding="utf-8")
    values = tables.training_metric(tables.read_training_metrics(path), "reward", path)
    assert pd.isna(values[0])
    assert values[1] == 1


# ------------------------------------------------------------------ the tidy table, as `render` reads it

Change = Callable[[pd.DataFrame], pd.DataFrame]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, bytes]:
    analysis = analysed(tmp_path_factory.mktemp("analysis"), "prose_fig1", 1)
    return {path: path.read_bytes() for path in (analysis, record_of(analysis))}


@pytest.fixture
def analysis(made: dict[Path, bytes]) -> Path:
    """A tidy table with its record, for each test as `analyse` wrote it."""
    for path, content in made.items():
        path.write_bytes(content)
    return next(iter(made))


def put(column: str, value: object, row: int = 0) -> Change:
    def change(table: pd.DataFrame) -> pd.DataFrame:
        table[column] = table[column].astype(object)
        table.loc[row, column] = value
        return table

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put("value", "high"), "column value is 'high' in row 1, not a number"),
        (put("sd", "wide", row=2), "column sd is 'wide' in row 3, not a number"),
        (put("value", "nan"), "column value is 'nan' in row 1, not a number"),
        (put("value", INF), "column value is infinite in row 1"),
        (put("low", -INF), "column low is infinite"),
        (put("sd", -0.1), "column sd is not within 0"),
        (put("low", 2.0), "value is outside low and high in row 1"),
        (put("high", -1.0), "value is outside low and high in row 1"),
        *[
            (put(name, None), "value, low and high are not all there in row 1")
            for name in ("value", "low", "high")
        ],
        (put("n", None), "n or k is missing in row 1"),
        (put("k", None), "n or k is missing in row 1"),
        (put("n", 2.5), "column n is '2.5' in row 1, not a whole number"),
        (put("k", "True"), "column k is 'True' in row 1, not a whole number"),
        (put("n", 0), "column n is not within 1"),
        (put("n", "9" * 20), "column n is not within 1"),
        (put("step", "last"), "column step is 'last' in row 1, not a whole number"),
        (put("metric", None), "column metric is empty in row 1"),
        (put("method", None), "column method is empty in row 1"),
        (lambda table: table.drop(columns="sd"), "the columns must be"),
        (lambda table: table.assign(more=1), "the columns must be"),
    ],
)
@pytest.mark.parametrize("recorded", [True, False])
def test_a_damaged_tidy_table_is_not_drawn(
    tmp_path: Path, analysis: Path, change: Change, words: str, recorded: bool
) -> None:
    if not recorded:
        record_of(analysis).unlink()
    change(pd.read_csv(analysis)).to_csv(analysis, index=False)
    refuse(tmp_path, analysis, words)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: "", "the columns must be"),
        (lambda text: text.replace(",", ";"), "the columns must be"),
        (lambda text: text[:-1], "its last line is cut off"),
        (lambda text: text.replace(",", ",,", 20), "the columns must be"),
        (lambda text: text + "prose_fig1,main_policy\n", "has 2 of 15 fields"),
        (lambda text: text + text.splitlines()[1] + ",1\n", "has 16 of 15 fields"),
        (lambda text: text + "\n", "has 0 of 15 fields"),
        (lambda text: text + "\0\0\n", "has 1 of 15 fields"),
        (lambda text: text + '"prose_fig1\n', "unexpected end of data"),
    ],
)
def test_lines_that_analyse_does_not_write_are_not_drawn(
    tmp_path: Path, analysis: Path, change: Callable[[str], str], words: str
) -> None:
    record_of(analysis).unlink()
    analysis.write_text(change(analysis.read_text()))
    refuse(tmp_path, analysis, words)


def test_a_tidy_table_that_is_not_utf8_is_not_drawn(tmp_path: Path, analysis: Path) -> None:
    analysis.write_bytes(analysis.read_bytes() + b"\xff\n")
    refuse(tmp_path, analysis, "not a table of the step `analyse`: 'utf-8' codec")


@pytest.mark.parametrize(
    "change", [lambda table: table.iloc[:-1], lambda table: table.iloc[:0], put("metric", "avg@4")]
)
def test_a_tidy_table_with_rows_changed_or_cut_off_is_not_drawn(
    tmp_path: Path, analysis: Path, change: Change
) -> None:
    change(pd.read_csv(analysis)).to_csv(analysis, index=False)
    refuse(tmp_path, analysis, "is not as `analyse` wrote it")


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_tidy_table_that_is_cut_within_a_line_is_not_drawn(
    tmp_path: Path, analysis: Path, share: float
) -> None:
    record_of(analysis).unlink()
    content = analysis.read_bytes()
    analysis.write_bytes(content[: int(share * len(content))].rstrip(b"\n"))
    refuse(tmp_path, analysis, "")


def test_a_tidy_table_without_a_record_is_drawn(tmp_path: Path, analysis: Path) -> None:
    record_of(analysis).unlink()
    render.main([*render_arguments(analysis), "--out-dir", str(tmp_path / "out")])
    assert (tmp_path / "out" / "prose_fig1.pdf").is_file()


def test_a_method_may_be_called_null(tmp_path: Path, analysis: Path) -> None:
    record_of(analysis).unlink()
    analysis.write_text(analysis.read_text().replace(",ttrl,", ",null,"))
    assert "null" in set(render.read_analysis(analysis)["method"])


def record_of(path: Path) -> Path:
    return path.with_name(path.name + ".prov.json")


def render_arguments(analysis: Path) -> list[str]:
    return ["--config", render_config("prose_fig1").model_dump_json(), "--analysis", str(analysis)]


def refuse(folder: Path, analysis: Path, words: str) -> None:
    out = folder / "out"
    with pytest.raises(UserError) as caught:
        render.main([*render_arguments(analysis), "--out-dir", str(out)])
    text = str(caught.value)
    assert text.startswith(str(analysis))
    assert words in text
    assert "elete it" in text
    assert "\n" not in text
    assert not out.exists()


# ------------------------------------------------------------------ the steps that read evidence

Damage = Callable[[Path], None]


def whole(column: str, value: object) -> Damage:
    """Another value in the whole column."""
    return lambda path: pd.read_parquet(path).assign(**{column: value}).to_parquet(path)


def text(content: str) -> Damage:
    return lambda path: path.write_text(content) and None


STEPS = [
    ("prose_fig5", "base", "per_question.parquet", whole("n_correct", 99), "column n_correct exceeds n"),
    ("prose_table3", "prose.s1", "per_question.parquet", whole("n", "4"), "column n is stored as"),
    ("prose_fig5", "prose.s0", "curve.parquet", whole("step", None), "column step is stored as null"),
    (
        "prose_fig5",
        "prose.s0",
        "curve.parquet",
        whole("majority_correct", 1),
        "column majority_correct is stored",
    ),
    ("prose_fig5", "prose_mean.s0", "report.json", text('{"auc": "high"}'), "is not a report"),
    (
        "prose_fig5",
        "prose.s1",
        "metrics.jsonl",
        text('{"step": 1, "reward": "x"}\n'),
        "line 1: `reward` is 'x'",
    ),
    ("prose_fig2", "ttrl.s0", "metrics.jsonl", text("{"), "line 1: not JSON"),
    ("prose_fig2", "ttrl.s0", "rollouts.parquet", whole("correct", None), "column correct is stored as null"),
    ("prose_fig2", "ttrl.s0", "rollouts.parquet", whole("reward", "1"), "column reward is stored as"),
    ("prose_fig2", "ttrl.s0", "rollouts.parquet", whole("reward", INF), "column reward is infinite in row 1"),
    ("prose_fig2", "base", "samples.parquet", whole("correct", "yes"), "column correct is stored as"),
]


@pytest.mark.parametrize(("artefact", "owner", "name", "damage", "words"), STEPS)
def test_analyse_stops_at_damaged_evidence_and_writes_nothing(
    tmp_path: Path, artefact: str, owner: str, name: str, damage: Damage, words: str
) -> None:
    found = judged(tmp_path) if artefact == "prose_fig2" else gathered(tmp_path, artefact, 2)
    damaged = next(path for path in sorted(tmp_path.rglob(name)) if path.parent.name.startswith(owner))
    damage(damaged)
    config = Analyse(artefact=artefact, evidence=found, statistics=STATISTICS)
    stops(analyse.main, config, tmp_path / "out" / "table.csv", damaged, words)


@pytest.mark.parametrize(
    ("name", "damage", "words"),
    [
        ("per_question.parquet", whole("n_correct", 99), "column n_correct exceeds n"),
        ("per_question.parquet", whole("majority_correct", "yes"), "column majority_correct is stored as"),
        ("curve.parquet", whole("n", 0), "column n is not within 1"),
        ("rollouts.parquet", whole("reward", "high"), "column reward is stored as"),
    ],
)
def test_check_claims_stops_at_damaged_evidence_and_writes_nothing(
    tmp_path: Path, name: str, damage: Damage, words: str
) -> None:
    rows = question_rows([1, 1], 4)
    run = write_run(tmp_path, "prose", 0, {0: rows, 10: rows})
    found = evidence(write_base(tmp_path, rows), [run])
    quantities = [
        {"kind": "level", "metric": metric, "method": method, "where": where}
        for metric, method, where in (
            ("maj@k", None, "base"),
            ("avg@k", "prose", "last"),
            ("train.reward", "prose", "run"),
        )
    ]
    claim = {
        "paper": "prose",
        "place": "here",
        "statement": "it is so",
        "needs": {
            "policies": [POLICY],
            "question_sets": [QUESTIONS],
            "methods": ["prose"],
            "evaluate": False,
        },
        "parts": [
            {"says": "so", "quantity": quantity, "test": "lower_above", "threshold": 0.0}
            for quantity in quantities
        ],
    }
    config = CheckClaims.model_validate(
        {"scale": "tiny", "claims": {"c": {"claim": claim, "evidence": found}}, "statistics": STATISTICS}
    )
    out = tmp_path / "out" / "claims.csv"
    check_claims.main(["--config", config.model_dump_json(), "--out", str(tmp_path / "fine" / "claims.csv")])
    damaged = next(tmp_path.rglob(name))
    damage(damaged)
    stops(check_claims.main, config, out, damaged, words)


def judged(folder: Path) -> Evidence:
    """TTRL and the base on questions with options, as Figure 2 of PROSE reads them."""
    rows = question_rows([1, 1], 4)
    rollouts = judged_rows({1: {"q0": ("A", "AAB"), "q1": ("B", "AB-")}})
    training = {name: [0.5] for name in (*RECIPES["prose_fig2"].training, "letter_share_max")}
    run = write_run(
        folder, "ttrl", 0, {0: rows, 1: rows}, rollouts=rollouts, evaluation=rows, training=training
    )
    return evidence(write_base(folder, rows, samples={"q0": ("A", "AB-"), "q1": ("B", "BBA")}), [run])


def stops(step: Callable[[list[str]], None], config: Any, out: Path, damaged: Path, words: str) -> None:
    with pytest.raises(UserError) as caught:
        step(["--config", config.model_dump_json(), "--out", str(out)])
    text = str(caught.value)
    assert text.startswith(str(damaged))
    assert words in text
    assert "elete" in text
    assert "\n" not in text
    assert not out.parent.exists()
