"""Skills, personas and teams of a memory, the manifest for a host's model, and the ledger of tasks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tacit.model.record import Record
from tacit.notes import manifest
from tacit.notes import skills_and_teams as crew
from tacit.notes import task_phases as phases
from tacit.records.connection import Connection

# Inside the classes `list` is a verb.
Records = list[Record]
Entries = list[phases.PhaseEntry]


class KeyedRecords:
    """Those of one kind: skills, personas or teams."""

    def __init__(self, connection: Connection, kind: str) -> None:
        self._c, self._kind = connection, kind

    def create(
        self, name: str, body: str = "", *, key: str = "", status: str = "active", tags: Sequence[str] = (),
        **fields: Any,
    ) -> Record:  # fmt: skip
        """Put one in; one of that key is never overwritten."""
        return crew.create(self._c, self._kind, name, body, key=key, status=status, tags=tags, fields=fields)

    def get(self, id: str) -> Record:
        """Give one by its id or its key."""
        return crew.member(self._c, self._kind, id)

    def list(self, *, statuses: Sequence[str] = ("active",), limit: int = crew.MOST) -> Records:
        """List them, by key."""
        return crew.members(self._c, self._kind, statuses, limit)

    def update(
        self, id: str, *, expected: int | None = None, name: str | None = None, body: str | None = None,
        status: str | None = None, **fields: Any,
    ) -> Record:  # fmt: skip
        """Change one, if it is still the version that was read; what is not given stays."""
        return crew.update(
            self._c, self._kind, id, expected=expected, name=name, body=body, status=status, fields=fields
        )

    def archive(self, id: str) -> Record:
        """Put one aside."""
        return crew.archive(self._c, self._kind, id)

    def delete(self, id: str, *, force: bool = False) -> Record:
        """Take one out of use."""
        return crew.delete(self._c, self._kind, id, force=force)


class Skills(KeyedRecords):
    """The skills of a memory."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection, "skill")

    def active(self, paths: Sequence[str] = (), named: Sequence[str] = ()) -> Records:
        """Give the skills that are up now: always, by the files at hand, or because somebody named them."""
        return crew.active_skills(self._c, paths, named)


class Tasks:
    """The ledger of tasks."""

    def __init__(self, connection: Connection) -> None:
        self._c = connection

    def log_phase(self, task: str, phase: str, note: str = "") -> bool:
        """Log a phase of a task; False when it was logged before."""
        return phases.log_phase(self._c, task, phase, note)

    def ledger(self, task: str) -> Entries:
        """Give the phases of a task, in order."""
        return phases.ledger(self._c, task)


def assemble(connection: Connection, **wanted: Any) -> dict[str, Any]:
    """Assemble the manifest."""
    return manifest.assemble(connection, manifest.ManifestRequest(**wanted))
