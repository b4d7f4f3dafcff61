"""Read the chosen option from a response.

The attempts, in this order; within one, the last statement counts:

1. `box`: `\\boxed{C}`;
2. `statement`: `the answer is (C)`, `Answer: C`, `the answer is: Heparin (C)`, also in other languages;
3. `affirmation`: one option called right, `only option C is correct`;
4. `last line`: a last line that is nothing but a letter, an option's text, or a letter with its text.

Where the response marks its answer with `<answer>` tags, they are made inside the last pair first, and outside only if
they find nothing there. A letter counts only if the question has it; no capital letter is picked from running text.
Where none is read, the rule is the reason: `several options` or `no such option` (what was stated is not exactly one
option of the question; no earlier statement is used in its place), `unclosed box` (the last box is cut off, and so is
the response: nothing else in it is used), `inside <think>` (all there is stands inside `<think>`, closed or not, which
is never searched) or `nothing stated`.

Only the last `SEARCHED` characters outside `<think>` are read, and no more than the last 200 statements are tried: a
response of any length and content takes milliseconds.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import islice

from workflow_scripts.answers.boxes import find_boxes
from workflow_scripts.answers.found import Reading
from workflow_scripts.answers.option import SEVERAL, OptionReader, Statement
from workflow_scripts.answers.plain import after_thinking, ends_thinking, last_tagged, plain, unify
from workflow_scripts.answers.statements import find_affirmations, find_statements
from workflow_scripts.questions.schema import UnlabelledQuestion
from workflow_scripts.settings.question_sets import ChoiceRule

SEARCHED = 20_000
_STATED = 1_000  # characters behind `the answer is`, or in a box, in which the option is looked for
_TRIED = 200  # statements, from the last one, that are tried
_EXTRACTED = 100  # characters shown

_NOTHING = "nothing stated"
_LABEL = 20  # characters that are enough to see `(B) ...` at the beginning of a line
_CALLS_RIGHT = ("correct", "right", "best", "answer", "对", "正确", "最佳", "最合适")

Found = tuple[Statement, str]


def read_choice(text: str, question: UnlabelledQuestion, rule: ChoiceRule) -> Reading:
    """Read the answer in `text`; its normal form is the option's letter.

    Parameters
    ----------
    text
        One response, without its prompt.
    question
        The question; its options decide which letters and texts count.
    rule
        `named_option: must_agree` makes a letter that contradicts the option text beside it no answer; so
        does a text that is no option at all (`the answer is: Influenza (C)` without such an option).

    Raises
    ------
    ValueError
        If the question has no options.
    """
    if not question.options:
        raise ValueError(f"question {question.id} has no options: its answer cannot be a choice")
    reader = _reader(tuple(question.options.items()), rule.named_option == "must_agree")
    searched = unify(after_thinking(text)[-SEARCHED:])
    tagged = last_tagged(searched)
    if tagged is not None:
        reading = _read(searched[tagged[0] - len("<answer>") : tagged[1]], reader)
        if reading.rule != _NOTHING:
            return reading
    reading = _read(searched, reader)
    if reading.rule == _NOTHING and "<think" in text and (not searched.strip() or ends_thinking(text)):
        return Reading(None, None, "inside <think>")
    return reading


@lru_cache(maxsize=4096)
def _reader(options: tuple[tuple[str, str], ...], must_agree: bool) -> OptionReader:
    return OptionReader(dict(options), must_agree)


def _read(searched: str, reader: OptionReader) -> Reading:
    boxes = find_boxes(searched) if "box" in searched else []
    if boxes and boxes[-1].content is None:
        return Reading(None, _shown(searched[boxes[-1].start :]), "unclosed box")
    for box in reversed(boxes):
        statement = reader.whole(plain(box.content or "")) if box.end - box.start <= _STATED else None
        if statement is not None:
            return _reading("box", statement, searched[box.start : box.end])
    lines = [line for line in searched.splitlines() if line and not line.isspace()]
    for name, attempt in (("statement", _stated), ("affirmation", _affirmed), ("last line", _last_line)):
        found = attempt(lines, reader)
        if found is not None:
            return _reading(name, *found)
    return Reading(None, None, _NOTHING)


def _reading(rule: str, statement: Statement, words: str) -> Reading:
    return Reading(statement.letter, _shown(words), statement.problem or rule)


def _shown(words: str) -> str:
    return words[:_EXTRACTED].strip()


def _stated(lines: list[str], reader: OptionReader) -> Found | None:
    from_the_end = ((i, match) for i in reversed(range(len(lines))) for match in find_statements(lines[i]))
    for i, match in islice(from_the_end, _TRIED):
        said = plain(lines[i][match.end() : match.end() + _STATED])
        shown = lines[i][_word_before(lines[i], match.start()) :]
        if not said.strip(" :=,."):
            said, following = (*(plain(later[:_STATED]) for later in lines[i + 1 : i + 3]), "", "")[:2]
            if reader.label(said) and reader.label(following):
                continue  # the options are listed here
            shown = lines[i + 1] if said else shown
        statement = reader.statement(said)
        if statement is not None:
            return statement, shown
    return None


def _word_before(line: str, position: int) -> int:
    return max(line.rfind(" ", 0, max(0, position - 1)) + 1, position - 20, 0)


def _affirmed(lines: list[str], reader: OptionReader) -> Found | None:
    found: dict[str, str] = {}
    for line in lines:
        if any(word in line for word in _CALLS_RIGHT):
            for letter, words in find_affirmations(" ".join(plain(line).split())):
                if letter in reader.letters:
                    found[letter] = words.strip()
    if not found:
        return None
    letter, shown = found.popitem()
    return (SEVERAL if found else Statement(letter)), shown


def _last_line(lines: list[str], reader: OptionReader) -> Found | None:
    if not lines or len(lines[-1]) > _STATED:
        return None
    last = plain(lines[-1])
    label = reader.label(last)
    if label is not None:
        earlier = {reader.label(plain(line[:_LABEL])) for line in lines[:-1]} - {None}
        # The last line of a list of the options is no answer; a label that comes again after such a list is.
        if earlier and label not in earlier:
            return None
    statement = reader.whole(last)
    return None if statement is None else (statement, lines[-1])
