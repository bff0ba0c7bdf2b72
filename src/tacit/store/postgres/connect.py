"""Connect to the server: one pool, one tenant per transaction, and errors translated into ours."""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from tacit.errors import (
    Conflict,
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
from tacit.store.server_url import not_a_url

try:
    import psycopg
    from psycopg import errors as pg
    from psycopg.waiting import Ready, Wait
    from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout
except ImportError as _error:  # pragma: no cover - the tests run with the extra
    raise MissingExtra(
        f"a PostgreSQL store needs the psycopg package: {_error}", "pip install 'tacit[postgres]'"
    ) from None

if TYPE_CHECKING:
    from psycopg import Connection, Cursor

T = TypeVar("T")
Local = tuple[tuple[str, str], ...]
"""Settings for one query."""

WAIT_S = 10.0
"""How long to wait for a connection, and for a lock."""
PREPARED_AFTER = 5
_TRIES = 3
_LOOK_S = 1.0
"""How long to wait for a connection before checking the server itself."""
SEARCH_PATH = "tacit, pg_temp"
BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED"
"""Set for each transaction, because a role may default to a level at which a write would not see what it waited for."""
# Our errors report what went wrong; without this the driver's warnings would also reach a terminal.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

_SETS = tuple("SELECT 1" + ", set_config(%s, %s, true)" * n for n in range(12))
"""One placeholder pair for each setting: its name and value."""


def connect(url: str, location: str) -> Connection[Any]:
    """Open one connection, outside the pool."""
    try:
        return psycopg.connect(url, **_options(url))
    except psycopg.Error as error:
        raise _not_connected(error, location) from None


def _prepare_if_direct(connection: Connection[Any]) -> None:
    """Let statements that come back be prepared by name, which saves the server a quarter of its work.

    Not through a pooler, which may hand each transaction to another backend: its clients are not told that process.
    """
    (backend,) = connection.execute("SELECT pg_backend_pid()").fetchone() or (0,)
    if backend == connection.info.backend_pid:
        connection.prepare_threshold = PREPARED_AFTER


def _options(url: str) -> dict[str, Any]:
    options: dict[str, Any] = {"autocommit": True, "prepare_threshold": None}
    return options if "connect_timeout=" in url else options | {"connect_timeout": int(WAIT_S)}


class TenantPool:
    """Connections to one database, lent for one transaction at a time."""

    def __init__(self, url: str, location: str, size: int, wait_s: float) -> None:
        self.location = location
        self._wait_s = wait_s
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
                self._pool = ConnectionPool(
                    self._url, kwargs=_options(self._url), min_size=0, max_size=self._size, open=True, num_workers=1,
                    reconnect_timeout=_LOOK_S, configure=_prepare_if_direct,
                )  # fmt: skip
            return self._pool

    @contextmanager
    def lent(self, *, patient: bool = True) -> Iterator[Connection[Any]]:
        """Lend a connection.

        A connection that is returned inside a transaction is rolled back; a broken one is dropped.
        """
        pool = self._opened()
        connection = self._take(pool, self._wait_s if patient else 0.0)
        try:
            yield connection
        finally:
            roll_back(connection)
            pool.putconn(connection)

    def _take(self, pool: ConnectionPool[Connection[Any]], wait_s: float) -> Connection[Any]:
        until = time.monotonic() + wait_s
        while True:
            left = until - time.monotonic()
            try:
                return pool.getconn(max(0.001, min(left, _LOOK_S)))
            except PoolClosed:
                raise StoreClosed(f"{self.location} is closed", "open the memory again") from None
            except PoolTimeout:
                if wait_s:
                    self.look()
                if left <= _LOOK_S:
                    message = f"all {self._size} connections to {self.location} were busy for {wait_s:g} seconds"
                    raise StoreBusy(message, "try again; a retry is safe") from None

    def look(self) -> None:
        """Raise an error if the server cannot be reached."""
        connect(self._url, self.location).close()

    def revive(self) -> None:
        """Replace every dead idle connection, so that they are not found one by one after a server restart."""
        self.look()
        self._opened().check()

    def enter(self, connection: Connection[Any], tenant: str, begin: str, local: Local = ()) -> None:
        """Begin a transaction as this tenant; without `begin`, a pipeline is the transaction."""
        if begin:
            connection.execute(begin)
        # For each transaction only: the pool may lend the connection to another tenant next.
        own = (
            ("search_path", SEARCH_PATH), ("tacit.tenant", tenant), ("tacit.words", ""),
            ("lock_timeout", f"{self._wait_s * 1000:.0f}ms"),
            # A role may be configured to round numbers.
            ("extra_float_digits", "1"),
        )  # fmt: skip
        set_for(connection, (*own, *local))

    @contextmanager
    def begun(self, tenant: str, begin: str, *, patient: bool = True) -> Iterator[Connection[Any]]:
        """Lend a connection in a transaction of this tenant. A connection that died while idle is replaced first."""
        held, connection = self._alive(lambda: self._entered(tenant, begin, patient))
        with in_our_words(self.location), held:
            yield connection

    def _entered(self, tenant: str, begin: str, patient: bool) -> tuple[ExitStack, Connection[Any]]:
        with in_our_words(self.location), ExitStack() as stack:
            connection = stack.enter_context(self.lent(patient=patient))
            self.enter(connection, tenant, begin)
            return stack.pop_all(), connection

    def read(self, tenant: str, sql: str, values: Sequence[Any], local: Local = ()) -> list[tuple[Any, ...]]:
        """Run one query in its own transaction. A connection that died meanwhile is replaced."""
        return self._alive(lambda: self._read(tenant, sql, values, local))

    def _alive(self, attempt: Callable[[], T]) -> T:
        """Try other connections while the server answers: several may have died, and one more meanwhile."""
        for _try in range(_TRIES):
            try:
                return attempt()
            except StoreUnreachable:
                self.revive()
        return attempt()

    def _read(self, tenant: str, sql: str, values: Sequence[Any], local: Local) -> list[tuple[Any, ...]]:
        with in_our_words(self.location), self.lent() as connection:
            with connection.pipeline():
                self.enter(connection, tenant, "", (("transaction_read_only", "on"), *local))
                cursor: Cursor[tuple[Any, ...]] = connection.execute(sql, values)
            return cursor.fetchall()

    def close(self) -> None:
        """Close every connection. Safe to call twice."""
        with self._lock:
            self._closed = True
            if self._pool is not None:
                self._pool.close()


def set_for(connection: Connection[Any], local: Sequence[tuple[str, str]]) -> None:
    """Set these values until the transaction ends."""
    connection.execute(_SETS[len(local)], [part for setting in local for part in setting])


def send_all(connection: Connection[Any]) -> None:
    """Send what a pipeline still holds back, so that the server works while this process does something else."""

    def sending() -> Generator[Wait, Ready | int, None]:
        while connection.pgconn.flush():
            if (yield Wait.RW) & Ready.R:
                connection.pgconn.consume_input()

    connection.wait(sending())


def tenant_lock(tenant: str) -> int:
    """Return the number of the lock that the writers of a tenant share. Replacing all rows takes it exclusively."""
    return lock_number(f"tenant\0{tenant}")


def lock_number(name: str) -> int:
    """Return the number of a named lock, because the server's locks have only numbers."""
    return int.from_bytes(hashlib.sha256(name.encode(errors="surrogatepass")).digest()[:8], signed=True)


def roll_back(connection: Connection[Any]) -> None:
    """End a transaction that is still open. A connection that cannot do that is closed."""
    try:
        if connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
            connection.rollback()
    except psycopg.Error:
        connection.close()


def marked(sql: str) -> str:
    """Return SQL with this driver's placeholders in place of question marks."""
    return sql.replace("?", "%s")


def in_bytes(sql: str) -> str:
    """Return SQL whose placeholder values are sent as bytes."""
    return sql.replace("?", "%b")


def bindable(value: Any) -> Any:
    """Return a value as a query parameter. A text that cannot be stored matches nothing."""
    return None if isinstance(value, str) and not storable(value) else value


def storable(text: str) -> bool:
    """Return whether PostgreSQL can store a text."""
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
_AGAIN = {"40001": "another write came first", "40P01": "two writes waited for each other"}
"""Errors after which the same write can safely be run again."""
_BUSY = {
    "55P03": "another write held a lock for too long",
    "57014": "the server stopped the statement",
    "53300": "the server has no connection left",
    "25P03": "the server ended the transaction",
    "25P04": "the server ended the transaction",
}
_GONE = ("08", "57P")
_FULL = ("53100", "53200", "53400")
_BROKEN = ("42P01", "42703", "42883", "42704", "3F000", "XX001", "XX002")


def translate(error: psycopg.Error, location: str) -> TacitError:
    """Translate a driver's error into one of ours."""
    state = error.sqlstate or ""
    said = (error.diag.message_primary or str(error)).strip().partition("\n")[0]
    if state in _AGAIN:
        return StoreBusy(f"{location}: {_AGAIN[state]} ({said})", _NOTHING, again=True)
    if state in _BUSY:
        return StoreBusy(f"{location}: {_BUSY[state]} ({said})", _NOTHING)
    if state.startswith(_GONE) or (not state and isinstance(error, psycopg.OperationalError)):
        return StoreUnreachable(f"{location} cannot be reached: {said}", "check the server and the URL; " + _NOTHING)
    if state == "23505":
        return Conflict(f"{location}: another write came first ({said})", _NOTHING)
    if state in _FULL:
        return StoreFull(f"no space left for {location}: {said}", "free some space and try again")
    if state in ("42501", "25006"):
        return StoreReadOnly(f"{location}: {said}", "ask the owner for the rights; docs/postgresql.md lists them")
    if state in _BROKEN:
        return StoreDamaged(f"the tables in {location} are not those of tacit: {said}", "run `tacit doctor`")
    if isinstance(error, pg.DataError | psycopg.DataError):
        return UsageError(f"{location} cannot store that: {said}", "give a smaller number, or text without NUL")
    return StoreError(f"{location}: {said} ({state or type(error).__name__})", "run `tacit doctor`")


_NOT_LET_IN = ("authentication", "role ", "pg_hba.conf", "permission")


def _not_connected(error: psycopg.Error, location: str) -> TacitError:
    """Return why the connection was refused. Before there is a connection, only the server's message is known."""
    if isinstance(error, psycopg.ProgrammingError):
        return not_a_url()
    said = str(error).strip().partition("\n")[0]
    for before in ("connection failed:", "connection is bad:", "FATAL:"):
        said = said.rpartition(before)[2].strip()
    if said.startswith("database ") and said.endswith("does not exist"):
        return StoreMissing(f"{location}: {said}; it was not created", "create it, or check the URL")
    if "FATAL:" in str(error) and any(word in said for word in _NOT_LET_IN):
        return StoreUnreachable(f"{location} refused the login: {said}", "check user and password in the URL")
    return StoreUnreachable(f"{location} cannot be reached: {said}", "check the server and the URL")
