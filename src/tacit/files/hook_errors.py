"""The error log of hooks: failures that must not disturb the agent, one line each, only the newest kept."""

from __future__ import annotations

import contextlib
import json
import os
from datetime import datetime
from pathlib import Path
from typing import Any

from tacit.files.plain_file import read_plain

MOST_BYTES = 200_000
JOURNAL = "hooks.jsonl"
CAPTURED = "cache/captured"


def log_hook_error(path: Path, at: datetime, **fields: Any) -> None:
    """Add a line to the log. A failure to write is ignored. The text must already be redacted."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if path.exists() and path.stat().st_size > MOST_BYTES:
            path.replace(path.with_suffix(".old"))
        line = json.dumps({"at": at.isoformat(), **fields}) + "\n"
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK, 0o600)
        try:
            os.write(handle, line.encode())
        finally:
            os.close(handle)


def last(path: Path) -> dict[str, Any] | None:
    """Return the newest line."""
    return next(reversed(_lines(path)), None)


def count_since(path: Path, at: datetime) -> int:
    """Count the lines since a time."""
    begin = at.isoformat()
    return sum(1 for line in _lines(path) if str(line.get("at", "")) >= begin)


def _lines(path: Path) -> list[dict[str, Any]]:
    """Return every valid line; damaged ones are skipped."""
    found = []
    try:
        lines = read_plain(path, 10 * MOST_BYTES).splitlines()
    except OSError:
        return []
    for line in lines:
        with contextlib.suppress(ValueError, RecursionError):
            value = json.loads(line)
            if isinstance(value, dict):
                found.append(value)
    return found
