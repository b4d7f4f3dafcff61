"""The forms in which responses state an option, or none: one table, read with the product's one reader."""

from __future__ import annotations

import string
import timeit

import pytest

from workflow_scripts.answers.choice import SEARCHED, read_choice
from workflow_scripts.answers.found import Reading
from workflow_scripts.questions.schema import UnlabelledQuestion
from workflow_scripts.settings.question_sets import ChoiceRule

DRUGS = {"A": "Aspirin", "B": "Bisoprolol", "C": "Codeine", "D": "Digoxin"}
TEN = {letter: f"Site number {n}" for n, letter in enumerate(string.ascii_uppercase[:10], start=1)}
CELLS = {"A": "T cells", "B": "Plasma cells", "C": "B cells", "D": "Mast cells"}
LAST = {"A": "Measles", "B": "Mumps", "C": "Rubella", "D": "None of the above", "E": "All of the above"}
NUMBERS = {"A": "3", "B": "30", "C": "300", "D": "3.5"}
SIGNS = {"A": "p^{2} (1-p)", "B": "a.*b", "C": "[x+y]", "D": "\\frac{1}{2}"}
NESTED = {"A": "Iron", "B": "Iron deficiency", "C": "Iron deficiency anemia", "D": "Anemia"}
MICROBES = {"A": "Klebsiella", "B": "Escherichia coli", "C": "Proteus", "D": "Candida", "E": "Serratia"}
CASES: dict[str, list[tuple]] = {
    "box": [
        ("So \\boxed{C}.", "C"),
        ("$\\boxed{C}$", "C"),
        ("\\[\\boxed{\\text{C}}\\]", "C"),
        ("\\boxed{\\textbf{(C)}}", "C"),
        ("\\boxed{\\mathrm{C}}", "C"),
        ("\\boxed{\\mathbf{\\text{C}}}", "C"),
        ("\\boxed{ (C) }", "C"),
        ("\\boxed {C}", "C"),
        ("\\boxed{\n  C\n}", "C"),
        ("\\boxed{c}", "C"),
        ("\\boxed{C.}", "C"),
        ("\\boxed{C) Codeine}", "C"),
        ("\\boxed{C. Codeine}", "C"),
        ("\\boxed{C: A weak opioid}", "C"),
        ("\\boxed{\\text{C: Codeine}}", "C"),
        ("\\boxed{Codeine}", "C"),
        ("\\boxed{\\text{codeine}}", "C"),
        ("\\boxed{Option C}", "C"),
        ("\\boxed{\\text{Option (C)}}", "C"),
        ("\\fbox{C}", "C"),
        ("\\boxed C", "C"),
        ("\\boxed{\uff23}", "C"),
        ("\\\\boxed{C}", "C"),
        ("First \\boxed{B}; after a second look \\boxed{C}.", "C"),
        ("\\boxed{C}. Aspirin (A) would bleed.", "C"),
        ("\\boxed{C}\n\nThe answer is not B, although B is tempting.", "C"),
        ("Dose: \\boxed{17 mg}. The answer is C.", "C"),
        ("\\boxed{J}", "J", TEN),
        ("\\boxed{\\text{I}}", "I", TEN),
        ("\\boxed{3.5}", "D", NUMBERS),
        ("\\boxed{30}", "B", NUMBERS),
        ("\\boxed{\\frac{1}{2}}", "D", SIGNS),
        ("\\boxed{\\underline{C}}", "C"),
        ("\\boxed{\\Large C}", "C"),
        ("\\boxed{J}", None),
        ("\\boxed{B, C}", None),
        ("\\boxed{B and C}", None),
        ("\\boxed{BC}", None),
        ("\\boxed{}", None),
        ("\\boxed{A weak opioid}", None),
        ("\\boxed{17}", None),
        ("\\boxed{C", None),
        ("\\boxed{B} or rather \\boxed{\\text{C", None),
    ],
    "statement": [
        ("The answer is C", "C"),
        ("the answer is c.", "C"),
        ("THE ANSWER IS C!", "C"),
        ("The answer is (C).", "C"),
        ("The answer is [C].", "C"),
        ("The answer is {C}.", "C"),
        ("The answer is: C", "C"),
        ("The answer is:C", "C"),
        ("The answer is option C.", "C"),
        ("The answer is choice (C).", "C"),
        ("The answer is letter C.", "C"),
        ("The answer is therefore C.", "C"),
        ("The answer is, most likely, (C).", "C"),
        ("The answer would be C.", "C"),
        ("The answer should therefore be (C).", "C"),
        ("The answer must be C", "C"),
        ("The answer = C", "C"),
        ("Answer -> C", "C"),
        ("Answer => (C)", "C"),
        ("Answer \u2014 C", "C"),
        ("| Answer | C |", "C"),
        ("Answer (C)", "C"),
        ("Ans: C", "C"),
        ("Ans. (C)", "C"),
        ("Answer: C, because B slows the heart.", "C"),
        ("Answer: C; B slows the heart.", "C"),
        ("Answer: C. B and D slow the heart.", "C"),
        ("Answer: C (B is wrong)", "C"),
        ("The answer is C since it is an opioid.", "C"),
        ("The answer is C because A and B are no opioids.", "C"),
        ("The answer is Codeine.", "C"),
        ("The answer is codeine (C).", "C"),
        ("The answer is Codeine, option C.", "C"),
        ("The answer is (C) Codeine, not (B) Bisoprolol.", "C"),
        ("The correct answer is C) Codeine", "C"),
        ("The right answer: C", "C"),
        ("My answer is C.", "C"),
        ("My final answer is C.", "C"),
        ("Final answer: \\text{(C)}", "C"),
        ("Final answer: $\\mathbf{C}$", "C"),
        ("Final Answer\n\nC\n\nExplanation: it is an opioid.", "C"),
        ("### Answer\nC", "C"),
        ("## Final answer:\n**C**", "C"),
        ("Answer:\n\nC", "C"),
        ("Answer:\n(C) Codeine\n\nThe others are no opioids.", "C"),
        ("**Answer**: **C**", "C"),
        ("**Answer:** (C)", "C"),
        ("***Final answer: C***", "C"),
        ("_Answer: C_", "C"),
        ("Answer: `C`", "C"),
        ("Answer: \u201cC\u201d", "C"),
        ("Answer: 'C'", "C"),
        ("> Answer: C", "C"),
        ("- Answer: C", "C"),
        ("1. Answer: C", "C"),
        ("Answer choice: C", "C"),
        ("Correct option: C", "C"),
        ("The correct option is C.", "C"),
        ("The best choice would be (C).", "C"),
        ("The most appropriate option is C", "C"),
        ("Final output: C", "C"),
        ("Selected option: C", "C"),
        ("My choice is C.", "C"),
        ("I choose C.", "C"),
        ("I would go with option C.", "C"),
        ("We select (C).", "C"),
        ("I'd pick C", "C"),
        ("The drug that fits best is:\n\nC. Codeine", "C"),
        ("The answer is none other than (C).", "C"),
        ("<answer>C</answer>", "C"),
        ("<answer> (C) Codeine </answer>", "C"),
        ("The answer is <b>C</b>.", "C"),
        ("<p>Answer:&nbsp;<strong>C</strong></p>", "C"),
        ("Answer: &quot;C&quot;", "C"),
        ("<|assistant|>The answer is C<|end|>", "C"),
        ("The answer is C.<|im_end|>", "C"),
        ("answer_idx: C", "C"),
        ("answer_key = C", "C"),
        ("The answer is B.\nWait, codeine is the opioid.\nThe answer is C.", "C"),
        ("Answer: B\nAnswer: C", "C"),
        ("The answer was B at first; now the answer is C", "C"),
        ("The answer is C. The answer is not (B).", "C"),
        ("The answer is C. B is incorrect.", "C"),
        ("The answer is C.\n\nNote that A thins the blood and D slows the heart", "C"),
        ("Is the answer B? No. The answer is C.", "C"),
        ("The incorrect answer is B. The answer is C.", "C"),
        ("The answer is C. The wrong answer is B.", "C"),
        ("ANSWER IS C. D IS INCORRECT.", "C"),
        ("A patient in pain needs an opioid. I think so. Answer: C", "C"),
        ("The answer to this question is C.", "C"),
        ("The correct answer among these options is (C) Codeine.", "C"),
        ("The best option for a man who is B negative is (C).", "C"),
        ("The best choice in this case would be option C.", "C"),
        ("The correct answer in this case is not (B).", None),
        ("The answer to this is a question of time.", None),
        ("The best option for a man who is B negative is unclear.", None),
        ("Answer: A", "A"),
        ("The answer is A.", "A"),
        ("The answer is A because it thins the blood.", "A"),
        ("the answer is a because it thins the blood.", "A"),
        ("The answer is c since it is an opioid", "C"),
        ("The single letter answer, given all that, is: C", "C"),
        ("I would go for C.", "C"),
        ("The answer is A: aspirin", "A"),
        ("The answer is A aspirin", "A"),
        ("THE ANSWER IS A BECAUSE IT THINS THE BLOOD.", "A"),
        ("THE ANSWER IS A ASPIRIN", "A"),
        ("The answer is I.", "I", TEN),
        ("Answer: I", "I", TEN),
        ("The answer is (J).", "J", TEN),
        ("The answer is (I) Site number 9", "I", TEN),
        ("The answer is Site number 10.", "J", TEN),
        ("The answer is Site number 1.", "A", TEN),
        ("The answer is F, as G and H are too far.", "F", TEN),
        ("The answer is I think open.", None, TEN),
        ("The answer is B cells.", "C", CELLS),
        ("The answer is B cells, as they make antibodies.", "C", CELLS),
        ("The answer is B cells that make antibodies.", None, CELLS),
        ("The answer is B because plasma cells make them.", "B", CELLS),
        ("The answer is E. coli, as in most of them.", None, MICROBES),
        ("The answer is Escherichia coli (B).", "B", MICROBES),
        ("Answer: None of the above", "D", LAST),
        ("The answer is all of the above.", "E", LAST),
        ("Answer: 30", "B", NUMBERS),
        ("The answer is 3.5", "D", NUMBERS),
        ("The answer is 3.", "A", NUMBERS),
        ("The answer is 300 mg.", None, NUMBERS),
        ("The answer is 3.7.", None, NUMBERS),
        ("The answer is a.*b", "B", SIGNS),
        ("The answer is [x+y].", "C", SIGNS),
        ("The answer is $p^{2} (1-p)$.", "A", SIGNS),
        ("The answer is iron.", "A", NESTED),
        ("The answer is iron deficiency.", "B", NESTED),
        ("The answer is Iron deficiency anemia.", "C", NESTED),
        ("The answer is iron overload.", None, NESTED),
    ],
    "another language": [
        ("Antwort: C", "C"),
        ("Antwort:\n\n**Antwort: C**", "C"),
        ("Antwort: B\n\nNein.\nAntwort: Antwort: C", "C"),
        ("Die richtige Antwort ist C.", "C"),
        ("Die Antwort lautet: (C)", "C"),
        ("R\u00e9ponse : C", "C"),
        ("La respuesta es C.", "C"),
        ("La risposta \u00e8 C.", "C"),
        ("Resposta: C", "C"),
        ("La respuesta correcta es C.", "C"),
        ("Jawaban yang benar adalah C.", "C"),
        ("Jibu: C", "C"),
        ("\u7b54\uff1aC", "C"),
        ("\u6b63\u89e3\u306f C", "C"),
        ("\u0989\u09a4\u09cd\u09a4\u09b0: C", "C"),
        ("\u0909\u0924\u094d\u0924\u0930: C", "C"),
        ("\u0627\u0644\u0625\u062c\u0627\u0628\u0629: C", "C"),
        ("Jawaban: C", "C"),
        ("\uc815\ub2f5: C", "C"),
        ("\uc815\ub2f5\uc740 C", "C"),
        ("\u7b54\u3048\u306f C \u3067\u3059", "C"),
        ("Antwort: B oder C", None),
        ("Respuesta: B y C", None),
        ("Antwort folgt sp\u00e4ter.", None),
        ("Antwort: A weak opioid", None),
        ("Antwort: Z", None),
    ],
    "answer tag": [
        ("<answer>C</answer>", "C"),
        ("<answer>\\boxed{C}</answer> and not \\boxed{B}", "C"),
        ("\\boxed{B} or not?\n<answer>(C) Codeine</answer>", "C"),
        ("<answer>B</answer> no: <answer>C</answer>", "C"),
        ("<answer></answer> The answer is C.", "C"),
        ("The answer is C. <answer>Z</answer>", None),
        ("The answer is C. <answer>\\boxed{B</answer>", None),
    ],
    "json": [
        ('{"answer": "C"}', "C"),
        ('{"answer": ["C"]}', "C"),
        ("{'answer': 'C'}", "C"),
        ('{"answer":"C","confidence":0.9}', "C"),
        ('{"final_answer": "C", "reason": "A and B are no opioids"}', "C"),
        ('{"correct_answer": "C", "incorrect_answers": ["A", "B", "D"]}', "C"),
        ('{"answer": {"letter": "C", "text": "Codeine"}}', "C"),
        ('{"answer_choice": "C", "answer_explanation": "B is no opioid"}', "C"),
        ('{"step_by_step_thinking": "Option B slows the heart.", "answer_choice": "C. Codeine"}', "C"),
        ('{"step_by_step_thinking": "The answer is B?\\n\\nNo.", "answer_choice": "C"}', "C"),
        ('```json\n{\n  "reasoning": "Not B.",\n  "answer": "C"\n}\n```', "C"),
        ('[{"answer": "C"}]', "C"),
        ('{"thinking": "it said \\"B\\"", "answer": "(C) Codeine"', "C"),
        ('{"answer": "Codeine"}', "C"),
        ('{"answer": ["B", "C"]}', None),
        ('{"answer": "B/C"}', None),
        ('{"reason": "The correct answer is B.", "answer_choice": "None of the above"}', None),
        ('{"reason": "The correct answer is B.", "answer_choice": "N/A"}', None),
        ('{"answer": null}', None),
        ('{"answer": 2}', None),
    ],
    "chinese": [
        ("答案:C", "C"),
        ("答案\uff1a\uff23", "C"),
        ("答案是 C。", "C"),
        ("正确答案为选项C", "C"),
        ("正确答案是(C)", "C"),
        ("因此,本题选C。", "C"),
        ("故选C", "C"),
        ("所以应该选择 C", "C"),
        ("正确的是C", "C"),
        ("只有选项C正确。", "C"),
        ("因此C选项是正确的", "C"),
        ("C是正确答案", "C"),
        ("不选A,选C", "C"),
        ("答案是C,不选A", "C"),
        ("【答案】C", "C"),
        ("只有选项(C)是对的。", "C"),
        ("C.可待因", "C"),
        ("候选A不合适", None),
        ("不选A", None),
        ("A、B正确", None),
        ("选A和C", None),
    ],
    "affirmation": [
        ("Only option C is correct, as it is an opioid", "C"),
        ("Hence, C is correct.", "C"),
        ("Thus C is the correct answer here", "C"),
        ("Therefore, option (C) is the best choice for this man.", "C"),
        ("(C) is correct. The others are no opioids.", "C"),
        ("C is the answer.", "C"),
        ("Option A is incorrect. Option C is correct. Option D is not correct.", "C"),
        ("Option B is correct. Option C is correct.", None),
        ("Option C is not correct.", None),
        ("Option C is incorrect.", None),
        ("It is correct that A is a drug", None),
    ],
    "last line": [
        ("C", "C"),
        ("c", "C"),
        ("C.", "C"),
        ("C)", "C"),
        ("(C)", "C"),
        ("(c)", "C"),
        ("[C]", "C"),
        ("**C**", "C"),
        ("**(C)** Codeine", "C"),
        ("**C) Codeine**", "C"),
        ("`C`", "C"),
        ("$C$", "C"),
        ("<b>C</b>", "C"),
        ("Option C", "C"),
        ("option (c)", "C"),
        ("C. Codeine", "C"),
        ("C: Codeine", "C"),
        ("C - Codeine", "C"),
        ("C Codeine", "C"),
        ("c. codeine", "C"),
        ("(c) A weak opioid", "C"),
        ("c. 12", "C"),
        ("Codeine", "C"),
        ("**codeine.**", "C"),
        ("Codeine (C)", "C"),
        ("\uff23", "C"),
        ("# C", "C"),
        ("- C", "C"),
        ("It is an opioid.\n\nC\n\n", "C"),
        ("It is an opioid.\r\nC\r\n", "C"),
        ("\n\n  C  \n", "C"),
        ("\\text{C}", "C"),
        ("J", "J", TEN),
        ("I", "I", TEN),
        ("3", "A", NUMBERS),
        ("[x+y]", "C", SIGNS),
        ("A: Let's think step by step.", None),
        ("A: I think that it thins the blood", None),
        ("A: aspirin", "A"),
        ("E. coli", None, MICROBES),
        ("E. coli is the usual cause of it", None, MICROBES),
        ("J", None),
        ("CD", None),
        ("C, D", None),
        ("C or D", None),
        ("A. Aspirin\nB. Bisoprolol\nC. Codeine\nD. Digoxin", None),
        ("A. Aspirin\nB. Bisoprolol\nC. Codeine\nD. Digoxin\n\nC. Codeine", "C"),
    ],
    "nothing": [
        ("~C", None),
        ("", None),
        (" \n\t\n", None),
        ("A man takes digoxin.", None),
        ("A", "A"),
        ("I", None),
        ("I am not sure.", None),
        ("A and B thin the blood.", None),
        ("Vitamin C and hepatitis B", None),
        ("Cardiology and Dermatology are asked.", None),
        ("None of these drugs fits, so no letter is given.", None),
        ("Several answers are possible. A drug cannot be chosen.", None),
        ("The answer is a weak opioid.", None),
        ("THE ANSWER IS A WEAK OPIOID.", None),
        ("The answer is A weak opioid", None),
        ("The answer is not C.", None),
        ("The answer isn't C.", None),
        ("The answer is not (B) but some other.", None),
        ("The answer is either B or C.", None),
        ("Answer: Both B and C", None),
        ("Answer: B and/or C", None),
        ("Answer: B & C", None),
        ("Answer: B + C", None),
        ("Answer: B, C and D", None),
        ("Answer: (B), (C), and (D)", None),
        ("Answer: options B and C", None),
        ("Answer: BC", None),
        ("Answer: B; C", None),
        ("The answer is neither A nor B.", None),
        ("Answer: None", None),
        ("Answer: E", None),
        ("Answer: unknown", None),
        ("The answer is C?", None),
        ("Is the answer (C)?", None),
        ("The answer is hepatitis B.", None),
        ("The answer is II.", None, TEN),
        ("The answer cannot be determined.", None),
        ("The answers A and B are wrong", None),
        ("The answer choices are A, B, C and D.", None),
        ("The answer is C. On reflection, the answer is none of them.", None),
        ("The answer is C. No: the answer is Z.", None),
        ("What is the best option for this man?", None),
        ("We select patients with care", None),
        ("This: A drug is given", None),
        ("\u0410\u0421", None),
        ("Answer: \u0421", None),
        ("Answer: \u0663", None, NUMBERS),
    ],
    "thinking": [
        ("<think>The answer is B.</think>\nThe answer is C.", "C"),
        ("<think>\\boxed{B}</think>C", "C"),
        ("The answer is B, I guess.</think>\n\nC", "C"),
        ("<think>B?</think>Hm. <think>D?</think>Answer: C", "C"),
        ("<thinking>Answer: B</thinking>Answer: C", "C"),
        ("Answer: C\n<think>or is the answer D", "C"),
        ("<think>\nThe answer is B.", None),
        ("<think>\\boxed{B}", None),
        ("<think>The answer is B.</think>", None),
        ("<thinking>The answer is B.", None),
    ],
}
FORMS = [case for cases in CASES.values() for case in cases]


