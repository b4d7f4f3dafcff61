"""The trainer on TRL: the contract with its private parts, hand-checked gradients, and exact resume."""

import hashlib
import inspect
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch

from tests.unit.clinic_samples import load, questions, save_untrained_policy
from workflow_scripts.errors import UserError
from workflow_scripts.rewards.controls import FormatReward, OracleReward
from workflow_scripts.rewards.majority import MajorityReward
from workflow_scripts.settings.training import GrpoSpec, SamplingSpec
from workflow_scripts.training.metric_names import METRICS

GRPO = {
    "steps": 4,
    "prompts_per_step": 2,
    "n_samples": 4,
    "n_votes": 4,
    "temperature": 1.0,
    "top_p": 1.0,
    "max_new_tokens": 8,
    "backend": "transformers",
    "learning_rate": 1e-3,
    "schedule": "constant_with_warmup",
    "warmup_share": 0.03,
    "weight_decay": 0.01,
    "adam_beta1": 0.9,
    "adam_beta2": 0.999,
    "adam_epsilon": 1e-8,
    "max_grad_norm": 1.0,
    "kl_coefficient": 1e-3,
    "clip_low": 0.2,
    "clip_high": 0.2,
    "dual_clip": 3.0,
    "updates_per_batch": 1,
    "loss": "dapo",
    "scale_rewards": "group",
    "mask_truncated": False,
    "micro_batch": 8,
    "max_rows": 512,
    "max_prompt_tokens": 64,
    "gradient_checkpointing": False,
    "evaluate_every": 2,
    "save_every": 2,
}
EVALUATION = SamplingSpec(
    n_samples=2,
    temperature=0.6,
    top_p=0.95,
    max_new_tokens=8,
    seed=7,
    backend="transformers",
    max_rows=512,
    max_prompt_tokens=64,
)


class LengthReward(FormatReward):
    """A reward with variance on an untrained policy: the number of tokens that are not white space."""

    continuous = True

    def score(self, group):
        return [float(len(text.split())) for text in group.texts]


@pytest.fixture(scope="module")
def policy(tmp_path_factory):
    return save_untrained_policy(tmp_path_factory.mktemp("policy"))


def run(policy, state, reward=None, stop_after=None, **changes):
    """Train in `state`; with `stop_after`, die at the end of that step as a killed process would."""
    from workflow_scripts.training import run as training
    from workflow_scripts.training.trainer import Task

    sampler = load(policy)
    task = Task(questions(n=6), reward or LengthReward(), sampler, None, seed=0)
    grpo = GrpoSpec(**{**GRPO, **changes})
    state.mkdir(parents=True, exist_ok=True)
    arguments = (sampler.backend.model, sampler.tokenizer, task, grpo, EVALUATION, "float32", state)
    if stop_after is None:
        return training.train(*arguments)

    class Killed(Exception):
        pass

    original = training.Observer.on_step_end

    def dying(self, args, trainer_state, control, **rest):
        original(self, args, trainer_state, control, **rest)
        if trainer_state.global_step == stop_after:
            raise Killed

    training.Observer.on_step_end = dying
    try:
        with pytest.raises(Killed):
            training.train(*arguments)
    finally:
        training.Observer.on_step_end = original
    return None


