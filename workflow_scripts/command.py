"""What every step's command line shares: `--config`, readable errors, plain log lines."""

from __future__ import annotations

import argparse
import gc
import logging
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, TypeVar

from pydantic import ValidationError

from workflow_scripts.errors import UserError
from workflow_scripts.settings.base import Strict

Model = TypeVar("Model", bound=Strict)


def step_parser(description: str | None) -> argparse.ArgumentParser:
    """Return a parser that already knows `--config`."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--config", required=True, help="the step's settings: JSON text, or @file")
    return parser


def read_config(model: type[Model], text: str) -> Model:
    """Validate `text` (JSON, or `@` and a file name) as `model`; raise UserError naming the key."""
    if text.startswith("@"):
        path = Path(text[1:])
        if not path.is_file():
            raise UserError(f"--config: no file {path}. Give JSON text, or @ and an existing file.")
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"--config: cannot read {path} as UTF-8 text ({error}).") from error
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"]) or "(whole)"
        raise UserError(f"--config: {key}: {first['msg']}. Compare with config/schema.json.") from error


def _stop(signal_number: int, _frame: object) -> NoReturn:
    sys.exit(128 + signal_number)


def run(main: Callable[[], None]) -> NoReturn:
    """Run a command: a UserError becomes one line on stderr and exit status 2."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    signal.signal(signal.SIGTERM, _stop)
    gc.set_threshold(100_000)  # importing torch makes a million objects, none of which is garbage
    try:
        main()
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(0)
