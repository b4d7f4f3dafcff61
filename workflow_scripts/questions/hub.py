"""Rows and files of a data set of the hub at one commit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from workflow_scripts.errors import UserError
from workflow_scripts.hub_access import access_error, hub_failure
from workflow_scripts.provenance.revisions import is_commit
from workflow_scripts.questions.tables import Rows, StreamedRows, open_rows
from workflow_scripts.settings.question_sets import HubQuestions


def hub_rows(name: str, source: HubQuestions, revision: str) -> Rows:
    """Return the rows of the question set `name` at `revision`, in order.

    With `source.file` that file is downloaded and read as a local one is; else `datasets` loads the split,
    from its cache where that holds this commit.

    Raises
    ------
    UserError
        In one line: the question set, the repository, why it cannot be had and what to do.
    """
    if source.file is not None:
        path = hub_file(source.id, source.file, revision)
        return _renamed(open_rows(path), str(path), f"{source.id}/{source.file}")
    from datasets import load_dataset_builder

    try:
        builder = load_dataset_builder(source.id, source.config, revision=revision)
        # Without an answer from the hub, `datasets` takes whatever commit it has in its cache.
        if is_commit(revision) and builder.hash != revision:
            raise OSError(f"only another commit of it is in the cache: {builder.hash}")
        builder.download_and_prepare()
        data = builder.as_dataset(split=source.split)
    except Exception as error:
        refusal = access_error("datasets", source.id)
        reason = hub_failure(refusal or error, "datasets", source.id)
        raise UserError(
            f"question set {name}: cannot load {source.id} at {revision[:12]}: {reason}"
        ) from error
    return StreamedRows(f"{source.id} ({source.split})", len(data), partial(_walk, data))


def _walk(data: Any) -> Iterator[dict[str, Any]]:
    """Yield the rows of a split as plain values, a batch at a time."""
    for batch in data.with_format("arrow").iter(batch_size=1000):
        yield from batch.to_pylist()


def _renamed(rows: Rows, path: str, shown: str) -> Rows:
    """Name rows by their repository: the path in the cache is long, and of no use in a message."""
    if isinstance(rows, StreamedRows):
        return replace(rows, where=shown)
    return [replace(row, where=row.where.replace(path, shown, 1)) for row in rows]


def hub_side_files(source: HubQuestions, revision: str) -> Mapping[str, Path]:
    """Return the downloaded path of each of `source.side_files` by its name."""
    return {name: hub_file(source.id, file, revision) for name, file in source.side_files.items()}


def hub_file(source_id: str, file: str, revision: str) -> Path:
    """Download one file of a data set into the hub's own cache, once, and return its path there.

    Raises
    ------
    UserError
        In one line: the repository and file, why it cannot be had and what to do.
    """
    from huggingface_hub import hf_hub_download

    try:
        return Path(hf_hub_download(source_id, file, revision=revision, repo_type="dataset"))
    except Exception as error:
        reason = hub_failure(error, "datasets", source_id)
        raise UserError(f"{source_id}/{file} at {revision[:12]}: cannot be downloaded: {reason}") from error