def contents(outcome, out):
    """Hashes of everything that a finished run writes."""
    from workflow_scripts.training.trainer import final_checkpoint

    outcome.trainer.journal.collect(out)
    final_checkpoint(out / "final", outcome.trainer)
    return {
        str(path.relative_to(out)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(out.rglob("*"))
        if path.is_file()
    }


def metrics(state):
    return [json.loads(line) for line in (state / "metrics.jsonl").read_text().splitlines()]


def test_trl_still_has_the_parts_that_the_trainer_replaces_and_relies_on():
    import trl
    from trl import GRPOConfig, GRPOTrainer

    assert trl.__version__ == "1.16.0", "TRL moved: read its trainer again before changing the pin"
    for name in (
        "_generate_and_score_completions",
        "_get_per_token_logps_and_entropies",
        "_compute_loss",
        "log",
    ):
        assert hasattr(GRPOTrainer, name), name
    needed = inspect.getsource(GRPOTrainer._compute_loss)
    for key in ("prompt_ids", "completion_mask", "advantages", "ref_per_token_logps", "old_per_token_logps"):
        assert key in needed
    assert "kl_coefficient" not in inspect.signature(GRPOConfig).parameters


def test_every_metric_is_logged_at_every_step_and_has_a_description(policy, tmp_path):
    run(policy, tmp_path)
    rows = metrics(tmp_path)
    assert [row["step"] for row in rows] == [1, 2, 3, 4]
    assert all(list(row) == list(METRICS) for row in rows)
    assert all(row["n_questions"] == 2 and row["n_rollouts"] == 8 for row in rows)
    assert all(row["kl_token"] >= 0 and row["entropy"] > 0 and row["grad_norm"] > 0 for row in rows)


def test_evaluations_at_step_zero_every_n_and_the_last(policy, tmp_path):
    outcome = run(policy, tmp_path / "state", steps=5)
    outcome.trainer.journal.collect(tmp_path)
    curve = pq.read_table(tmp_path / "curve.parquet").to_pandas()
    assert curve.groupby("step").size().to_dict() == {0: 6, 2: 6, 4: 6, 5: 6}
    assert (curve["n"] == 2).all()


def test_each_epoch_visits_every_question_once(policy, tmp_path):
    outcome = run(policy, tmp_path / "state", steps=None, epochs=2.0)
    outcome.trainer.journal.collect(tmp_path)
    rows = pq.read_table(tmp_path / "rollouts.parquet").to_pandas()
    assert outcome.steps == 6
    first, second = rows[rows["step"] <= 3], rows[rows["step"] > 3]
    assert first["question_id"].value_counts().to_dict() == {q.id: 4 for q in questions(n=6)}
    assert second["question_id"].value_counts().to_dict() == {q.id: 4 for q in questions(n=6)}


@pytest.mark.parametrize(
    ("killed_at", "save_every", "resumed_from"),
    [(1, 2, 0), (3, 2, 2), (4, 3, 3), (6, 2, 4), (8, 1, 7)],
    ids=["before a resume point", "in epoch 1", "at an epoch's end", "in epoch 2", "in epoch 3"],
)
def test_a_killed_run_resumes_to_the_very_same_files(policy, tmp_path, killed_at, save_every, resumed_from):
    # Three steps are an epoch: 6 questions, 2 a step.
    settings = {"steps": 9, "save_every": save_every}
    whole = contents(run(policy, tmp_path / "whole_state", **settings), tmp_path / "whole")
    run(policy, tmp_path / "state", stop_after=killed_at, **settings)
    resumed = run(policy, tmp_path / "state", **settings)
    assert resumed.resumed_from == resumed_from
    assert contents(resumed, tmp_path / "resumed") == whole


def test_resuming_between_two_updates_of_one_batch_is_avoided(policy, tmp_path):
    settings = {"steps": 4, "save_every": 1, "updates_per_batch": 2, "mini_batches": 2}
    whole = contents(run(policy, tmp_path / "whole_state", **settings), tmp_path / "whole")
    run(policy, tmp_path / "state", stop_after=7, **settings)
    assert contents(run(policy, tmp_path / "state", **settings), tmp_path / "resumed") == whole


def test_a_half_written_resume_point_and_half_a_line_are_ignored(policy, tmp_path):
    whole = contents(run(policy, tmp_path / "whole_state"), tmp_path / "whole")
    state = tmp_path / "state"
    run(policy, state, stop_after=3)
    (state / "checkpoint-3").mkdir()
    (state / "checkpoint-3" / "trainer_state.json").write_text("{")
    for name in ("metrics.jsonl", "curve.jsonl"):
        with open(state / name, "a") as file:
            file.write('{"step": 3, "half')
    assert contents(run(policy, state), tmp_path / "resumed") == whole


@pytest.fixture
def journal(tmp_path):
    """Two steps of a run, and a temporary file of a process that was killed while it wrote rollouts."""
    from workflow_scripts.training.journal import ROLLOUTS, Journal

    journal = Journal(tmp_path)
    for step in (1, 2):
        journal.write_metrics({**dict.fromkeys(METRICS, 0.0), "step": step}, last_step=2)
        pq.write_table(pa.Table.from_pylist([], schema=ROLLOUTS), journal.rollouts / f"{step:07d}.parquet")
    (journal.rollouts / ".0000002.abc.parquet").write_bytes(b"PAR")
    return journal


def test_what_a_killed_process_left_half_written_is_not_read(journal, tmp_path):
    journal.cut_back(1)
    assert [row["step"] for row in metrics(tmp_path)] == [1]
    assert [part.name for part in journal._parts()] == ["0000001.parquet"]
    journal.collect(tmp_path / "out")
    assert (tmp_path / "out" / "rollouts.parquet").is_file()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("metrics.jsonl", b"\xff\n", "metrics.jsonl, line 1: not a line of a run"),
        ("metrics.jsonl", b"{\n", "metrics.jsonl, line 1: not a line of a run"),
        ("metrics.jsonl", b"[1]\n", "metrics.jsonl, line 1: not a line of a run"),
        ("metrics.jsonl", b'{"step": "1"}\n', "metrics.jsonl, line 1: not a line of a run"),
        ("metrics.jsonl", b'{"step": 2}\n', "metrics.jsonl does not hold steps 1 to 2"),
        ("metrics.jsonl", b"", "metrics.jsonl does not hold steps 1 to 2"),
        ("curve.jsonl", b'{"step": 0}\n\0\0\n', "curve.jsonl, line 2: not a line of a run"),
    ],
)
def test_a_damaged_state_is_not_resumed_from_and_left_as_it_is(journal, tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError) as caught:
        journal.cut_back(2)
    assert str(caught.value).startswith(f"{tmp_path}/{words}")
    assert str(caught.value).endswith(f". Delete the folder {tmp_path} and train again.")
    assert (tmp_path / name).read_bytes() == content
    journal.cut_back(0)
    assert (tmp_path / name).read_bytes() == b""


