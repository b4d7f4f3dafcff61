"""What a LaTeX answer is worth: math-verify's parser, and the one text of each value.

math-verify compares two parsed answers, and its comparison is neither symmetric nor transitive (its documentation says
so), so it cannot count votes. Here each answer gets a normal form of its own instead. An expression with variables is
known by its values at three fixed points; two different ones agree there only by an accident of one in 10^20.

Runs in worker processes (workers.py): parsing may take long, or all the memory there is.
"""

from __future__ import annotations

import hashlib
import re
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import sympy
from latex2sympy2_extended import NormalizationConfig
from latex2sympy2_extended.logic import And as ChainedRelations
from math_verify import LatexExtractionConfig, parse
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.logic.boolalg import BooleanFunction

from workflow_scripts.answers.number import number_text

_CONFIG = [
    LatexExtractionConfig(
        normalization_config=NormalizationConfig(
            malformed_operators=True, nits=True, units=False, boxed="none"
        )
    )
]
"""cleaning.py has dropped the units already; the parser's own rule takes the m of `3m` for metres."""
_DIGITS = 30
_SHOWN = 8
_LARGEST_POWER_BITS = 100_000
_STEPS = (sympy.floor, sympy.ceiling, sympy.Mod, sympy.Piecewise, sympy.Max, sympy.Min)


def value_text(latex: str) -> str | None:
    """Return the normal form of `latex` (no dollar signs around it); None if it has no value that can be parsed."""
    for word, combine in ((r"\lor", sympy.Union), (r"\land", sympy.Intersection)):
        if word in latex:
            return _conditions([_parsed(part) for part in latex.split(word)], combine)
    value = _parsed(latex)
    if value is sympy.S.EmptySet and re.search(r"[\[(]", latex):
        return None  # an interval whose ends are in the wrong order
    return None if value is None else text_of(value)


def _parsed(latex: str) -> Any:
    found = parse(
        f"${latex}$",
        _CONFIG,
        fallback_mode="no_fallback",
        extraction_mode="first_match",
        parsing_timeout=None,
    )
    return None if not found or isinstance(found[0], str) else found[0]


def _conditions(values: list[Any], combine: Any) -> str | None:
    """The form of `x < 1 or x > 2` and the like: the set of numbers that it describes."""
    if any(value is None or not hasattr(value, "as_set") for value in values):
        return None
    if len(set[Any]().union(*(value.free_symbols for value in values))) != 1:
        return _unordered("{", values, "}")
    return text_of(combine(*(value.as_set() for value in values)))


def text_of(value: Any) -> str | None:
    """Return the normal form of a parsed value; None for what is no value (undefined, not a number)."""
    if isinstance(value, sympy.MatrixBase):
        return _joined("[", [_joined("[", list(row), "]") for row in value.tolist()], "]")
    if isinstance(value, sympy.Eq | ChainedRelations | BooleanFunction | Relational):
        return _relation(value)
    if isinstance(value, sympy.FiniteSet):
        return _finite_set(list(value.args))
    if isinstance(value, sympy.Interval):
        left, right = "(" if value.left_open else "[", ")" if value.right_open else "]"
        return _joined(left, [value.start, value.end], right)
    if isinstance(value, sympy.Complement):
        value = sympy.Interval(-sympy.oo, sympy.oo).intersect(value.args[0]) - value.args[1]
    if isinstance(value, sympy.Union):
        return _unordered("", list(value.args), "", " u ")
    if isinstance(value, sympy.Tuple):
        return _joined("(", list(value.args), ")")
    if isinstance(value, sympy.Set):
        return "{}" if value.is_empty else str(value)
    return _expression(value)


# ------------------------------------------------------------------ several values


def _joined(left: str, values: list[Any], right: str) -> str | None:
    texts = [value if isinstance(value, str | None) else text_of(value) for value in values]
    return None if None in texts else left + ",".join(text for text in texts if text) + right


def _unordered(left: str, values: list[Any], right: str, separator: str = ",") -> str | None:
    texts = {text_of(value) for value in values}
    return None if None in texts else left + separator.join(sorted(text for text in texts if text)) + right


def _finite_set(values: list[Any]) -> str | None:
    """A set of values; one value is itself, and assignments to different names are a tuple in the names' order."""
    if not values:
        return "{}"
    if all(isinstance(value, sympy.Eq) and _names(value.lhs) for value in values):
        by_name = {str(value.lhs): value.rhs for value in values}
        if len(by_name) == len(values) > 1:
            return _joined("(", [by_name[name] for name in sorted(by_name)], ")")
        values = [value.rhs for value in values]
    texts = {text_of(value) for value in values}
    if None in texts:
        return None
    return texts.pop() if len(texts) == 1 else "{" + ",".join(sorted(text for text in texts if text)) + "}"


# ------------------------------------------------------------------ relations


def _names(side: Any) -> bool:
    """Is it what an answer is assigned to: a variable, a function, or several variables (`AB`, `(x, y)`)?"""
    if isinstance(side, sympy.Tuple | sympy.Interval):
        return all(isinstance(item, sympy.Symbol) for item in side.args[:2])
    if isinstance(side, sympy.Mul):
        return all(isinstance(item, sympy.Symbol) for item in side.args)
    return isinstance(side, sympy.Symbol | AppliedUndef)


