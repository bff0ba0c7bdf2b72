"""Reaching the server: one pool, a tenant for each transaction and never longer, errors in our own words."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tacit.errors import (
    MissingExtra,
    StoreBusy,
    StoreClosed,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreMissing,
    StoreReadOnly,
    StoreUnreachable,
    TacitError,
    UsageError,
)

try:
    import psycopg
    from psycopg import errors as pg
    from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout
except ImportError as _error:  # pragma: no cover - the tests run with the extra
    raise MissingExtra(
        f"a PostgreSQL store needs the psycopg package: {_error}", "pip install 'tacit[postgres]'"
    ) from None

if TYPE_CHECKING:
    from psycopg import Connection, Cursor

Local = tuple[tuple[str, str], ...]
"""Settings for one question."""

WAIT_S = 10.0
"""How long a connection, and a lock, is waited for."""
MOST_CONNECTIONS = 8

# Inside each transaction and no longer: the pool may hand the connection to another tenant next.
_ENTER = (
    "SELECT set_config('search_path', %s, true), set_config('tacit.tenant', %s, true), "
    "set_config('tacit.words', '', true), set_config('lock_timeout', '10s', true)"
)


def connect(url: str, location: str) -> Connection[Any]:
    """Open one connection, outside the pool."""
    try:
        return psycopg.connect(url, autocommit=True, connect_timeout=int(WAIT_S), prepare_threshold=None)
    except psycopg.Error as error:
        raise translate(error, location) from None


class Pool:
    """Connections to one database, lent for one transaction at a time."""

    def __init__(self, url: str, location: str, path: str, size: int = MOST_CONNECTIONS) -> None:
        self.location = location
        self.path = path
        self._url = url
        self._size = size
        self._pool: ConnectionPool[Connection[Any]] | None = None
        self._lock = threading.Lock()
        self._closed = False

    def _opened(self) -> ConnectionPool[Connection[Any]]:
        with self._lock:
            if self._closed:
                raise StoreClosed(f"{self.location} is closed", "open the memory again")
            if self._pool is None:
                # Statements are not prepared by name: a pooler between us and the server may not know them.
                options = {"autocommit": True, "prepare_threshold": None, "connect_timeout": int(WAIT_S)}
                self._pool = ConnectionPool(
                    self._url, kwargs=options, min_size=0, max_size=self._size, timeout=WAIT_S, open=True, num_workers=1
                )
            return self._pool

    @contextmanager
    def lent(self) -> Iterator[Connection[Any]]:
        """Lend a connection. One that comes back in a transaction is rolled back, one that is broken is dropped."""
        pool = self._opened()
        try:
            connection = pool.getconn()
        except PoolTimeout:
            raise self._exhausted() from None
        except PoolClosed:
            raise StoreClosed(f"{self.location} is closed", "open the memory again") from None
        try:
            yield connection
        finally:
            roll_back(connection)
            pool.putconn(connection)

    def _exhausted(self) -> TacitError:
        """Say why no connection came: the server is away, or all of them are busy."""
        connect(self._url, self.location).close()
        return StoreBusy(
            f"all {self._size} connections to {self.location} were busy for {WAIT_S:g} seconds",
            "try again; a retry is safe",
        )

    def enter(self, connection: Connection[Any], tenant: str, begin: str) -> None:
        """Begin a transaction as this tenant."""
        connection.execute(begin)
        connection.execute(_ENTER, (self.path, tenant))

    def read(self, tenant: str, sql: str, values: Sequence[Any], local: Local = ()) -> list[tuple[Any, ...]]:
        """Ask one question in a transaction of its own. A connection that died meanwhile is replaced once."""
        try:
            return self._read(tenant, sql, values, local)
        except StoreUnreachable:
            # Whatever the server restarted or dropped is found out now, instead of by one question after the other.
            self._opened().check()
            return self._read(tenant, sql, values, local)

    def _read(self, tenant: str, sql: str, values: Sequence[Any], local: Local) -> list[tuple[Any, ...]]:
        with in_our_words(self.location), self.lent() as connection:
            with connection.pipeline():
                self.enter(connection, tenant, "BEGIN READ ONLY")
                for setting in local:
                    connection.execute("SELECT set_config(%s, %s, true)", setting)
                cursor: Cursor[tuple[Any, ...]] = connection.execute(sql, values)
                connection.execute("COMMIT")
            return cursor.fetchall()

    def close(self) -> None:
        """Close every connection. Safe to call twice."""
        with self._lock:
            self._closed = True
            if self._pool is not None:
                self._pool.close()


def roll_back(connection: Connection[Any]) -> None:
    """End whatever transaction is still open; a connection that cannot do that is closed."""
    try:
        if connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
            connection.rollback()
    except psycopg.Error:
        connection.close()


def marked(sql: str) -> str:
    """Give SQL with the marks of this driver in the place of question marks."""
    return sql.replace("?", "%s")


def bindable(value: Any) -> Any:
    """Give a value as it can be asked for: text that no store can hold equals nothing."""
    return None if isinstance(value, str) and not storable(value) else value


def storable(text: str) -> bool:
    """Say whether PostgreSQL can hold a text."""
    try:
        return "\0" not in text and text.encode() is not None
    except UnicodeEncodeError:
        return False


@contextmanager
def in_our_words(location: str) -> Iterator[None]:
    """Turn the driver's errors into ours."""
    try:
        yield
    except psycopg.Error as error:
        raise translate(error, location) from error


_NOTHING = "nothing was written; a retry is safe"
_BUSY = {
    "40001": "another write came first",
    "40P01": "two writes waited for each other",
    "55P03": "another write held a lock for 10 seconds",
    "57014": "the server stopped the statement",
    "53300": "the server has no connection left",
}
_GONE = ("08", "57P")
_FULL = ("53100", "53200", "53400")
_BROKEN = ("42P01", "42703", "42883", "42704", "3F000", "XX001", "XX002")


def translate(error: psycopg.Error, location: str) -> TacitError:
    """Name a driver's error as one of ours."""
    state = error.sqlstate or ""
    said = (error.diag.message_primary or str(error)).strip().partition("\n")[0]
    if state in _BUSY:
        return StoreBusy(f"{location}: {_BUSY[state]} ({said})", _NOTHING)
    if state.startswith(_GONE) or (not state and isinstance(error, psycopg.OperationalError)):
        return StoreUnreachable(f"{location} cannot be reached: {said}", "check the server and the URL; " + _NOTHING)
    if state in ("28P01", "28000"):
        return StoreUnreachable(f"{location} does not let you in: {said}", "check user and password in the URL")
    if state == "3D000":
        return StoreMissing(f"{location}: {said}; no database was made", "create it, or check the URL")
    if state in _FULL:
        return StoreFull(f"no space left for {location}: {said}", "free some space and try again")
    if state in ("42501", "25006"):
        return StoreReadOnly(f"{location}: {said}", "ask the owner for the rights; docs/postgresql.md says which")
    if state in _BROKEN:
        return StoreDamaged(f"the tables in {location} are not what tacit made: {said}", "run `tacit doctor`")
    if isinstance(error, pg.DataError | psycopg.DataError):
        return UsageError(f"{location} cannot hold that: {said}", "give a smaller number, or text without NUL")
    return StoreError(f"{location}: {said} ({state or type(error).__name__})", "run `tacit doctor`")