def test_damaged_rollouts_of_a_step_are_named(journal, tmp_path):
    (journal.rollouts / "0000002.parquet").write_bytes(b"PAR1")
    with pytest.raises(
        UserError, match=r"0000002\.parquet is not a readable parquet file\. Delete the folder"
    ):
        journal.collect(tmp_path / "out")
    assert not (tmp_path / "out" / "rollouts.parquet").exists()


def test_more_votes_than_samples_train_on_the_first_samples_only(policy, tmp_path):
    outcome = run(policy, tmp_path / "state", n_votes=6, steps=1)
    outcome.trainer.journal.collect(tmp_path)
    rows = pq.read_table(tmp_path / "rollouts.parquet").to_pandas()
    assert len(rows) == 12
    assert rows[rows["advantage"].isna()]["sample"].unique().tolist() == [4, 5]
    trained = rows[rows["sample"] < 4]
    for _, group in trained.groupby("question_id"):
        spread = group["reward"].std()
        expected = (
            (group["reward"] - group["reward"].mean()) / (spread + 1e-6) if spread else 0 * group["reward"]
        )
        np.testing.assert_allclose(group["advantage"], expected, atol=1e-5)


def test_accumulating_micro_batches_gives_the_update_of_the_whole_batch(policy, tmp_path):
    whole = run(policy, tmp_path / "a", steps=1).trainer.model
    parts = run(policy, tmp_path / "b", steps=1, micro_batch=2).trainer.model
    for a, b in zip(whole.parameters(), parts.parameters(), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-6)


def test_without_reward_variance_and_kl_nothing_is_learned(policy, tmp_path):
    before = [p.clone() for p in load(policy).backend.model.parameters()]
    oracle = OracleReward({q.id: "no such letter" for q in questions(n=6)})
    outcome = run(policy, tmp_path, oracle, steps=1, kl_coefficient=0.0, weight_decay=0.0)
    assert all(torch.equal(a, b) for a, b in zip(before, outcome.trainer.model.parameters(), strict=True))
    (row,) = metrics(tmp_path)
    assert row["zero_variance_groups"] == 1.0
    assert row["kl_token"] is None


