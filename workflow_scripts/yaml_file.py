"""Read what people write in YAML, where a key that stands twice is a mistake."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from yaml.nodes import MappingNode, ScalarNode

from workflow_scripts.errors import UserError

_MERGE = "tag:yaml.org,2002:merge"


class _EachKeyOnce(yaml.SafeLoader):
    """YAML's own reader takes the last of two equal keys, and says nothing."""

    def compose_mapping_node(self, anchor: Any) -> MappingNode:
        node = super().compose_mapping_node(anchor)
        lines: dict[tuple[str, str], int] = {}
        for key, _ in node.value:
            if isinstance(key, ScalarNode) and key.tag != _MERGE:
                name, line = (key.tag, key.value), key.start_mark.line + 1
                if name in lines:
                    raise UserError(
                        f"line {line}: the key {key.value} stands on line {lines[name]} already. Keep one of them."
                    )
                lines[name] = line
        return node


def read_yaml(path: Path) -> Any:
    """Return what the file says, an empty mapping for an empty file.

    Raises
    ------
    UserError
        In one line: it cannot be read, it is no YAML, or a key stands twice in one mapping.
    """
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=_EachKeyOnce)
    except OSError as error:
        raise UserError(
            f"{path}: cannot be read ({error.strerror}). Run from the repository's folder."
        ) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # e.g. of the date 2024-13-45
        raise UserError(f"{path}: is not YAML: {' '.join(str(error).split())}") from error
    except UserError as error:
        raise UserError(f"{path}: {error}") from error
    return {} if data is None else data
