"""URLVR's figures of training and Table 3: what stands in each panel, and what did not run is named."""

from itertools import product
from pathlib import Path

import pytest
import yaml
from synthetic_evidence import STATISTICS, question_rows, write_base, write_run

from workflow_scripts.analysis.collapse_rows import collapse_name
from workflow_scripts.analysis.collect import collect
from workflow_scripts.analysis.recipes import recipe
from workflow_scripts.artefacts import training_panels, urlvr_fig11
from workflow_scripts.artefacts.paper_numbers import read_paper_numbers
from workflow_scripts.artefacts.readings import reading
from workflow_scripts.artefacts.registry import FIGURES, TABLES
from workflow_scripts.artefacts.style import paper_style
from workflow_scripts.errors import UserError
from workflow_scripts.settings.evidence import Analyse, ArtefactEntry, Evidence, NotRun, Render

ROOT = Path(__file__).parents[2]
ENTRIES = {
    name: ArtefactEntry(**entry)
    for file in ("urlvr", "urlvr_sweeps")
    for name, entry in yaml.safe_load((ROOT / f"config/artefacts/{file}.yaml").read_text()).items()
}
OF_TRAINING = [name for name in ENTRIES if name not in ("urlvr_fig11", "urlvr_table3")]
STEPS = 12
TRAINING = {
    name: [0.1 + 0.05 * step for step in range(STEPS)]
    for name in (
        *("accuracy", "label_accuracy", "reward_accuracy", "majority_ratio", "entropy"),
        *("repetition", "kl_token", "kl_sequence"),
    )
} | {"tokens": [10.0] * STEPS}


def watched(*shares):
    return {10 * i: question_rows([share, share], 4) for i, share in enumerate(shares)}


def run_of(folder, entry, policy, questions, method, training=None, seed=0):
    curves = {role: watched(1, 3, 2) for role in entry.validation if role != "aime25"}
    return write_run(
        *(folder, method, seed, {}, [0.5] * STEPS),
        policy=policy,
        questions=questions,
        training=TRAINING | (training or {}),
        validation=curves,
    )


def all_runs(folder, entry):
    cells = product(entry.policies, entry.question_sets, entry.methods)
    return [run_of(folder, entry, *cell) for cell in cells]


def drawn_as(artefact):
    return ENTRIES[artefact].drawn_as(artefact)


def render_of(artefact, roles=("aime25",)):
    entry = ENTRIES[artefact]
    sets = [role for role in (*entry.question_sets, *entry.validation, *entry.base_on) if role not in roles]
    return Render(
        artefact=artefact,
        entry=entry,
        scale="tiny",
        method_labels={method: f"label of {method}" for method in entry.methods},
        policy_labels={role: f"tiny_{role}" for role in entry.policies},
        question_set_labels={role: f"tiny_{role}" for role in sets},
        confidence=0.95,
        collapse_threshold=0.04,
        evaluation_temperature=0.6,
        training_temperature=1.0,
    )


def analysed(artefact, runs, base=(), absent=()):
    found = Evidence(base=list(base), runs=list(runs), not_run=list(absent))
    config = Analyse(artefact=artefact, evidence=found, statistics=STATISTICS)
    return collect(config, recipe(drawn_as(artefact))).astype({"seed": "string", "adapted_on": "string"})


def drawn(artefact, table, render=None):
    render = render or render_of(artefact)
    with paper_style():
        figure, plotted = FIGURES[drawn_as(artefact)].draw(table, render)
        figure.canvas.draw()
    return figure, plotted


def titled(figure):
    return {axes.get_title(loc="left"): axes for axes in figure.axes if axes.get_title(loc="left")}


