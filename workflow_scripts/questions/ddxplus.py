"""DDXPlus patients as multiple-choice questions: findings said in words, and a choice among diagnoses.

DDXPlus (Fansi Tchango et al. 2022) publishes coded patients with one true pathology and a differential, and no
questions. This construction is ours; it needs the release's own files of evidences and conditions.

Text. Line by line: sex and age; `Initial complaint:` with the question of INITIAL_EVIDENCE and its answer; the other
findings under `Symptoms:` and `Antecedents:` (`is_antecedent`); and `What is the most likely diagnosis?`. A finding
is its `question_en` and the patient's answer on one line: `Yes` for a binary one (data type B), the English meanings
of its values, joined by commas, for the others (C, M), `4 on a scale from 0 to 10` for numbers. Meanings are printed
as released, except that `Y` and `N` become yes and no, and `(R)` and `(L)` right and left. A value that means `NA` is
left out, and a finding with no other value too; `nowhere`, `No` and 0 are kept. Findings, and the values within one,
come in the order of the evidences file, whatever their order in the row. A follow-up (`code_question` names another
evidence) is indented below the finding it follows, where the patient has that.

Options. The true pathology; the other diagnoses of the differential, the most probable first, the row's order
deciding among equals; where these are fewer than `options.n` - 1, further conditions of the conditions file: sorted
by English name, each with one number of `random.Random(f"{seed}:{id}:distractors").random()`, smallest first. No
condition is kept out for the patient's age or sex. All are printed as `cond-name-eng`, in the order of
`shuffled_options` (questions/options.py).

The French release works with its own two files, because these hold the English texts too; files of both releases
cannot be mixed, their codes differ.
"""

from __future__ import annotations

import ast
import json
import math
import random
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.errors import UserError
from workflow_scripts.questions.ddxplus_release import Evidence, read_conditions, read_evidences, shown
from workflow_scripts.questions.options import shuffled_options
from workflow_scripts.questions.schema import TRUTH, Question
from workflow_scripts.questions.tables import Row
from workflow_scripts.settings.question_sets import BuiltOptions

_MOST_CHARACTERS = 100_000
"""Of a cell that is parsed; the longest of the release has less than 3,000."""
_SEXES = {"F": "Female", "M": "Male"}
_ONE_RELEASE = "Patients, evidences and conditions must be files of one release."


def ddxplus_converter(
    name: str, options: BuiltOptions, evidences: Path, conditions: Path
) -> Callable[[Row], Question]:
    """Return the function that makes a question of one patient.

    Rows have the official fields AGE, SEX, PATHOLOGY, EVIDENCES, INITIAL_EVIDENCE and DIFFERENTIAL_DIAGNOSIS; the
    lists may be JSON, or Python literals as in the released csv files. A question's id is `<name>-<row index>` with
    six digits. Its `meta` holds age, sex, initial evidence and the length of the differential; the differential
    itself, which ranks the options, is under `meta["truth"]`.

    Parameters
    ----------
    options
        `n` options per question, shuffled and filled up by `seed`.
    evidences, conditions
        release_evidences.json and release_conditions.json of the release that the patients come from.

    Raises
    ------
    UserError
        If a file is broken or `options.n` is null or more than there are conditions; from the converter, naming
        the row and the code, if a row is broken.
    """
    known = read_evidences(evidences)
    names = read_conditions(conditions)
    n = options.n
    if n is None:
        raise UserError(f"question set {name}: DDXPlus publishes no options. Set options.n, for example 5.")
    if n > len(names):
        raise UserError(
            f"question set {name}: options.n is {n}, but {conditions} has {len(names)} conditions."
        )

    def convert(row: Row) -> Question:
        identity = f"{name}-{row.index:06d}"
        age, sex = _age(row), _sex(row)
        initial = _text(row, "INITIAL_EVIDENCE")
        truth = _condition(row, "PATHOLOGY", _text(row, "PATHOLOGY"), names)
        differential = _differential(row, names)
        wrong = _distractors(truth, differential, names.values(), n - 1, f"{options.seed}:{identity}")
        letters, answer = shuffled_options([truth, *wrong], truth, options.seed, identity)
        return Question(
            id=identity,
            source=name,
            text=_vignette(row, age, sex, initial, known),
            options=letters,
            answer_kind="choice",
            meta={
                "age": age,
                "sex": sex,
                "initial_evidence": initial,
                "n_differential": len(differential),
                TRUTH: {"differential": [list(pair) for pair in differential.items()]},
            },
            answer=answer,
        )

    return convert


# ------------------------------------------------------------------ the text


def _vignette(row: Row, age: int, sex: str, initial: str, known: Mapping[str, Evidence]) -> str:
    answers = _answers(row, initial, known)
    complaint = initial.partition("_@_")[0]
    if complaint not in answers:
        raise UserError(f"{row.where}: INITIAL_EVIDENCE {shown(initial)} says nothing. Correct the row.")
    years = "less than 1 year" if age == 0 else f"{age} year{'s' if age > 1 else ''}"
    lines = [f"{_SEXES[sex]} patient, {years} old."]
    below = _follow_ups(answers, complaint, known)
    lines += _said(complaint, "Initial complaint: ", answers, below)
    for title, antecedent in (("Symptoms:", False), ("Antecedents:", True)):
        section = [
            line
            for code in below
            if code != complaint and known[code].antecedent is antecedent
            for line in _said(code, "- ", answers, below)
        ]
        lines += [title, *section] if section else []
    return "\n".join([*lines, "What is the most likely diagnosis?"])


