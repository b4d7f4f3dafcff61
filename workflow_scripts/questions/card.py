"""The card of a question set: what it holds, where it came from, and what to beware of."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from workflow_scripts.answers.plain import key
from workflow_scripts.questions.schema import Question
from workflow_scripts.questions.sources import Loaded
from workflow_scripts.settings.specs import QuestionSetSpec


def content_digest(questions: Sequence[Question]) -> str:
    """Return the SHA-256 of the questions' content, the same whatever file format they came in."""
    digest = hashlib.sha256()
    for question in questions:
        line = json.dumps(asdict(question), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        # Key order of the options is content: it decides the letters' order in the prompt.
        digest.update(f"{line}\t{list(question.options or {})}\n".encode())
    return digest.hexdigest()


def question_card(name: str, spec: QuestionSetSpec, loaded: Loaded) -> dict[str, Any]:
    """Return the card as JSON values."""
    questions = loaded.questions
    duplicates = [question.id for question in questions if _has_duplicate_options(question)]
    return {
        "name": name,
        "source": spec.source.model_dump(mode="json"),
        "licence": spec.licence,
        "rows": len(questions),
        "source_rows": loaded.source_rows,
        "subset": spec.subset,
        "dropped": [asdict(dropped) for dropped in loaded.dropped],
        "sha256": content_digest(questions),
        "letter_balance": dict(sorted(Counter(q.answer for q in questions if q.options).items())),
        "options_per_question": dict(
            sorted(Counter(str(len(q.options)) for q in questions if q.options).items())
        ),
        "duplicate_options": {"questions": len(duplicates), "ids": duplicates},
    }


def _has_duplicate_options(question: Question) -> bool:
    texts = [key(text) for text in (question.options or {}).values()]
    return len(set(texts)) < len(texts)
