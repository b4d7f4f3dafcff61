"""Where in a line an answer may be stated. All patterns take time linear in the line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workflow_scripts.answers.plain import plain

_TAIL = 200

_LINK = (
    r"'?(?:\s*(?:is|was|(?:would|should|must|will|has\s+to)\s+(?:(?!not\b|never\b)\w+\s+)?be)\b"
    r"|\s*(?:[:=|→]|[=-]+>)|\s+[-\u2013\u2014](?=\s))\s*[:=]?"
)

# `The answer to this question is (C)`: a letter must follow, as much else may be said of an answer.
_CLAUSE_LINK = (
    r",?\s+(?:to|for|among|of|in|from|that|which|here|based|according|given)\b[^.:;?!]{0,80}?\s"
    r"(?:is|was|would be|should be|must be)(?=\s*:?\s*(?:\(\s*[a-z]\s*\)|(?:option|choice)\b|[a-z]\s*(?:[.,:)]|$)))"
)


def _after(contexts: str, word: str) -> str:
    """Return the pattern of `word` behind one of `contexts`.

    It begins with the literal, which `re` looks for several times as fast as for a pattern with `\\b` in front.
    """
    return word + "(?:" + "|".join(rf"(?<=\b{context}{word})" for context in contexts.split("|")) + ")"


_OTHER_LANGUAGES = {
    "antwort respuesta réponse risposta resposta jawaban jibu ìdáhùn": r"(?:\s[^\W\d_]{2,12}){0,2}"
    r"\s(?:ist|lautet|es|est|è|é|adalah|ni)\b",
    "정답 답변 답": r"\s?[은는]",
    "答え 回答 解答 正解": r"\s?は",
    "答 উত্তর उत्तर الإجابة الجواب": r"\s*:",
    "ответ": r"\s(?:[-\u2013\u2014])(?=\s)",
}
"""The word for an answer, and what may stand between it and the option in place of a colon."""

_PATTERNS = {
    "answer": r"answer(?<![a-z]answer)(?<!incorrect.answer)(?<!wrong.answer)(?:"
    rf"(?:[\s-]?(?:choice|option|letter|key|idx|index|text))?(?:{_LINK}|{_CLAUSE_LINK})"
    r"|\s+(?=\(\s*[a-z]\s*\)|[a-z][\s.]*$)|\s*$)",
    "ans": r"ans[.:=](?<![a-z]ans.)\s*[:=]?",
    **{
        noun: _after("correct |best |right |final |appropriate |my |selected |chosen ", noun)
        + f"(?:{_LINK}|{_CLAUSE_LINK})"
        for noun in ("choice", "option", "letter", "selection", "output")
    },
    **{
        verb: _after("i |we |i would |we would |i will |we will |i'd |we'd |i'll |we'll ", verb) + r"\b"
        for verb in ("choose", "chose", "select", "pick", "go with", "go for")
    },
    ":": _after("is|is |is  |is   |be|be |be  |be   ", ":") + r"\s*$",
    "答案": r"答案(?:应该|应)?(?:是|为|选)?\s*】?\s*:?",
    "选项": r"选项(?:应该|应)?(?:是|为)\s*:?",
    "正确的": r"正确的(?:是|为)\s*:?",
    **{
        word: rf"{word}(?<![a-z]{word})(?:\s*:|{link}\s*:?)"
        for words, link in _OTHER_LANGUAGES.items()
        for word in words.split()
    },
    "选": r"选(?<!不选)(?<!不[能应可要会该]选)(?<![候备]选)择?(?!项)\s*:?",
}
_COMPILED = {word: re.compile(pattern) for word, pattern in _PATTERNS.items()}


def find_statements(line: str) -> Iterator[re.Match[str]]:
    """Yield the answer statements of a line, the last one first; what follows each is still to be read.

    The end of a long line is looked at first: nearly always, the
    answer stands there. Markup is only taken away where a word of a statement was seen.
    """
    raw, lowered = line.lower(), None
    tail = max(0, len(line) - _TAIL)
    for start, end in ((tail, len(line)), (0, tail)):
        seen = [word for word in _COMPILED if raw.find(word, start, end + len(word) - 1) >= 0]
        if seen and lowered is None:
            lowered = plain(line).lower()
        found = [
            match
            for word in seen
            for match in _COMPILED[word].finditer(lowered or "", start)
            if match.start() < end
        ]
        yield from sorted(found, key=re.Match.start, reverse=True)


_AFFIRMATIONS = [
    (
        re.compile(
            r"([A-Z])\s?[)\]]?\s(?:is|must be|would be)\s"
            r"(?:(?:therefore|thus|clearly|the|most|single|only)\s)*(?:correct|right|best|answer)\b"
        ),
        re.compile(
            r"(?:\b(?:option|choice|only|(?:hence|thus|therefore|so),?)\s[(\[]?|(?:^|[.!?:;]\s)[(\[]?|[(\[])$",
            re.IGNORECASE,
        ),
    ),
    (
        re.compile(
            r"([A-Z])\s?[)\]]?\s?(?:选项|项)?\s?(?:才)?(?:是|为)?\s?(?:对的|对(?=[,.。;]|$)|正确|最佳|最合适)"
        ),
        re.compile(r"(?:(?:选项|选|[^A-Za-z、和与及或,\s()\[\]]\s?|^)[(\[]?)$"),
    ),
]
_CONTEXT = 15


def find_affirmations(line: str) -> Iterator[tuple[str, str]]:
    """Yield each capital letter that is called right in a plain line with single blanks, and the words that do it."""
    for affirmation, context in _AFFIRMATIONS:
        for match in affirmation.finditer(line):
            before = context.search(line[max(0, match.start() - _CONTEXT) : match.start()])
            if before:
                yield match.group(1), before.group() + match.group()