def test_several_updates_on_one_batch_use_the_old_probabilities(policy, tmp_path):
    changes = {"steps": 2, "learning_rate": 0.05, "schedule": "constant"}
    run(policy, tmp_path / "one", **changes)
    run(policy, tmp_path / "two", updates_per_batch=2, **changes)
    assert metrics(tmp_path / "one")[0]["clip_ratio"] == 0
    assert metrics(tmp_path / "two")[0]["clip_ratio"] > 0


@pytest.mark.parametrize("updates", [{"updates_per_batch": 2}, {"mini_batches": 2}])
def test_a_step_is_one_batch_of_rollouts_however_many_updates_it_has(policy, tmp_path, updates):
    outcome = run(policy, tmp_path / "state", steps=3, save_every=1, **updates)
    assert outcome.steps == 3
    assert outcome.trainer.state.global_step == 6
    outcome.trainer.journal.collect(tmp_path)
    assert [row["step"] for row in metrics(tmp_path)] == [1, 2, 3]
    rollouts, curve = (
        pq.read_table(tmp_path / f"{name}.parquet").to_pandas() for name in ("rollouts", "curve")
    )
    assert rollouts.groupby("step").size().to_dict() == {1: 8, 2: 8, 3: 8}
    assert curve.groupby("step").size().to_dict() == {0: 6, 2: 6, 3: 6}


def test_an_epoch_with_mini_batches_visits_every_question_once(policy, tmp_path):
    outcome = run(policy, tmp_path / "state", steps=None, epochs=1.0, mini_batches=2)
    assert (outcome.steps, outcome.trainer.state.global_step) == (3, 6)
    outcome.trainer.journal.collect(tmp_path)
    rows = pq.read_table(tmp_path / "rollouts.parquet").to_pandas()
    assert rows["question_id"].value_counts().to_dict() == {q.id: 4 for q in questions(n=6)}


def test_mini_batches_update_on_their_own_tokens_alone(policy, tmp_path):
    # With plain gradient steps too small to change the policy, two half updates add up to twice the mean of both.
    changes = {"steps": 1, "kl_coefficient": 0.0, "loss": "grpo", "weight_decay": 0.0, "schedule": "constant"}
    start = [p.clone() for p in load(policy).backend.model.parameters()]
    whole = run(policy, tmp_path / "a", learning_rate=1e-6, **changes).trainer.model
    halves = run(policy, tmp_path / "b", learning_rate=1e-6, mini_batches=2, **changes).trainer.model

    def moved(model):
        return sum((a - b).abs().sum().item() for a, b in zip(start, model.parameters(), strict=True))

    # Adam moves each weight by about the learning rate at each update.
    assert 1.2 < moved(halves) / moved(whole) < 2.2


@pytest.mark.parametrize("estimator", ["rloo", "reinforce_plus_plus"])
def test_the_estimator_of_the_settings_makes_the_advantages(policy, tmp_path, estimator):
    from workflow_scripts.training.advantages import estimate

    outcome = run(policy, tmp_path / "state", steps=1, estimator=estimator, scale_rewards="none")
    outcome.trainer.journal.collect(tmp_path)
    rows = pq.read_table(tmp_path / "rollouts.parquet").to_pandas()
    rewards, lengths = (torch.tensor(rows[name].to_numpy()).view(2, 4) for name in ("reward", "n_tokens"))
    expected = estimate(estimator, rewards, "none", lengths)
    np.testing.assert_allclose(rows["advantage"], expected.flatten(), atol=1e-5)


