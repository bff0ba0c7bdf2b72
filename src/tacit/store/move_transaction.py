"""A write that moves all records of a scope into another one: in place, attested anew, without new versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tacit.model.event import SCOPE_MOVED, SCOPES, NewEvent, RecordChange
from tacit.model.record import Record, attestation, replace
from tacit.store.rows import RECORD_COLUMNS, record_row, row_record
from tacit.store.writer import SqlTransaction

_RECORDS = f"SELECT {RECORD_COLUMNS}, n FROM records WHERE tenant = ? AND scope = ? ORDER BY n"
_PLACE = "UPDATE records SET scope = ?, hash = ? WHERE n = ?"
_VECTORS = "UPDATE vectors SET scope = ?, stamp = ? WHERE tenant = ? AND scope = ?"
_LINKS = "UPDATE links SET scope = ? WHERE tenant = ? AND scope = ?"
# A link that stands in the target already would be there twice.
_SAME_LINKS = """DELETE FROM links WHERE tenant = ? AND scope = ? AND EXISTS (SELECT 1 FROM links AS other
    WHERE other.tenant = links.tenant AND other.source = links.source AND other.relation = links.relation
    AND other.target = links.target AND other.since = links.since AND other.scope = ?)"""


class MoveTransaction(SqlTransaction):
    """A write that can also move scopes."""

    def move(self, pairs: Sequence[tuple[str, str]], details: Mapping[str, Any]) -> int:
        """Move the records, links and vectors of each source into its target, and return how many records moved.

        Versions, times and authors stay as they are. The event of the move attests each record in its new place, and
        says what the log had attested before, so that `verify` sees a record that was changed before it moved.
        """
        was: dict[str, str] = {}
        for source, target in pairs:
            self._scope_number(source)
            self._scope_number(target)
            was |= self._move_records(source, target)
            self._run(_VECTORS, (target, self._first, self.tenant, source))
            for scope in (source, target):
                self._bump(scope)
            self._run(_SAME_LINKS, (self.tenant, source, target))
            self._run(_LINKS, (target, self.tenant, source))
        moved = {**details, "scopes": [list(pair) for pair in pairs], "records": len(was), "was": was}
        self.append(NewEvent(type=SCOPE_MOVED, subject=SCOPES, payload=moved))
        return len(was)

    def _move_records(self, source: str, target: str) -> dict[str, str]:
        """Write the records of a scope into another one, and return what the log attests of each until now."""
        was: dict[str, str] = {}
        places: list[tuple[str, str, int]] = []
        fresh: list[tuple[Record, int]] = []
        for row in self._all(f"{_RECORDS} {self.HELD}", (self.tenant, source)):
            record, number = row_record(row), int(row[20])
            moved = replace(record, scope=target)
            placed, digest = record_row(moved)
            was[record.id] = attestation(row[19], row[10].encode())
            places.append((target, digest, number))
            fresh.append((moved, number))
            self._unindex(record, number)
            self._written[record.id] = moved
            change = RecordChange(record.id, record.version, record.version, attestation(digest, placed[10].encode()))
            self._effects.append(change)
        self._run_many(_PLACE, places)
        self._index(fresh)
        return was
