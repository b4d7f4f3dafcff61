"""The tiny policy: a Qwen3 decoder and a phrase tokenizer with a chat template.

Findings, conditions and letters are single tokens, so that a response of five steps is about twenty tokens long and
thousands of GRPO rollouts fit on a laptop's CPU. Saved by `save_pretrained`, it loads like any other model.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from workflow_scripts.settings.models import Architecture

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast, Qwen3ForCausalLM

PAD, END, UNKNOWN, USER, ASSISTANT = "<pad>", "<end>", "<unknown>", "<user>", "<assistant>"
STEP_TAG, PLUS, MINUS = "<step>", "<plus>", "<minus>"
SPECIAL = [PAD, END, UNKNOWN, USER, ASSISTANT, STEP_TAG, PLUS, MINUS]

CHAT_TEMPLATE = (
    "{% for message in messages %}"
    "{% if message['role'] == 'assistant' %}{{ '<assistant>' + message['content'] }}"
    "{% else %}{{ '<user>' + message['content'] }}{% endif %}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<assistant>' }}{% endif %}"
)


def build_tokenizer(phrases: list[str]) -> PreTrainedTokenizerFast:
    """Return a tokenizer whose tokens are `phrases`, longest first; other text becomes `<unknown>`."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    vocabulary = {token: i for i, token in enumerate([*SPECIAL, *dict.fromkeys(phrases)])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN))
    longest_first = sorted(vocabulary, key=len, reverse=True)
    pattern = Regex("|".join(re.escape(token) for token in longest_first))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(pattern, behavior="isolated")
    tokenizer.decoder = decoders.Fuse()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        eos_token=END,
        unk_token=UNKNOWN,
        additional_special_tokens=[USER, ASSISTANT, STEP_TAG, PLUS, MINUS],
        clean_up_tokenization_spaces=False,
        padding_side="left",
    )
    fast.chat_template = CHAT_TEMPLATE
    return fast


def build_model(
    architecture: Architecture, tokenizer: PreTrainedTokenizerFast, max_positions: int
) -> Qwen3ForCausalLM:
    """Return a randomly initialised float32 Qwen3 for `tokenizer`; seed torch before calling."""
    from transformers import Qwen3Config, Qwen3ForCausalLM

    return Qwen3ForCausalLM(
        Qwen3Config(
            vocab_size=len(tokenizer),
            hidden_size=architecture.hidden_size,
            intermediate_size=architecture.intermediate_size,
            num_hidden_layers=architecture.layers,
            num_attention_heads=architecture.heads,
            num_key_value_heads=architecture.heads,
            head_dim=architecture.hidden_size // architecture.heads,
            max_position_embeddings=max_positions,
            tie_word_embeddings=False,
            pad_token_id=tokenizer.pad_token_id,
            eos_token_id=tokenizer.eos_token_id,
            bos_token_id=None,
            use_cache=True,
        )
    )
