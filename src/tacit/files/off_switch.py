"""The off switches of a person: a pause with an end, and a file per project."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from tacit.files.atomic import write_atomic
from tacit.files.plain_file import read_plain
from tacit.model.timestamps import moment, stamp

_MOST_BYTES = 10_000


def off_reason(home: Path, project: str, now: datetime) -> str:
    """Return why tacit is off; empty if it is on."""
    until = paused_until(home)
    if until and now < until:
        return f"paused until {until:%Y-%m-%d %H:%M} UTC"
    if project and project_switch(home, project).exists():
        return "switched off for this project"
    return ""


@lru_cache(64)  # asked before every write
def project_switch(home: Path, project: str) -> Path:
    """Return the file that switches a project off if it exists: `off/<project id>`, with its slashes."""
    parts = project.strip("/").split("/")
    if any(part in ("", ".", "..") or len(part.encode()) > 200 for part in parts):
        # No file can have such a name, or it would be somewhere else.
        return home / "off" / hashlib.sha256(project.encode()).hexdigest()[:32]
    return home.joinpath("off", *parts)


def paused_until(home: Path) -> datetime | None:
    """Return the end of the pause, if there is one. An unreadable file means an endless pause: if in doubt, off."""
    try:
        return moment(json.loads(read_plain(_pause_file(home), _MOST_BYTES))["until"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return moment("9999-01-01T00:00:00.000000Z")


def pause(home: Path, until: datetime) -> None:
    """Pause until a time."""
    write_atomic(_pause_file(home), json.dumps({"until": stamp(until)}).encode())


def resume(home: Path) -> None:
    """End the pause."""
    _pause_file(home).unlink(missing_ok=True)


@lru_cache(64)
def _pause_file(home: Path) -> Path:
    return home / "pause.json"
