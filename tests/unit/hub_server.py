"""A hub of two or three repositories on this machine, which the real client of huggingface_hub talks to."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[2]


def commit(number: int) -> str:
    """A commit of 40 hex digits that a test can name."""
    return f"{number:040x}"


@dataclass
class Repository:
    """Commit -> files of one repository; the last commit is that of `main`."""

    commits: dict[str, dict[str, bytes]]
    gated: bool = False

    def at(self, revision: str) -> tuple[str, dict[str, bytes]] | None:
        found = list(self.commits)[-1] if revision == "main" else revision
        return (found, self.commits[found]) if found in self.commits else None


@dataclass
class Hub:
    """What is served, by `datasets/<id>` or `models/<id>`, and the paths that were asked for."""

    repositories: dict[str, Repository]
    address: str = ""
    asked: list[str] = field(default_factory=list)


def entry(name: str, files: dict[str, bytes]) -> dict[str, object]:
    """What the hub says about one file."""
    oid = hashlib.sha1(files[name]).hexdigest()
    return {"type": "file", "path": name, "size": len(files[name]), "oid": oid}


def listed(files: dict[str, bytes], start: str) -> list[dict[str, object]]:
    """The files and folders that lie directly in the folder `start` ("" or ending in "/")."""
    inside = [name.removeprefix(start) for name in files if name.startswith(start)]
    folders = sorted({name.split("/")[0] for name in inside if "/" in name})
    found: list[dict[str, object]] = [
        {"type": "directory", "path": f"{start}{name}", "oid": commit(0)} for name in folders
    ]
    return found + [entry(f"{start}{name}", files) for name in inside if "/" not in name]


@contextmanager
def serving(repositories: dict[str, Repository]) -> Iterator[Hub]:
    """Serve `repositories` at a free port of this machine."""
    hub = Hub(repositories)

    class Answer(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *arguments: object) -> None:
            pass

        def answer(self, status: int, body: bytes, **headers: str) -> None:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def refuse(self, status: int, code: str) -> None:
            self.answer(status, b"{}", X_Error_Code=code, X_Error_Message=code)

        def do_GET(self) -> None:
            sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            path = unquote(urlsplit(self.path).path).strip("/")
            hub.asked.append(path)
            for key, repository in hub.repositories.items():
                place = key if key.startswith("datasets/") else key.removeprefix("models/")
                if path == f"api/{key}" or path.startswith(f"api/{key}/"):
                    return self.about(key, repository, path.removeprefix(f"api/{key}").strip("/"), sent)
                if path.startswith(f"{place}/resolve/"):
                    return self.file(repository, path.removeprefix(f"{place}/resolve/"))
            return self.refuse(404, "RepoNotFound")

        do_HEAD = do_POST = do_GET  # noqa: N815

        def about(self, key: str, repository: Repository, rest: str, sent: bytes) -> None:
            what, revision, *folder = (*rest.split("/"), "main") if "/" not in rest else rest.split("/")
            if what == "auth-check":
                return self.refuse(403, "GatedRepo") if repository.gated else self.answer(200, b"{}")
            what = what or "revision"
            found = repository.at(revision)
            if what not in ("revision", "tree", "paths-info") or found is None:
                return self.refuse(404, "RevisionNotFound" if found is None else "EntryNotFound")
            sha, files = found
            wanted = unquote(sent.decode())
            answer = {
                "revision": {
                    "id": key.split("/", 1)[1],
                    "sha": sha,
                    "siblings": [{"rfilename": name} for name in files],
                },
                "tree": listed(files, "/".join([*folder, ""]) if folder else ""),
                "paths-info": [entry(name, files) for name in files if f"paths={name}" in wanted],
            }[what]
            self.answer(200, json.dumps(answer).encode(), Content_Type="application/json")

        def file(self, repository: Repository, rest: str) -> None:
            revision, name = rest.split("/", 1)
            found = repository.at(revision)
            if repository.gated:
                return self.refuse(403, "GatedRepo")
            if found is None or name not in found[1]:
                return self.refuse(404, "RevisionNotFound" if found is None else "EntryNotFound")
            sha, files = found
            tag = hashlib.sha1(files[name]).hexdigest()
            content, status, more = files[name], 200, {}
            if part := re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range") or ""):
                start, end = int(part[1]), int(part[2] or len(content) - 1)
                more = {"Content_Range": f"bytes {start}-{end}/{len(content)}"}
                content, status = content[start : end + 1], 206
            self.answer(status, content, ETag=f'"{tag}"', X_Repo_Commit=sha, Accept_Ranges="bytes", **more)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    hub.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()


def hub_environment(address: str, home: Path, **more: str) -> dict[str, str]:
    """The environment of a job whose hub is at `address`, with a cache of its own under `home`."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    own = {"HF_ENDPOINT": address, "HF_HOME": str(home / "cache"), "HF_HUB_DISABLE_TELEMETRY": "1"}
    return {**clean, **own, "PYTHONPATH": str(ROOT), **more}


def with_hub(address: str, home: Path, *command: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run Python with `command` as a job of such an environment."""
    return subprocess.run(
        [sys.executable, *command],
        env=hub_environment(address, home, **more),
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
