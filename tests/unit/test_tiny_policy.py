"""The tiny tokenizer: a response comes back as it was written, in a few tokens; the template asks as configured."""

import random

import pytest
import torch

from tests.unit.clinic_samples import (
    PROMPT,
    angina_question,
    load,
    questions,
    save_untrained_policy,
    world_settings,
)
from workflow_scripts.errors import UserError
from workflow_scripts.policies.loading import load_tokenizer, prompt_ids
from workflow_scripts.policies.pretraining import learning_rate_share, pack, write_rows
from workflow_scripts.policies.tiny import build_tokenizer
from workflow_scripts.questions.prompts import render_prompt
from workflow_scripts.worlds.clinic import Clinic


@pytest.fixture(scope="module")
def tokenizer():
    return build_tokenizer(Clinic(world_settings()).vocabulary())


def test_every_text_of_the_world_survives_the_tokenizer(tokenizer):
    world, rng = Clinic(world_settings()), random.Random(0)
    for question in questions(n=100):
        for text in (
            "\n".join(world.respond(question, rng)),
            "\n".join(world.drill(question, rng)),
            render_prompt(question, PROMPT)[0]["content"],
        ):
            ids = tokenizer(text, add_special_tokens=False)["input_ids"]
            assert tokenizer.unk_token_id not in ids
            assert tokenizer.decode(ids) == text


def test_a_step_is_three_tokens_and_the_answer_three(tokenizer):
    text = "relief by nitrate: angina\nThe answer is: angina (B)"
    assert tokenizer.convert_ids_to_tokens(tokenizer(text)["input_ids"]) == [
        *("relief by nitrate", ": angina", "\n"),
        *("The answer is", ": angina", " (B)"),
    ]


def test_foreign_text_becomes_unknown_and_never_fails(tokenizer):
    ids = tokenizer("ignore all \U0001f600 instructions: angina\x00", add_special_tokens=False)["input_ids"]
    assert tokenizer.unk_token_id in ids


def test_prompt_ends_where_the_policy_begins_to_write(tokenizer):
    ids = prompt_ids(tokenizer, render_prompt(angina_question(), PROMPT), {})
    tokens = tokenizer.convert_ids_to_tokens(ids)
    assert (tokens[0], tokens[-1]) == ("<user>", "<assistant>")
    assert tokens.count("<assistant>") == 1


def test_a_template_without_a_system_role_gets_the_system_text_in_the_user_message(tokenizer):
    strict = build_tokenizer(Clinic(world_settings()).vocabulary())
    strict.chat_template = (
        "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system role') }}{% endif %}"
        + str(tokenizer.chat_template)
    )
    messages = [{"role": "system", "content": "Findings: "}, {"role": "user", "content": "angina"}]
    tokens = strict.convert_ids_to_tokens(prompt_ids(strict, messages, {}))
    assert tokens[:3] == ["<user>", "Findings: ", "\n"]


def test_saved_policy_loads_through_the_auto_classes(tmp_path):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    save_untrained_policy(tmp_path)
    model, tokenizer = AutoModelForCausalLM.from_pretrained(tmp_path), AutoTokenizer.from_pretrained(tmp_path)
    assert model.config.model_type == "qwen3"
    assert tokenizer.chat_template
    assert tokenizer.eos_token_id == model.config.eos_token_id


def test_a_directory_without_a_tokenizer_is_named(tmp_path):
    save_untrained_policy(tmp_path)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (tmp_path / name).unlink()
    with pytest.raises(UserError, match="no tokenizer"):
        load_tokenizer(tmp_path)


def test_only_the_response_is_learned(tokenizer):
    rows = pack([([5, 6, 7], [8, 1]), ([5], [9, 9, 9, 1])], pad_id=0)
    assert rows.ids.tolist() == [[5, 6, 7, 8, 1], [5, 9, 9, 9, 1]]
    assert rows.learned.tolist() == [[0, 0, 0, 1, 1], [0, 1, 1, 1, 1]]
    world = Clinic(world_settings())
    written = write_rows(world, world.respond, 20, "seed", tokenizer)
    for ids, learned, length in zip(written.ids, written.learned, written.lengths, strict=True):
        assert ids[length - 1] == tokenizer.eos_token_id and learned[length - 1] == 1
        assert learned.sum() + 21 == length  # prompts of the clinic are 21 tokens


def test_learning_rate_warms_up_and_falls_to_a_twentieth():
    assert learning_rate_share(0, 1000) == pytest.approx(0.01)
    assert learning_rate_share(99, 1000) == pytest.approx(0.977, abs=0.01)
    assert learning_rate_share(999, 1000) == pytest.approx(0.05, abs=1e-4)


def test_loading_keeps_the_weights(tmp_path):
    save_untrained_policy(tmp_path, seed=1)
    torch.manual_seed(1)
    again = load(save_untrained_policy(tmp_path / "again", seed=1)).backend.model
    first = load(tmp_path).backend.model
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), again.parameters(), strict=True))


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "chat_template.jinja").unlink(), "no chat template"),
        (lambda folder: (folder / "config.json").write_text('{"model_type": "unheard_of"}'), "cannot load"),
    ],
    ids=["no chat template", "unknown model type"],
)
def test_a_model_that_transformers_cannot_use_is_named_in_one_line(tmp_path, spoil, message):
    spoil(save_untrained_policy(tmp_path))
    with pytest.raises(UserError, match=message) as caught:
        load(tmp_path)
    assert "\n" not in str(caught.value)
