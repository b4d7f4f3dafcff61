"""Which source files a step is made of: its command line and, transitively, the package modules it imports."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

PACKAGE = "workflow_scripts"


def stage_sources(step: str, root: Path) -> list[str]:
    """Return the files behind `python -m workflow_scripts.<step>`, as paths relative to `root`, sorted.

    Imports inside functions count, and so do texts that name a module of the package (a late import by name).
    """
    found: set[Path] = set()
    waiting = [root / PACKAGE / f"{step}.py"]
    while waiting:
        path = waiting.pop()
        if path in found or not path.is_file():
            continue
        found.add(path)
        waiting.extend(_imported(path, root))
    return sorted(path.relative_to(root).as_posix() for path in found)


@cache
def _imported(path: Path, root: Path) -> tuple[Path, ...]:
    modules: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.Import):
            modules.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules.add(node.module)
            modules.update(f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            modules.add(node.value.rstrip("."))
    files: list[Path] = []
    for module in modules:
        if module.startswith(f"{PACKAGE}.") and module.replace(".", "").isidentifier():
            files.extend(_files(root.joinpath(*module.split("."))))
    return tuple(files)


def _files(place: Path) -> list[Path]:
    """The module's own file and the `__init__` of each package on the way."""
    packages = [parent / "__init__.py" for parent in place.parents if (parent / "__init__.py").is_file()]
    return [*packages, place.with_suffix(".py"), place / "__init__.py"]
