"""Step scores: splitting, aggregation, and one batched pass equal to step-by-step scoring."""

import pytest
import torch

from tests.unit.clinic_samples import PROMPT, questions, save_untrained_policy, world_settings
from workflow_scripts.errors import UserError
from workflow_scripts.policies.loading import load_model, load_tokenizer
from workflow_scripts.settings.models import Message, StepFormat, StepLabels
from workflow_scripts.step_scores.aggregate import aggregate
from workflow_scripts.step_scores.judge import StepJudge
from workflow_scripts.step_scores.report import step_report
from workflow_scripts.step_scores.scorer import StepFormatter, StepScorer
from workflow_scripts.step_scores.split import split_steps
from workflow_scripts.step_scores.training import label_noise, labelled_responses
from workflow_scripts.worlds.clinic import Clinic

FORMAT = StepFormat(
    messages=[Message(role="user", content="{question}"), Message(role="assistant", content="{explanation}")],
    add_generation_prompt=False,
    step_tag="<step>",
    plus="<plus>",
    minus="<minus>",
    max_tokens=256,
)
STEPS = ["relief by nitrate: angina", "fine tremor: migraine", "The answer is: angina (B)"]


@pytest.fixture(scope="module")
def scorer(tmp_path_factory):
    directory = save_untrained_policy(tmp_path_factory.mktemp("prm"))
    return StepScorer(load_model(directory, "float32"), StepFormatter(load_tokenizer(directory), FORMAT))


@pytest.mark.parametrize(
    ("how", "expected"), [("min", 0.1), ("mean", 0.5), ("sum", 1.5), ("product", 0.04), ("last", 0.4)]
)
def test_aggregations_by_hand(how, expected):
    assert aggregate([1.0, 0.1, 0.4], how) == pytest.approx(expected)
    assert aggregate([], how) == 0.0


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("a\n\n b \nc", ["a", "b", "c"]),
        ("", []),
        ("\n \n", []),
    ],
)
def test_lines_are_steps(text, steps):
    assert split_steps(text, "line") == steps


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        (
            "Step 1: look.\nStep 2: think\nmore. Step 3: the answer is (B)",
            ["Step 1: look.", "Step 2: think more.", "Step 3: the answer is (B)"],
        ),
        ("First of all. Step 1: look. ## Step 2: end", ["First of all. Step 1: look.", "## Step 2: end"]),
        ("no marker here\nat all", ["no marker here at all"]),
        ("", []),
    ],
)
def test_numbered_steps_as_med_prm_splits_them(text, steps):
    assert split_steps(text, "step_number") == steps


def test_one_pass_equals_scoring_each_prefix_on_its_own(scorer):
    question = "Findings: fine tremor"
    (scores,) = scorer.score([question], [STEPS])
    assert len(scores) == 3
    formatter = scorer.formatter
    for i in range(3):
        marked = formatter.mark([question], [STEPS[: i + 1]])[0]
        assert marked.tags[-1] == len(marked.ids) - 1
        with torch.no_grad():
            logits = scorer.model(torch.tensor([marked.ids])).logits[0, -1, formatter.verdict_ids]
        assert scores[i] == pytest.approx(logits.softmax(-1)[0].item(), abs=1e-5)


def test_batching_and_padding_change_no_score(scorer):
    asked = ["Findings: fine tremor", "Findings: neck stiffness, fine tremor", "Findings: "]
    steps = [STEPS, STEPS[:1], STEPS * 4]
    together = scorer.score(asked, steps)
    narrow = StepScorer(scorer.model, scorer.formatter, batch_tokens=1)
    for got, expected in zip(together, narrow.score(asked, steps), strict=True):
        assert got == pytest.approx(expected, abs=1e-5)


def test_a_trajectory_without_steps_has_no_scores(scorer):
    assert scorer.score(["Findings: ", "Findings: "], [[], STEPS])[0] == []
    assert scorer.score([], []) == []


def test_tags_written_by_the_policy_or_the_question_are_not_steps(scorer):
    honest = scorer.score(["Findings: fine tremor"], [STEPS])
    forged = scorer.score(["Findings: fine tremor<step>"], [["<step>" + STEPS[0] + "<step>", *STEPS[1:]]])
    assert forged[0] == pytest.approx(honest[0], abs=1e-6)


def test_a_trajectory_beyond_the_token_limit_loses_its_last_steps(scorer):
    short = StepFormatter(scorer.formatter.tokenizer, FORMAT.model_copy(update={"max_tokens": 12}))
    (scores,) = StepScorer(scorer.model, short).score(["Findings: fine tremor"], [STEPS])
    assert 0 < len(scores) < 3


def test_a_tag_of_several_tokens_is_refused(scorer):
    with pytest.raises(UserError, match="single tokens"):
        StepFormatter(scorer.formatter.tokenizer, FORMAT.model_copy(update={"step_tag": "<step>x<step>"}))


def test_judge_groups_scores_by_question_and_response(scorer):
    asked = questions(n=2)
    judge = StepJudge(scorer, PROMPT, "line", score_answer=True)
    texts = [["\n".join(STEPS), STEPS[0]], ["", "\n".join(STEPS[:2])]]
    scores = judge.score(asked, texts)
    assert [[len(s) for s in group] for group in scores] == [[3, 1], [0, 2]]
    without_answer = StepJudge(scorer, PROMPT, "line", score_answer=False)
    assert without_answer.score(asked, texts)[0][0] == pytest.approx(scores[0][0][:2], abs=1e-5)


def test_label_noise_spares_fillers_and_is_systematic_per_pair():
    import random

    labels = StepLabels(
        responses=1, corrupted_share=0.5, foreign=0.4, repeated=0.3, systematic_noise=1.0, random_noise=0.0
    )
    steps = ["vital signs: recorded", "relief by nitrate: angina", "The answer is: angina (B)"]
    assert label_noise(steps, [True, True, True], labels, 3, random.Random(0)) == [True, False, True]
    always = labels.model_copy(update={"systematic_noise": 0.0, "random_noise": 1.0})
    assert label_noise(steps, [True, True, False], always, 3, random.Random(0)) == [True, False, True]


def test_labelled_responses_hold_the_wanted_share_of_corrupted_ones():
    labels = StepLabels(
        responses=1, corrupted_share=0.5, foreign=0.45, repeated=0.35, systematic_noise=0.0, random_noise=0.0
    )
    rows = labelled_responses(Clinic(world_settings()), labels, 2000, "s", "corpus")
    assert sum(row.corrupted for row in rows) / 2000 == pytest.approx(0.5, abs=0.04)
    assert all(row.truth == row.taught for row in rows)
    wrong = {True: [], False: []}
    for row in rows:
        wrong[row.corrupted].extend(not t for t in row.truth)
    assert sum(wrong[True]) / len(wrong[True]) > sum(wrong[False]) / len(wrong[False]) + 0.1


def test_step_report_by_hand():
    report = step_report([0.9, 0.2, 0.2, 0.6], [True, False, True, False])
    # pairs (right, wrong): (.9,.2) win, (.9,.6) win, (.2,.2) tie, (.2,.6) loss
    assert report == {"auc": 2.5 / 4, "mean_on_right": 0.55, "mean_on_wrong": 0.4, "n_right": 2, "n_wrong": 2}
    assert step_report([0.5], [True])["auc"] is None
