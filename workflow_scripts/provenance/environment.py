"""Which software and machine a job ran on, found without importing anything heavy."""

from __future__ import annotations

import hashlib
import os
import platform
import socket
import sys
from functools import cache
from importlib import metadata
from typing import Any

from workflow_scripts.provenance.code import REPOSITORY
from workflow_scripts.provenance.document import Environment
from workflow_scripts.provenance.hashing import sha256_file

PACKAGES = (
    "torch",
    "transformers",
    "trl",
    "datasets",
    "vllm",
    "snakemake",
    "numpy",
    "pandas",
    "pyarrow",
    "scipy",
    "matplotlib",
)


@cache
def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _gpus() -> tuple[str | None, list[str]]:
    torch: Any = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "cuda") or not torch.cuda.is_available():
        return None, []
    names = [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
    return torch.version.cuda, names


def environment_state() -> Environment:
    """Return versions, lock files, GPUs (only if torch is imported already), hashed host name, Slurm job."""
    cuda, gpus = _gpus()
    locks = sorted((REPOSITORY / "envs").glob("*.lock")) + sorted((REPOSITORY / "envs").glob("*.txt"))
    return Environment(
        python=platform.python_version(),
        platform=f"{platform.system()} {platform.machine()}",
        packages={package: _version(package) for package in PACKAGES},
        locks={f"envs/{lock.name}": sha256_file(lock) for lock in locks},
        cuda=cuda,
        gpus=gpus,
        host=hashlib.sha256(socket.gethostname().encode()).hexdigest()[:12],
        slurm_job_id=os.environ.get("SLURM_JOB_ID"),
    )
