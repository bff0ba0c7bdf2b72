"""What only a person may do with a home: restore, migrate, pause."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from tacit.app.config import Settings
from tacit.errors import PersonNeeded
from tacit.files.off_switch import pause, resume
from tacit.model.report import Progress

if TYPE_CHECKING:
    from tacit.app.open import Caller
    from tacit.model.results import Migrated


def restore_backup(settings: Settings, caller: Caller, source: Path, store: str | Path | None = None) -> Path | None:
    """Replace a store by a backup, and return where the old store is kept. Only a person may do this."""
    from tacit.app.copy_store import restore_store

    person_only(caller, "restore a backup")
    return restore_store(settings, source, store, caller.clock.now())


def migrate_store(
    settings: Settings, caller: Caller, source: str, target: str, *, dry_run: bool = False,
    progress: Progress | None = None,
) -> Migrated:  # fmt: skip
    """Copy a store into another, empty one.

    The source is not changed. Only a person may do this, except as a dry run.
    """
    from tacit.app.copy_store import copy_store

    if not dry_run:
        person_only(caller, "migrate a store")
    return copy_store(settings, source, target, dry_run=dry_run, progress=progress)


def pause_all(settings: Settings, caller: Caller, span: timedelta) -> datetime:
    """Switch everything off for some time, and return when the pause ends. Only a person may pause."""
    person_only(caller, "pause tacit")
    until = caller.clock.now() + span
    pause(settings.home, until)
    return until


def resume_all(settings: Settings, caller: Caller) -> None:
    """Switch everything on again. Only a person may do this."""
    person_only(caller, "end a pause")
    resume(settings.home)


def person_only(caller: Caller, to: str) -> None:
    """Raise an error unless a person is calling."""
    if caller.origin.actor != "user":
        raise PersonNeeded(f"only a person may {to}", "run it yourself in a terminal, outside the agent")
