"""A model that is broken, or breaks in training, is told in one line, and nothing of it is used or kept."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.unit.test_finetuned_policies import FINETUNING, finetune, finetuned_config, small, start
from tests.unit.test_model_steps import policy_config, pretrained
from workflow_scripts import pretrain_policy
from workflow_scripts.errors import UserError
from workflow_scripts.policies.loading import load_model
from workflow_scripts.policies.pretraining import fit

__all__ = ["small", "start"]

Change = Callable[[dict[str, torch.Tensor]], dict[str, torch.Tensor]]


def weights_changed(change: Change) -> Callable[[Path], None]:
    def break_(folder: Path) -> None:
        file = folder / "model.safetensors"
        save_file(change(load_file(file)), file, metadata={"format": "pt"})

    return break_


def cut(name: str, share: float) -> Callable[[Path], None]:
    def break_(folder: Path) -> None:
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content[: int(share * len(content))])

    return break_


def without_a_layer(weights: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {name: value for name, value in weights.items() if ".layers.0." not in name}


def one_layer_fewer(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    fewer = config["num_hidden_layers"] - 1
    config |= {"num_hidden_layers": fewer, "layer_types": config["layer_types"][:fewer]}
    (folder / "config.json").write_text(json.dumps(config))


BROKEN: list[tuple[Callable[[Path], object], str]] = [
    (cut("model.safetensors", 0.5), "model.safetensors is broken or cut off"),
    (cut("model.safetensors", 0.0), "model.safetensors is broken or cut off"),
    (
        lambda folder: (folder / "model.safetensors").write_bytes(b"\xff" * 4096),
        "model.safetensors is broken",
    ),
    (lambda folder: (folder / "model.safetensors").unlink(), "has no weights"),
    (cut("config.json", 0.5), "config.json is broken or cut off"),
    (cut("tokenizer.json", 0.5), "tokenizer.json is broken or cut off"),
    (lambda folder: (folder / "config.json").unlink(), "has no config.json"),
    (lambda folder: (folder / "config.json").write_text("{}"), "cannot load the model"),
    (lambda folder: (folder / "config.json").write_text("[]"), "cannot load the model"),
    (weights_changed(without_a_layer), "its weights lack model.layers.0."),
    (weights_changed(lambda weights: {"other": torch.zeros(1)}), "its weights lack "),
    (one_layer_fewer, "config.json has no place for model.layers.0."),
    (
        weights_changed(lambda weights: weights | {"value_head.weight": torch.zeros(1)}),
        "config.json has no place for value_head.weight (1 in all), which transformers would leave out",
    ),
    (
        weights_changed(
            lambda weights: {name: value[..., :-1].contiguous() for name, value in weights.items()}
        ),
        "cannot load the model",
    ),
]


@pytest.mark.parametrize(("break_", "words"), BROKEN, ids=range(len(BROKEN)))
def test_a_broken_model_folder_is_told_in_one_line(
    start: Path, tmp_path: Path, break_: Callable[[Path], object], words: str
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(start.parent / "model", folder)
    break_(folder)
    with pytest.raises(UserError) as caught:
        load_model(folder, "float32")
    assert words in str(caught.value)
    assert str(folder) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_whole_model_folder_is_loaded_with_its_own_weights(start: Path) -> None:
    saved = load_file(start.parent / "model/model.safetensors")
    loaded = load_model(start.parent / "model", "float32").state_dict()
    assert all(torch.equal(loaded[name], value) for name, value in saved.items())


def test_a_broken_start_stops_fine_tuning_before_it_begins(start: Path, tmp_path: Path) -> None:
    shutil.copytree(start.parent, tmp_path / "start")
    cut("model.safetensors", 0.5)(tmp_path / "start/model")
    with pytest.raises(UserError, match="broken or cut off"):
        finetune(tmp_path / "start/manifest.json", tmp_path / "out", finetuned_config())
    assert not (tmp_path / "out/model").exists()


def one_weight() -> torch.nn.Module:
    return torch.nn.Linear(1, 1, bias=False)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_training_stops_at_the_first_loss_that_is_not_finite(bad: float) -> None:
    model, seen = one_weight(), []

    def loss(step: int) -> torch.Tensor:
        seen.append(step)
        return model.weight.sum() * (bad if step == 2 else 1.0)

    with pytest.raises(UserError, match=r"drills: the loss is .* at step 3 of 9\. Lower its learning rate"):
        fit(model, loss, steps=9, learning_rate=1e-3, weight_decay=0.0, name="drills")
    assert seen == [0, 1, 2]


def test_weights_that_the_last_step_spoiled_are_refused() -> None:
    model = one_weight()

    def loss(step: int) -> torch.Tensor:
        # sqrt has the slope inf at 0, and clipping to norm 1 makes NaN of it; the loss itself is 0.
        return (model.weight * 0).sqrt().sum() if step == 2 else model.weight.sum()

    with pytest.raises(UserError, match="the weights are not finite after 3 steps"):
        fit(model, loss, steps=3, learning_rate=1e-3, weight_decay=0.0, name="drills")


@pytest.mark.parametrize("rate", [1e30])
def test_a_policy_that_diverges_leaves_nothing_even_where_no_gate_would_close(
    start: Path, tmp_path: Path, rate: float
) -> None:
    source = {
        **pretrained(0.0),
        "pretraining": {**pretrained(0.0)["pretraining"], "corpus_learning_rate": rate},
    }
    with pytest.raises(UserError, match="corpus: "):
        pretrain_policy.main(["--config", policy_config(source), "--out", str(tmp_path / "new")])
    config = json.loads(finetuned_config())
    config["policy"]["source"] = {**FINETUNING, "policy": "tiny", "learning_rate": rate, "corpus_steps": 4}
    with pytest.raises(UserError, match="corpus: "):
        finetune(start, tmp_path / "tuned", json.dumps(config))
    for out in ("new", "tuned"):
        assert not (tmp_path / out / "model").exists()
        assert not (tmp_path / out / "manifest.json").exists()
