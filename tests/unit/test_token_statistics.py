"""What the sampler says of each token: against a slow sum over the vocabulary, and the same in any batch."""

import tracemalloc

import numpy as np
import pytest
import torch

from tests.unit.clinic_samples import load, questions, save_untrained_policy
from workflow_scripts.policies import token_statistics as module
from workflow_scripts.policies.rollouts import Rollout, answer_tokens
from workflow_scripts.policies.token_statistics import statistics_by_forward, token_statistics
from workflow_scripts.worlds.knowledge import ANSWER, CONDITIONS


def slow(logits, temperature):
    """One row at a time in float64, by the definitions."""
    rows = []
    for row in np.asarray(logits, dtype=np.float64) / temperature:
        p = np.exp(row - row.max())
        p /= p.sum()
        uniform = np.full(len(p), 1 / len(p))
        second, first = np.sort(p)[-2:]
        rows.append((-(p * np.log(p)).sum(), (uniform * np.log(uniform / p)).sum(), first - second))
    return np.array(rows)


@pytest.mark.parametrize("size", [2, 3, 7, 8, 9, 64, 1000])
@pytest.mark.parametrize("temperature", [0.6, 1.0, 1.7])
def test_statistics_are_those_of_the_definitions_whatever_the_chunks(monkeypatch, size, temperature):
    logits = 4 * torch.randn((5, size), generator=torch.Generator().manual_seed(size))
    whole = token_statistics(logits, temperature)
    np.testing.assert_allclose(whole, slow(logits, temperature), atol=2e-5)
    monkeypatch.setattr(module, "CHUNK", 8)
    torch.testing.assert_close(token_statistics(logits, temperature), whole, atol=2e-5, rtol=1e-5)


def test_a_uniform_distribution_is_the_least_certain_and_extreme_logits_stay_finite():
    size = 50
    entropy, divergence, disparity = token_statistics(torch.zeros((1, size)), 1.0)[0].tolist()
    assert (entropy, divergence, disparity) == pytest.approx((np.log(size), 0.0, 0.0), abs=1e-6)
    extreme = torch.zeros((1, size)).index_fill(1, torch.tensor([3]), 1e4)
    entropy, divergence, disparity = token_statistics(extreme, 1.0)[0].tolist()
    assert (entropy, disparity) == pytest.approx((0.0, 1.0), abs=1e-5)
    assert divergence == pytest.approx(1e4 * (size - 1) / size - np.log(size), rel=1e-4)


def test_the_vocabulary_of_a_large_model_takes_the_memory_of_a_chunk():
    logits = torch.randn((64, 152_000), dtype=torch.bfloat16)
    with torch.profiler.profile(
        profile_memory=True, activities=[torch.profiler.ProfilerActivity.CPU]
    ) as seen:
        token_statistics(logits, 1.0)
    largest = max(event.cpu_memory_usage for event in seen.events())
    assert largest <= 2 * 64 * module.CHUNK * 4  # float32
    assert not tracemalloc.is_tracing()


A = CONDITIONS[0]


@pytest.fixture(scope="module")
def policy(tmp_path_factory):
    return save_untrained_policy(tmp_path_factory.mktemp("policy"))


def sampled(sampler, asked, statistics=True, temperature=0.8):
    return sampler.sample(
        [question.unlabelled() for question in asked],
        3,
        temperature=temperature,
        top_p=1.0,
        max_new_tokens=8,
        seed=0,
        statistics=statistics,
    )


def test_statistics_are_those_of_the_model_at_the_sampling_temperature(policy):
    sampler = load(policy)
    question = questions(n=1)[0]
    prompt = sampler.prompt_ids(question)
    (group,) = sampled(sampler, [question])
    for rollout in group:
        ids = rollout.generated.token_ids
        with torch.no_grad():
            logits = sampler.backend.model(torch.tensor([prompt + ids])).logits[0, len(prompt) - 1 : -1]
        found = rollout.generated.statistics
        columns = np.array([found.entropy, found.uniform_divergence, found.disparity]).T
        assert len(columns) == len(ids)  # the end token's too, and no padding
        np.testing.assert_allclose(columns, slow(logits, 0.8), atol=1e-4)


def test_one_more_forward_pass_gives_the_statistics_that_the_sampler_gives(policy, monkeypatch):
    sampler, asked = load(policy), questions(n=2)
    groups = sampled(sampler, asked)
    monkeypatch.setattr(module, "TOKENS_PER_CHUNK", 3)
    for question, group in zip(asked, groups, strict=True):
        ids = [rollout.generated.token_ids for rollout in group]
        found = statistics_by_forward(sampler.backend.model, sampler.prompt_ids(question), ids, 0.8)
        for rollout, one in zip(group, found, strict=True):
            for name, values in vars(rollout.generated.statistics).items():
                np.testing.assert_allclose(getattr(one, name), values, atol=1e-4)


def test_statistics_depend_neither_on_the_batch_nor_on_being_asked_for(policy):
    asked = questions(n=4)
    together = sampled(load(policy), asked)
    alone = [sampled(load(policy, max_rows=3), [question])[0] for question in asked]
    without = sampled(load(policy), asked, statistics=False)
    for one, other, plain in zip(together, alone, without, strict=True):
        for a, b, c in zip(one, other, plain, strict=True):
            assert a.generated.token_ids == b.generated.token_ids == c.generated.token_ids
            assert a.generated.logprobs == c.generated.logprobs
            assert c.generated.statistics is None
            np.testing.assert_allclose(
                a.generated.statistics.entropy, b.generated.statistics.entropy, atol=1e-4
            )


@pytest.mark.parametrize(
    ("text", "stated", "expected"),
    [
        (f"{ANSWER}: {A} (B)\n{ANSWER}: {A} (B)", f"{A} (B)", [-3, -2]),
        (f"{ANSWER}: {A} (B)", "(B)", [-2]),
        (f"{ANSWER}: {A} (B)", "B", [-2]),  # inside a token
        (f"{ANSWER}: {A} (B)", None, []),
        (f"{ANSWER}: {A} (B)", "(C)", []),
    ],
)
def test_the_tokens_of_the_answer_are_those_that_state_it_last(policy, text, stated, expected):
    tokenizer = load(policy).tokenizer
    ids = tokenizer(text, add_special_tokens=False)["input_ids"] + [tokenizer.eos_token_id]
    text = tokenizer.decode(ids, skip_special_tokens=True)
    rollout = Rollout("q", 0, text, type("G", (), {"token_ids": ids})(), None, stated)
    span = answer_tokens(tokenizer, rollout)
    assert [t - len(ids) for t in span] == expected  # the last token is the end token
