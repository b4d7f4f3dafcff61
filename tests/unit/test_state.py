"""Whose state a folder holds: only an unfinished job with the same settings and inputs resumes there."""

import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.files import exclusive
from workflow_scripts.settings.training import SamplingSpec
from workflow_scripts.state import claim, finish


def settings(**changes):
    plain = {
        "n_samples": 2,
        "temperature": 1.0,
        "top_p": 1.0,
        "max_new_tokens": 8,
        "seed": 0,
        "backend": "transformers",
        "max_rows": 512,
        "max_prompt_tokens": 64,
    }
    return SamplingSpec(**{**plain, **changes})


@pytest.fixture
def left(tmp_path):
    """A state folder with something in it, and the input of its job."""
    source = tmp_path / "questions"
    source.write_text("as they were")
    state = tmp_path / "state"
    state.mkdir()
    claim(state, settings(), {"questions": source, "prm": None})
    (state / "checkpoint-2").mkdir()
    (state / "checkpoint-2" / "weights").write_text("half trained")
    (state / "metrics.jsonl").write_text("{}")
    return state, source


def test_an_unfinished_job_with_the_same_settings_and_inputs_resumes(left):
    state, source = left
    claim(state, settings(), {"questions": source, "prm": None})
    assert (state / "checkpoint-2" / "weights").exists()


def test_a_memory_knob_may_change(left):
    state, source = left
    claim(state, settings(max_rows=8), {"questions": source})
    assert (state / "checkpoint-2").exists()


def test_other_settings_are_refused_and_nothing_is_removed(left):
    state, source = left
    with pytest.raises(UserError, match="other settings"):
        claim(state, settings(seed=1), {"questions": source})
    assert (state / "checkpoint-2").exists()


def test_changed_inputs_start_afresh(left):
    state, source = left
    source.write_text("corrected")
    claim(state, settings(), {"questions": source})
    assert sorted(path.name for path in state.iterdir()) == ["owner.json"]


def test_a_finished_job_is_never_resumed(left):
    state, source = left
    finish(state)
    assert (state / "checkpoint-2").exists()
    claim(state, settings(), {"questions": source})
    assert not (state / "checkpoint-2").exists()


def test_an_input_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UserError, match="--questions: no file"):
        claim(tmp_path, settings(), {"questions": tmp_path / "absent"})


def test_a_state_that_is_a_file_is_named(tmp_path):
    (tmp_path / "state").write_text("")
    with pytest.raises(UserError, match="cannot write into the folder"), exclusive(tmp_path / "state"):
        pass
