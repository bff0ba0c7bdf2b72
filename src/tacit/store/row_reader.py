"""Reading rows: a row that cannot be read is left out and noted, so that one damaged row does not stop the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from tacit.errors import StoreDamaged
from tacit.model.event import Event
from tacit.model.record import Record
from tacit.ports.damage_log import DamageLog
from tacit.store.filters import marks
from tacit.store.rows import RECORD_COLUMNS, moved_pairs, read_record, row_event, row_record

Rows = list[tuple[Any, ...]]
T = TypeVar("T")
# The most damaged rows that one query steps over; a store with more of them needs a backup, not a longer list.
_MOST_STEPPED_OVER = 900


class RowReader:
    """Reads through `_all`. Placeholders in the SQL are question marks, for any database."""

    tenant: str
    location: str
    damage: DamageLog

    def _all(self, sql: str, values: Sequence[Any] = ()) -> Rows:
        raise NotImplementedError("a subclass decides how to read")

    def _one(self, sql: str, values: Sequence[Any] = ()) -> Any:
        rows = self._all(sql, values)
        return rows[0][0] if rows else None

    def _sound(self, rows: Iterable[tuple[Any, ...]], read: Callable[[tuple[Any, ...]], T]) -> Iterator[T]:
        """Convert rows; those that cannot be read are noted and left out."""
        for row in rows:
            try:
                yield read(row)
            except StoreDamaged as error:
                self.damage.note(error.message)

    def _sound_records(self, condition: str, keys: str, values: Sequence[Any], limit: int) -> list[Record]:
        """Return the first records under a condition. Damaged ones are stepped over and do not count."""
        passed: list[int] = []  # by number: a damaged id may be one that no condition can name
        while True:
            without = f" AND n NOT IN ({marks(passed)})" if passed else ""
            inner = f"SELECT n FROM records WHERE {condition}{without} ORDER BY {keys} LIMIT ?"
            sql = f"SELECT {RECORD_COLUMNS}, n FROM records WHERE n IN ({inner}) ORDER BY {keys}"
            rows = self._all(sql, [*values, *passed, limit])
            records = list(self._sound(rows, row_record))
            if len(records) == len(rows) or len(passed) > _MOST_STEPPED_OVER:
                return records
            found = {record.id for record in records}
            passed += [int(row[20]) for row in rows if row[1] not in found]

    def sound_numbered(self, rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Record, int]]:
        """Convert rows of RECORD_COLUMNS and the row's number, without checking hashes, to rebuild the index."""
        return self._sound(rows, lambda row: (read_record(row), int(row[20])))

    def _sound_events(self, rows: Iterable[tuple[Any, ...]]) -> Iterator[Event]:
        """Convert rows to events. A body that cannot be read is noted and reads like an erased one."""
        for row in rows:
            try:
                yield row_event(row)
            except StoreDamaged as error:
                self.damage.note(error.message)
                yield from self._sound([(*row[:8], None)], row_event)

    def _moves(self, rows: Rows) -> Iterator[tuple[int, tuple[str, str]]]:
        """Return which scope moved into which, with the number of the event that tells of it."""
        for seq, pairs in self._sound(rows, lambda row: (row[0], moved_pairs(row[1]))):
            yield from ((seq, pair) for pair in pairs)
