"""Countdown: an arithmetic expression that uses each given number exactly once.

The expression is parsed, never run: numbers, `+ - * /`, brackets and a leading minus, in exact fractions.
"""

from __future__ import annotations

import ast
import operator
import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from workflow_scripts.answers.boxes import find_boxes
from workflow_scripts.answers.plain import after_thinking, last_tagged

LONGEST = 200
_SIGNS = str.maketrans(
    {"×": "*", "·": "*", "⋅": "*", "∗": "*", "÷": "/", "−": "-", "–": "-", "（": "(", "）": ")"}
)
_LATEX = [
    (re.compile(r"\\(?:left|right|[bB]igg?[lr]?)(?![A-Za-z])\s*"), ""),
    (re.compile(r"\\(?:[,;:! ]|q?quad(?![A-Za-z]))|\\[()\[\]]|[$`]|\*\*(?=\s*$)|^\s*\*\*"), " "),
    (re.compile(r"\\(?:times|cdot|ast)(?![A-Za-z])"), "*"),
    (re.compile(r"\\div(?![A-Za-z])"), "/"),
    (re.compile(r"\\text\s*\{\s*\}"), " "),
    (re.compile(r"\.\s*$"), ""),
]
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


def find_expression(text: str) -> tuple[str | None, str]:
    """Return the expression in the last `<answer>` tag (or a box in it), else in the last box; and the rule."""
    text = after_thinking(text)
    place = last_tagged(text)
    tagged = None if place is None else text[slice(*place)]
    boxes = find_boxes(text if tagged is None else tagged)
    rule = "box" if tagged is None else "answer tag"
    if boxes:
        content = boxes[-1].content
        return (None, "unclosed box") if content is None else (_arithmetic(content) or None, rule)
    return (None, "nothing stated") if tagged is None else (_arithmetic(tagged) or None, rule)


def _arithmetic(text: str) -> str:
    """The expression with LaTeX signs written as arithmetic."""
    if len(text) > 10 * LONGEST:
        return text.strip()
    text = text.translate(_SIGNS)
    for pattern, replacement in _LATEX:
        text = pattern.sub(replacement, text)
    found = 1
    while found:  # the innermost fractions first
        text, found = _FRACTION.subn(r"((\1)/(\2))", text)
    return " ".join(text.split())


def normal_form(expression: str, numbers: Sequence[int]) -> str | None:
    """Return the value of `expression` as text, an exact fraction, if it uses `numbers` once each.

    One that does not is a readable answer that equals no target: its value, and what is wrong with it. None if the text
    is no arithmetic expression (an equation is none), is longer than 200 characters, or divides by zero.
    """
    if len(expression) > LONGEST or not re.fullmatch(r"[\d+\-*/(). ]+", expression):
        return None
    if not expression.isascii() or "**" in expression or "//" in expression:
        return None
    try:
        tree = ast.parse(expression.strip(), mode="eval").body
        used: list[Fraction] = []
        value = str(_value(tree, used))
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError):
        return None
    return (
        value if Counter(used) == Counter(map(Fraction, numbers)) else f"{value} (not with the given numbers)"
    )


def _value(node: ast.expr, used: list[Fraction]) -> Fraction:
    match node:
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            used.append(Fraction(value))
            return Fraction(value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant() | ast.BinOp() as operand):
            return -_value(operand, used)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(left, used), _value(right, used))
    raise ValueError("not arithmetic")
