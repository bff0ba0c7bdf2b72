"""Backup: make a consistent copy of the store, and remember where the copies are."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from tacit.errors import NotFound
from tacit.model.event import NewEvent
from tacit.records.arguments import Progress
from tacit.records.connection import Connection
from tacit.records.write import writing

MADE, FAILED = "backup.made", "backup.failed"


def backup(c: Connection, target: Path, progress: Progress | None = None) -> Path:
    """Copy the store while others use it. The event is written first, so that the copy contains it."""
    c.writable()
    if not c.store.engine()["exists"]:
        raise NotFound(f"{c.store.location} does not exist yet: there is nothing to copy", "`tacit memorize` makes it")
    with writing(c, c.clock.now()) as tx:
        made = tx.append(NewEvent(type=MADE, payload={"path": c.redact(str(target))}))
    try:
        c.store.backup(target, progress)
    except BaseException:
        with writing(c, c.clock.now()) as tx:
            tx.append(NewEvent(type=FAILED, payload={"path": c.redact(str(target)), "event": made}))
        raise
    return target


def backups_made(c: Connection) -> list[tuple[datetime, str]]:
    """Return when and where backups were made, newest first. Failed backups are left out."""
    events = c.store.events(types=(MADE, FAILED), newest=True)
    failed = {(event.payload or {}).get("event") for event in events if event.type == FAILED}
    return [
        (event.at, str((event.payload or {}).get("path", "")))
        for event in events
        if event.type == MADE and event.seq not in failed
    ]