def test_the_drift_is_measured_where_the_kl_is_not_in_the_loss(policy, tmp_path):
    changes = {"steps": 3, "kl_coefficient": 0.0, "learning_rate": 0.01, "schedule": "constant"}
    plain = contents(run(policy, tmp_path / "plain", **changes), tmp_path / "a")
    measured = contents(run(policy, tmp_path / "state", measure_drift=True, **changes), tmp_path / "b")
    first, *_, last = (row["kl_token"] for row in metrics(tmp_path / "state"))
    assert first == pytest.approx(0, abs=1e-6)
    assert last > 1e-3
    assert {name for name in plain if plain[name] != measured[name]} == {"metrics.jsonl"}
    settings = {"save_every": 1, "measure_drift": True, **changes}
    run(policy, tmp_path / "killed", stop_after=2, **settings)
    assert contents(run(policy, tmp_path / "killed", **settings), tmp_path / "c") == measured


def test_a_backend_without_statistics_trains_the_same_by_one_more_forward_pass(policy, tmp_path, monkeypatch):
    from workflow_scripts.policies.rollouts import Sampler
    from workflow_scripts.rewards.certainty import CertaintyReward

    reward = CertaintyReward("self_certainty")
    run(policy, tmp_path / "a", reward, steps=2)
    plain = Sampler.sample
    monkeypatch.setattr(
        Sampler, "sample", lambda self, *rest, **named: plain(self, *rest, **{**named, "statistics": False})
    )
    run(policy, tmp_path / "b", reward, steps=2)
    for one, other in zip(metrics(tmp_path / "a"), metrics(tmp_path / "b"), strict=True):
        assert one["reward"] == pytest.approx(other["reward"], abs=1e-5)


def test_validation_questions_take_the_place_of_the_trainings_own(policy, tmp_path):
    from workflow_scripts.training import run as training
    from workflow_scripts.training.trainer import Task, Watched

    sampler = load(policy)
    watched = [Watched("a.1", questions(n=3), sampler), Watched("b.2", questions(n=2), sampler)]
    task = Task(questions(n=6), LengthReward(), sampler, None, 0, watched)
    state = tmp_path / "state"
    outcome = training.train(
        sampler.backend.model, sampler.tokenizer, task, GrpoSpec(**GRPO), EVALUATION, "float32", state
    )
    outcome.trainer.journal.collect(tmp_path)
    curve = pq.read_table(tmp_path / "curve.parquet").to_pandas()
    sizes = curve.groupby(["step", "questions"], dropna=False).size().to_dict()
    assert sizes == {(step, name): n for step in (0, 2, 4) for name, n in (("a.1", 3), ("b.2", 2))}


def test_a_gradient_that_is_not_finite_is_skipped_counted_and_stops_the_run(policy, tmp_path):
    from workflow_scripts.training.trainer import GroupTrainer

    original = GroupTrainer.compute_loss

    def poisoned(self, model, inputs, *rest, **named):
        return original(self, model, inputs, *rest, **named) * float("nan")

    GroupTrainer.compute_loss = poisoned
    try:
        with pytest.raises(UserError, match="not finite"):
            run(policy, tmp_path, steps=10)
    finally:
        GroupTrainer.compute_loss = original
    assert [row["nonfinite_gradients"] for row in metrics(tmp_path)] == [1, 2, 3, 4]


def test_a_reward_that_is_not_a_number_drops_the_rollout_and_is_counted(policy, tmp_path):
    class Broken(LengthReward):
        def score(self, group):
            return [float("nan"), *super().score(group)[1:]]

    run(policy, tmp_path, Broken(), steps=2)
    assert [row["nan_rewards"] for row in metrics(tmp_path)] == [2, 2]


def test_an_unreadable_group_has_no_label_and_no_reward(policy, tmp_path):
    run(policy, tmp_path, MajorityReward(), steps=1)
    (row,) = metrics(tmp_path)
    assert (row["no_label"], row["reward"], row["reward_accuracy"]) == (1.0, 0.0, 0.0)


def test_more_prompts_a_step_than_questions_is_named(policy, tmp_path):
    with pytest.raises(UserError, match="prompts_per_step is 7"):
        run(policy, tmp_path, prompts_per_step=7, micro_batch=4)