def read(text: str, options: dict[str, str] = DRUGS) -> Reading:
    return read_choice(
        text, UnlabelledQuestion("q1", "test", "?", options, "choice", {}), ChoiceRule(kind="choice")
    )


@pytest.mark.parametrize("case", FORMS, ids=lambda case: ascii(case[0])[:60])
def test_a_form_is_read_as_its_option_or_as_none(case: tuple) -> None:
    text, expected, *options = case
    assert read(text, *options).answer == expected


@pytest.mark.parametrize("case", [case for case in FORMS if case[1]], ids=lambda case: ascii(case[0])[:60])
def test_what_is_shown_stands_in_the_response_and_is_short(case: tuple) -> None:
    text, _, *options = case
    shown = read(text, *options).extracted
    assert shown
    assert shown in text.replace("\uff23", "C").replace("\uff1a", ":")
    assert len(shown) <= 100


@pytest.mark.parametrize(
    "form", ["{}", "The answer is {}.", "\\boxed{{{}}}", "Answer: ({})", '{{"answer": "{}"}}']
)
@pytest.mark.parametrize("letter", TEN)
def test_all_ten_letters_are_read_where_the_question_has_them(form: str, letter: str) -> None:
    text = form.format(letter)
    assert read(text, TEN).answer == letter
    fewer = {other: name for other, name in TEN.items() if other != letter}
    assert read(text, fewer).answer is None


