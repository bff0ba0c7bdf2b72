"""A process of our own that goes on when whoever started it is gone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def start_detached(words: list[str], log: Path) -> subprocess.Popen[bytes]:
    """Start `tacit` with some words in a session of its own; what it says beside its answers goes to a file."""
    log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with log.open("wb") as said:
        log.chmod(0o600)
        return subprocess.Popen(
            [sys.executable, "-m", "tacit", *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said,
            start_new_session=True, cwd="/",
        )  # fmt: skip
