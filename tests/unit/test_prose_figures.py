"""PROSE's Figures 2, 3 and 4: what is drawn, where from, and what is said where a part was not run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from synthetic_claims import judged_rows
from synthetic_evidence import (
    POLICY,
    QUESTIONS,
    STATISTICS,
    question_rows,
    write_base,
    write_run,
    write_transfer,
)

from workflow_scripts import analyse, render
from workflow_scripts.artefacts.readings import reading
from workflow_scripts.artefacts.registry import FIGURES
from workflow_scripts.artefacts.style import paper_style
from workflow_scripts.settings.evidence import Analyse, ArtefactEntry, Evidence, NotRun, Render

LABELS = {"ttrl": "TTRL", "prose": "PROSE"}
SETS = {
    QUESTIONS: "the_adaptation_set",
    "medqa_4op": "four_options",
    "ddxplus": "other_disease_set",
    "amc_free": "numbers",
    "amc_4op": "letters",
}
ENTRIES: dict[str, dict[str, object]] = {
    "prose_fig2": {
        "policies": ["answer_space_policy"],
        "question_sets": ["amc_free", "amc_4op"],
        "methods": ["ttrl"],
    },
    "prose_fig3": {"policies": [POLICY], "question_sets": [QUESTIONS], "base": False, "evaluate": False},
    "prose_fig4": {
        "policies": [POLICY],
        "question_sets": [QUESTIONS],
        "methods": ["ttrl", "prose"],
        "transfer": ["ddxplus", "medqa_4op"],
    },
}
STEPS = 10


def render_config(artefact: str) -> Render:
    entry = ArtefactEntry.model_validate(
        {"kind": "figure", "title": "T", "caption": "C.", "budget_minutes": 1, **ENTRIES[artefact]}
    )
    return Render(
        artefact=artefact,
        entry=entry,
        scale="tiny",
        method_labels=LABELS,
        policy_labels={POLICY: "tiny_policy", "answer_space_policy": "tiny_policy"},
        question_set_labels=SETS,
        confidence=0.95,
        evaluation_temperature=0.6,
        training_temperature=1.0,
    )


def forms(folder: Path, seeds: Sequence[int], run: Sequence[str] = ("amc_free", "amc_4op")) -> Evidence:
    """Free-form rises and keeps its gap; with options it falls, its gap goes to 0, its letters to one.

    The rollouts, all questions in every step: q0 has a right label; q1 a wrong one, which two of four wrong answers
    miss, with options one, and in the last step none.
    """
    found = Evidence(base=[], runs=[], not_run=[])
    for role in ("amc_free", "amc_4op"):
        if role not in run:
            found.not_run.append(
                NotRun(
                    policy_role="answer_space_policy", questions_role=role, method="ttrl", reason="no role"
                )
            )
            continue
        free = role == "amc_free"
        found.base.append(
            write_base(
                folder,
                question_rows([2, 2], 4),
                "answer_space_policy",
                role,
                samples={"q0": ("A", "AAB-"), "q1": ("A", "BBAC")},
            )
        )
        gap = [0.25] * STEPS if free else [0.1 - 0.01 * step for step in range(STEPS)]
        training: dict[str, list[float | None]] = {
            "label_accuracy": [0.5] * STEPS,
            "reward_accuracy": [0.5 + value for value in gap],
            "protection_gap": [*gap],
            "protection_rate": [value / 0.5 for value in gap],
            "majority_ratio": [0.5] * STEPS,
            "answer_entropy": [1.0] * STEPS,
            "letter_share_max": [None] * STEPS if free else [0.3 + 0.05 * step for step in range(STEPS)],
            "lucky_label_right": [0.6] * STEPS,
            "lucky_wrong_label_missed": [0.3] * STEPS,
            "lucky_unparseable": [0.1] * STEPS,
        }
        visits = {
            step: {"q0": ("A", "AAB-"), "q1": ("A", missed)}
            for step in range(1, STEPS + 1)
            for missed in ["BBCD" if free else "BBBC" if step < STEPS else "BBBB"]
        }
        end = [4, 3] if free else [1, 0]
        found.runs.extend(
            write_run(
                folder,
                "ttrl",
                seed,
                {0: question_rows([2, 2], 4), STEPS: question_rows(end, 4)},
                rewards=[0.5] * STEPS,
                rollouts=judged_rows(visits),
                policy="answer_space_policy",
                questions=role,
                training=training,
            )
            for seed in seeds
        )
    return found


def moved(folder: Path, methods: Sequence[str] = ("ttrl", "prose")) -> Evidence:
    """TTRL ends at 3/4 and has 2/4 elsewhere, PROSE 4/4 and 3/4; MedQA-4op was asked of the base alone."""
    ends = {"ttrl": (3, 2), "prose": (4, 3)}
    found = Evidence(base=[write_base(folder, question_rows([2, 2], 4))], runs=[], transfers=[], not_run=[])
    for method in methods:
        here, there = (question_rows([right] * 2, 4) for right in ends[method])
        found.runs.append(write_run(folder, method, 0, {0: here, STEPS: here}))
        found.transfers.append(write_transfer(folder, there, method, 0, "ddxplus"))
    for role in ("ddxplus", "medqa_4op"):
        found.transfers.append(write_transfer(folder, question_rows([1, 1], 4), None, None, role))
    return found


def analysed(folder: Path, artefact: str, found: Evidence) -> Path:
    table = folder / f"{artefact}.csv"
    config = Analyse(artefact=artefact, evidence=found, statistics=STATISTICS)
    analyse.main(["--config", config.model_dump_json(), "--out", str(table)])
    return table


def drawn(folder: Path, artefact: str, found: Evidence) -> tuple[Figure, pd.DataFrame]:
    table = render.read_analysis(analysed(folder, artefact, found))
    with paper_style():
        return FIGURES[artefact].draw(table, render_config(artefact))


def every(artefact: str, folder: Path) -> Evidence:
    if artefact == "prose_fig3":
        return Evidence(base=[], runs=[], not_run=[])
    return forms(folder, (0, 1)) if artefact == "prose_fig2" else moved(folder)


@pytest.mark.parametrize("artefact", sorted(ENTRIES))
def test_a_figure_is_two_columns_wide_names_itself_and_repeats_byte_for_byte(
    artefact: str, tmp_path: Path
) -> None:
    table = analysed(tmp_path, artefact, every(artefact, tmp_path))
    written = []
    for name in ("once", "twice"):
        arguments = ["--config", render_config(artefact).model_dump_json(), "--analysis", str(table)]
        render.main([*arguments, "--out-dir", str(tmp_path / name)])
        written.append(
            {kind: (tmp_path / name / f"{artefact}.{kind}").read_bytes() for kind in ("pdf", "png", "csv")}
        )
    assert written[0] == written[1]
    assert int.from_bytes(written[0]["png"][16:20], "big") == 1400  # 7 inches at 200 dpi
    assert f"{artefact} scale=tiny".encode() in written[0]["pdf"]
    assert b"CreationDate" not in written[0]["pdf"]


# ------------------------------------------------------------------ Figure 2


def panel(figure: Figure, letter: str) -> object:
    return next(axes for axes in figure.axes if axes.get_title(loc="left").startswith(f"({letter})"))


def test_figure_2_shows_both_forms_with_their_own_base(tmp_path: Path) -> None:
    figure, plotted = drawn(tmp_path, "prose_fig2", forms(tmp_path, (0, 1)))
    lines = {line.get_label(): list(line.get_ydata()) for line in panel(figure, "a").lines}
    assert lines["free-form"] == [0.5, 0.875]
    assert lines["4 options"] == [0.5, 0.125]
    assert lines["base, free-form"] == lines["base, 4 options"] == [0.5, 0.5]
    assert len(panel(figure, "a").collections) == 2  # a band each
    assert set(plotted["questions_role"]) == {"amc_free", "amc_4op"}


def test_figure_2_shows_the_gap_of_every_step_and_its_moving_average(tmp_path: Path) -> None:
    figure, _ = drawn(tmp_path, "prose_fig2", forms(tmp_path, (0,)))
    raw, smooth = panel(figure, "b").lines[2:4]
    assert list(raw.get_ydata())[-1] == pytest.approx(0.01)
    assert list(smooth.get_ydata())[-1] == pytest.approx(0.03)  # mean of 0.05, 0.04, 0.03, 0.02, 0.01
    assert raw.get_alpha() < 1
    assert to_hex(raw.get_color()) == to_hex(smooth.get_color())


def test_only_the_choice_has_letters_and_they_stand_beside_those_of_the_right_answers(
    tmp_path: Path,
) -> None:
    figure, _ = drawn(tmp_path, "prose_fig2", forms(tmp_path, (0,)))
    shares, gold = panel(figure, "f").lines
    assert shares.get_label() == "4 options"
    # B in 4 of 7 readable answers, in the last step 5; both right answers are A.
    assert list(shares.get_ydata()) == pytest.approx([4 / 7] * (STEPS - 1) + [5 / 7])
    assert (gold.get_linestyle(), set(gold.get_ydata())) == (":", {1.0})


def test_the_reasons_for_a_right_reward_are_stacked_to_one(tmp_path: Path) -> None:
    figure, _ = drawn(tmp_path, "prose_fig2", forms(tmp_path, (0,)))
    for letter in "gh":
        tops = [
            max(vertex[1] for vertex in area.get_paths()[0].vertices)
            for area in panel(figure, letter).collections
            if isinstance(area, PolyCollection)
        ]
        assert tops == pytest.approx([0.6, 0.9, 1.0])


def summary(figure: Figure) -> dict[str, list[str]]:
    """The lines of panel (i) by name: the values from left to right, step 0, run, last tenth for each form."""
    texts = [(*text.get_position(), text.get_text()) for text in panel(figure, "i").texts]
    names = {y: text for x, y, text in texts if x < 0.1}
    return {
        name: [text for x, at, text in sorted(texts) if x > 0.1 and y - 0.5 < at <= y]
        for y, name in names.items()
    }


def test_figure_2_gives_gap_rate_and_reasons_over_the_parts_of_the_run(tmp_path: Path) -> None:
    figure, _ = drawn(tmp_path, "prose_fig2", forms(tmp_path, (0, 1)))
    lines = summary(figure)
    # Step 0, as the samples of the base say: label right and all rewards; label wrong, C alone of four misses it. So
    # gap (0 + 1/4) / 2, rate 1/4, and of five right rewards one missed a wrong label. With options q1 has a gap of 1/4
    # in nine of ten visits: 0.225 / 2; one right reward in nine of ten visits beside four of q0.
    assert lines["protection gap"] == ["0.12", "0.25", "0.25", "0.12", "0.11", "0.00"]
    assert lines["protection rate"] == ["0.25", "0.50", "0.50", "0.25", "0.23", "0.00"]
    assert lines["… wrong label missed"] == ["0.20", "0.33", "0.33", "0.20", "0.18", "0.00"]
    assert lines["… answer not readable"] == ["0.20", "0.17", "0.17", "0.20", "0.20", "0.25"]


def test_the_numbers_of_figure_2_come_with_intervals_questions_rollouts_and_seeds(tmp_path: Path) -> None:
    figure, plotted = drawn(tmp_path, "prose_fig2", forms(tmp_path, (0, 1)))
    mean = plotted[plotted["metric"] == "train.protection_gap_run_mean"].set_index("questions_role")
    assert mean.loc["amc_4op", "value"] == pytest.approx(0.1125)
    assert mean.loc["amc_4op", ["n", "k", "n_seeds", "sd"]].tolist() == [2, 40, 2, 0.0]
    assert mean.loc["amc_4op", ["low", "high"]].tolist() == pytest.approx([0.0, 0.225])
    assert "[0.00, 0.23]" in [text.get_text() for text in panel(figure, "i").texts]
    start = plotted[(plotted["metric"] == "protection_gap") & (plotted["method"] == "base")]
    assert start[["low", "high", "n", "k"]].to_numpy().tolist() == [[0.0, 0.25, 2, 4]] * 2


def test_figure_2_says_what_its_panels_rest_on(tmp_path: Path) -> None:
    figure, plotted = drawn(tmp_path, "prose_fig2", forms(tmp_path, (0, 1)))
    note = figure.get_supxlabel()
    for part in (
        "tiny_policy on numbers and letters [prose_fig2, scale tiny]",
        "mean of 2 training seeds, band ± 1 sd",
        "(a) n = 2 questions, k = 4 samples each at T = 0.6",
        "(b)–(h) 7 questions × 16 rollouts per step at T = 1",
    ):
        assert part in note
    for part in (
        "(i) step 0: majority labels on 2 × 4 samples of the base at T = 0.6",
        "run: n = 2 questions, 1,120 rollouts per seed",
        "last tenth: n = 2 questions, 112 rollouts per seed",
    ):
        assert part in note
    sentence = reading("prose_fig2", plotted, LABELS)
    assert "from 0.50 over a peak of 0.50 to 0.12 (4 options)" in sentence
    assert "the protection gap over the run being 0.25 [0.00, 0.50] (free-form; step 0 0.12" in sentence
    assert "missed a wrong label being 0.33 [0.00, 1.00] (free-form; last tenth 0.33" in sentence


def test_figure_2_names_the_form_that_was_not_run(tmp_path: Path) -> None:
    figure, plotted = drawn(tmp_path, "prose_fig2", forms(tmp_path, (0,), run=["amc_free"]))
    assert "4 options (not run)" in [line.get_label() for line in panel(figure, "a").lines]
    for letter in "fh":
        assert [text.get_text() for text in panel(figure, letter).texts] == ["not run"]
    assert not panel(figure, "g").texts
    assert "4 options" not in reading("prose_fig2", plotted, LABELS)


def test_figure_2_of_which_nothing_ran_is_still_drawn(tmp_path: Path) -> None:
    figure, plotted = drawn(tmp_path, "prose_fig2", forms(tmp_path, (0,), run=[]))
    for letter in "abcdefgh":
        assert "not run" in [text.get_text() for text in panel(figure, letter).texts]
    assert set(summary(figure)["protection gap"]) == {"–"}
    assert "shows nothing" in reading("prose_fig2", plotted, LABELS)


def test_runs_that_did_not_log_the_reasons_are_drawn_without_them(tmp_path: Path) -> None:
    found = forms(tmp_path, (0,))
    for run in found.runs:
        metrics = pd.read_json(run.metrics, lines=True)
        kept = [name for name in metrics.columns if not name.startswith(("lucky", "letter"))]
        metrics[kept].to_json(run.metrics, orient="records", lines=True)
    figure, _ = drawn(tmp_path, "prose_fig2", found)
    for letter in "fgh":
        assert [text.get_text() for text in panel(figure, letter).texts] == ["not run"]
    assert panel(figure, "b").lines


# ------------------------------------------------------------------ Figure 3


def test_figure_3_draws_the_loop_with_the_equations_of_the_paper(tmp_path: Path) -> None:
    figure, parts = drawn(tmp_path, "prose_fig3", every("prose_fig3", tmp_path))
    boxes = parts[parts["kind"] == "box"].set_index("name")
    for name, equation in (("prm", 4), ("minimum", 5), ("guard", 6), ("vote", 3), ("advantage", 2)):
        assert f"({equation})" in boxes.loc[name, "text"]
    assert set(boxes.index[boxes["method"] == "TTRL"]) == {"vote", "agreement"}
    shown = " ".join(text.get_text() for text in figure.axes[0].texts)
    assert "tiny policy" in shown
    assert "the adaptation" in shown
    assert "proves nothing" in reading("prose_fig3", parts, {})


def test_an_arrow_of_figure_3_belongs_to_the_method_whose_box_it_touches(tmp_path: Path) -> None:
    _, parts = drawn(tmp_path, "prose_fig3", every("prose_fig3", tmp_path))
    arrows = parts[parts["kind"] == "arrow"]
    of_method = {method: set(rows["name"]) for method, rows in arrows.groupby("method")}
    assert of_method == {
        "PROSE": {
            "rollouts -> prm",
            "prm -> minimum",
            "minimum -> guard",
            "rollouts -> guard",
            "guard -> advantage",
        },
        "TTRL": {"rollouts -> vote", "vote -> agreement", "agreement -> advantage"},
        "both": {"question -> policy", "policy -> rollouts", "advantage -> update", "update -> policy"},
    }


def test_the_arrows_of_figure_3_start_and_end_at_the_boxes_that_they_name() -> None:
    from workflow_scripts.artefacts.prose_fig3 import ARROWS, BOXES

    for arrow in ARROWS:
        for name, (x, y) in ((arrow.start, arrow.points[0]), (arrow.end, arrow.points[-1])):
            box = BOXES[name]
            assert box.x - 0.001 <= x <= box.x + box.width + 0.001, f"{arrow.start} -> {arrow.end}"
            assert box.y - 0.001 <= y <= box.y + box.height + 0.001, f"{arrow.start} -> {arrow.end}"


@pytest.mark.parametrize("name", ["tiny", "a_much_longer_name_8b"])
def test_the_texts_of_figure_3_stay_within_their_boxes(name: str, tmp_path: Path) -> None:
    from workflow_scripts.artefacts.prose_fig3 import BOXES

    config = render_config("prose_fig3").model_copy(update={"policy_labels": {POLICY: name}})
    table = render.read_analysis(analysed(tmp_path, "prose_fig3", every("prose_fig3", tmp_path)))
    with paper_style():
        figure, _ = FIGURES["prose_fig3"].draw(table, config)
        figure.canvas.draw()
        axes = figure.axes[0]
        for text in axes.texts:
            x, y = text.get_position()
            inside = [
                box
                for box in BOXES.values()
                if box.x < x < box.x + box.width and box.y < y < box.y + box.height
            ]
            extent = text.get_window_extent().transformed(axes.transData.inverted())
            for box in inside:
                assert extent.x0 > box.x, text.get_text()
                assert extent.x1 < box.x + box.width, text.get_text()


# ------------------------------------------------------------------ Figure 4


def test_figure_4_compares_base_and_adapted_policies_on_every_set(tmp_path: Path) -> None:
    figure, plotted = drawn(tmp_path, "prose_fig4", moved(tmp_path))
    axes = figure.axes[0]
    assert sorted(bar.get_height() for bar in axes.patches) == [0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1.0]
    assert [text.get_text() for text in axes.texts].count("not run") == 2  # TTRL and PROSE on four options
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert labels[0] == "the adaptation set\nstands for MedQA-5op\n(adapted on)"
    assert labels[1] == "other disease set\nstands for DDXPlus"
    assert "same questions" in labels[2].replace("\n", " ")
    assert "same questions" not in labels[1]
    note = figure.get_supxlabel()
    assert "tiny_policy, adapted on the_adaptation_set, then frozen" in note
    assert "95 % interval" in note
    sentence = reading("prose_fig4", plotted, LABELS)
    assert "avg@4 on the_adaptation_set (adapted on) 0.50 base, 0.75 TTRL, 1.00 PROSE" in sentence
    assert "on other_disease_set 0.25 base, 0.50 TTRL, 0.75 PROSE" in sentence
    assert "on four_options (the same questions) 0.25 base;" in sentence
    named = plotted.groupby("questions_role")["question_set"].unique()
    assert {role: list(names) for role, names in named.items()} == {
        "medqa_5op": ["the_adaptation_set"],
        "ddxplus": ["other_disease_set"],
        "medqa_4op": ["four_options"],
    }


def test_figure_4_names_the_method_that_was_not_run(tmp_path: Path) -> None:
    figure, _ = drawn(tmp_path, "prose_fig4", moved(tmp_path, methods=["ttrl"]))
    keys = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    assert keys == ["base", "TTRL", "PROSE (not run)"]


def test_figure_4_of_which_nothing_ran_is_still_drawn(tmp_path: Path) -> None:
    figure, plotted = drawn(tmp_path, "prose_fig4", Evidence(base=[], runs=[], not_run=[]))
    assert [text.get_text() for text in figure.axes[0].texts] == ["not run"] * 9
    assert "nothing was run" in figure.get_supxlabel()
    assert "shows nothing" in reading("prose_fig4", plotted, LABELS)
