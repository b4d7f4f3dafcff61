"""The `beyond_*` figures: gains are paired, points stand at their axis value, what did not run is named."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest
import yaml
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from pydantic import ValidationError
from synthetic_claims import judged_rows
from synthetic_evidence import STATISTICS, question_rows, write_base, write_run

from workflow_scripts.analysis.collect import collect
from workflow_scripts.analysis.recipes import recipe
from workflow_scripts.artefacts.names import check_renderable
from workflow_scripts.artefacts.readings import reading
from workflow_scripts.artefacts.registry import FIGURES
from workflow_scripts.artefacts.style import paper_style
from workflow_scripts.errors import UserError
from workflow_scripts.settings.evidence import (
    Analyse,
    ArtefactEntry,
    BaseEvidence,
    Evidence,
    NotRun,
    Render,
    RunEvidence,
)

ENTRIES = yaml.safe_load(
    (Path(__file__).parents[2] / "config/artefacts/beyond.yaml").read_text(encoding="utf-8")
)
LABELS = {"ttrl": "TTRL", "prose": "PROSE"}


def analyse(
    artefact: str, bases: list[BaseEvidence], runs: list[RunEvidence], absent: Sequence = ()
) -> Analyse:
    found = Evidence(base=bases, runs=runs, not_run=list(absent))
    return Analyse(artefact=artefact, evidence=found, statistics=STATISTICS)


def analysed(config: Analyse) -> pd.DataFrame:
    return collect(config, recipe(config.artefact))


def drawn(config: Analyse) -> tuple[Figure, pd.DataFrame, Render]:
    entry = ArtefactEntry(**ENTRIES[config.artefact])
    render = Render(
        artefact=config.artefact,
        entry=entry,
        scale="tiny",
        method_labels={method: LABELS.get(method, method) for method in entry.methods},
        policy_labels={role: f"tiny_{role}" for role in entry.policies},
        question_set_labels={role: f"tiny_{role}" for role in entry.question_sets},
        confidence=0.95,
        evaluation_temperature=0.6,
        training_temperature=1.0,
    )
    table = analysed(config).astype({"seed": "string", "adapted_on": "string"})
    with paper_style():
        figure, plotted = FIGURES[config.artefact].draw(table, render)
        figure.canvas.draw()
    return figure, plotted, render


def line(axes: Axes, label: str) -> list[tuple[float, float]]:
    """The points of a line by its label; none where it is not there."""
    found = [
        one for one in axes.containers if isinstance(one, ErrorbarContainer) and one.get_label() == label
    ]
    return [pair for one in found for pair in zip(*one.lines[0].get_data(), strict=True)]


# ------------------------------------------------------------------ the size of the answer space

SPACE = {"policy": "answer_space_policy"}


def collisions(n_correct: Sequence[int], values: Sequence[float | None]) -> pd.DataFrame:
    return question_rows(n_correct, 4).assign(wrong_collision=pd.Series(values, dtype=float))


def space(
    tmp_path: Path, role: str, before: pd.DataFrame, after: Sequence[int]
) -> tuple[BaseEvidence, RunEvidence]:
    end = question_rows(after, 4)
    visits = {1: {"q0": ("A", "BBCA")}, 2: {"q0": ("A", "AAAA")}}  # gaps 1/4, then 0
    run = write_run(
        *(tmp_path, "ttrl", 0, {0: before, 2: end}, [0.5, 0.5]),
        **SPACE,
        questions=role,
        evaluation=end,
        rollouts=judged_rows(visits),
    )
    samples = {"q0": ("A", "AAB-"), "q1": ("A", "BBAC")}  # gaps 0 and 1/4
    return write_base(tmp_path, before, **SPACE, questions=role, samples=samples), run


@pytest.fixture
def answer_space(tmp_path: Path) -> Analyse:
    two = space(tmp_path, "answers_modulo_2", collisions([1, 3], [1.0, None]), [3, 3])
    fifty = space(tmp_path, "amc_free", collisions([1, 1], [1 / 3, 0.0]), [2, 2])
    absent = [
        NotRun(policy_role="answer_space_policy", questions_role=role, method=method, reason="no role")
        for role in ("answers_modulo_4", "answers_modulo_10")
        for method in (None, "ttrl")
    ]
    return analyse("beyond_answer_space", [two[0], fifty[0]], [two[1], fifty[1]], absent)


def test_gains_are_paired_with_the_base_question_by_question(answer_space: Analyse) -> None:
    rows = analysed(answer_space)
    gains = rows[(rows["metric"] == "gain.avg@k") & (rows["seed"] == "mean")].set_index("questions_role")
    # From 1 and 3 of 4 to 3 and 3: gains of 1/2 and 0. From 1 and 1 to 2 and 2: 1/4 both, whatever is resampled.
    assert gains.loc["answers_modulo_2", ["value", "low", "high"]].tolist() == [0.25, 0.0, 0.5]
    assert gains.loc["amc_free", ["value", "low", "high", "n", "k"]].tolist() == [0.25, 0.25, 0.25, 2, 4]
    assert set(gains["step"]) == {2}


def test_collisions_are_a_mean_over_the_questions_that_have_two_wrong_samples(answer_space: Analyse) -> None:
    rows = analysed(answer_space)
    found = rows[rows["metric"] == "wrong_collision"].set_index("questions_role")
    assert found["value"].to_dict() == {"answers_modulo_2": 1.0, "amc_free": pytest.approx(1 / 6)}
    assert found["n"].to_dict() == {"answers_modulo_2": 1, "amc_free": 2}
    assert set(found["method"]) == {"base"}


def test_collisions_that_no_question_has_are_no_row(tmp_path: Path) -> None:
    base, run = space(tmp_path, "amc_free", collisions([4, 4], [None, None]), [4, 4])
    metrics = set(analysed(analyse("beyond_answer_space", [base], [run]))["metric"])
    assert "gain.avg@k" in metrics
    assert "wrong_collision" not in metrics


def test_a_base_that_was_evaluated_before_collisions_were_counted_is_named(tmp_path: Path) -> None:
    base, run = space(tmp_path, "amc_free", question_rows([1, 1], 4), [1, 1])
    with pytest.raises(UserError, match=r"per_question\.parquet: no column wrong_collision"):
        analysed(analyse("beyond_answer_space", [base], [run]))


def test_a_run_and_its_base_on_different_questions_are_refused(tmp_path: Path) -> None:
    base, run = space(tmp_path, "amc_free", collisions([1, 1], [0.0, 0.0]), [1, 1])
    collisions([1, 1, 1], [0.0, 0.0, 0.0]).to_parquet(base.per_question)
    with pytest.raises(UserError, match="different questions"):
        analysed(analyse("beyond_answer_space", [base], [run]))


def test_majorities_of_different_numbers_of_samples_are_not_compared(tmp_path: Path) -> None:
    rows = question_rows([1, 1], 4)
    run = write_run(tmp_path, "ttrl", 0, {0: rows}, evaluation=rows)
    base = write_base(tmp_path, question_rows([1, 1], 8))
    with pytest.raises(UserError, match=r"with 4 and 8 samples on medqa_5op: maj@k cannot"):
        analysed(analyse("beyond_misconceptions", [base], [run]))


def test_other_artefacts_have_no_such_rows(answer_space: Analyse) -> None:
    metrics = set(analysed(answer_space.model_copy(update={"artefact": "prose_fig1"}))["metric"])
    assert not {metric for metric in metrics if metric.startswith(("gain", "wrong"))}


def test_a_run_whose_base_was_not_asked_for_has_no_gain(answer_space: Analyse) -> None:
    alone = analyse("beyond_answer_space", [], answer_space.evidence.runs)
    assert not analysed(alone)["metric"].str.startswith("gain").any()


def test_answer_space_figure_shows_levels_gains_collisions_and_gaps_at_the_number_of_answers(
    answer_space: Analyse,
) -> None:
    figure, plotted, _ = drawn(answer_space)
    accuracy, gain, pairs = figure.axes
    assert line(accuracy, "base") == [(2, 0.5), (50, 0.25)]
    assert line(accuracy, "TTRL") == [(2, 0.75), (50, 0.5)]
    assert line(gain, "TTRL") == [(2, 0.25), (50, 0.25)]
    assert line(pairs, "two wrong base samples agree") == [(2, 1.0), (50, pytest.approx(1 / 6))]
    assert line(pairs, "protection gap, run mean") == [(2, 0.125), (50, 0.125)]
    assert line(pairs, "gap, first pass") == [(2, 0.25), (50, 0.25)]
    assert line(pairs, "gap, step 0") == [(2, 0.125), (50, 0.125)]
    assert [text.get_text() for text in accuracy.get_xticklabels()] == ["2", "4", "10", "50"]
    assert set(plotted.loc[plotted["metric"] != "not_run", "x"]) == {2, 50}


def test_a_value_of_the_axis_that_did_not_run_is_named_and_never_drawn(answer_space: Analyse) -> None:
    figure, _, _ = drawn(answer_space)
    note = figure.get_supxlabel()
    for part in (
        "not run: answers_modulo_4, answers_modulo_10",
        "1 training seed; bars: 95 % intervals over questions",
        "n = 2 questions, k = 4 samples each at T = 0.6",
        "n = 1 to 2 questions with two wrong samples",
        "gap, run mean: n = 1 questions, k = 8 rollouts each or more at T = 1",
        "beyond_answer_space, scale tiny",
    ):
        assert part in note


def test_uniform_guesses_are_right_in_one_of_m_and_agree_when_wrong_in_one_of_m_minus_one(
    answer_space: Analyse,
) -> None:
    figure, _, _ = drawn(answer_space)
    ends = []
    for panel in (figure.axes[0], figure.axes[2]):
        chance = next(one for one in panel.lines if one.get_label() == "uniform guesses")
        ends.append([*map(float, chance.get_ydata()[[0, -1]])])
    assert ends == [pytest.approx([1 / 2, 1 / 50]), pytest.approx([1.0, 1 / 49])]


@pytest.mark.parametrize("artefact", sorted(ENTRIES))
def test_a_beyond_figure_of_which_nothing_ran_is_still_drawn_and_says_so(artefact: str) -> None:
    entry = ENTRIES[artefact]
    absent = [
        NotRun(policy_role=policy, questions_role=questions, method=method, reason="no role")
        for policy in entry["policies"]
        for questions in entry["question_sets"]
        for method in [None, *entry["methods"]]
    ]
    figure, plotted, _ = drawn(analyse(artefact, [], [], absent))
    assert all("not run" in [text.get_text() for text in panel.texts] for panel in figure.axes)
    assert "nothing was run" in figure.get_supxlabel()
    assert "shows nothing" in reading(artefact, plotted, LABELS)


def test_the_sentence_gives_each_gain_with_its_interval_and_what_it_does_not_prove(
    answer_space: Analyse,
) -> None:
    _, plotted, render = drawn(answer_space)
    text = reading("beyond_answer_space", plotted, render.method_labels)
    assert (
        "TTRL's gain in avg@4 being +0.25 [+0.00, +0.50] with 2 answers, +0.25 [+0.25, +0.25] with 50" in text
    )
    assert "two wrong base samples agreeing with probability 1.00, 0.17" in text
    assert "does not prove" in text


# ------------------------------------------------------------------ misconceptions


def misconceptions(tmp_path: Path, role: str, before: Sequence[int], after: Sequence[int]) -> tuple:
    end = question_rows(after, 4)
    start = question_rows(before, 4)
    run = write_run(tmp_path, "ttrl", 0, {0: start, 2: end}, [0.5, 0.5], policy=role, evaluation=end)
    return write_base(tmp_path, start, policy=role), run


def test_misconceptions_figure_shows_help_above_and_harm_below_the_zero_line(tmp_path: Path) -> None:
    # Help: 3 and 2 of 4 become 4 and 3 (the second majority turns right). Harm: 1 and 3 become 0 and 2.
    helped = misconceptions(tmp_path, "misconceptions_none", [3, 2], [4, 3])
    harmed = misconceptions(tmp_path, "misconceptions_many", [1, 3], [0, 2])
    config = analyse("beyond_misconceptions", [helped[0], harmed[0]], [helped[1], harmed[1]])
    figure, plotted, render = drawn(config)
    average, majority, gain = figure.axes
    shift = 0.006 * 0.75
    assert line(average, "base") == [(-shift, 0.625), (0.75 - shift, 0.5)]
    assert line(average, "TTRL") == [(shift, 0.875), (0.75 + shift, 0.25)]
    assert line(majority, "TTRL") == [(shift, 1.0), (0.75 + shift, 0.0)]
    assert [y for _, y in line(gain, "avg@4")] == [0.25, -0.25]
    assert [y for _, y in line(gain, "maj@4")] == [0.5, -0.5]
    assert any(list(one.get_ydata()) == [0, 0] for one in gain.lines)
    text = reading("beyond_misconceptions", plotted, render.method_labels)
    assert "gain in avg@4 +0.25 [+0.25, +0.25] at 0 %, −0.25 [−0.25, −0.25] at 75 %" in text


# ------------------------------------------------------------------ quality of the process reward model


def rewarded(
    tmp_path: Path, method: str, after: Sequence[int], auc: float | None, adapted: float | None
) -> RunEvidence:
    end = question_rows(after, 4)
    run = write_run(
        tmp_path,
        method,
        0,
        {0: question_rows([2, 2], 4), 2: end},
        [0.5, 0.5],
        evaluation=end,
        step_auc=adapted,
    )
    report = tmp_path / f"prm.{method}.json"
    kinds = {"reasoner": 0.99, "corrupted": auc}
    steps = {kind: {"auc": value, "n_right": 30, "n_wrong": 10} for kind, value in kinds.items()}
    report.write_text(json.dumps({"loss": 0.1, **steps}))
    return run.model_copy(update={"prm_report": str(report)})


def test_prm_figure_sets_the_gain_against_the_auc_on_corrupted_responses(tmp_path: Path) -> None:
    runs = [
        rewarded(tmp_path, "prose", [4, 4], 0.98, 0.9),
        rewarded(tmp_path, "prose_noise_middle", [3, 3], 0.9, None),
        rewarded(tmp_path, "prose_noise_high", [1, 1], 0.6, None),
    ]
    config = analyse("beyond_prm_quality", [write_base(tmp_path, question_rows([2, 2], 4))], runs)
    figure, plotted, render = drawn(config)
    gain, quality = figure.axes
    assert line(gain, "PROSE") == [(0.6, -0.25), (0.9, 0.25), (0.98, 0.5)]
    assert [text.get_text() for text in gain.texts] == ["5 %", "25 %", "50 %"]
    assert line(quality, "held-out, corrupted") == [(0.05, 0.98), (0.25, 0.9), (0.5, 0.6)]
    assert line(quality, "held-out responses") == [(0.05, 0.99), (0.25, 0.99), (0.5, 0.99)]
    assert line(quality, "adapted policy's responses") == [(0.05, 0.9)]
    text = reading("beyond_prm_quality", plotted, render.method_labels)
    assert "+0.50 [+0.50, +0.50] with a step AUC of 0.980 (5 % of pairs mislabelled)" in text


def test_a_gain_whose_process_reward_model_has_no_auc_has_no_place_on_the_axis(tmp_path: Path) -> None:
    runs = [
        rewarded(tmp_path, "prose", [4, 4], None, None),
        rewarded(tmp_path, "prose_noise_middle", [3, 3], 0.9, None),
    ]
    config = analyse("beyond_prm_quality", [write_base(tmp_path, question_rows([2, 2], 4))], runs)
    figure, _, _ = drawn(config)
    assert line(figure.axes[0], "PROSE") == [(0.9, 0.25)]


def test_an_entry_without_an_axis_is_refused(answer_space: Analyse) -> None:
    _, plotted, render = drawn(answer_space)
    entry = render.entry.model_copy(update={"axis": None})
    with pytest.raises(UserError, match="drawn over an axis"):
        FIGURES["beyond_answer_space"].draw(plotted, render.model_copy(update={"entry": entry}))


@pytest.mark.parametrize("change", [{"answers_modulo_3": 3}, {"answers_modulo_2": None}])
def test_an_axis_has_a_place_for_each_that_it_varies_and_for_nothing_else(
    change: dict[str, int | None],
) -> None:
    entry = ENTRIES["beyond_answer_space"]
    at = {role: place for role, place in {**entry["axis"]["at"], **change}.items() if place is not None}
    with pytest.raises(ValidationError, match=f"name each of question_sets .* look at {next(iter(change))}"):
        ArtefactEntry(**{**entry, "axis": {**entry["axis"], "at": at}})


# ------------------------------------------------------------------ places that no axis can show


@pytest.mark.parametrize("place", [1, 1.5, 0, -3])
def test_a_number_of_answers_without_a_wrong_one_is_refused_before_anything_runs(place: float) -> None:
    entry = ENTRIES["beyond_answer_space"]
    at = {**entry["axis"]["at"], "amc_free": place}
    changed = ArtefactEntry(**{**entry, "axis": {**entry["axis"], "at": at}})
    with pytest.raises(
        UserError, match=rf"axis\.at\.amc_free is {place:g}\. Give the number of .* 2 or more"
    ):
        check_renderable("beyond_answer_space", changed)


@pytest.mark.parametrize("artefact", sorted(ENTRIES))
@pytest.mark.parametrize("place", [2, 1e6])
def test_an_axis_with_a_single_place_is_drawn_without_a_warning(artefact: str, place: float) -> None:
    entry = ENTRIES[artefact]
    varied = entry["axis"]["over"]
    kept = entry[varied][:1]
    changed = {**entry, varied: kept, "axis": {**entry["axis"], "at": dict.fromkeys(kept, place)}}
    check_renderable(artefact, ArtefactEntry(**changed))
    config = analyse(artefact, [], [])
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("error")
        patch.setitem(ENTRIES, artefact, changed)
        figure, _, _ = drawn(config)
    low, high = figure.axes[-1].get_xlim()
    assert low < place < high
