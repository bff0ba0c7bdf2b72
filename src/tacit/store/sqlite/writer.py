"""One write transaction of the SQLite store: it is the only writer, so it numbers its events and seals them itself."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from tacit.errors import TacitError, UsageError
from tacit.model.event import GENESIS, seal_hash
from tacit.model.origin import Origin
from tacit.model.record import Record
from tacit.model.timestamps import stamp
from tacit.store.event_transaction import not_unicode
from tacit.store.fill_transaction import FillTransaction
from tacit.store.filter_tokens import gates_of
from tacit.store.rows import RECORD_COLUMNS
from tacit.store.sqlite.connect import translate
from tacit.store.sqlite.reader import SqliteReader
from tacit.store.writer import UPDATE, VECTOR, Numbered
from tacit.text.search_fields import fields_of

# FAIL instead of ABORT: a row that is refused has changed nothing, so SQLite need not be able to undo it by itself.
_INSERT = f"INSERT OR FAIL INTO records(n, {RECORD_COLUMNS}) VALUES (?{', ?' * 20})"
_NEW_VECTOR = (
    "INSERT OR FAIL INTO vectors(tenant, model, id, scope, stamp, kind, status, vector) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_INDEX = "INSERT INTO search(rowid, gate, title, body, tags, extra) VALUES (?, ?, ?, ?, ?, ?)"
_UNINDEX = "INSERT INTO search(search, rowid, gate, title, body, tags, extra) VALUES ('delete', ?, ?, ?, ?, ?, ?)"
_LAST_SEAL = "SELECT number, last, hash FROM seals WHERE tenant = ? ORDER BY number DESC LIMIT 1"
_SEAL = "INSERT INTO seals(tenant, number, first, last, hash) VALUES (?, ?, ?, ?, ?)"


class SqliteTransaction(SqliteReader, FillTransaction):
    """A write in progress on the writer's connection."""

    def __init__(self, db: sqlite3.Connection, tenant: str, location: str, origin: Origin, at: datetime) -> None:
        super().__init__(tenant, location, origin, at)
        self._connection = db
        # Every event is sealed here, so the last seal gives the last event.
        self._last_seal, last, self._chain = next(iter(self._all(_LAST_SEAL, [tenant])), (0, 0, GENESIS))
        self._first = last + 1
        self._bare: set[str] = set()
        """The ids of records that were added in this write and have no vector yet."""

    def _db(self) -> sqlite3.Connection:
        return self._connection

    def _run(self, sql: str, values: Sequence[Any] = ()) -> None:
        self._execute(sql, values)

    def _touched(self, sql: str, values: Sequence[Any] = ()) -> int:
        return self._execute(sql, values).rowcount

    def alone(self, name: str) -> None:
        """Do nothing, because the only writer holds every name."""

    def _run_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        try:
            self._connection.executemany(sql, rows)
        except sqlite3.Error as error:
            raise translate(error, self.location) from error
        except UnicodeEncodeError:
            raise not_unicode() from None

    def _execute(self, sql: str, values: Sequence[Any]) -> sqlite3.Cursor:
        try:
            return self._connection.execute(sql, values)
        except sqlite3.Error as error:
            raise translate(error, self.location) from error
        except UnicodeEncodeError:
            raise not_unicode() from None

    def _insert(self, records: Sequence[Record], rows: Sequence[tuple[Any, ...]]) -> list[int]:
        first = int(self._one("SELECT coalesce(max(n), 0) + 1 FROM records"))
        last = first

        def numbered() -> Iterator[tuple[Any, ...]]:
            nonlocal last
            for last, row in enumerate(rows, first):
                yield (last, *row)

        try:
            self._connection.executemany(_INSERT, numbered())
        except sqlite3.Error as error:
            raise self._refused(records[last - first], error) from None
        self._bare.update(record.id for record in records)
        return list(range(first, first + len(rows)))

    def _update(self, record: Record, row: tuple[Any, ...], number: int) -> None:
        try:
            self._connection.execute(UPDATE, (*row, number))
        except sqlite3.Error as error:
            raise self._refused(record, error) from None

    def _refused(self, record: Record, error: sqlite3.Error) -> TacitError:
        if not isinstance(error, sqlite3.IntegrityError):
            return translate(error, self.location)
        if "UNIQUE" not in str(error):
            return UsageError(f"{record.id} lacks a value: {error}", "give every field a value")
        return self._known(record) if "records.id" in str(error) else self._taken(record)

    def _index(self, records: Sequence[Numbered]) -> None:
        rows = (
            (number, gates_of(record, self._scope_number(record.scope)), *fields_of(record))
            for record, number in records
        )
        self._run_many(_INDEX, rows)

    def _unindex(self, record: Record, number: int) -> None:
        gates = gates_of(record, self._scope_number(record.scope))
        self._execute(_UNINDEX, (number, gates, *fields_of(record)))

    def _new_scope(self, scope: str) -> int:
        return self._execute("INSERT INTO scopes(tenant, scope) VALUES (?, ?)", (self.tenant, scope)).lastrowid or 0

    def _keep_vectors(self, rows: Sequence[tuple[Any, ...]]) -> None:
        fresh: list[tuple[Any, ...]] = []
        others: list[tuple[Any, ...]] = []
        for row in rows:
            (fresh if row[2] in self._bare else others).append(row)
            self._bare.discard(row[2])
        self._run_many(_NEW_VECTOR, fresh)
        self._run_many(VECTOR, others)

    def _bump(self, scope: str) -> None:
        self._run("UPDATE scopes SET epoch = epoch + 1 WHERE tenant = ? AND scope = ?", (self.tenant, scope))

    def _erased(self) -> None:
        self._run("INSERT OR REPLACE INTO meta(name, value) VALUES ('erasure_pending', ?)", [stamp(self._at)])

    def _next_event(self) -> int:
        return self._first + len(self._happened)

    def _seal(self, events: Sequence[tuple[int, str]]) -> None:
        first, last = events[0][0], events[-1][0]
        digest = seal_hash(self._chain, first, last, (digest for _number, digest in events))
        self._run(_SEAL, (self.tenant, self._last_seal + 1, first, last, digest))