@pytest.mark.parametrize("artefact", OF_TRAINING)
def test_every_line_is_in_every_panel(tmp_path, artefact):
    entry = ENTRIES[artefact]
    figure, plotted = drawn(artefact, analysed(artefact, all_runs(tmp_path, entry)))
    lines = max(len(entry.methods), len(entry.question_sets), len(entry.policies))
    panels = titled(figure)
    shown = FIGURES[drawn_as(artefact)].validation
    assert len(panels) == (len(entry.validation) - 1 if shown else 0) + len(
        FIGURES[drawn_as(artefact)].panels
    )
    for title, axes in panels.items():
        labelled = [line for line in axes.lines if not line.get_label().startswith("_")]
        assert len(labelled) == lines, title
        assert all(len(line.get_xdata()) for line in labelled), title
    (legend,) = figure.legends
    assert len(legend.get_texts()) == lines
    assert ("not run: aime25" in figure.get_supxlabel()) == shown
    assert (" shows avg@4 on " in reading(artefact, plotted, {}, drawn_as(artefact))) == shown


def test_a_panel_of_a_validation_set_shows_that_set_alone(tmp_path):
    entry = ENTRIES["urlvr_fig2"]
    figure, _ = drawn("urlvr_fig2", analysed("urlvr_fig2", all_runs(tmp_path, entry)))
    axes = titled(figure)["(a) avg@4, tiny_aime24"]
    for line in (line for line in axes.lines if line.get_label().startswith("label of")):
        assert (list(line.get_xdata()), list(line.get_ydata())) == ([0, 10, 20], [0.25, 0.75, 0.5])


def test_thick_lines_are_moving_averages_of_the_thin_ones(tmp_path):
    entry = ENTRIES["urlvr_fig2"]
    figure, _ = drawn("urlvr_fig2", analysed("urlvr_fig2", all_runs(tmp_path, entry)))
    thin, _, thick, *_ = titled(figure)["(e) actor entropy"].lines
    assert list(thin.get_ydata()) == TRAINING["entropy"]
    assert thick.get_ydata()[-1] == pytest.approx(sum(TRAINING["entropy"][-5:]) / 5)


def test_the_footer_names_every_size_of_a_step(tmp_path):
    entry = ENTRIES["urlvr_fig19"]
    table = analysed("urlvr_fig19", all_runs(tmp_path, entry))
    assert "7 questions × 16 rollouts per step" in drawn("urlvr_fig19", table)[0].get_supxlabel()
    table.loc[table["method"] == entry.methods[0], "k"] = 4
    assert "7 questions × 4 or 16 rollouts per step" in drawn("urlvr_fig19", table)[0].get_supxlabel()


def test_training_sets_and_policies_are_lines_of_their_own(tmp_path):
    for artefact, names in (
        ("urlvr_fig6", ENTRIES["urlvr_fig6"].question_sets),
        ("urlvr_fig10", ENTRIES["urlvr_fig10"].policies),
    ):
        runs = all_runs(tmp_path / artefact, ENTRIES[artefact])
        figure, _ = drawn(artefact, analysed(artefact, runs))
        assert {text.get_text() for text in figure.legends[0].get_texts()} == {
            f"tiny_{name}" for name in names
        }


def test_what_did_not_run_is_named_in_the_legend_and_leaves_the_panels_whole(tmp_path):
    entry = ENTRIES["urlvr_fig2"]
    absent = [NotRun(policy_role=entry.policies[0], questions_role="dapo", method="oracle", reason="x")]
    runs = [run_of(tmp_path, entry, entry.policies[0], "dapo", "ttrl")]
    figure, _ = drawn("urlvr_fig2", analysed("urlvr_fig2", runs, absent=absent))
    texts = {text.get_text() for text in figure.legends[0].get_texts()}
    assert texts == {"label of ttrl", "label of oracle (not run)"}


@pytest.mark.parametrize("artefact", [*OF_TRAINING, "urlvr_fig11"])
def test_a_figure_of_nothing_says_so(artefact):
    entry = ENTRIES[artefact]
    absent = [
        NotRun(policy_role=policy, questions_role=questions, method=method, reason="x")
        for policy, questions, method in product(entry.policies, entry.question_sets, entry.methods)
    ]
    render = render_of(artefact, roles=(*entry.question_sets, *entry.validation))
    figure, plotted = drawn(artefact, analysed(artefact, [], absent=absent), render)
    assert figure.axes
    assert "shows nothing" in reading(artefact, plotted, {}, drawn_as(artefact))