def _relation(value: Any) -> str | None:
    parts = (
        list(getattr(value, "_unsorted_args", value.args)) if not isinstance(value, Relational) else [value]
    )
    if all(isinstance(part, sympy.Eq) for part in parts):
        first, last = parts[0], parts[-1]
        if _names(first.lhs):
            return text_of(last.rhs)
        if len(parts) == 1 and _names(last.rhs):
            return text_of(first.lhs)
        return _equation(first.lhs - last.rhs)
    if len(value.free_symbols) == 1:
        return text_of(value.as_set())
    texts = [_inequality(part) for part in parts]
    return None if None in texts else " and ".join(sorted(text for text in texts if text))


def _equation(difference: Any) -> str | None:
    """`difference = 0`, known up to a constant factor."""
    values = _at_points(difference)
    if values is None:
        return f"{difference}=0".replace(" ", "")
    scale = next((value for value in values if abs(value) > 1e-12), None)
    return None if scale is None else ";".join(_complex_text(value / scale) for value in values) + "=0"


def _inequality(part: Any) -> str | None:
    if not isinstance(part, Relational):
        return None
    less = part if part.rel_op in ("<", "<=", "!=") else part.reversed
    text = _expression(less.lhs - less.rhs)
    return None if text is None else f"{text}{less.rel_op}0"


# ------------------------------------------------------------------ one value


def _expression(value: Any) -> str | None:
    if not isinstance(value, sympy.Expr):
        return None
    # The parser reads i as a variable in `6+9i` and as the imaginary unit in `6 + 9 i`.
    value = value.xreplace({symbol: sympy.I for symbol in value.free_symbols if symbol.name == "i"})
    if isinstance(value, sympy.Symbol):
        return str(value.name).lower()
    if value.free_symbols or value.atoms(AppliedUndef):
        values = _at_points(value)
        if values is None:
            return str(value).replace(" ", "")
        if max(abs(point - values[0]) for point in values) < 1e-12 and abs(values[0].imag) < 1e-12:
            return number_text(Decimal(f"{values[0].real:.12g}"))
        return ";".join(map(_complex_text, values))
    if _evaluates_quickly(value):
        value = value.doit()
    if value.is_Rational:
        return number_text(Fraction(int(value.p), int(value.q)))
    if value.is_Float:
        return number_text(Decimal(str(value)))
    if value in (sympy.oo, -sympy.oo):
        return str(value)
    number = sympy.N(value, _DIGITS, maxn=1000)
    if not number.is_number or number.has(sympy.nan, sympy.zoo):
        return None
    real, imaginary = number.as_real_imag()
    if not (real.is_Number and imaginary.is_Number):
        return str(value).replace(" ", "")
    if imaginary.is_zero or abs(imaginary) < abs(real) * sympy.Float(10) ** -20:
        return number_text(_decimal(real))
    first, second = number_text(_decimal(real)), number_text(_decimal(imaginary))
    return f"{first}{'' if second.startswith('-') else '+'}{second}i"


def _decimal(number: Any) -> Decimal:
    return Decimal(str(sympy.N(number, 25)))


def _evaluates_quickly(value: Any) -> bool:
    """Is no power or factorial in it that would fill the memory with digits?"""
    for power in value.atoms(sympy.Pow):
        if power.exp.is_number and not abs(sympy.N(power.exp, 5)) < _LARGEST_POWER_BITS:
            return False
    return all(
        not call.args[0].is_number or abs(sympy.N(call.args[0], 5)) < 10_000
        for call in value.atoms(sympy.factorial)
    )


@cache
def _point(name: str, number: int) -> Any:
    """Coordinate of a variable, with digits from its name: below one, above one, negative, then larger ones."""
    digest = int.from_bytes(hashlib.sha256(f"{number}:{name}".encode()).digest()[:4])
    share = sympy.Float(digest, 40) / (1 << 32)
    return [0.2 + 0.6 * share, 1 + share, -0.25 - share, *(10 * count + 10 * share for count in range(1, 7))][
        number
    ]


def _at_points(value: Any) -> list[complex] | None:
    """Return the values of an expression at three points (at nine if it has steps); None if it has none there."""
    value = value.replace(lambda part: isinstance(part, AppliedUndef), lambda part: sympy.Symbol(str(part)))
    if not _evaluates_quickly(value):
        return None
    found = []
    for number in range(9 if value.has(*_STEPS) else 3):
        places = {symbol: _point(symbol.name, number) for symbol in value.free_symbols}
        result = value.evalf(_DIGITS, subs=places)
        if not result.is_number or result.has(sympy.nan, sympy.zoo, sympy.oo):
            return None
        found.append(complex(result))
    return found


def _complex_text(value: complex) -> str:
    def shown(part: float) -> str:
        text = f"{part:.{_SHOWN}g}"
        return "0" if abs(part) < 1e-9 else text

    return shown(value.real) if abs(value.imag) < 1e-9 else f"{shown(value.real)}{value.imag:+.{_SHOWN}g}i"
