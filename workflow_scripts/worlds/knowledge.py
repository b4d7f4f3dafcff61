"""The clinic's knowledge base: sixteen conditions, three signature findings each.

Common teaching knowledge, simplified so that every finding points to exactly one condition. It is a stage
for experiments on learning signals and no source of medical advice.
"""

from __future__ import annotations

SIGNATURES: dict[str, tuple[str, str, str]] = {
    "pneumonia": ("productive cough", "crackles at one lung base", "fever with chills"),
    "asthma": ("expiratory wheeze", "dry cough at night", "chest tightness in cold air"),
    "heart failure": ("ankle swelling", "breathlessness lying flat", "raised neck veins"),
    "angina": ("chest pressure on exertion", "relief by nitrate", "jaw pain on walking"),
    "pulmonary embolism": ("sudden breathlessness", "pain on deep breaths", "one swollen calf"),
    "appendicitis": ("right lower belly pain", "rebound tenderness", "loss of appetite"),
    "gallstones": ("right upper belly pain", "pain after fatty meals", "right shoulder blade pain"),
    "pancreatitis": ("pain boring to the back", "raised lipase", "vomiting after heavy drinking"),
    "peptic ulcer": ("burning stomach pain", "black stools", "relief by antacids"),
    "kidney stones": ("colicky flank pain", "blood in the urine", "pacing from pain"),
    "hypothyroidism": ("cold intolerance", "unexplained weight gain", "slow reflexes"),
    "hyperthyroidism": ("heat intolerance", "fine tremor", "bulging eyes"),
    "diabetes": ("constant thirst", "frequent urination", "slow wound healing"),
    "anaemia": ("pale conjunctivae", "tiredness on mild effort", "spoon-shaped nails"),
    "migraine": ("throbbing one-sided headache", "flashing lights before pain", "relief in dark rooms"),
    "meningitis": ("neck stiffness", "rash that does not blanch", "confusion with fever"),
}

CONDITIONS: tuple[str, ...] = tuple(SIGNATURES)
TRUE_CONDITION: dict[str, str] = {
    finding: condition for condition, findings in SIGNATURES.items() for finding in findings
}
FINDINGS: tuple[str, ...] = tuple(TRUE_CONDITION)

FILLER = "vital signs: recorded"
"""A true step that says nothing about the patient's condition."""

ANSWER = "The answer is"
LETTERS = "ABCDEFGHIJ"