def test_two_kinds_of_lines_are_refused(tmp_path):
    render = render_of("urlvr_fig2")
    both = render.model_copy(update={"entry": render.entry.model_copy(update={"policies": ["a_b", "c_d"]})})
    with pytest.raises(UserError, match="names several of two kinds"):
        list(training_panels.lines_of(both))


# ------------------------------------------------------------------ collapse


@pytest.fixture
def backbones(tmp_path):
    """One policy collapses at step 3, one at 6, one not at all; the truth teaches each more than the one before."""
    entry = ENTRIES["urlvr_fig11"]
    runs, bases = [], []
    for i, (policy, end) in enumerate(zip(entry.policies[:3], (2, 3, 4), strict=True)):
        below = {0: 3, 1: 6, 2: STEPS + 1}[i]
        accuracy = [0.5 if step < below else 0.0 for step in range(1, STEPS + 1)]
        majority, truth = entry.methods
        runs.append(run_of(tmp_path, entry, policy, "dapo", majority, {"reward_accuracy": accuracy}))
        runs.append(
            write_run(
                *(tmp_path, truth, 0, {}, [0.5] * STEPS),
                policy=policy,
                questions="dapo",
                training=TRAINING,
                validation={"aime24": watched(1, end)},
            )
        )
        bases.append(write_base(tmp_path, question_rows([i + 1, 0], 4), policy, "aime24"))
    return analysed("urlvr_fig11", runs, bases)


def test_policies_are_ranked_by_collapse_and_by_what_the_truth_teaches(backbones):
    values = urlvr_fig11.by_policy(backbones, ENTRIES["urlvr_fig11"].policies[:3]).set_index("policy")
    assert values[collapse_name(0.04)].tolist() == [3, 6, float("inf")]
    assert values[urlvr_fig11.GAIN].tolist() == [0.25, 0.5, 0.75]
    assert values["final"].tolist() == [0.5, 0.75, 1.0]
    # (1 - 1/4 + 0) / 2, (1 - 2/4) / 2, (1 - 3/4) / 2
    assert values[urlvr_fig11.PASS_GAIN].tolist() == [0.375, 0.25, 0.125]
    by_collapse = urlvr_fig11.agreement(values, collapse_name(0.04), urlvr_fig11.GAIN)
    by_pass = urlvr_fig11.agreement(values, urlvr_fig11.PASS_GAIN, urlvr_fig11.GAIN)
    assert urlvr_fig11.agreement_text(by_collapse) == "ρ = 1.00, p = 0.167"
    assert urlvr_fig11.agreement_text(by_pass) == "ρ = −1.00, p = 1.000"


def test_the_figure_of_collapse_names_policies_that_did_not_run(backbones):
    figure, plotted = drawn("urlvr_fig11", backbones)
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert sum("(not run)" in text for text in texts) == 4
    assert "not collapsed" in {
        text.get_text() for text in titled(figure)["(a) collapse and gain: ρ = 1.00, p = 0.167"].texts
    }
    assert "ρ = 1.00" in reading("urlvr_fig11", plotted, {})


def test_table_3_counts_tokens_and_sets_the_papers_beside_them(backbones):
    numbers = read_paper_numbers(ROOT / "config/paper_numbers.csv")
    cells, text = TABLES["urlvr_table3"](backbones, render_of("urlvr_table3"), numbers)
    # 112 rollouts of 10 tokens a step: all 12 steps of three policies; 3 + 6 + 12 steps.
    assert cells["tokens"].tolist() == [36 * 1120, 21 * 1120]
    assert cells["paper_tokens"].tolist() == [6.66e9, 1.19e9]
    assert "| GT Gain | 3 | 40.32k | 1.00 | 6.66B | 1.00 | yes |" in text
    assert "| Model Collapse Step | 3 | 23.52k | 0.58 | 1.19B | 0.18 | no |" in text
    nothing, _ = TABLES["urlvr_table3"](backbones[:0], render_of("urlvr_table3"), numbers)
    assert nothing["status"].tolist() == ["not run", "not run"]
