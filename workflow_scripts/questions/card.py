"""The card of a question set: what it holds, where it came from, and what to beware of.

It names questions by id and rows by place, and quotes neither: some sets must not be shown.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from workflow_scripts.answers.plain import key
from workflow_scripts.questions.schema import Question
from workflow_scripts.questions.sources import Loaded
from workflow_scripts.settings.question_sets import QuestionSetSpec


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
    settings = spec.model_dump(mode="json")
    source = settings["source"] | ({"revision": loaded.revision} if loaded.revision else {})
    dropped = loaded.dropped
    return {
        "name": name,
        "source": source,
        "licence": spec.licence,
        "rows": len(questions),
        "source_rows": loaded.source_rows,
        "subset": settings["subset"],
        "dropped": {
            reason: {"rows": count, "examples": dropped.examples.get(reason, [])}
            for reason, count in dropped.counts.items()
        },
        "sha256": content_digest(questions),
        "answer_kinds": _counts(q.answer_kind for q in questions),
        "letter_balance": _counts(q.answer for q in questions if q.options),
        "options_per_question": _counts(str(len(q.options)) for q in questions if q.options),
        "duplicate_options": {"questions": len(duplicates), "ids": duplicates},
    }


def _counts(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


def _has_duplicate_options(question: Question) -> bool:
    texts = [key(text) for text in (question.options or {}).values()]
    return len(set(texts)) < len(texts)
