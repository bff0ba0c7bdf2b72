"""Known projects: the id that the project in each folder has, and had before, so that a changed remote is noticed."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from tacit.files.atomic import write_atomic
from tacit.files.lock import LockBusy, WriterLock
from tacit.files.plain_file import read_plain
from tacit.model.timestamps import moment, stamp

NAME = "projects.json"
# Later, a folder that holds another project is more likely than one whose remote was renamed.
REMEMBERED_FOR = timedelta(days=30)
_SCHEMA = "tacit.projects/1"
_MOST_BYTES = 10_000_000
_MOST_FORMER = 5
_LOCK_S = 0.5


class KnownProjects:
    """The list in `projects.json`. It serves hints only: what cannot be read or written there is left out."""

    def __init__(self, home: Path) -> None:
        self._path = home / NAME

    def note(self, folder: str, project: str, now: datetime) -> None:
        """Note which project is in a folder, given by the id that the folder itself has."""
        if self._read().get(folder, {}).get("id") == project or not self._path.parent.is_dir():
            return
        lock = WriterLock(self._path)
        try:
            with lock.held(_LOCK_S):
                known = self._read()
                known[folder] = _changed(known.get(folder, {}), folder, project, now)
                write_atomic(self._path, json.dumps({"schema": _SCHEMA, "projects": known}, indent=1).encode())
        except (LockBusy, OSError):
            return  # the next command notes it
        finally:
            lock.close()

    def former(self, folder: str, now: datetime) -> tuple[str, ...]:
        """Return the ids that the project in a folder had a short time ago, newest first."""
        entries = self._read().get(folder, {}).get("before", [])
        return tuple(entry["id"] for entry in entries if _until(entry) >= now - REMEMBERED_FOR)

    def folder(self, project: str) -> str:
        """Return the folder in which a project was seen last; empty if it was not seen here."""
        return next((folder for folder, entry in self._read().items() if entry.get("id") == project), "")

    def folders(self) -> list[Path]:
        """Return the folders of all known projects that still exist."""
        return [folder for name in self._read() if (folder := Path(unquote(name))).is_dir()]

    def _read(self) -> dict[str, dict[str, Any]]:
        try:
            content = json.loads(read_plain(self._path, _MOST_BYTES))
            projects = content["projects"] if content["schema"] == _SCHEMA else {}
            return {str(folder): dict(entry) for folder, entry in projects.items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return {}


def _changed(entry: dict[str, Any], folder: str, project: str, now: datetime) -> dict[str, Any]:
    """Return the entry of a folder whose project has another id now."""
    old = str(entry.get("id", ""))
    # The id by the folder is known without being noted.
    gone = [{"id": old, "until": stamp(now)}] if old and old != folder else []
    before = [one for one in entry.get("before", []) if isinstance(one, dict) and one.get("id") not in (old, project)]
    return {"id": project, "before": [*gone, *before][:_MOST_FORMER]}


def _until(entry: dict[str, Any]) -> datetime:
    return moment(str(entry["until"]))
