"""DDXPlus: a patient's coded findings, said in words, with a choice among diagnoses."""

from __future__ import annotations

from workflow_scripts.questions.shapes.origin import Converter, Origin


def ddxplus(origin: Origin) -> Converter:
    """Rows of the official release; its `evidences` and `conditions` come as side files."""
    from workflow_scripts.questions.ddxplus import ddxplus_converter

    return ddxplus_converter(
        origin.name,
        origin.built_options("ddxplus"),
        origin.side_file("evidences"),
        origin.side_file("conditions"),
    )
