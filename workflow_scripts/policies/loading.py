"""Loading a policy or a process reward model from a directory that `save_pretrained` wrote."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workflow_scripts.errors import UserError
from workflow_scripts.models import TOKENIZER_FILES, check_model_files

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from workflow_scripts.policies.rollouts import Sampler
    from workflow_scripts.settings.prompts import PromptSpec
    from workflow_scripts.settings.question_sets import AnswerRule


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
    """Load a causal language model for inference, on the GPU where there is one.

    Raises
    ------
    UserError
        If a file is missing, cut off or no model's, or the weights are not those that config.json describes.
    """
    import torch
    from safetensors import SafetensorError
    from transformers import AutoModelForCausalLM

    if not (directory / "config.json").exists():
        raise UserError(f"model directory {directory} has no config.json. Give a save_pretrained directory.")
    check_model_files(directory)
    try:
        model, found = AutoModelForCausalLM.from_pretrained(
            directory, dtype=getattr(torch, dtype), output_loading_info=True
        )
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise UserError(_unreadable(directory, "model", error)) from error
    for keys, what, then in (
        (found["missing_keys"], "its weights lack", "would draw at random"),
        (found["unexpected_keys"], "config.json has no place for", "would leave out"),
    ):
        if keys:
            raise UserError(
                f"model directory {directory}: {what} {min(keys)} ({len(keys)} in all), which transformers {then}. "
                "Save the model there again."
            )
    return model.to("cuda" if torch.cuda.is_available() else "cpu").eval()


@dataclass(frozen=True)
class SystemRole:
    """What a chat template does about the system message.

    Attributes
    ----------
    known
        Whether the text of a system message reaches the prompt.
    default
        The text that the template writes where there is no system message; "" for none.
    default_for_empty
        Whether it writes that text for an empty system message, too.
    """

    known: bool
    default: str
    default_for_empty: bool


_SYSTEM, _USER = "⟦system⟧", "⟪user⟫"  # nothing a template writes begins or ends like these
_known_roles: dict[tuple[str, str], SystemRole] = {}


def system_role(tokenizer: PreTrainedTokenizerBase, arguments: dict[str, Any]) -> SystemRole:
    """Find out how the chat template treats the system message, by rendering; once per template and arguments.

    What a prompt without a system message has in place of the message is the template's default. A text that stands
    in both prompts (the date line of Llama 3.1) is none.
    """
    key = (str(tokenizer.chat_template), json.dumps(arguments, sort_keys=True))
    if key not in _known_roles:
        _known_roles[key] = _probe(tokenizer, arguments)
    return _known_roles[key]


def _probe(tokenizer: PreTrainedTokenizerBase, arguments: dict[str, Any]) -> SystemRole:
    user = {"role": "user", "content": _USER}
    without = _render(tokenizer, [user], arguments)
    try:
        given = _render(tokenizer, [{"role": "system", "content": _SYSTEM}, user], arguments)
    except Exception:  # the template refuses the role, in words of its own; a broken one has failed above
        return SystemRole(known=False, default="", default_for_empty=False)
    if _SYSTEM not in given:
        return SystemRole(known=False, default="", default_for_empty=False)
    start = _common_start(without, given)
    end = _common_start(without[start:][::-1], given[start:][::-1])
    default = without[start : len(without) - end].strip()
    if not default:
        return SystemRole(known=True, default="", default_for_empty=False)
    empty = _render(tokenizer, [{"role": "system", "content": ""}, user], arguments)
    return SystemRole(known=True, default=default, default_for_empty=default in empty)


def _common_start(first: str, second: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))


def _render(
    tokenizer: PreTrainedTokenizerBase, messages: list[dict[str, str]], arguments: dict[str, Any]
) -> str:
    return str(
        tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, **arguments)
    )


def prompt_text(
    tokenizer: PreTrainedTokenizerBase, messages: list[dict[str, str]], arguments: dict[str, Any]
) -> str:
    """A chat prompt that ends where the policy begins to write.

    A template that knows no system role gets the system text at the head of the user message.

    Raises
    ------
    UserError
        If the template would add a system text of its own: the prompt says what the configuration says.
    """
    role = system_role(tokenizer, arguments)
    system = messages[0]["content"] if messages[0]["role"] == "system" else None
    if role.default and (system is None or (system == "" and role.default_for_empty)):
        shown = " ".join(role.default.split())
        shown = shown if len(shown) <= 80 else shown[:77] + "..."
        texts = "a text" if role.default_for_empty else '"" for none'
        raise UserError(
            f"the policy's chat template adds the system text '{shown}' to prompts without one; write prompt.system "
            f"in config/questions.yaml ({texts})."
        )
    if system is not None and not role.known:
        _, user, *rest = messages
        content = f"{system}\n\n{user['content']}" if system else user["content"]
        messages = [{"role": "user", "content": content}, *rest]
    return _render(tokenizer, messages, arguments)


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
