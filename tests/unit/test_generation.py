"""Sampling: independent of batch composition, equal to transformers' greedy search, exact in its distribution."""

import math

import numpy as np
import pytest
import torch

from tests.unit.clinic_samples import load, questions, save_untrained_policy
from workflow_scripts.errors import UserError
from workflow_scripts.policies.generation import Request, draw, sampling_logprobs, stream_key, uniforms


@pytest.fixture(scope="module")
def policy(tmp_path_factory):
    return save_untrained_policy(tmp_path_factory.mktemp("policy"))


def sample(sampler, asked, n=4, temperature=1.0, top_p=1.0, max_new_tokens=12, step=0):
    return sampler.sample(
        [q.unlabelled() for q in asked],
        n,
        temperature=temperature,
        top_p=top_p,
        max_new_tokens=max_new_tokens,
        seed=0,
        step=step,
    )


def ids(groups):
    return [[r.generated.token_ids for r in group] for group in groups]


def test_a_sample_does_not_depend_on_what_else_is_in_the_batch(policy):
    asked = questions(n=6)
    together = ids(sample(load(policy), asked))
    one_by_one = [ids(sample(load(policy), [q]))[0] for q in asked]
    small_batches = ids(sample(load(policy, max_rows=5), asked))
    fewer = ids(sample(load(policy), asked, n=2))
    assert together == one_by_one == small_batches
    assert [group[:2] for group in together] == fewer


def test_samples_of_one_question_differ_and_depend_on_the_step(policy):
    (group,) = ids(sample(load(policy), questions(n=1), n=8))
    assert len(set(map(tuple, group))) == 8
    assert ids(sample(load(policy), questions(n=1), n=8, step=1))[0] != group


def test_greedy_equals_transformers_generate_with_prompts_of_unequal_length(policy):
    sampler = load(policy)
    backend, tokenizer = sampler.backend, sampler.tokenizer
    long = sampler.prompt_ids(questions(n=1)[0])
    prompts = [long, long[:9], [*long, *long[:4]]]
    ours = backend.generate(
        [Request(prompt, ("key",)) for prompt in prompts], temperature=0, top_p=1.0, max_new_tokens=10
    )
    for prompt, (got,) in zip(prompts, ours, strict=True):
        expected = backend.model.generate(
            torch.tensor([prompt]),
            do_sample=False,
            max_new_tokens=10,
            pad_token_id=tokenizer.pad_token_id,
            eos_token_id=tokenizer.eos_token_id,
        )[0, len(prompt) :].tolist()
        assert got.token_ids == expected


def test_logprobs_are_those_of_the_model_at_the_sampling_temperature(policy):
    sampler = load(policy)
    question = questions(n=1)[0]
    prompt = sampler.prompt_ids(question)
    (group,) = sample(sampler, [question], n=3, temperature=0.7)
    for rollout in group:
        tokens = rollout.generated.token_ids
        with torch.no_grad():
            logits = sampler.backend.model(torch.tensor([prompt + tokens])).logits[0, len(prompt) - 1 : -1]
        expected = torch.log_softmax(logits / 0.7, -1)[range(len(tokens)), tokens]
        np.testing.assert_allclose(rollout.generated.logprobs, expected, atol=1e-4)


def test_finish_reason_and_length(policy):
    groups = sample(load(policy), questions(n=20), n=8, max_new_tokens=30)
    end = load(policy).tokenizer.eos_token_id
    reasons = set()
    for rollout in (r for group in groups for r in group):
        tokens = rollout.generated.token_ids
        reasons.add(rollout.generated.finish_reason)
        if rollout.generated.finish_reason == "stop":
            assert tokens[-1] == end and end not in tokens[:-1]
        else:
            assert len(tokens) == 30 and end not in tokens
    assert reasons == {"stop", "length"}


def test_nucleus_keeps_the_smallest_set_that_reaches_top_p():
    logits = torch.log(torch.tensor([[0.5, 0.2, 0.2, 0.1]]))
    kept = sampling_logprobs(logits, 1.0, 0.7).exp()[0]
    # 0.5 alone is below 0.7; with one 0.2 it is reached.
    assert (kept > 0).sum() == 2
    assert kept[0].item() == pytest.approx(0.5 / 0.7)
    assert (sampling_logprobs(logits, 1.0, 1e-9).exp()[0]).tolist() == [1, 0, 0, 0]


def test_drawing_inverts_the_cumulative_distribution():
    logprobs = torch.log(torch.tensor([[0.25, 0.0, 0.75]])).expand(4, 3)
    uniform = torch.tensor([0.0, 0.2499, 0.25, 0.999999], dtype=torch.float64)
    assert draw(logprobs, uniform).tolist() == [0, 0, 2, 2]


def test_a_token_of_probability_zero_is_never_drawn():
    logprobs = torch.tensor([[-math.inf, 0.0, -math.inf]]).expand(3, 3)
    assert draw(logprobs, torch.tensor([0.0, 0.5, 1 - 1e-16], dtype=torch.float64)).tolist() == [1, 1, 1]


def test_streams_are_keyed_by_seed_question_sample_and_step():
    keys = [
        stream_key(0, "q", 0, 0),
        stream_key(1, "q", 0, 0),
        stream_key(0, "p", 0, 0),
        stream_key(0, "q", 1, 0),
        stream_key(0, "q", 0, 1),
    ]
    rows = uniforms(keys, 4)
    assert len({tuple(row) for row in rows}) == 5
    np.testing.assert_array_equal(uniforms(keys[::-1], 4), rows[::-1])
    assert uniforms([f"k{i}" for i in range(4000)], 1).mean() == pytest.approx(0.5, abs=0.02)


def test_a_prompt_beyond_the_limit_is_named_and_never_cut(policy):
    with pytest.raises(UserError, match=r"adapt-0000: its prompt has 21 tokens, max_prompt_tokens is 20"):
        sample(load(policy, max_prompt_tokens=20), questions(n=1))