def _said(code: str, mark: str, answers: Mapping[str, str], below: Mapping[str, list[str]]) -> list[str]:
    return [mark + answers[code], *(f"  - {answers[follow_up]}" for follow_up in below[code])]


def _follow_ups(
    answers: Mapping[str, str], complaint: str, known: Mapping[str, Evidence]
) -> dict[str, list[str]]:
    """Return each finding that stands by itself, with the follow-ups to put below it, in the order of the file."""

    def stands_alone(code: str) -> bool:
        first = known[code].follows
        return code == complaint or first == code or first not in answers or known[first].follows != first

    below: dict[str, list[str]] = {code: [] for code in answers if stands_alone(code)}
    for code in answers:
        if code not in below:
            below[known[code].follows].append(code)
    return below


def _answers(row: Row, initial: str, known: Mapping[str, Evidence]) -> dict[str, str]:
    """Return code to question and answer as one sentence each, in the order of the evidences file."""
    values: dict[str, set[str]] = {}
    bare: set[str] = set()
    for item in [*_list(row, "EVIDENCES"), initial]:
        code, separator, value = str(item).strip().partition("_@_")
        if code not in known:
            raise UserError(f"{row.where}: unknown evidence {shown(item)}. {_ONE_RELEASE}")
        if not separator:
            bare.add(code)
        elif value in known[code].answers:
            values.setdefault(code, set()).add(value)
        else:
            raise UserError(f"{row.where}: unknown value in evidence {shown(item)}. {_ONE_RELEASE}")
    for code in bare - values.keys():
        if known[code].answers:
            raise UserError(f"{row.where}: evidence {shown(code)} needs a value. Correct the row.")
    said: dict[str, str] = {}
    for code, evidence in known.items():
        if code in bare and not evidence.answers:
            said[code] = f"{evidence.question} Yes."
        elif code in values:
            given = [text for value, text in evidence.answers.items() if value in values[code] and text]
            if given:
                answer = ", ".join(given)
                said[code] = f"{evidence.question} {answer[0].upper()}{answer[1:]}."
    return said


# ------------------------------------------------------------------ the options


def _distractors(
    truth: str, differential: Mapping[str, float], names: Iterable[str], n: int, seed: str
) -> list[str]:
    wrong = [name for name in differential if name != truth][:n]
    generator = random.Random(f"{seed}:distractors")
    rest = sorted(
        (generator.random(), name) for name in sorted(names) if name != truth and name not in differential
    )
    return [*wrong, *(name for _, name in rest)][:n]


def _differential(row: Row, names: Mapping[str, str]) -> dict[str, float]:
    """Return English name to probability, the most probable first."""
    probabilities: dict[str, float] = {}
    for pair in _list(row, "DIFFERENTIAL_DIAGNOSIS"):
        try:
            code, number = pair
            probability = float(number)
        except (TypeError, ValueError):
            probability = math.nan
        if not math.isfinite(probability):
            raise UserError(
                f"{row.where}: DIFFERENTIAL_DIAGNOSIS needs pairs of a condition and a probability, "
                f"not {shown(pair)}."
            )
        probabilities.setdefault(_condition(row, "DIFFERENTIAL_DIAGNOSIS", code, names), probability)
    return dict(sorted(probabilities.items(), key=lambda pair: -pair[1]))


def _condition(row: Row, field: str, code: Any, names: Mapping[str, str]) -> str:
    name = names.get(str(code).strip())
    if name is None:
        raise UserError(f"{row.where}: unknown condition {shown(code)} in {field}. {_ONE_RELEASE}")
    return name


# ------------------------------------------------------------------ fields of a row


def _age(row: Row) -> int:
    try:
        age = float(row.values["AGE"])
    except (KeyError, TypeError, ValueError):
        age = math.nan
    if not (0 <= age <= 150 and age == int(age)):
        raise UserError(f"{row.where}: AGE {shown(row.values.get('AGE'))} is no age in whole years.")
    return int(age)


def _sex(row: Row) -> str:
    sex = _text(row, "SEX")
    if sex not in _SEXES:
        raise UserError(f"{row.where}: SEX {shown(sex)} is neither M nor F.")
    return sex


def _text(row: Row, field: str) -> str:
    value = row.values.get(field)
    if not isinstance(value, str) or not value.strip():
        raise UserError(f"{row.where}: the field {field} is missing or no text. Check `columns`.")
    return value.strip()


def _list(row: Row, field: str) -> list[Any]:
    value = row.values.get(field)
    if isinstance(value, str):
        if len(value) > _MOST_CHARACTERS:
            raise UserError(f"{row.where}: {field} is longer than {_MOST_CHARACTERS} characters.")
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            try:
                value = ast.literal_eval(value.strip())
            except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
                value = None
    if not isinstance(value, list):
        raise UserError(f"{row.where}: {field} is no list, neither as JSON nor as a Python literal.")
    return value