@pytest.mark.parametrize(
    ("text", "rule", "shown"),
    [
        ("It is \\boxed{C}, I think. Answer: B", "box", "\\boxed{C}"),
        ("It is an opioid. The answer is **C**.", "statement", "The answer is **C**."),
        ("It is an opioid. Only option C is correct", "affirmation", "option C is correct"),
        ("It is an opioid.\n(C) Codeine", "last line", "(C) Codeine"),
        ("The answer is C. Or: the answer is B or C.", "several options", "answer is B or C."),
        ("\\boxed{B, C}", "several options", "\\boxed{B, C}"),
        ("Answer: Z", "no such option", "Answer: Z"),
        ("Answer: none of these", "no such option", "Answer: none of these"),
        ("\\boxed{B} The answer is B. \\boxed{C", "unclosed box", "\\boxed{C"),
        ("<think>The answer is B.", "inside <think>", None),
        ("<think>The answer is B.</think> ", "inside <think>", None),
        ("Hm.\n<think>The answer is B.", "inside <think>", None),
        ("<think>The answer is B.</think>It is open.", "nothing stated", None),
        ("It is an opioid.", "nothing stated", None),
        ("", "nothing stated", None),
    ],
)
def test_the_rule_that_fired_and_its_words_are_told(text: str, rule: str, shown: str | None) -> None:
    reading = read(text)
    assert (reading.rule, reading.answer is None) == (
        rule,
        rule not in ("box", "statement", "affirmation", "last line"),
    )
    assert (reading.extracted or "").endswith(shown or "")
    assert (reading.extracted is None) == (shown is None)


