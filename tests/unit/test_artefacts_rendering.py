"""Renderers: what is drawn is in the csv, the same table gives the same bytes, missing runs are named."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
import yaml
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from synthetic_evidence import POLICY, QUESTIONS, STATISTICS, evidence, question_rows, write_base, write_run

from workflow_scripts import analyse, render
from workflow_scripts.analysis.recipes import RECIPES
from workflow_scripts.artefacts.footer import GAP, footer
from workflow_scripts.artefacts.method_table import ABSENT
from workflow_scripts.artefacts.readings import reading
from workflow_scripts.artefacts.registry import FIGURES, TABLES
from workflow_scripts.artefacts.style import paper_style
from workflow_scripts.errors import UserError
from workflow_scripts.settings.evidence import Analyse, ArtefactEntry, Evidence, Render

NUMBERS = Path(__file__).parents[2] / "config" / "paper_numbers.csv"

METHODS = {
    "prose_fig1": ["ttrl", "prose"],
    "prose_fig5": ["prose", "prose_mean"],
    "prose_table3": ["ttrl", "prm_label", "prose"],
}
CURVES = sorted(set(METHODS) & set(FIGURES))
"""The figures of one policy on one question set; the others have their own tests."""

LABELS = {"ttrl": "TTRL", "prose": "PROSE", "prose_mean": "PROSE, mean", "prm_label": "PRM as label"}
ENDS = {"ttrl": [1, 2], "prm_label": [2, 3], "prose": [4, 3], "prose_mean": [1, 0]}


def render_config(artefact: str) -> Render:
    entry = ArtefactEntry(
        kind="figure" if artefact in FIGURES else "table",
        title=f"Title of {artefact}",
        caption="A caption.",
        policies=[POLICY],
        question_sets=[QUESTIONS],
        methods=METHODS[artefact],
        budget_minutes=1.0,
    )
    return Render(
        artefact=artefact,
        entry=entry,
        scale="tiny",
        method_labels={method: LABELS[method] for method in METHODS[artefact]},
        policy_labels={POLICY: "tiny_policy"},
        question_set_labels={QUESTIONS: "tiny_questions"},
        confidence=0.95,
        evaluation_temperature=0.6,
        training_temperature=1.0,
    )


def gathered(
    tmp_path: Path, artefact: str, n_seeds: int, absent: dict[str | None, str] | None = None
) -> Evidence:
    absent = absent or {}
    base = None if None in absent else write_base(tmp_path, question_rows([1, 1], 4), step_auc=0.98)
    runs = [
        write_run(
            tmp_path,
            method,
            seed,
            {0: question_rows([1, 1], 4), 10: question_rows(ENDS[method], 4, distinct=[2, 2])},
            rewards=[0.2 + 0.05 * step for step in range(10)],
            evaluation=question_rows(ENDS[method], 4),
            step_auc=0.7 if method == "prose_mean" else 0.9,
        )
        for method in METHODS[artefact]
        if method not in absent
        for seed in range(n_seeds)
    ]
    return evidence(base, runs, absent)


def analysed(
    tmp_path: Path, artefact: str, n_seeds: int, absent: dict[str | None, str] | None = None
) -> Path:
    found = gathered(tmp_path, artefact, n_seeds, absent)
    table = tmp_path / f"{artefact}.csv"
    config = Analyse(artefact=artefact, evidence=found, statistics=STATISTICS)
    analyse.main(["--config", config.model_dump_json(), "--out", str(table)])
    return table


def rendered(
    tmp_path: Path,
    artefact: str,
    n_seeds: int = 2,
    absent: dict[str | None, str] | None = None,
    name: str = "out",
    numbers: Path = NUMBERS,
) -> dict[str, Path]:
    table = analysed(tmp_path, artefact, n_seeds, absent)
    folder = tmp_path / name
    arguments = ["--config", render_config(artefact).model_dump_json(), "--analysis", str(table)]
    render.main([*arguments, "--paper-numbers", str(numbers), "--out-dir", str(folder)])
    return {path.suffix[1:]: path for path in folder.iterdir() if path.suffix != ".json"}


def test_every_artefact_that_is_analysed_is_rendered_and_the_other_way_round() -> None:
    assert set(RECIPES) == set(FIGURES) | set(TABLES)


def test_every_figure_says_what_it_does_not_prove() -> None:
    assert all(figure.NO_PROOF.startswith("it ") for figure in FIGURES.values())


def test_every_configured_artefact_has_a_renderer() -> None:
    files = (NUMBERS.parent / "artefacts").glob("*.yaml")
    kinds = {
        entry.get("like", name): entry["kind"]
        for file in files
        for name, entry in yaml.safe_load(file.read_text(encoding="utf-8")).items()
    }
    for kind, known in (("figure", FIGURES), ("table", TABLES)):
        assert {name for name in kinds if kinds[name] == kind} <= set(known)


@pytest.mark.parametrize("artefact", sorted(METHODS))
def test_the_same_table_gives_the_same_bytes(artefact: str, tmp_path: Path) -> None:
    first, second = (rendered(tmp_path, artefact, name=name) for name in ("once", "twice"))
    assert set(first) == ({"pdf", "png", "csv"} if artefact in FIGURES else {"csv", "md"})
    for suffix, path in first.items():
        assert path.read_bytes() == second[suffix].read_bytes(), suffix


@pytest.mark.parametrize("artefact", CURVES)
def test_figures_carry_their_id_and_no_date(artefact: str, tmp_path: Path) -> None:
    files = rendered(tmp_path, artefact)
    identity = f"{artefact} scale=tiny".encode()
    assert identity in files["png"].read_bytes()
    pdf = files["pdf"].read_bytes()
    assert identity in pdf
    assert b"CreationDate" not in pdf


@pytest.mark.parametrize("artefact", CURVES)
@pytest.mark.parametrize("n_seeds", [1, 3])
def test_figures_have_the_width_of_two_columns_at_200_dpi(
    artefact: str, n_seeds: int, tmp_path: Path
) -> None:
    png = rendered(tmp_path, artefact, n_seeds)["png"].read_bytes()
    assert int.from_bytes(png[16:20], "big") == 1400  # 7 inches


def drawn_figure(
    tmp_path: Path, artefact: str, n_seeds: int, absent: dict[str | None, str] | None = None
) -> tuple[Figure, pd.DataFrame]:
    table = analysed(tmp_path, artefact, n_seeds, absent)
    with paper_style():
        return FIGURES[artefact].draw(render.read_analysis(table), render_config(artefact))


def test_lines_show_the_means_and_bands_one_standard_deviation(tmp_path: Path) -> None:
    figure, plotted = drawn_figure(tmp_path, "prose_fig1", 2)
    panel = figure.axes[0]
    prose = next(line for line in panel.lines if line.get_label() == "PROSE")
    # (1 + 1) / 8 = 0.25 at the start and (4 + 3) / 8 = 0.875 at the end, in both seeds.
    assert list(prose.get_ydata()) == pytest.approx([0.25, 0.875])
    assert to_hex(prose.get_color()) == "#0072b2"
    assert len(panel.collections) == 2
    assert set(plotted["seed"].dropna()) == {"mean"}
    base = next(line for line in panel.lines if line.get_label() == "base")
    assert base.get_linestyle() != "-"
    assert base.get_ydata()[0] == pytest.approx(0.25)


def test_figure_says_how_many_seeds_questions_and_samples(tmp_path: Path) -> None:
    figure, _ = drawn_figure(tmp_path, "prose_fig1", 2)
    note = figure.get_supxlabel()
    for part in (
        "2 training seeds",
        "n = 2 questions",
        "k = 4 samples each at T = 0.6",
        "prose_fig1, scale tiny",
    ):
        assert part in note
    figure, _ = drawn_figure(tmp_path, "prose_fig1", 1)
    assert "1 training seed, so no band" in figure.get_supxlabel()


def test_reward_panel_shows_raw_and_smoothed_reward(tmp_path: Path) -> None:
    figure, _ = drawn_figure(tmp_path, "prose_fig5", 2)
    lines = [list(line.get_ydata()) for line in figure.axes[1].lines]
    raw = [0.2 + 0.05 * step for step in range(10)]
    assert lines[0] == pytest.approx(raw)
    smooth = next(values for values in lines if values[-1] != pytest.approx(raw[-1]))
    assert smooth[-1] == pytest.approx(sum(raw[-5:]) / 5)


def test_a_footer_breaks_between_clauses() -> None:
    clauses = ["a" * 80, "b" * 60, "c" * 100]
    assert footer(clauses).split("\n") == [f"{'a' * 80}{GAP}{'b' * 60}", "c" * 100]


def test_figure_5_says_what_its_reward_rests_on_and_how_well_steps_are_told_apart(tmp_path: Path) -> None:
    figure, plotted = drawn_figure(tmp_path, "prose_fig5", 2)
    note = figure.get_supxlabel()
    assert "(b) 7 questions × 16 rollouts per step at T = 1" in note
    # Each report has 30 right and 10 wrong steps; those of two seeds are added up.
    of_runs = "min aggregation (PROSE) 0.900 (80 steps), mean aggregation 0.700 (80 steps)"
    assert f"base 0.980 (40 steps), {of_runs}" in note
    assert "0.98 for base, 0.90 for min aggregation (PROSE)" in reading("prose_fig5", plotted, LABELS)


def test_a_method_that_did_not_run_is_named_in_the_legend(tmp_path: Path) -> None:
    figure, plotted = drawn_figure(tmp_path, "prose_fig1", 1, {"prose": "no process reward model"})
    assert "PROSE (not run)" in [line.get_label() for line in figure.axes[0].lines]
    assert "not_run" in set(plotted["metric"])


def test_a_figure_of_which_nothing_ran_is_still_drawn(tmp_path: Path) -> None:
    absent: dict[str | None, str] = {"ttrl": "no role", "prose": "no role", None: "no role"}
    figure, _ = drawn_figure(tmp_path, "prose_fig1", 1, absent)
    assert [text.get_text() for text in figure.axes[0].texts] == ["not run"]
    assert "nothing was run" in figure.get_supxlabel()


def test_table_prints_ours_beside_the_papers_with_the_best_in_bold(tmp_path: Path) -> None:
    text = rendered(tmp_path, "prose_table3")["md"].read_text(encoding="utf-8")
    lines = text.splitlines()
    reward = next(line for line in lines if line.startswith("| PRM as reward (PROSE)"))
    # (4 + 3) / 8 right; both questions have a majority of right samples.
    assert (
        "**0.875** [0.750, 1.000], sd 0.000 | **0.724** | **1.000** [1.000, 1.000], sd 0.000 | **0.740**"
        in reward
    )
    majority = next(line for line in lines if line.startswith("| MV as label"))
    assert "0.375 [0.250, 0.500], sd 0.000 | 0.672 |" in majority
    assert "**" not in majority
    base = next(line for line in lines if line.startswith("| base"))
    assert "0.250 [0.250, 0.250] | 0.636 |" in base
    assert base.endswith(f"| {ABSENT} |")
    for part in ("mean of 2 training seeds", "n = 2 questions, k = 4 samples each at T = 0.6"):
        assert part in text
    assert "| avg@4 | paper, avg@16 |" in text


def test_table_csv_holds_the_papers_number_and_its_place(tmp_path: Path) -> None:
    table = pd.read_csv(rendered(tmp_path, "prose_table3")["csv"])
    row = table[(table["method"] == "prm_label") & (table["metric"] == "maj@k")].iloc[0]
    assert (row["paper_value"], row["paper_place"]) == (0.710, "Table 3")
    assert row["value"] == pytest.approx(0.5)  # the second question alone has more than half right


def test_the_order_of_the_published_numbers_does_not_matter(tmp_path: Path) -> None:
    head, *rows = NUMBERS.read_text(encoding="utf-8").splitlines()
    backwards = tmp_path / "backwards.csv"
    backwards.write_text("\n".join([head, *reversed(rows)]) + "\n", encoding="utf-8")
    first = rendered(tmp_path, "prose_table3", name="once")
    second = rendered(tmp_path, "prose_table3", name="twice", numbers=backwards)
    for suffix, path in first.items():
        assert path.read_bytes() == second[suffix].read_bytes(), suffix


def test_rows_that_did_not_run_say_so(tmp_path: Path) -> None:
    files = rendered(tmp_path, "prose_table3", 1, {"prm_label": "no prm", "prose": "no prm"})
    text = files["md"].read_text(encoding="utf-8")
    assert "| PRM as label | not run | 0.709 | not run | 0.710 |" in text
    table = pd.read_csv(files["csv"])
    assert set(table.loc[table["status"] == "not run", "method"]) == {"prm_label", "prose"}
    assert "1 training seed;" in text


def test_a_table_of_which_nothing_ran_is_still_printed(tmp_path: Path) -> None:
    absent: dict[str | None, str] = dict.fromkeys(["ttrl", "prm_label", "prose", None], "no role")
    assert "Nothing was run" in rendered(tmp_path, "prose_table3", 1, absent)["md"].read_text(
        encoding="utf-8"
    )


def test_record_names_the_analysis_and_the_published_numbers(tmp_path: Path) -> None:
    rendered(tmp_path, "prose_table3")
    record = json.loads((tmp_path / "out" / "prose_table3.csv.prov.json").read_text(encoding="utf-8"))
    paths = " ".join(item["path"] for item in record["inputs"])
    for name in ("prose_table3.csv", "paper_numbers.csv"):
        assert name in paths


def test_damaged_analysis_is_named_and_nothing_is_drawn(tmp_path: Path) -> None:
    broken = tmp_path / "prose_fig1.csv"
    broken.write_text("artefact,value\nprose_fig1,0.5\n")
    arguments = ["--config", render_config("prose_fig1").model_dump_json(), "--analysis", str(broken)]
    with pytest.raises(UserError, match=r"prose_fig1\.csv: the columns must be"):
        render.main([*arguments, "--out-dir", str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()


def test_unknown_artefact_is_refused(tmp_path: Path) -> None:
    config = render_config("prose_fig1").model_copy(update={"artefact": "prose_fig7"})
    with pytest.raises(
        UserError, match=r"prose_fig7: no figure of that name is written\. Did you mean prose_fig"
    ):
        render.main(
            ["--config", config.model_dump_json(), "--analysis", "none.csv", "--out-dir", str(tmp_path)]
        )


def test_reading_says_what_a_figure_shows_and_what_it_does_not_prove(tmp_path: Path) -> None:
    plotted = pd.read_csv(rendered(tmp_path, "prose_fig1")["csv"])
    sentence = reading("prose_fig1", plotted, LABELS)
    assert "avg@4 going from 0.25 to 0.38 with TTRL and from 0.25 to 0.88 with PROSE (base 0.25)" in sentence
    assert "it does not prove" in sentence


def test_reading_of_nothing_says_so(tmp_path: Path) -> None:
    absent: dict[str | None, str] = {"prose": "no role", "prose_mean": "no role", None: "no role"}
    plotted = pd.read_csv(rendered(tmp_path, "prose_fig5", 1, absent)["csv"])
    assert "shows nothing" in reading("prose_fig5", plotted, LABELS)
