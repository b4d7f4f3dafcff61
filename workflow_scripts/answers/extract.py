"""Read the chosen option from a response.

The attempts, in this order; within one, the last statement counts:

1. a box: `\\boxed{C}`;
2. an answer statement: `the answer is (C)`, `Answer: C`, `the answer is: Heparin (C)`, also in Chinese;
3. an option called right: `only option C is correct`;
4. a last line that is nothing but a letter, an option's text, or a letter with its text.

A letter counts only if the question has it; no capital letter is picked from running text. What stands
inside `<think>` is not searched. A statement of several options, or of a letter that the question lacks, is
no answer, and no earlier statement is used in its place.
"""

from __future__ import annotations

from functools import lru_cache

from workflow_scripts.answers.option import UNREADABLE, OptionReader, Statement
from workflow_scripts.answers.plain import after_thinking, plain, unify
from workflow_scripts.answers.statements import AFFIRMATION, ANSWER, find_boxes
from workflow_scripts.questions.schema import UnlabelledQuestion
from workflow_scripts.settings.specs import AnswerRule


def read_answer(text: str, question: UnlabelledQuestion, rule: AnswerRule) -> str | None:
    """Return the normal form of the answer in `text` (the option's letter), or None if there is none.

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
    text = after_thinking(unify(text))
    statement = _boxed(text, reader)
    if statement is None:
        lines = [line for line in plain(text).splitlines() if line.strip()]
        statement = _stated(lines, reader) or _affirmed(lines, question.options) or _last_line(lines, reader)
    return statement.letter if statement is not None else None


@lru_cache(maxsize=4096)
def _reader(options: tuple[tuple[str, str], ...], must_agree: bool) -> OptionReader:
    return OptionReader(dict(options), must_agree)


def _boxed(text: str, reader: OptionReader) -> Statement | None:
    if "\\" not in text:
        return None
    for content in reversed(list(find_boxes(text))):
        statement = reader.whole(plain(content))
        if statement is not None:
            return statement
    return None


def _stated(lines: list[str], reader: OptionReader) -> Statement | None:
    # From the end: the last line with a statement is nearly always the last line.
    for i in reversed(range(len(lines))):
        for match in reversed(list(ANSWER.finditer(lines[i]))):
            said = lines[i][match.end() :]
            if not said.strip(" :=,."):
                said, following = (*lines[i + 1 : i + 3], "", "")[:2]
                if reader.is_labelled(said) and reader.is_labelled(following):
                    continue  # the options are listed here
            statement = reader.statement(said)
            if statement is not None:
                return statement
    return None


def _affirmed(lines: list[str], options: dict[str, str]) -> Statement | None:
    found = (match for line in lines for match in AFFIRMATION.finditer(line))
    letters = {next(filter(None, match.groups())) for match in found} & set(options)
    if not letters:
        return None
    return Statement(letters.pop()) if len(letters) == 1 else UNREADABLE


def _last_line(lines: list[str], reader: OptionReader) -> Statement | None:
    if not lines:
        return None
    label = reader.is_labelled(lines[-1])
    if label is not None:
        earlier = {reader.is_labelled(line) for line in lines[:-1]} - {None}
        # The last line of a list of the options is no answer; a label that comes again after such a list is.
        if earlier and label not in earlier:
            return None
    return reader.whole(lines[-1])
