"""Pin the commit of every data set and model that a scale takes from the hub without naming one.

    python -m workflow_scripts.pin_revisions                                   # of config/mini.yaml
    python -m workflow_scripts.pin_revisions --scale-file config/paper.yaml
    python -m workflow_scripts.pin_revisions --scale-file config/paper.yaml owner/name --renew other/name

The commits are kept in config/revisions.lock.yaml; one that is there stays, unless `--renew` asks for it. Results that
exist keep the commit they were made from: results from a renewed one belong into another results folder.

Rule pin_revision asks for one repository: `--kind datasets --id owner/name --out FILE`.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from workflow_scripts.command import run
from workflow_scripts.errors import UserError
from workflow_scripts.files import exclusive, write_json
from workflow_scripts.hub_access import hub_failure
from workflow_scripts.provenance.record import start_record
from workflow_scripts.provenance.revisions import LOCK, is_commit, read_lock, write_lock
from workflow_scripts.settings.configuration import Configuration
from workflow_scripts.settings.load import load_scale_file
from workflow_scripts.settings.messages import did_you_mean
from workflow_scripts.settings.pins import Kind, PinRevision, needed_pin
from workflow_scripts.settings.plan import resolve

log = logging.getLogger(__name__)

TIMEOUT_SECONDS = 30


def main(argv: list[str] | None = None) -> None:
    """Pin the repositories of a scale, or one of them for a job."""
    arguments = _parser().parse_args(argv)
    one = (arguments.kind, arguments.id, arguments.out)
    if any(one):
        if not all(one) or arguments.ids or arguments.renew:
            raise UserError("--kind, --id and --out belong together, and to nothing else but --lock.")
        _pin_for_a_job(PinRevision(kind=arguments.kind, id=arguments.id), arguments.out, arguments.lock)
        return
    asked = [*arguments.ids, *arguments.renew]
    configuration = load_scale_file(arguments.scale_file, Path.cwd())
    pins = _chosen(configuration, asked) if asked else _used(configuration)
    if not pins:
        log.info("%s takes nothing from the hub without a revision: nothing to pin", arguments.scale_file)
    pin_all(pins, arguments.lock, set(arguments.renew))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m workflow_scripts.pin_revisions",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("ids", nargs="*", metavar="ID", help="only these hub ids (default: all of the scale)")
    parser.add_argument("--scale-file", type=Path, default=Path("config/mini.yaml"))
    parser.add_argument(
        "--renew", action="append", default=[], metavar="ID", help="resolve again; repeatable"
    )
    parser.add_argument("--lock", type=Path, default=LOCK, help="default: config/revisions.lock.yaml")
    parser.add_argument("--kind", choices=get_args(Kind), help="for a job: the kind of repository")
    parser.add_argument("--id", help="for a job: its hub id")
    parser.add_argument("--out", type=Path, help="for a job: the file that gets the commit")
    return parser


def _used(configuration: Configuration) -> list[PinRevision]:
    """What the scale's artefacts and claims take from the hub without a commit."""
    jobs = resolve(configuration).revisions.values()
    return [job.config for job in jobs if isinstance(job.config, PinRevision)]


def _chosen(configuration: Configuration, ids: Sequence[str]) -> list[PinRevision]:
    """What `ids` name among all entries, whether the scale uses them or not."""
    entries = (configuration.questions, configuration.policies, configuration.prms)
    sources = [entry.source for registry in entries for entry in registry.values()]  # type: ignore[attr-defined]
    pins = {pin.key: pin for source in sources if (pin := needed_pin(source))}
    known = {pin.id for pin in pins.values()}
    for word in ids:
        if word not in known:
            raise UserError(
                f"no entry takes {word!r} from the hub without a revision.{did_you_mean(word, known)}"
            )
    return [pin for pin in pins.values() if pin.id in ids]


def pin_all(pins: Sequence[PinRevision], lock: Path, renew: set[str]) -> None:
    """Pin all that can be pinned, one after the other; what was resolved stays if another one fails.

    Raises
    ------
    UserError
        If one cannot be resolved: in one line why, or how many, with a line for each of them before.
    """
    failures: list[UserError] = []
    for pin in pins:
        try:
            pinned(pin, lock, renew=pin.id in renew)
        except UserError as error:
            failures.append(error)
    if len(failures) == 1:
        raise failures[0]
    if failures:
        for failure in failures:
            log.error("%s", failure)
        raise UserError(
            f"{len(failures)} of {len(pins)} repositories could not be pinned: see the lines above."
        )


def pinned(pin: PinRevision, lock: Path, renew: bool = False) -> str:
    """Return the commit that the lock names; where it names none, ask the hub, write it there and say so.

    Raises
    ------
    UserError
        If the hub gives no commit, or the lock cannot be read or written.
    """
    known = read_lock(lock).get(pin.key)
    if known and not renew:
        return known
    # Held while the hub is asked: two jobs must not pin one repository to two commits.
    with exclusive(lock.parent):
        entries = read_lock(lock)
        before = entries.get(pin.key)
        if before and (not renew or before != known):
            return before  # another process was faster
        commit = current_commit(pin)
        if commit != before:
            write_lock(lock, {**entries, pin.key: commit})
    word = "pinned" if before is None else "unchanged" if commit == before else f"pinned anew, was {before}"
    log.info("%s: %s at %s (%s)", pin.key, word, commit, lock.name)
    return commit


def current_commit(pin: PinRevision) -> str:
    """Ask the hub for the newest commit of a repository.

    Raises
    ------
    UserError
        In one line: the repository, why there is no answer, and what to do.
    """
    from huggingface_hub import HfApi

    logging.getLogger("httpx2").setLevel(logging.WARNING)  # it would print every request
    try:
        info = HfApi().repo_info(pin.id, repo_type=pin.kind.removesuffix("s"), timeout=TIMEOUT_SECONDS)
    except Exception as error:
        raise UserError(f"{pin.key}: no commit: {hub_failure(error, pin.kind, pin.id)}") from error
    if not info.sha or not is_commit(info.sha):
        raise UserError(f"{pin.key}: the hub names no commit of it. Write one as `revision` into its entry.")
    return info.sha


def _pin_for_a_job(pin: PinRevision, out: Path, lock: Path) -> None:
    commit = pinned(pin, lock)
    # The commit is part of the record's settings, so that the lineage of all that follows depends on it.
    content = {"id": pin.id, "kind": pin.kind, "revision": commit}
    record = start_record("pin_revisions", content, {})
    write_json(out, content)
    record.finish({"revision": out}, kind="revision")


if __name__ == "__main__":
    run(main)
