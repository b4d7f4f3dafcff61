"""What the light parts of the pipeline must not load."""

from __future__ import annotations

import subprocess
import sys

MODULES = [
    "workflow_scripts.answers.reading",
    "workflow_scripts.evaluate",
    "workflow_scripts.evaluation.agreement",
    "workflow_scripts.prepare_questions",
]


def test_evaluation_and_questions_load_without_torch_and_the_hub() -> None:
    heavy = "{'torch', 'transformers', 'datasets'}"
    code = f"import sys, {', '.join(MODULES)}; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
