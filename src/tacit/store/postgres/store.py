"""The PostgreSQL store: many writers at once, row policies for each tenant, and a sealer that no writer waits for."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.errors import Conflict, StoreError, StoreMissing, StoreReadOnly, StoreReplaced, StoreUnreachable, UsageError
from tacit.model.event import GENESIS
from tacit.model.origin import Origin
from tacit.model.report import Forgotten, Progress, Verification
from tacit.model.timestamps import stamp
from tacit.ports.damage_log import DamageLog
from tacit.store.copy_rows import Dumped, dump
from tacit.store.export import Exported, exported
from tacit.store.filters import marks
from tacit.store.link_reader import inside
from tacit.store.postgres.accelerated import AcceleratedTenant
from tacit.store.postgres.bm25_counts import Bm25Counts
from tacit.store.postgres.commit_outcome import TrackedCommit
from tacit.store.postgres.connect import BEGIN, WAIT_S, Local, TenantPool, bindable, connect, in_our_words, marked
from tacit.store.postgres.maintenance import DEAD, DROP_KEYS, ERASED, VACUUMED
from tacit.store.postgres.migrate import migrate, version
from tacit.store.postgres.schema import NEWEST
from tacit.store.postgres.sealer import LAST, Sealer, sealed
from tacit.store.postgres.verify import verify
from tacit.store.postgres.word_merging import WordMerging
from tacit.store.postgres.writer import PostgresTransaction
from tacit.store.row_reader import Rows
from tacit.store.server_url import shown
from tacit.text.tokens import TOKENS

if TYPE_CHECKING:
    from psycopg import Connection

POLL_S = 1.0
_KEPT_KEYS = timedelta(days=7)
_BATCH = 500
_POSITION = (
    "SELECT s.number, coalesce(max(e.seq), 0), count(e.seq) FROM (SELECT 0 AS number, 0 AS last UNION ALL "
    "(SELECT number, last FROM seals WHERE tenant = ? ORDER BY number DESC LIMIT 1) ORDER BY number DESC LIMIT 1) s "
    "LEFT JOIN events e ON e.tenant = ? AND e.seq > s.last GROUP BY s.number"
)
# Epochs are counted, since a write with a lower number may end after one with a higher number.
_STAMPS = """SELECT s.scope, (SELECT count(*) FROM epochs e WHERE e.tenant = s.tenant AND e.scope = s.scope),
    coalesce((SELECT v.stamp FROM vectors v WHERE v.tenant = s.tenant AND v.model = ? AND v.scope = s.scope
      ORDER BY v.stamp DESC LIMIT 1), -1),
    coalesce((SELECT x.last FROM seals x WHERE x.tenant = s.tenant ORDER BY x.number DESC LIMIT 1), 0)
    FROM scopes s WHERE s.tenant = ? AND s.scope"""


class PostgresStore(AcceleratedTenant):
    """A store on a server, used as one of its tenants."""

    lasting = True

    def __init__(
        self, url: str, tenant: str = "local", *, expected_id: str = "",
        copy_to: Callable[[PostgresStore, Path, Progress | None], None] | None = None, connections: int = 8,
        wait_s: float = WAIT_S,
    ) -> None:  # fmt: skip
        self.location = shown(url)
        self.tenant = tenant
        self.damage = DamageLog()
        self._copy_to = copy_to
        self._writing = threading.local()
        self._polled: tuple[float, object] = (0.0, None)
        self._known_scopes: tuple[object, dict[str, int]] = (None, {})
        self._known_threads: tuple[object, frozenset[str]] = (None, frozenset())
        self._own_writes = 0
        self._sizes = Bm25Counts()
        with in_our_words(self.location), connect(url, self.location) as first:
            self._prepare(first, known=bool(expected_id))
            self._pool = TenantPool(url, self.location, connections, wait_s)
        self._sealer = Sealer(self._pool, tenant)
        self._merging = WordMerging(lambda: self._do("SELECT merge_words()", ()))
        try:
            self._come_in(expected_id)
        except BaseException:
            self.close()
            raise

    def _come_in(self, expected_id: str) -> None:
        self.id = str(self._one("SELECT value FROM meta WHERE name = 'store_id'"))
        if expected_id and self.id != expected_id:
            raise StoreReplaced(
                f"{self.location} contains a different store than the one known under this URL; nothing was changed",
                "check the URL, or remove its entry from stores.json",
            )
        self.user, superuser, bypass, member = self._look()
        self.bypasses = superuser or bypass
        if not member and self._owns():
            # The owner of the tables could grant themselves access anyway.
            self._join()
        elif not member:
            raise StoreReadOnly(
                f"{self.location}: {self.user} is not a member of the tenant {self.tenant!r}",
                f"ask the owner to run: SELECT tacit.let_in('{self.user}', '{self.tenant}')",
            )
        if self._one("SELECT tokens FROM indexed WHERE tenant = ?", [self.tenant]) != TOKENS:
            # An index made by other token rules is rebuilt; where nothing can be written, it stays.
            with suppress(StoreReadOnly):
                self.rebuild()

    @staticmethod
    def exists(url: str) -> bool:
        """Return whether the database contains a store. Creates nothing."""
        location = shown(url)
        with in_our_words(location), connect(url, location) as first:
            return version(first, location) > 0

    def _prepare(self, first: Connection[Any], *, known: bool) -> None:
        number = version(first, self.location)
        if known and not number:
            raise StoreMissing(
                f"the store in {self.location} is known but missing from the database; no empty one was created",
                "restore the database, or remove its entry from stores.json to start with an empty store",
            )
        if number < NEWEST:
            migrate(first, self.location, self.tenant)

    def _join(self) -> None:
        self._do("SELECT let_in(session_user, %s)", [self.tenant])

    def _look(self) -> tuple[str, bool, bool, bool]:
        sql = (
            "SELECT session_user::text, r.rolsuper, r.rolbypassrls, my_tenant() IS NOT NULL "
            "FROM pg_roles r WHERE r.rolname = session_user"
        )
        user, superuser, bypass, member = self._all(sql)[0]
        return user, superuser, bypass, member

    # -- reading ------------------------------------------------------------------------------------------------

    def _ask(self, sql: str, values: Sequence[Any], local: Local = ()) -> Rows:
        return self._pool.read(self.tenant, marked(sql), [bindable(value) for value in values], local)

    def _size(self, gates: str) -> tuple[int, float]:
        return self._sizes.of(gates, self.position(), super()._size)

    def position(self) -> object:
        """Return a value that changes after every write: immediately for our own, within a second for others."""
        at, known = self._polled
        if known is None or time.monotonic() - at > POLL_S:
            own = self._own_writes
            known = (own, *self._all(_POSITION, (self.tenant, self.tenant))[0])
            # Not cached if this process wrote meanwhile: the answer may be older than that.
            if own == self._own_writes:
                self._polled = (time.monotonic(), known)
        return known

    def refresh(self) -> None:
        """Ask the server again for other writes, even if it was asked just now."""
        self._polled = (0.0, None)

    def searched(self, under: Sequence[str]) -> dict[str, int]:
        """Return the scopes to search. They are cached, because the query would cost as much as most searches."""
        position = self.position()
        if self._known_scopes[0] != position:
            rows = self._all("SELECT scope, number FROM scopes WHERE tenant = ?", [self.tenant])
            self._known_scopes = (position, dict(rows))
        return {scope: number for scope, number in self._known_scopes[1].items() if inside(scope, under)}

    def threaded_kinds(self) -> frozenset[str]:
        """Return the kinds of which some record belongs to a thread, as of the last position."""
        position = self.position()
        if self._known_threads[0] != position:
            self._known_threads = (position, super().threaded_kinds())
        return self._known_threads[1]

    def vector_stamp(self, model: str, scope: str) -> tuple[int, int]:
        """Return (epoch, newest stamp) of a scope's vectors."""
        found = self._all(f"{_STAMPS} = ?", (model, self.tenant, scope))
        return found[0][1:3] if found else (0, -1)

    def vector_stamps(self, model: str, under: Sequence[str]) -> dict[str, tuple[int, int, int]]:
        """Return (epoch, newest stamp, settled) of each scope to search. Whoever lost access sees none of them."""
        scopes = list(self.searched(under))
        rows = self._all(f"{_STAMPS} IN ({marks(scopes)})", (model, self.tenant, *scopes)) if scopes else []
        return {scope: (epoch, stamp, settled) for scope, epoch, stamp, settled in rows}

    # -- writing ------------------------------------------------------------------------------------------------

    @contextmanager
    def transaction(self, origin: Origin, at: datetime) -> Iterator[PostgresTransaction]:
        """Open a write. It is durable when the block ends, and undone if it raises."""
        self._not_inside()
        self._writing.on = True
        commit = TrackedCommit(self._pool, self.tenant)
        try:
            with commit.certain(), in_our_words(self.location), self._begun(origin, at) as tx:
                yield tx
                tx.finish()
                commit.request(tx)
        finally:
            self._writing.on = False
        self._wrote()
        if tx.added_many:
            self._merging.wanted()
        # The write is durable: raising an error now would say that it was not. The next one, or `verify`, seals it.
        with suppress(StoreError):
            self._sealer.now_and_then()

    @contextmanager
    def _begun(self, origin: Origin, at: datetime, *, replaces: bool = False) -> Iterator[PostgresTransaction]:
        """Begin a write. A connection that died while it was idle is replaced silently."""
        try:
            held, tx = self._begin(origin, at, replaces)
        except StoreUnreachable:
            self._pool.revive()
            held, tx = self._begin(origin, at, replaces)
        with held:
            yield tx

    def _begin(self, origin: Origin, at: datetime, replaces: bool) -> tuple[ExitStack, PostgresTransaction]:
        with in_our_words(self.location), ExitStack() as stack:
            connection = stack.enter_context(self._pool.lent())
            stack.enter_context(connection.pipeline())
            self._pool.enter(connection, self.tenant, BEGIN)
            tx = PostgresTransaction(connection, self, origin, at, self._sizes, replaces=replaces)
            tx.damage = self.damage
            # A scope never gets another number.
            tx.know_scopes(self._known_scopes[1])
            return stack.pop_all(), tx

    def _not_inside(self) -> None:
        if getattr(self._writing, "on", False):
            # Another connection would wait for this thread's own locks.
            raise UsageError("a transaction is already open in this thread", "end it first")

    # -- maintenance --------------------------------------------------------------------------------------------

    @contextmanager
    def _snapshot(self) -> Iterator[Callable[[str, Sequence[Any]], Iterator[tuple[Any, ...]]]]:
        """Return a function that runs many queries on one snapshot."""
        with self._pool.begun(self.tenant, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") as connection:

            def ask(sql: str, values: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
                with connection.cursor(f"walk_{uuid.uuid4().hex}") as cursor:
                    cursor.itersize = _BATCH
                    yield from cursor.execute(marked(sql), values)

            yield ask
            connection.execute("COMMIT")

    def export(self) -> Exported:
        """Yield everything of the tenant in a stable order."""
        with self._snapshot() as ask:
            yield from exported(ask, self.tenant)

    def dump(self) -> Dumped:
        """Return every row of the tenant, from one consistent snapshot."""
        self._seal()
        with self._snapshot() as ask:
            number, last, chain = next(iter(ask(LAST, [self.tenant])), (0, 0, GENESIS))
            yield from sealed(dump(ask, self.tenant), self.tenant, (number, last, chain))

    def _seal(self) -> None:
        # A read-only server has nothing to seal, or another one does it.
        with suppress(StoreReadOnly):
            self._sealer.seal(wait_s=1.0)

    def fill(self, rows: Iterable[tuple[str, tuple[Any, ...]]], *, replace: bool = False) -> None:
        """Copy the rows of another store, all or none. `replace` removes the existing rows first."""
        with self._rebuilding() as tx:
            if replace:
                tx.empty()
            elif not tx.is_empty():
                raise Conflict(
                    f"{self.location} already contains records; nothing was copied",
                    "give the path or URL of an empty store",
                )
            tx.fill(rows)

    @contextmanager
    def _rebuilding(self) -> Iterator[PostgresTransaction]:
        """Open a write without an event, to rebuild what follows from the records or to copy rows with their log."""
        self._not_inside()
        with in_our_words(self.location), self._begun(Origin(actor="tool"), datetime.now(UTC), replaces=True) as tx:
            yield tx
            tx.commit()
        self._wrote()

    def _wrote(self) -> None:
        self._own_writes += 1
        self._polled = (0.0, None)

    def rebuild(self) -> int:
        """Drop and rebuild the text index and the facets from the records, in one transaction."""
        count = after = 0
        with self._rebuilding() as tx:
            tx.clear_projections()
            while batch := tx.numbered(after, _BATCH):
                tx.project(list(tx.sound_numbered(batch)))
                count, after = count + len(batch), int(batch[-1][20])
            tx.note_tokens(TOKENS)
        return count

    def optimise(self) -> None:
        """Seal, drop old keys, and let the server vacuum and analyze its tables."""
        self._not_inside()
        self._sealer.seal(wait_s=1.0)
        self._do(DROP_KEYS, (self.tenant, stamp(datetime.now(UTC) - _KEPT_KEYS)))
        if self._owns():
            with in_our_words(self.location), self._pool.lent() as connection:
                connection.execute(VACUUMED)
        self.write_words()

    def _do(self, sql: str, values: Sequence[Any]) -> None:
        """Run one statement in its own transaction."""
        with self._pool.begun(self.tenant, BEGIN) as connection:
            connection.execute(sql, values)
            connection.execute("COMMIT")

    def _owns(self) -> bool:
        sql = "SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = 'records'::regclass"
        return bool(self._one(sql))

    def may_act_for(self, role: str) -> bool:
        """Return whether whoever is logged in is a role, is a member of it, or owns the store."""
        sql = "SELECT pg_has_role(session_user, oid, 'MEMBER') FROM pg_roles WHERE rolname = ?"
        return role == self.user or bool(self._one(sql, [role])) or self._owns()

    def finish_forgetting(self) -> Forgotten:
        """Let the server erase what was forgotten. If this role may not request that, autovacuum does it later.

        Erasing stays pending while any transaction may still see the rows, because vacuum does not remove those.
        """
        self.drop_words()
        if not self._owns():
            return Forgotten(ids=(), pending=True)
        with in_our_words(self.location), self._pool.lent() as connection:
            connection.execute(ERASED)
            kept = connection.execute(DEAD).fetchone()
        return Forgotten(ids=(), pending=bool(kept and kept[0]))

    def verify(
        self, head: tuple[int, str] | None = None, *, deep: bool = True, since: tuple[int, str] | None = None,
        progress: Progress | None = None,
    ) -> Verification:  # fmt: skip
        """Check seals, events, records and projections, through one snapshot."""
        self._seal()
        with self._snapshot() as ask:
            return verify(ask, self.tenant, head, deep=deep, since=since, progress=progress)

    def copies(self) -> list[str]:
        """Return no copies, because a server keeps none beside the store."""
        return []

    def backup(self, target: Path, progress: Progress | None = None) -> None:
        """Write this tenant's part of the store into a file."""
        if target.exists():
            raise Conflict(
                f"{target} already exists; nothing was written", "give the path of a new file for the backup"
            )
        if self._copy_to is None:
            raise UsageError(
                f"{self.location} cannot be backed up from here", "use `tacit migrate` or the server's tools"
            )
        self._copy_to(self, target, progress)

    def size_bytes(self) -> int:
        """Return the size of the tables on the server's disk, for all tenants together."""
        sql = (
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class "
            "WHERE relnamespace = 'tacit'::regnamespace AND relkind = 'r'"
        )
        return int(self._one(sql) or 0)

    def engine(self) -> dict[str, str | int | bool]:
        """Describe the database."""
        number = str(self._one("SHOW server_version")).partition(" ")[0]
        return {
            "engine": f"PostgreSQL {number}",
            "id": self.id,
            "format": int(self._one("SELECT max(number) FROM migrations")),
            "journal": "wal",
            "log_bytes": 0,
            "size_bytes": self.size_bytes(),
            "erasure_pending": False,
            "exists": True,
            "lock_holder": 0,
            "user": self.user,
            "bypasses_walls": self.bypasses,
        }

    def close(self) -> None:
        """Release everything. Safe to call twice."""
        self._end_writing()
        self._merging.end()
        self._pool.close()
