"""DDXPlus patients as questions. Patients, evidences and conditions are invented, in the official schema."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workflow_scripts.errors import UserError
from workflow_scripts.questions.ddxplus import ddxplus_converter
from workflow_scripts.questions.schema import Question
from workflow_scripts.questions.tables import Row
from workflow_scripts.settings.question_sets import BuiltOptions

OFFICIAL = Path(__file__).parents[3] / "shared" / "data" / "ddxplus"


def evidence(question: str, **changes: Any) -> dict[str, Any]:
    return {
        "question_fr": "?",
        "question_en": question,
        "is_antecedent": False,
        "default_value": 0,
        "value_meaning": {},
        "possible-values": [],
        "data_type": "B",
        **changes,
    }


def coded(question: str, meanings: dict[str, str], **changes: Any) -> dict[str, Any]:
    return evidence(
        question,
        **{
            "data_type": "M",
            "default_value": next(iter(meanings)),
            "possible-values": list(meanings),
            "value_meaning": {code: {"fr": "?", "en": text} for code, text in meanings.items()},
            **changes,
        },
    )


COLOURS = {"V_1": "NA", "V_3": "blue", "V_2": "pale green"}
EVIDENCES = {
    # As in the release, a follow-up may stand before the question it follows.
    "E_3": coded("Where do the horns grow?", {"V_4": "nowhere", "V_5": "knee(R)", "V_6": "toe (2)(L)"}),
    "E_1": evidence("Do you have horns?"),
    "E_2": coded("What color are the horns?", COLOURS, data_type="C"),
    "E_4": evidence(
        "How loud is the humming?", data_type="C", **{"possible-values": list(range(11))}, code_question="E_9"
    ),
    "E_5": evidence("Do you hum?", is_antecedent=True, code_question="E_99"),
    "E_6": coded("Have you been to the moon?", {"V_7": "N", "V_8": "Y"}, data_type="C", is_antecedent=True),
    "E_7": coded("Characterize your glow:", COLOURS),
    "E_9": evidence("Does it hum?"),
}
for _code, _entry in EVIDENCES.items():
    _entry |= {"name": _code, "code_question": _entry.get("code_question", _code)}
for _code in ("E_2", "E_3"):
    EVIDENCES[_code]["code_question"] = "E_1"
NAMES = ["Moonpox", "Hornitis", "Glow fever", "Humming gout", "Dragon flu", "Tail rash", "Elf ear"]
CONDITIONS = {
    name: {
        "condition_name": name,
        "cond-name-fr": f"{name} (fr)",
        "cond-name-eng": name,
        "icd10-id": "Z00",
        "symptoms": {},
        "antecedents": {},
        "severity": 3,
    }
    for name in NAMES
}
PATIENT = {
    "AGE": 18,
    "DIFFERENTIAL_DIAGNOSIS": [["Glow fever", 0.2], ["Hornitis", 0.5], ["Moonpox", 0.2], ["Elf ear", 0.1]],
    "SEX": "F",
    "PATHOLOGY": "Moonpox",
    "EVIDENCES": ["E_5", "E_3_@_V_6", "E_9", "E_2_@_V_3", "E_1", "E_3_@_V_5", "E_4_@_4", "E_6_@_V_7"],
    "INITIAL_EVIDENCE": "E_9",
}


@pytest.fixture
def release(tmp_path: Path) -> Path:
    (tmp_path / "evidences.json").write_text(json.dumps(EVIDENCES), encoding="utf-8")
    (tmp_path / "conditions.json").write_text(json.dumps(CONDITIONS), encoding="utf-8")
    return tmp_path


def convert(release: Path, n: int | None = 3, seed: int = 0, index: int = 7, **changes: Any) -> Question:
    converter = ddxplus_converter(
        "ddx", BuiltOptions(n=n, seed=seed), release / "evidences.json", release / "conditions.json"
    )
    return converter(Row("p.csv, line 9", index, {**PATIENT, **changes}))


# ------------------------------------------------------------------ the text


def test_a_patient_becomes_a_vignette(release: Path) -> None:
    question = convert(release)
    assert question.text.splitlines() == [
        "Female patient, 18 years old.",
        "Initial complaint: Does it hum? Yes.",
        "  - How loud is the humming? 4 on a scale from 0 to 10.",
        "Symptoms:",
        "- Do you have horns? Yes.",
        "  - Where do the horns grow? Knee (right), toe (2) (left).",
        "  - What color are the horns? Blue.",
        "Antecedents:",
        "- Do you hum? Yes.",
        "- Have you been to the moon? No.",
        "What is the most likely diagnosis?",
    ]
    assert (question.id, question.source, question.answer_kind) == ("ddx-000007", "ddx", "choice")


def test_meta_holds_the_differential_only_where_policies_do_not_look(release: Path) -> None:
    question = convert(release)
    assert question.unlabelled().meta == {
        "age": 18,
        "sex": "F",
        "initial_evidence": "E_9",
        "n_differential": 4,
    }
    assert question.meta["truth"] == {
        "differential": [["Hornitis", 0.5], ["Glow fever", 0.2], ["Moonpox", 0.2], ["Elf ear", 0.1]]
    }


@pytest.mark.parametrize("write", [str, json.dumps])
def test_lists_may_be_python_literals_or_json(release: Path, write: Any) -> None:
    cells = {key: write(PATIENT[key]) for key in ("EVIDENCES", "DIFFERENTIAL_DIAGNOSIS")}
    assert convert(release, **cells, AGE="18") == convert(release)


@given(st.permutations(PATIENT["EVIDENCES"]))
@settings(max_examples=25)
def test_the_order_of_the_findings_in_the_row_does_not_matter(
    tmp_path_factory: pytest.TempPathFactory, findings: list[str]
) -> None:
    path = tmp_path_factory.mktemp("release")
    (path / "evidences.json").write_text(json.dumps(EVIDENCES), encoding="utf-8")
    (path / "conditions.json").write_text(json.dumps(CONDITIONS), encoding="utf-8")
    assert convert(path, EVIDENCES=findings) == convert(path)


def test_values_that_mean_na_are_left_out(release: Path) -> None:
    text = convert(release, EVIDENCES=["E_9", "E_7_@_V_1", "E_1", "E_2_@_V_1", "E_3_@_V_4"]).text
    assert "glow" not in text
    assert "color" not in text
    assert "Where do the horns grow? Nowhere." in text
    assert "glow: Pale green." in convert(release, EVIDENCES=["E_7_@_V_1", "E_7_@_V_2"]).text


def test_a_follow_up_without_its_first_question_stands_alone(release: Path) -> None:
    lines = convert(release, EVIDENCES=["E_2_@_V_3"]).text.splitlines()
    assert lines[2:4] == ["Symptoms:", "- What color are the horns? Blue."]


def test_a_follow_up_can_be_the_complaint(release: Path) -> None:
    lines = convert(release, INITIAL_EVIDENCE="E_3").text.splitlines()
    assert lines[1] == "Initial complaint: Where do the horns grow? Knee (right), toe (2) (left)."
    assert lines[3:6] == [
        "- Do you have horns? Yes.",
        "  - What color are the horns? Blue.",
        "- Does it hum? Yes.",
    ]


def test_the_complaint_is_said_once_and_also_where_the_findings_lack_it(release: Path) -> None:
    assert convert(release).text.count("Does it hum?") == 1
    assert convert(release, EVIDENCES=["E_5"]).text.count("Does it hum?") == 1


@pytest.mark.parametrize(
    ("age", "shown"), [(0, "less than 1 year old"), ("1", "1 year old"), (109.0, "109 years old")]
)
def test_ages_are_said_in_words(release: Path, age: Any, shown: str) -> None:
    question = convert(release, AGE=age, SEX="M")
    assert question.text.splitlines()[0] == f"Male patient, {shown}."
    assert question.meta["age"] == int(age)


# ------------------------------------------------------------------ the options


def test_distractors_come_from_the_differential_by_probability(release: Path) -> None:
    question = convert(release)
    options = question.options or {}
    assert set(options.values()) == {"Moonpox", "Hornitis", "Glow fever"}
    assert options[question.answer] == "Moonpox"


def test_a_short_differential_is_filled_up_by_seeded_draws(release: Path) -> None:
    drawn = Counter()
    for index in range(300):
        options = (
            convert(release, n=5, index=index, DIFFERENTIAL_DIAGNOSIS=[["Moonpox", 1.0]]).options
        ) or {}
        assert len(set(options.values())) == 5
        drawn.update(set(options.values()) - {"Moonpox"})
    # 4 of the 6 others each time: 200 expected, 4 standard deviations are 33.
    assert set(drawn) == set(NAMES) - {"Moonpox"}
    assert all(165 <= count <= 235 for count in drawn.values())


def test_a_pathology_outside_its_differential_is_still_an_option(release: Path) -> None:
    question = convert(release, PATHOLOGY="Tail rash", n=7)
    assert set((question.options or {}).values()) == set(NAMES)
    assert (question.options or {})[question.answer] == "Tail rash"


def test_options_depend_on_seed_and_id(release: Path) -> None:
    assert convert(release).options == convert(release).options
    orders = {tuple((convert(release, seed=seed).options or {}).values()) for seed in range(30)}
    assert len(orders) == 6
    assert len({tuple((convert(release, index=i).options or {}).values()) for i in range(30)}) == 6


def test_the_french_release_gives_english_questions(release: Path, tmp_path: Path) -> None:
    def french(code: str) -> str:
        return code.replace("E_", "signe_").replace("V_", "valeur_")

    text = french(json.dumps(EVIDENCES))
    (tmp_path / "evidences.json").write_text(text, encoding="utf-8")
    conditions = {entry["cond-name-fr"]: entry for entry in CONDITIONS.values()}
    (tmp_path / "conditions.json").write_text(json.dumps(conditions), encoding="utf-8")
    question = convert(
        tmp_path,
        EVIDENCES=[french(code) for code in PATIENT["EVIDENCES"]],
        INITIAL_EVIDENCE="signe_9",
        PATHOLOGY="Moonpox (fr)",
        DIFFERENTIAL_DIAGNOSIS=[[f"{name} (fr)", share] for name, share in PATIENT["DIFFERENTIAL_DIAGNOSIS"]],
    )
    assert "horns? Yes" in question.text
    assert set((question.options or {}).values()) == {"Moonpox", "Hornitis", "Glow fever"}


# ------------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"EVIDENCES": ["E_77"]}, "unknown evidence 'E_77'.*one release"),
        ({"EVIDENCES": ["E_2_@_V_77"]}, "unknown value in evidence 'E_2_@_V_77'"),
        ({"EVIDENCES": ["E_4_@_11"]}, "unknown value in evidence 'E_4_@_11'"),
        ({"EVIDENCES": ["E_1_@_1"]}, "unknown value in evidence 'E_1_@_1'"),
        ({"EVIDENCES": ["E_2"]}, "evidence 'E_2' needs a value"),
        ({"EVIDENCES": "E_1, E_2"}, "EVIDENCES is no list"),
        ({"EVIDENCES": "__import__('os').listdir('.')"}, "EVIDENCES is no list"),
        ({"EVIDENCES": "[" * 50_000}, "EVIDENCES is no list"),
        ({"EVIDENCES": "[" + "'E_1'," * 20_000 + "]"}, "EVIDENCES is longer than 100000"),
        ({"EVIDENCES": None}, "EVIDENCES is no list"),
        ({"INITIAL_EVIDENCE": None}, "INITIAL_EVIDENCE is missing"),
        ({"INITIAL_EVIDENCE": "E_88"}, "unknown evidence 'E_88'"),
        ({"INITIAL_EVIDENCE": "E_7_@_V_1"}, "INITIAL_EVIDENCE 'E_7_@_V_1' says nothing"),
        ({"PATHOLOGY": "Gout"}, "unknown condition 'Gout' in PATHOLOGY"),
        ({"PATHOLOGY": " "}, "PATHOLOGY is missing"),
        ({"DIFFERENTIAL_DIAGNOSIS": [["Gout", 0.4]]}, "unknown condition 'Gout' in DIFFERENTIAL_DIAGNOSIS"),
        ({"DIFFERENTIAL_DIAGNOSIS": ["Moonpox"]}, "needs pairs"),
        ({"DIFFERENTIAL_DIAGNOSIS": "[['Moonpox', 'often']]"}, "needs pairs"),
        ({"DIFFERENTIAL_DIAGNOSIS": '[["Moonpox", NaN]]'}, "needs pairs"),
        ({"AGE": "old"}, "AGE 'old' is no age"),
        ({"AGE": -1}, "AGE '-1' is no age"),
        ({"AGE": float("nan")}, "AGE 'nan' is no age"),
        ({"SEX": "X"}, "SEX 'X' is neither M nor F"),
    ],
)
def test_a_broken_row_is_named(release: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=rf"^p\.csv, line 9: .*{message}"):
        convert(release, **changes)


@pytest.mark.parametrize(
    ("n", "message"),
    [(None, r"Set options\.n, for example 5"), (8, "options.n is 8, but .* has 7 conditions")],
)
def test_the_number_of_options_is_checked(release: Path, n: int | None, message: str) -> None:
    with pytest.raises(UserError, match=message):
        convert(release, n=n)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("evidences.json", "{", "cannot be read as JSON"),
        ("evidences.json", "[]", "need an object"),
        ("evidences.json", '{"E_1": {}}', "evidence 'E_1' is not described"),
        ("evidences.json", json.dumps({"E_1": coded("?", {"V_1": ""})}), "evidence 'E_1' is not described"),
        ("conditions.json", '{"Moonpox": []}', "condition 'Moonpox' is not described"),
        (
            "conditions.json",
            '{"a": {"cond-name-eng": "Moonpox"}, "b": {"cond-name-eng": "Moonpox"}}',
            "two conditions have the same",
        ),
        ("conditions.json", None, "no file .*side_files"),
    ],
)
def test_a_broken_side_file_is_named(release: Path, file: str, content: str | None, message: str) -> None:
    (release / file).unlink()
    if content is not None:
        (release / file).write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match=f"{file}.*{message}" if content else message):
        convert(release)


# ------------------------------------------------------------------ the official files


@pytest.mark.skipif(not OFFICIAL.is_dir(), reason="the shared data slices are not beside this checkout")
def test_every_official_evidence_can_be_said_in_english() -> None:
    described = json.loads((OFFICIAL / "release_evidences.json").read_text(encoding="utf-8"))
    conditions = json.loads((OFFICIAL / "release_conditions.json").read_text(encoding="utf-8"))
    converter = ddxplus_converter(
        "ddx",
        BuiltOptions(n=5, seed=0),
        OFFICIAL / "release_evidences.json",
        OFFICIAL / "release_conditions.json",
    )
    draw = random.Random("invented patients")
    names = list(conditions)
    for index, (code, entry) in enumerate(described.items()):
        tokens = [f"{code}_@_{value}" for value in entry["possible-values"]] or [code]
        for token in tokens:
            meaning = entry["value_meaning"].get(token.partition("_@_")[2], {}).get("en")
            differential = draw.sample(names, 6)
            patient = {
                "AGE": draw.randrange(110),
                "SEX": draw.choice("FM"),
                "PATHOLOGY": draw.choice(names),
                "EVIDENCES": str([token, "E_201"]),
                "INITIAL_EVIDENCE": "E_201",
                "DIFFERENTIAL_DIAGNOSIS": str([[name, 1 / 6] for name in differential]),
            }
            question = converter(Row(token, index, patient))
            assert (entry["question_en"].strip() in question.text) is (meaning != "NA"), token
            assert not re.search(r"[EV]_\d|_@_|\bNA\b|\((?:R|L)\)|: *\.|\? *\.", question.text), token
            assert len(set((question.options or {}).values())) == 5


@pytest.mark.skipif(not OFFICIAL.is_dir(), reason="the shared data slices are not beside this checkout")
def test_the_official_example_is_read_and_the_french_one_refused_with_english_files() -> None:
    converter = ddxplus_converter(
        "ddx",
        BuiltOptions(n=5, seed=0),
        OFFICIAL / "release_evidences.json",
        OFFICIAL / "release_conditions.json",
    )
    english, french = (
        json.loads((OFFICIAL / f"readme_patient_example_{language}.json").read_text(encoding="utf-8"))
        for language in ("en", "fr")
    )
    question = converter(Row("example", 0, english))
    options = question.options or {}
    assert (options[question.answer], question.meta["n_differential"]) == (english["PATHOLOGY"], 8)
    # The four others of highest probability in the README.
    assert set(options.values()) - {"URTI"} == {"Bronchitis", "Pneumonia", "Bronchiectasis", "Tuberculosis"}
    with pytest.raises(UserError, match="must be files of one release"):
        converter(Row("example", 0, french))
