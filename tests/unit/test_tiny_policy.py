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
from workflow_scripts.policies.loading import load_tokenizer, prompt_ids, prompt_text
from workflow_scripts.policies.pretraining import learning_rate_share, pack, write_rows
from workflow_scripts.policies.tiny import build_tokenizer
from workflow_scripts.questions.prompts import render_prompt
from workflow_scripts.settings.worlds import Families
from workflow_scripts.worlds.clinic import Clinic


@pytest.fixture(scope="module")
def tokenizer():
    return build_tokenizer(Clinic(world_settings()).vocabulary())


def test_every_text_of_the_world_survives_the_tokenizer(tokenizer):
    world, rng = Clinic(world_settings()), random.Random(0)
    for question in questions(n=100):
        for text in (
            "\n".join(world.respond(question, rng)),
            "\n".join(world.drill(rng)[1]),
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


GENERATION = "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
CHATML = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}" + GENERATION
)
"""Qwen3 and many others: no system text of its own."""


def with_default(text, condition="messages[0]['role'] != 'system'"):
    """ChatML with a system text of its own, as Qwen2.5, Qwen2.5-Math and SmolLM2 have it."""
    block = "{{ '<|im_start|>system\n" + text + "<|im_end|>\n' }}"
    return "{% if " + condition + " %}" + block + "{% endif %}" + CHATML


DEFAULTS = {
    "Qwen2.5": "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.",
    "Qwen2.5-Math": r"Please reason step by step, and put your final answer within \\boxed{}.",
    "SmolLM2": "You are a helpful AI assistant named SmolLM, trained by Hugging Face",
}
LLAMA_31 = (
    "{% if messages[0]['role'] == 'system' %}{% set system = messages[0]['content'] | trim %}"
    "{% set messages = messages[1:] %}{% else %}{% set system = '' %}{% endif %}"
    "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\n"
    "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n{{ system }}<|eot_id|>"
    "{% for message in messages %}<|start_header_id|>{{ message['role'] }}<|end_header_id|>\n\n"
    "{{ message['content'] | trim }}<|eot_id|>{% endfor %}"
    "{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>\n\n{% endif %}"
)
MISTRAL = (
    "{% if messages[0]['role'] == 'system' %}{% set system = messages[0]['content'] %}"
    "{% set messages = messages[1:] %}{% endif %}<s>[INST] "
    "{% if system %}{{ system }}\n\n{% endif %}{{ messages[0]['content'] }}[/INST]"
)
VICUNA = (
    "{% if messages[0]['role'] == 'system' %}{{ messages[0]['content'] }}{% set messages = messages[1:] %}"
    "{% else %}A chat between a curious user and an assistant.{% endif %}"
    " USER: {{ messages[0]['content'] }} ASSISTANT:"
)
REFUSES_SYSTEM = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no') }}{% endif %}" + CHATML
SKIPS_SYSTEM = (
    "{% for message in messages %}{% if message['role'] == 'user' %}<u>{{ message['content'] }}{% endif %}"
    "{% endfor %}<a>"
)


def prompt(template, system, arguments=None):
    tokenizer = build_tokenizer(["angina"])
    tokenizer.chat_template = template
    messages = [{"role": "user", "content": "angina"}]
    if system is not None:
        messages.insert(0, {"role": "system", "content": system})
    return prompt_text(tokenizer, messages, arguments or {})


def test_a_template_without_a_system_role_gets_the_system_text_in_the_user_message():
    for template, start, end in [
        (REFUSES_SYSTEM, "<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n"),
        (SKIPS_SYSTEM, "<u>", "<a>"),
    ]:
        assert prompt(template, "Be brief.") == f"{start}Be brief.\n\nangina{end}"
        assert prompt(template, "") == prompt(template, None) == f"{start}angina{end}"


@pytest.mark.parametrize("model", DEFAULTS)
def test_a_templates_own_system_text_is_named_before_it_changes_a_prompt(model):
    template = with_default(DEFAULTS[model])
    with pytest.raises(UserError) as caught:
        prompt(template, None)
    message = str(caught.value)
    assert DEFAULTS[model].replace("\\\\", "\\") in message
    assert 'prompt.system in config/questions.yaml ("" for none)' in message and "\n" not in message
    assert "Be brief." in prompt(template, "Be brief.") and "<|im_start|>system\n<|im_end|>" in prompt(
        template, ""
    )
    assert DEFAULTS[model][:20] not in prompt(template, "Be brief.") + prompt(template, "")


def test_a_system_text_in_front_of_everything_is_found_and_shortened():
    with pytest.raises(UserError, match=r"'A chat between a curious user and an assistant\.'"):
        prompt(VICUNA, None)
    assert prompt(VICUNA, "") == " USER: angina ASSISTANT:"
    with pytest.raises(UserError, match=r"'(word ){15}w?o?\.\.\.'"):
        prompt(with_default("word " * 99), None)


def test_a_template_that_takes_an_empty_system_text_for_none_needs_a_text():
    template = with_default("Be kind.", "messages[0]['role'] != 'system' or not messages[0]['content']")
    for system in (None, ""):
        with pytest.raises(UserError, match=r"'Be kind\.'.*\(a text\)"):
            prompt(template, system)
    assert "Be kind." not in prompt(template, "Be brief.")


def test_a_default_that_an_argument_of_the_template_switches_off_is_none():
    template = with_default("Think hard.", "think")
    with pytest.raises(UserError, match="Think hard"):
        prompt(
            with_default("Think hard.", "think and messages[0]['role'] != 'system'"), None, {"think": True}
        )
    assert "Think hard." not in prompt(template, None, {"think": False})


@pytest.mark.parametrize("template", [CHATML, LLAMA_31, MISTRAL], ids=["ChatML", "Llama 3.1", "Mistral"])
def test_templates_without_a_system_text_of_their_own_need_no_system_message(template):
    assert "angina" in prompt(template, None)
    given = prompt(template, "Be brief.")
    assert given.index("Be brief.") < given.index("angina")


def test_a_template_is_tried_out_once_and_not_per_question(monkeypatch):
    tokenizer, rendered = build_tokenizer(["angina"]), []
    tokenizer.chat_template = CHATML + "{# tried out once #}"
    render = tokenizer.apply_chat_template
    monkeypatch.setattr(
        tokenizer, "apply_chat_template", lambda *given, **more: rendered.append(1) or render(*given, **more)
    )
    prompt_text(tokenizer, [{"role": "user", "content": "angina"}], {})
    first = len(rendered)
    for _ in range(10):
        prompt_text(tokenizer, [{"role": "user", "content": "angina"}], {})
    assert len(rendered) == first + 10


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
    patients_only = Families(four_options=0.0, many_findings=0.0, single_finding=0.0)
    world = Clinic(world_settings(families=patients_only))
    written = write_rows(world.example, 20, "seed", tokenizer, PROMPT)
    for ids, learned, length in zip(written.ids, written.learned, written.lengths, strict=True):
        assert ids[length - 1] == tokenizer.eos_token_id and learned[length - 1] == 1
        assert learned.sum() + 21 == length  # prompts of patients with five options are 21 tokens


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
