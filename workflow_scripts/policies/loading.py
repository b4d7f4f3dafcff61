"""Loading a policy or a process reward model from a directory that `save_pretrained` wrote."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from workflow_scripts.errors import UserError
from workflow_scripts.models import TOKENIZER_FILES

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from workflow_scripts.policies.rollouts import Sampler
    from workflow_scripts.settings.prompts import PromptSpec
    from workflow_scripts.settings.specs import AnswerRule


def _unreadable(directory: Path, what: str, error: Exception) -> str:
    reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return f"model directory {directory}: transformers cannot load the {what}: {reason}. Save it there again."


def load_tokenizer(directory: Path) -> PreTrainedTokenizerBase:
    """Load the tokenizer of a model directory; a directory without one is a UserError."""
    from transformers import AutoTokenizer

    if not any((directory / name).exists() for name in TOKENIZER_FILES):
        raise UserError(
            f"model directory {directory} has no tokenizer (tokenizer.json or tokenizer.model). "
            "Save it there with tokenizer.save_pretrained."
        )
    try:
        tokenizer = AutoTokenizer.from_pretrained(directory, padding_side="left")
    except (OSError, ValueError, KeyError) as error:
        raise UserError(_unreadable(directory, "tokenizer", error)) from error
    if tokenizer.chat_template is None:
        raise UserError(
            f"model directory {directory}: its tokenizer has no chat template. Set one and save it there."
        )
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def load_model(directory: Path, dtype: str) -> PreTrainedModel:
    """Load a causal language model for inference, on the GPU where there is one."""
    import torch
    from transformers import AutoModelForCausalLM

    if not (directory / "config.json").exists():
        raise UserError(f"model directory {directory} has no config.json. Give a save_pretrained directory.")
    try:
        model = AutoModelForCausalLM.from_pretrained(directory, dtype=getattr(torch, dtype))
    except (OSError, ValueError, KeyError) as error:
        raise UserError(_unreadable(directory, "model", error)) from error
    return model.to("cuda" if torch.cuda.is_available() else "cpu").eval()


def prompt_text(
    tokenizer: PreTrainedTokenizerBase, messages: list[dict[str, str]], arguments: dict[str, Any]
) -> str:
    """A chat prompt that ends where the policy begins to write.

    A template that knows no system role gets the system text at the head of the user message.
    """
    try:
        return str(
            tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, **arguments)
        )
    except Exception:
        if messages[0]["role"] != "system":
            raise
        system, user, *rest = messages
        merged = [{"role": "user", "content": system["content"] + "\n\n" + user["content"]}, *rest]
        return prompt_text(tokenizer, merged, arguments)


def prompt_ids(
    tokenizer: PreTrainedTokenizerBase, messages: list[dict[str, str]], arguments: dict[str, Any]
) -> list[int]:
    """Token ids of `prompt_text`; the template writes all special tokens itself."""
    ids: list[int] = tokenizer(prompt_text(tokenizer, messages, arguments), add_special_tokens=False)[
        "input_ids"
    ]
    return ids


def stop_ids(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> list[int]:
    """Token ids that end a response: the tokenizer's, and those of the model's generation settings."""
    configured = model.generation_config.eos_token_id if model.generation_config else None
    extra = configured if isinstance(configured, list) else [configured]
    return sorted({i for i in [tokenizer.eos_token_id, *extra] if i is not None})


def transformers_sampler(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    prompt: PromptSpec,
    answer_rule: AnswerRule,
    chat_template_arguments: dict[str, bool],
    max_rows: int,
    max_prompt_tokens: int,
) -> Sampler:
    """Wrap a loaded policy as a sampler on the transformers backend; it samples from the model's current weights."""
    from workflow_scripts.policies.generation import TransformersBackend
    from workflow_scripts.policies.rollouts import Sampler

    backend = TransformersBackend(model, stop_ids(model, tokenizer), tokenizer.pad_token_id, max_rows)
    return Sampler(backend, tokenizer, prompt, answer_rule, chat_template_arguments, max_prompt_tokens)