def test_only_the_end_of_a_long_response_is_read() -> None:
    assert read("The answer is C." + " So it is." * 100).answer == "C"
    assert read("The answer is C." + " So it is." * (SEARCHED // 10)).answer is None
    assert read("<think>" + "x" * 2 * SEARCHED + "</think>The answer is C.").answer == "C"


UNITS = [
    *(
        "A",
        "a ",
        "C. ",
        "(A) ",
        "(A) and ",
        "A, ",
        "AB",
        "J",
        "\\",
        "{",
        "}",
        "{}",
        "[",
        "(",
        "*",
        "**A** ",
        "_",
        "$",
    ),
    *(
        "\n",
        "\r",
        "\n\n A",
        " ",
        "\t",
        "\0",
        "\x1b",
        "\ud800",
        "\u0663",
        "\u0301\u0323",
        "\uff21",
        "\u0130",
        "'",
        '"',
    ),
    *(
        "\\boxed{",
        "\\boxed{}",
        "\\boxed{C?}",
        "\\boxed A ",
        "\\text{",
        "\\text{A}",
        "<think>",
        "</think>",
        "<",
        "&",
    ),
    *(
        "answer",
        "answer ",
        "answer is ",
        "Answer: ",
        "the answer is (",
        "answer should ",
        "answer = ",
        "answer is:\n",
    ),
    *(
        "answer is the option ",
        "answer is A or ",
        "answer is not (A) ",
        "answer is Aspirin (",
        "answer is C? ",
        "is:\n",
    ),
    *(
        "answer is none ",
        "answer is AB ",
        "ans. ",
        "I would choose ",
        "correct option is ",
        "option A is ",
        "> ",
        "# ",
    ),
    *(
        "A. x\nB. y\n",
        "so A is the ",
        "not ",
        "the ",
        "\u9009",
        "\u7b54\u6848",
        "A\u662f",
        "aspirin ",
        "(a+)+$ ",
    ),
]


def seconds(text: str) -> float:
    return min(timeit.repeat(lambda: read(text), number=1, repeat=2))


@pytest.mark.parametrize("unit", UNITS, ids=ascii)
def test_time_grows_no_faster_than_the_text(unit: str) -> None:
    # SEARCHED // 8 characters are read in whole, and so are SEARCHED: a quadratic reader would take 64 times as long.
    short, long, longest = (
        seconds(unit * (size // len(unit)) + "\nhm") for size in (SEARCHED // 8, SEARCHED, 50 * SEARCHED)
    )
    assert long < 40 * max(short, 0.0005)
    assert longest < 40 * max(long, 0.0005)


@pytest.mark.parametrize(
    "text",
    [
        "{" * 10_000 + "}" * 10_000,
        "\\boxed{" * 10_000,
        "\\text{" * 10_000 + "A" + "}" * 10_000,
        "\0\x07\ud800\udfff" * 1_000,
        *(unit * 1_000 for unit in UNITS),
    ],
    ids=lambda text: ascii(text[:12]),
)
def test_no_text_stops_the_reader(text: str) -> None:
    assert read(text).answer in {None, *DRUGS}
    assert read(f"{text}</think>\nThe answer is (C).").answer == "C"


def test_a_box_in_deep_braces_and_in_a_long_text_is_read() -> None:
    assert read("{" * 10_000 + "\\boxed{C}" + "}" * 10_000).answer == "C"
    assert read("x" * 1_000_000 + "\\boxed{C}").answer == "C"
