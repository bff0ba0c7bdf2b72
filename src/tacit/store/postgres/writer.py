"""One write transaction of the PostgreSQL store. Others write at the same time, so the database decides conflicts.

Records that a write reads by id stay locked until it ends. An index keeps keys unique, and `alone` takes a named lock.
Statements are sent in a pipeline, so that only those whose answer is needed cost a round trip.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from psycopg.errors import UniqueViolation

from tacit.errors import Conflict, VersionConflict
from tacit.model.link import Link
from tacit.model.origin import Origin
from tacit.model.record import Record
from tacit.model.timestamps import stamp
from tacit.store.event_transaction import not_unicode
from tacit.store.fill_transaction import FillTransaction
from tacit.store.filter_tokens import gates_of
from tacit.store.postgres.array_parameters import AT_ONCE, INDEX_RECORDS, INSERT_RECORDS
from tacit.store.postgres.bm25_counts import Bm25Counts
from tacit.store.postgres.connect import (
    Local,
    bindable,
    in_bytes,
    in_our_words,
    lock_number,
    marked,
    send_all,
    set_for,
    tenant_lock,
)
from tacit.store.postgres.reader import PostgresReader
from tacit.store.postgres.text_query import tenant_gate, vector_of
from tacit.store.row_reader import Rows
from tacit.store.rows import RECORD_COLUMNS
from tacit.store.writer import UPDATE, VECTOR, Numbered
from tacit.text.search_fields import fields_of

if TYPE_CHECKING:
    from psycopg import Connection, Cursor

_TAKEN = (
    "SELECT 1 FROM records WHERE tenant = ? AND scope = ? AND kind = ? AND key = ? AND status <> 'retired' AND id <> ?"
)
_AT_ONCE = 1_000
WORDS_GONE = ""
"""The scope whose epochs count how often rows were removed from the text index."""
_TOKENS = "INSERT INTO indexed(tenant, tokens) VALUES (?, ?) ON CONFLICT(tenant) DO UPDATE SET tokens = excluded.tokens"


class PostgresTransaction(PostgresReader, FillTransaction):
    """A write in progress on its own connection."""

    HELD = "FOR UPDATE"
    added_many = False
    """Whether so much was added that the text index should be merged afterwards."""

    def __init__(
        self, connection: Connection[Any], store: PostgresReader, origin: Origin, at: datetime,
        sizes: Bm25Counts, *, replaces: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(store.tenant, store.location, origin, at)
        self.bypasses = store.bypasses
        self._connection = connection
        self._sizes = sizes
        self._word_vectors: dict[str, tuple[str, int, bool]] = {}
        # Writers share the tenant's lock with each other, but not with one that replaces all rows of a table.
        shared = "SELECT pg_advisory_xact_lock_shared(?)"
        self._run("SELECT pg_advisory_xact_lock(?)" if replaces else shared, [tenant_lock(self.tenant)])
        # The transaction gets its own number before its first event's number: the sealer relies on it.
        self._run("SELECT pg_current_xact_id()")
        # Any query here shows that the connection is alive.
        self._first = int(self._one("SELECT 0")) if replaces else self._next_number()

    def _next_number(self) -> int:
        return int(self._ask("SELECT nextval('event_numbers')", ())[0][0])

    # -- statements ---------------------------------------------------------------------------------------------

    def _ask(self, sql: str, values: Sequence[Any], local: Local = ()) -> Rows:
        with in_our_words(self.location):
            if local:
                set_for(self._connection, local)
            cursor = self._connection.execute(marked(sql), [bindable(value) for value in values])
            if local:
                # Reset at once, so that no other query is narrowed or planned by it.
                back = [(name, "" if name.startswith("tacit.") else "on") for name, _value in local]
                set_for(self._connection, back)
            return cursor.fetchall()

    def _run(self, sql: str, values: Sequence[Any] = ()) -> None:
        with in_our_words(self.location):
            try:
                self._connection.execute(marked(sql), values)
            except UnicodeEncodeError:
                raise not_unicode() from None

    def _touched(self, sql: str, values: Sequence[Any] = ()) -> int:
        return len(self._ask(f"{sql} RETURNING 1", values))

    def _run_many(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        if rows and sql in AT_ONCE:
            self._run_columns(AT_ONCE[sql], rows)
            return
        with in_our_words(self.location):
            try:
                self._connection.cursor().executemany(marked(sql), rows)
            except UnicodeEncodeError:
                raise not_unicode() from None

    def _run_columns(self, sql: str, rows: Sequence[Sequence[Any]]) -> Cursor[tuple[Any, ...]]:
        """Run a statement whose values are whole columns; as bytes, since texts would have to be quoted."""
        with in_our_words(self.location):
            try:
                return self._connection.execute(in_bytes(sql), [list(column) for column in zip(*rows, strict=True)])
            except UnicodeEncodeError:
                raise not_unicode() from None

    def _size(self, gates: str) -> tuple[int, float]:
        return self._sizes.about(gates, super()._size)

    # -- being alone --------------------------------------------------------------------------------------------

    def alone(self, name: str) -> None:
        """Wait until no other write holds this name, and hold it until this write ends."""
        self._run("SELECT pg_advisory_xact_lock(?)", [lock_number(f"alone\0{self.tenant}\0{name}")])

    def get_many(self, ids: Sequence[str], scopes: Sequence[str]) -> dict[str, Record]:
        """Return the records among `ids` that are in these scopes, and lock them until this write ends."""
        if ids:
            # Its answer is not waited for: the query below comes after it.
            self._run("SELECT n FROM records WHERE tenant = ? AND id = ANY(?) ORDER BY id FOR UPDATE",
                      [self.tenant, [id for id in ids if bindable(id) is not None]])  # fmt: skip
        return super().get_many(ids, scopes)

    def history(self, id: str, scopes: Sequence[str]) -> list[Record]:
        """Return every version of a record, and lock it until this write ends."""
        self._ask("SELECT n FROM records WHERE tenant = ? AND id = ? FOR UPDATE", [self.tenant, id])
        return super().history(id, scopes)

    # -- records ------------------------------------------------------------------------------------------------

    def add(self, records: Sequence[Record]) -> None:
        """Write new records, some at a time: the server indexes them while the words of the next are counted."""
        if len(records) > _AT_ONCE:
            self._run("SELECT set_config('gin_pending_list_limit', '64MB', true)")
            self.added_many = True
        for start in range(0, len(records), _AT_ONCE):
            super().add(records[start : start + _AT_ONCE])

    def _insert(self, records: Sequence[Record], rows: Sequence[tuple[Any, ...]]) -> list[int]:
        if not rows:
            return []
        # First, while the server indexes what came before.
        self._word_vectors = {record.id: self._words_of(record) for record in records}
        numbers: dict[str, int] = dict(self._run_columns(INSERT_RECORDS, rows).fetchall())
        for place, record in enumerate(records):
            if record.id not in numbers:
                raise self._why_not(record)
            if len(numbers) < len(records) and any(record.id == other.id for other in records[:place]):
                raise self._known(record)
        return [int(numbers[record.id]) for record in records]

    def _why_not(self, record: Record) -> Exception:
        """Return why a record was not inserted."""
        known = self._ask("SELECT 1 FROM records WHERE tenant = ? AND id = ?", (self.tenant, record.id))
        return self._known(record) if known else self._taken(record)

    def _update(self, record: Record, row: tuple[Any, ...], number: int) -> None:
        if record.key and record.status != "retired":
            wanted = (self.tenant, record.scope, record.kind, record.key, record.id)
            if self._ask(_TAKEN, wanted):
                raise self._taken(record)
        try:
            touched = self._touched(UPDATE, (*row, number))
        except Conflict as error:
            # Another writer took the key after it was checked.
            raise self._taken(record) if isinstance(error.__cause__, UniqueViolation) else error from None
        if not touched:
            raise VersionConflict(f"{record.id} was forgotten meanwhile", "read it again and retry")

    def _index(self, records: Sequence[Numbered]) -> None:
        if records:
            self._run_columns(INDEX_RECORDS, [self._indexed(*one) for one in records])
            with in_our_words(self.location):
                send_all(self._connection)

    def _words_of(self, record: Record) -> tuple[str, int, bool]:
        gates = gates_of(record, self._scope_number(record.scope)).split(" ")
        return vector_of(fields_of(record), gates, tenant_gate(self.tenant))

    def _indexed(self, record: Record, number: int) -> tuple[Any, ...]:
        made = self._word_vectors.pop(record.id) if record.id in self._word_vectors else self._words_of(record)
        words, length, cut = made
        return self.tenant, number, record.id, length, cut, words, self._first

    def _unindex(self, record: Record, number: int) -> None:
        self._run("DELETE FROM search WHERE tenant = ? AND n = ?", (self.tenant, number))

    def know_scopes(self, numbers: Mapping[str, int]) -> None:
        """Take the numbers of scopes that are known to be there."""
        self._numbers |= numbers

    def _new_scope(self, scope: str) -> int:
        # Two writes may need the same new scope at once; the second takes the number the first one created.
        sql = "INSERT INTO scopes(tenant, scope) VALUES (?, ?) ON CONFLICT DO NOTHING"
        self._run(sql, (self.tenant, scope))
        return int(self._one("SELECT number FROM scopes WHERE tenant = ? AND scope = ?", (self.tenant, scope)))

    # -- rebuilding the projections -----------------------------------------------------------------------------

    def clear_projections(self) -> None:
        """Drop the text index and the facets of this tenant."""
        if self._touched("DELETE FROM search WHERE tenant = ?", [self.tenant]):
            self._first = self._next_number()
            self._bump(WORDS_GONE)
            self._first = 0
        self._run("DELETE FROM facets WHERE tenant = ?", [self.tenant])

    def note_tokens(self, tokens: str) -> None:
        """Record which token rules the text index was made with."""
        self._run(_TOKENS, (self.tenant, tokens))

    def numbered(self, after: int, limit: int) -> Rows:
        """Return the next records with their row numbers."""
        sql = f"SELECT {RECORD_COLUMNS}, n FROM records WHERE tenant = ? AND n > ? ORDER BY n LIMIT ?"
        return self._all(sql, (self.tenant, after, limit))

    def project(self, records: Sequence[Numbered]) -> None:
        """Write the projections of stored records."""
        self._project(records)

    # -- links and vectors --------------------------------------------------------------------------------------

    def link(self, link: Link) -> None:
        """Connect two records. An equal link that is still active is ended first."""
        # Two writes that make the same link at once go one after the other, or both links would hold.
        self._run("SELECT n FROM records WHERE tenant = ? AND id = ? FOR UPDATE", (self.tenant, bindable(link.source)))
        super().link(link)

    def _keep_vectors(self, rows: Sequence[tuple[Any, ...]]) -> None:
        self._run_many(VECTOR, rows)

    def fill(self, rows: Iterable[tuple[str, tuple[Any, ...]]]) -> None:
        """Write the rows of another store unchanged. The numbers of later events follow theirs."""
        super().fill(rows)
        sql = "SELECT reserve((SELECT coalesce(max(seq), 0) FROM events WHERE tenant = ?))"
        self._ask(sql, [self.tenant])

    def empty(self) -> None:
        """Remove everything of this tenant. Its scopes keep their numbers but lose their vectors."""
        self._first = self._next_number()
        self._bump(WORDS_GONE)
        super().empty()
        # What is filled in is of no event of this write.
        self._first = 0

    def forget(self, ids: Sequence[str]) -> None:
        """Remove records with everything that belongs to them."""
        self._bump(WORDS_GONE)
        super().forget(ids)

    def _bump(self, scope: str) -> None:
        sql = "INSERT INTO epochs(tenant, scope, seq) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
        self._run(sql, (self.tenant, scope, self._first))

    # -- events -------------------------------------------------------------------------------------------------

    def _erased(self) -> None:
        """Do nothing: dead rows stay until the server vacuums them, which `finish_forgetting` requests."""

    def _next_event(self) -> int:
        return self._next_number() if self._happened else self._first

    def commit(self) -> None:
        """Request the commit; the answer comes when the pipeline ends."""
        self._run("COMMIT")

    def claim(self, key: str) -> None:
        """Write the key that is used to look up the outcome if the answer to the commit is lost."""
        self._run("INSERT INTO once(tenant, key, at) VALUES (?, ?, ?)", (self.tenant, key, stamp(self._at)))
