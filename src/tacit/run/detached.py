"""A tacit process that continues after its parent has ended."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class StartedProcess(NamedTuple):
    """A process that was started: its id, and whether it has already ended."""

    pid: int
    has_ended: Callable[[], bool]


def start_detached(words: list[str], log: Path, environ: dict[str, str], folder: str = "/") -> StartedProcess:
    """Start a command line with some variables in a folder and a new session; its stderr goes to a file."""
    log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with log.open("wb") as errors:
        log.chmod(0o600)
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
            start_new_session=True, cwd=folder, env=environ,
        )  # fmt: skip
    return StartedProcess(process.pid, lambda: process.poll() is not None)
