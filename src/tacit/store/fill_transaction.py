"""A write that copies the rows of another store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

from tacit.model.record import Record
from tacit.store.copy_rows import EMPTY, WRITE
from tacit.store.move_transaction import MoveTransaction
from tacit.store.rows import RECORD_COLUMNS, read_record


class FillTransaction(MoveTransaction):
    """A write that can also insert rows unchanged."""

    def fill(self, rows: Iterable[tuple[str, tuple[Any, ...]]]) -> None:
        """Write the rows of another store unchanged, as this tenant's, and build the projections of its records."""
        for table, batch in _batched(rows):
            own = [(self.tenant, *row[1:]) for row in batch]
            if table == "scopes":
                for row in own:
                    self._scope_number(row[1])
            elif table == "records":
                records = [read_record(row) for row in own]
                self._project(list(zip(records, self._insert(records, own), strict=True)))
            elif table == "vectors":
                self._keep_vectors(own)
            else:
                self._run_many(WRITE[table], own)

    def empty(self) -> None:
        """Remove everything of this tenant. Its scopes keep their numbers but lose their vectors."""
        for scope in self.scopes():
            self._bump(scope)
        for number, record in self._numbered():
            self._unindex(record, number)
        for sql in (*EMPTY.values(), "DELETE FROM facets WHERE tenant = ?"):
            self._run(sql, [self.tenant])

    def is_empty(self) -> bool:
        """Return whether this tenant has neither records nor a history."""
        sql = "SELECT 1 FROM records WHERE tenant = ? UNION ALL SELECT 1 FROM events WHERE tenant = ? LIMIT 1"
        return not self._all(sql, (self.tenant, self.tenant))

    def _numbered(self) -> Iterator[tuple[int, Record]]:
        for row in self._all(f"SELECT {RECORD_COLUMNS}, n FROM records WHERE tenant = ?", [self.tenant]):
            yield int(row[20]), read_record(row)


def _batched(
    rows: Iterable[tuple[str, tuple[Any, ...]]], size: int = 500
) -> Iterator[tuple[str, list[tuple[Any, ...]]]]:
    """Return batches of rows of one table."""
    for table, run in groupby(rows, key=itemgetter(0)):
        while batch := [row for _table, row in islice(run, size)]:
            yield table, batch
