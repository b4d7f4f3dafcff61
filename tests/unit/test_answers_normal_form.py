"""Normal forms of numbers and LaTeX answers: what is equal, what is not, and that equality is an equivalence."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.answers.cleaning import clean
from workflow_scripts.answers.normal_form import normal_forms
from workflow_scripts.answers.number import number_text
from workflow_scripts.answers.quick_form import quick_form
from workflow_scripts.answers.value import value_text

SHARED = Path(__file__).parents[2].parent / "shared" / "data"


def form(text: str, kind: str = "latex") -> str | None:
    return normal_forms([text], kind)[0].text  # type: ignore[arg-type]


EQUAL = [
    [
        "142",
        "142.0",
        "0142",
        "+142",
        "$142$",
        r"\$142",
        "142.",
        r"142\%",
        "١٤٢",
        "１４２",
        r"142^\circ",
        "142°",
    ],
    [
        "9500",
        "9,500",
        "9{,}500",
        r"9,\!500",
        r"\$9{,}500",
        "$9,500.00",
        "9 500",
        "9500 dollars",
        r"9500\text{ USD}",
    ],
    [
        "1/2",
        r"\frac12",
        r"\frac{1}{2}",
        r"\dfrac{1}{2}",
        "0.5",
        ".5",
        "0.50",
        r"\frac{2}{4}",
        r"x=\frac12",
        "2^{-1}",
    ],
    ["-3/4", r"-\frac{3}{4}", r"\frac{-3}{4}", r"\frac{3}{-4}", "-0.75", "−0.75"],
    ["1/3", "0.333333", "0.3333333333", r"0.\overline{3}", r"\frac{1}{3}"],
    ["2.5", r"2\frac{1}{2}", "2 1/2", r"\frac{5}{2}"],
    [r"\frac{\sqrt{3}}{3}", r"\frac{1}{\sqrt{3}}", r"\sqrt{\frac13}", r"3^{-1/2}"],
    [r"2\sqrt{3}", r"\sqrt{12}", r"2\cdot\sqrt3", "2√3"],
    ["x^2+2x+1", "(x+1)^2", "1+x(x+2)", "f(x)=(x+1)^2", "y = x^2 + 2x + 1"],
    [r"\sin^2 x+\cos^2 x", "1"],
    ["3,5,7", "7, 5, 3", r"\{3,5,7\}", r"3, 5,\text{ and }7", "x=3,5,7", r"3,\ 5,\ 7", "3, 5, 7, 3"],
    ["(3,4)", r"\left( 3, 4 \right)", "(3.0,4)", "x=3, y=4", "(x,y)=(3,4)"],
    ["[2,5)", r"\left[2,5\right)", r"x\in[2,5)", r"2\le x<5"],
    ["(0,12.5)", "0<x<12.5", r"(0,\frac{25}{2})", "12.5 > x > 0"],
    [r"x\ge 2", r"[2,\infty)", r"2 \leq x", r"x \geqslant 2"],
    [r"(-\infty,2)\cup(3,\infty)", r"(3,\infty)\cup(-\infty,2)"],
    ["6+9i", "9i+6", "6 + 9 i"],
    [r"3\pm\sqrt2", r"3-\sqrt{2}, 3+\sqrt{2}"],
    [r"\text{Evelyn}", "Evelyn", "evelyn", r"\textbf{Evelyn}"],
    [r"\text{(C)}", "C", "(C)", r"\mathrm{C}"],
    ["1:00", r"1:00\text{ }"],
    [r"4:30\text{ p.m.}", r"\text{4:30 p.m.}", "4:30 PM"],
    ["x^2+y^2=4", "2x^2+2y^2=8", "4=x^2+y^2"],
    [r"\begin{pmatrix}1\\2\end{pmatrix}", r"\begin{bmatrix} 1 \\ 2 \end{bmatrix}"],
    ["2516_8", "2516_{8}"],
    [r"27\text{ cm}^2", "27 square units", "27 cm", r"27\mbox{ cm}^2"],
    [r"\emptyset", r"\varnothing", r"\{\}"],
    [r"2^{2023}", r"2\cdot 2^{2022}"],
    ["p-q", "p - q", "-q+p"],
    ["ab-c", "-c + ab"],
    [r"1-\frac1e", r"1 - \frac{1}{\mathrm{e}}"],
    [r"(3,\frac{\pi}{2})", r"\bigl(3, \frac\pi2\bigr)", r"\Bigg( 3,\frac \pi 2 \Bigg)"],
    [r"(-\infty,2)\cup(3,\infty)", r"x<2 \text{ or } x>3", "x < 2 or x > 3", r"x>3\text{ or }x<2"],
    ["(0,12.5)", r"x>0 \text{ and } x<12.5", r"\{x \mid 0<x<12.5\}", r"\{x\in\mathbb{R} : 0<x<12.5\}"],
    [r"(-\infty,3)\cup(3,\infty)", r"x \neq 3", r"\mathbb{R}\setminus\{3\}"],
    ["2516_8", "(2516)_8", "2516_{(8)}", r"2516\text{ (base 8)}", r"2516_{\text{base } 8}", "2516 in base 8"],
    [r"\frac{\pi}{2}", "pi/2", r"0.5\pi", r"\frac\pi2"],
    ["70", "The sum is 70.", "It is equal to 70", "the total is **70**", "70 coins, altogether", "70 ✅"],
    ["70", "25+45 = 70", r"7 \times 10 = 70", "$120 - $50 = $70", r"\textbf{(B)}\ 70", "€70", "£70"],
    ["-70", "-$70", r"-\$70"],
    ["2x+k", r"f(x)=2x+k \text{ for any real } k", "f(x) = 2x+k for all x"],
]
DIFFERENT = [
    ["x=1,2,3", "x=2,3,4"],
    ["1:00", "12:00"],
    [r"21, 36, \text{ and } 82", r"19, 46, \text{ and } 82"],
    ["(3,4)", "(4,3)", "{3,4}", "[3,4]", "[3,4)", "34"],
    ["[2,5)", "(2,5]"],
    ["|x|", "x", "-x"],
    [r"2^{2023}", r"2^{2023}-1", r"2^{2023}+1"],
    [r"\lfloor n/2\rfloor+1", r"\lfloor 2n/3\rfloor+1", r"\lceil n/2\rceil+1"],
    ["listen", "silent"],
    ["3m", "3", "3x"],
    ["0.3", "1/3"],
    ["1000000", "1000001"],
    ["2516_8", "2516_7"],
    ["x=1,y=2", "x=2,y=1"],
    ["x^2+y^2=4", "x^2+y^2=5"],
    [r"10^{-7}", r"2\cdot10^{-7}", "0"],
    ["5", "5i"],
    ["2516_8", "2516_{(7)}", "2516"],
    ["1", r"1 \text{ and all odd primes}", "1 or more of them"],
    ["2<x", "2<y, 3<z"],
    ["x<2 or x>3", "x<2 and x>1", "x<2 and y>3"],
    ["4=x^2+y^2", "x^2+y^2"],
    ["listen - silent", "p-q"],
    ["100200300400500600700800", "100200300400500600700801"],
]


@pytest.mark.parametrize("written", EQUAL, ids=lambda texts: texts[0])
def test_ways_to_write_one_answer_have_one_normal_form(written: list[str]) -> None:
    forms = normal_forms(written, "latex")
    assert all(item.understood for item in forms)
    assert {item.text for item in forms} == {forms[0].text}


@pytest.mark.parametrize("written", DIFFERENT, ids=lambda texts: texts[0])
def test_different_answers_have_different_normal_forms(written: list[str]) -> None:
    forms = [item.text for item in normal_forms(written, "latex")]
    assert len(set(forms)) == len(written), forms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("27 miles from the city", "27"),
        ("about 5", "5"),
        ("She has 5 apples", "5"),
        ("72 clips, altogether", "72"),
        ("3.50 dollars", "3.5"),
        ("1e3", "1000"),
    ],
)
def test_a_number_may_stand_among_words_where_the_question_asks_for_one(text: str, expected: str) -> None:
    assert form(text, "number") == expected


@pytest.mark.parametrize("text", ["3 hours 20 minutes", "7 apples and 3 pears", "0.5x", "x/2", "2i"])
def test_a_number_is_not_picked_out_of_what_says_more(text: str) -> None:
    assert form(text, "number") not in ("0.5", "2", "3", "7", "20")


@pytest.mark.parametrize(
    "text",
    [
        r"f(x)=ax+b, where b is an arbitrary integer",
        "3 hours 20 minutes",
        r"\frac{1}{0}",
        r"\frac{1}{",
        r"\langle 1,2",
        "all numbers that are divisible by three and by five as well",
    ],
)
def test_what_cannot_be_parsed_equals_only_itself(text: str) -> None:
    found = normal_forms([text], "latex")[0]
    assert found.text and not found.understood


@pytest.mark.parametrize("text", ["", "   ", "$$", ".", r"\left", "9" * 1001])
def test_nothing_and_whole_texts_have_no_normal_form(text: str) -> None:
    assert form(text) is None


# ------------------------------------------------------------------ numbers


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Fraction(1, 3), "0.333333"),
        (Fraction(10, 3), "3.333333"),
        (Fraction(1, 30), "0.0333333"),
        (Fraction(-1, 10**9), "-0.000000001"),
        (Fraction(1, 1), "1"),
        (Fraction(9999999, 10**7), "1"),
        (Fraction(0), "0"),
    ],
)
def test_numbers_are_rounded_to_six_decimals_or_six_digits(number: Fraction, text: str) -> None:
    assert number_text(number) == text


@given(st.integers(-(10**400), 10**400))
def test_integers_are_exact_at_any_size(number: int) -> None:
    assert number_text(Fraction(number)) != number_text(Fraction(number + 1))
    if abs(number) < 10**60:
        assert number_text(Fraction(number)) == str(number)


@given(st.fractions(max_denominator=10**6))
def test_a_number_is_read_the_same_as_decimal_fraction_and_latex(number: Fraction) -> None:
    sign, n, d = ("-" if number < 0 else ""), abs(number.numerator), number.denominator
    forms = {form(f"{sign}{n}/{d}"), form(rf"{sign}\frac{{{n}}}{{{d}}}"), form(rf"\frac{{{sign}{n}}}{{{d}}}")}
    assert forms == {number_text(number)}


@given(st.fractions(max_denominator=1000))
def test_a_normal_form_is_its_own_normal_form(number: Fraction) -> None:
    text = form(f"{number.numerator}/{number.denominator}")
    assert text is not None
    assert form(text) == text


ATOM = st.one_of(
    st.integers(-50, 50).map(str),
    st.tuples(st.integers(1, 9), st.integers(1, 9)).map(lambda p: rf"\frac{{{p[0]}}}{{{p[1]}}}"),
    st.integers(2, 20).map(lambda n: rf"\sqrt{{{n}}}"),
    st.sampled_from(["x", "y", r"\pi", "2x", "x+1", "x^2", r"\text{north}"]),
)
ANSWER = st.one_of(
    ATOM,
    st.lists(ATOM, min_size=2, max_size=3).map(",".join),
    st.lists(ATOM, min_size=2, max_size=3).map(lambda items: f"({','.join(items)})"),
    st.text(max_size=12),
)


@pytest.mark.slow
@given(st.lists(ANSWER, min_size=3, max_size=3))
def test_equality_does_not_depend_on_company_or_order(answers: list[str]) -> None:
    """Each text has one normal form whatever else is read with it: equal texts make equality an equivalence."""
    together = normal_forms(answers, "latex")
    backwards = normal_forms(answers[::-1], "latex")[::-1]
    alone = [normal_forms([answer], "latex")[0] for answer in answers]
    assert together == backwards == alone


# ------------------------------------------------------------------ quick and parsed forms


@pytest.mark.parametrize(
    "text",
    [
        "5", "-0.25", r"\frac{-3}{6}", r"5\sqrt{4}", r"-3\sqrt{12}", r"\sqrt2", r"2\pi", "1-i", "1+1.5i",
        "(1,2,2)", r"(1.5,\frac{1}{2})", "(2,1)", "[1,2]", "(1,2]", r"\{3,3\}", "3,3", "2,1", "2+0i", "5+i",
    ],
)  # fmt: skip
def test_a_quick_form_is_the_form_of_the_parsed_value(text: str) -> None:
    cleaned = clean(text)
    quick = quick_form(cleaned, "latex")
    assert quick is None or quick.text == value_text(cleaned)


def math_answers() -> list[str]:
    path = SHARED / "math500" / "math500_test.jsonl"
    if not path.is_file():
        pytest.skip(f"no {path.name} beside the repository")
    return [json.loads(line)["answer"] for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.slow
def test_every_gold_answer_of_math_500_has_a_value_and_quick_forms_agree_with_the_parser() -> None:
    answers = math_answers()
    assert len(answers) == 500
    assert all(item.understood for item in normal_forms(answers, "latex"))
    based = []
    for text in map(clean, answers):
        quick = quick_form(text, "latex")
        if quick is not None and quick.text != value_text(text):
            based.append(text)
    assert all("_" in text for text in based)  # the parser drops the base of a number
    assert len(based) == 6
