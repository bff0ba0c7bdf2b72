"""Which files a session wrote, as hooks report it: their paths only, each once, up to a bound."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated

from tacit.model.event import NewEvent
from tacit.model.kinds import text_digest
from tacit.model.verb import arg
from tacit.records.connection import Connection
from tacit.records.write import retry_lost_write, writing

TOUCHED = "session.file"
MOST_PATHS = 50
"""How many paths of one call count."""
MOST_FILES = 500
"""How many files of one session are kept."""
_PATH_CHARS = 500
_LOOKED_AT = 5_000


@retry_lost_write
def note_files(c: Connection, session: str, cwd: str, paths: Sequence[str]) -> None:
    """Keep which files a session wrote. A file that it wrote before is not kept again."""
    named = dict.fromkeys(c.redact(_short(path, cwd))[:_PATH_CHARS] for path in paths[:MOST_PATHS])
    if not session or not named:
        return
    with writing(c, c.clock.now()) as tx:
        for path in named:
            if not tx.once(f"file:{session}:{text_digest(path)}"):
                continue
            if not _has_room(c, session):
                return
            body = {"path": path}
            tx.append(NewEvent(type=TOUCHED, subject="", scope=str(c.scope), session=session, payload=body))


def files_touched(c: Connection, session: Annotated[str, arg("A session, by the agent's own id.")]) -> list[str]:
    """Return the files that a session wrote, as hooks reported them, in order."""
    found = c.store.events(scopes=[str(c.scope)], types=(TOUCHED,), newest=True, limit=_LOOKED_AT)
    return [str((event.payload or {}).get("path", "")) for event in reversed(found) if event.session == session]


def _has_room(c: Connection, session: str) -> bool:
    return len(files_touched(c, session)) < MOST_FILES


def _short(path: str, cwd: str) -> str:
    """Return a path as the session's folder sees it, if it lies inside."""
    if not cwd or not path.startswith("/"):
        return os.path.normpath(path)
    inside = os.path.relpath(path, cwd)
    return os.path.normpath(path) if inside.startswith("..") else inside
