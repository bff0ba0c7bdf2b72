"""The SQLite store: one file, one writer at a time among all processes, readers that never wait."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.errors import StoreBusy, StoreClosed, StoreError, StoreReadOnly, StoreReplaced, UsageError
from tacit.files import open_stores
from tacit.files.lock import LockBusy, WriterLock
from tacit.model.event import Event
from tacit.model.link import Link
from tacit.model.origin import Origin
from tacit.model.record import Record
from tacit.model.report import Forgotten, Progress, Verification
from tacit.ports.damage_log import DamageLog
from tacit.store.sqlite.accelerated import AcceleratedFile
from tacit.store.sqlite.connect import (
    MEMORY,
    busy,
    check_header,
    empty_if_cut_off,
    in_our_words,
    make_file,
    missing,
    no_folder,
    open_reader_of,
    open_writer,
    still,
)
from tacit.store.sqlite.migrate import backup_before, migrate, pending, reindex, store_id, undo
from tacit.store.sqlite.writer import SqliteTransaction

if TYPE_CHECKING:
    from tacit.store.copy_rows import Dumped

# Above this size the log is copied into the file; `journal_size_limit` then lets it start small again.
CHECKPOINT_BYTES = 4 << 20
LOCK_BUDGET_S, _MOST_WAIT_S = 10.0, 60.0
"""How long a writer waits for another one, and how long it stays in a queue that moves."""
SLOW_S = 1.0
_LEFT_OPEN: list[sqlite3.Connection] = []


class SqliteStore(AcceleratedFile):
    """A store in one file, or in memory if no file exists yet."""

    def __init__(
        self, location: str, tenant: str = "local", *, expected_id: str = "", lock_budget_s: float = LOCK_BUDGET_S
    ) -> None:
        self.file = self.lasting = location != MEMORY
        # SQLite names its log after the target of a symbolic link; so must the lock, or there would be two locks.
        self.location = os.path.realpath(location) if self.file else location
        self.tenant = tenant
        self.damage = DamageLog()
        self._budget_s = lock_budget_s
        self._threads = threading.RLock()
        self._local = threading.local()
        self._reading = threading.Lock()
        self._readers: list[tuple[threading.Thread, sqlite3.Connection]] = []
        self._writer: sqlite3.Connection | None = None
        self._closed = False
        self._writing = False
        self._lock = WriterLock(Path(self.location)) if self.file else None
        self._inode = 0
        self._opening: tuple[int, int] | None = None
        try:
            self._open(known=bool(expected_id))
            with in_our_words(self.location):
                self.id = store_id(self._db())
            if expected_id and self.id != expected_id:
                raise StoreReplaced(
                    f"{location} contains a different store than the one known under this path; nothing was changed",
                    "put the right file back, or open this one by another path",
                )
        except BaseException:
            self.close()
            raise

    # -- opening and closing ------------------------------------------------------------------------------------

    def _open(self, known: bool) -> None:
        path = Path(self.location)
        if self.file and known and not path.exists():
            raise missing(path)
        if self.file and self._exists(path, known):
            self._inode = path.stat().st_ino
            if not pending(self._db(), self.location, known=known):
                return
        if self.file and not path.parent.is_dir():
            raise no_folder(path)
        with self._exclusive():
            self._make()

    @staticmethod
    def _exists(path: Path, known: bool) -> bool:
        """Return whether there is a store, checking the file before SQLite does."""
        # An empty file is a store whose creation was interrupted, unless it is known that it was more than that.
        there = path.exists() and (known or not path.is_file() or path.stat().st_size > 0)
        return there and check_header(path, known)

    def _make(self) -> None:
        """Create the store, or upgrade an older one to the current tables. The writer lock is held."""
        if self.file and self._writer is None:
            empty_if_cut_off(Path(self.location))
        db, path = self._write_connection(), Path(self.location)
        if pending(db, self.location):
            if self.file:
                backup_before(db, path)
            with in_our_words(self.location):
                migrate(db)
            if self.file:
                # From now on the file itself shows what it is, whatever happens to its log.
                self._checkpoint("PASSIVE")
        self._inode = path.stat().st_ino if self.file else 0

    def _db(self) -> sqlite3.Connection:
        if self._closed:
            raise StoreClosed(f"{self.location} is closed", "open the memory again")
        if not self.file:
            return self._write_connection()
        self._same_file()
        db: sqlite3.Connection | None = getattr(self._local, "db", None)
        # Read as a file that nobody writes, and somebody did. It stays open: closing it would end the locks of others.
        if db is not None and self._local.still and self._local.still != still(self.location):
            db = None
        if db is None:
            # From the first connection on, no other look at the file may take its locks away.
            self._opening = self._opening or open_stores.opened(self.location)
            self._local.still = still(self.location)
            with in_our_words(self.location):
                db = self._local.db = open_reader_of(self.location, self._local.still)
            self._keep_reader(db)
        return db

    def _keep_reader(self, db: sqlite3.Connection) -> None:
        """Remember a thread's connection, and close those of threads that have ended."""
        with self._reading:
            for thread, old in [item for item in self._readers if not item[0].is_alive()]:
                old.close()
                self._readers.remove((thread, old))
            self._readers.append((threading.current_thread(), db))

    def _write_connection(self) -> sqlite3.Connection:
        if self._writer is None:
            if self.file and Path(self.location).exists() and not os.access(self.location, os.W_OK):
                raise StoreReadOnly(f"{self.location} cannot be written", "check the file's owner and permissions")
            if self.file and not Path(self.location).exists():
                make_file(Path(self.location))
            if self.file:
                self._opening = self._opening or open_stores.opened(self.location)
            with in_our_words(self.location):
                self._writer = open_writer(self.location)
        return self._writer

    def _same_file(self) -> None:
        """Notice at once when the file was deleted or replaced while open."""
        if not self._inode:
            return
        try:
            now = os.stat(self.location).st_ino  # noqa: PTH116 - on every read; a Path costs more than the call
        except FileNotFoundError:
            raise missing(self.location) from None
        if now != self._inode:
            raise StoreReplaced(f"{self.location} was replaced while open", "close this memory and open it again")

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        """Be the only writer: among our threads, then among processes."""
        if not self._threads.acquire(timeout=self._budget_s):
            raise busy(self.location, self._budget_s)
        try:
            if self._writing:
                # Releasing the lock here would take it from the enclosing write.
                raise UsageError("a transaction is already open in this thread", "end it first")
            self._acquire()
            self._writing = True
            try:
                yield
            finally:
                self._writing = False
                if self._lock is not None:
                    self._lock.release()
        finally:
            self._threads.release()

    def _acquire(self) -> None:
        if self._lock is None:
            return
        try:
            waited_s = self._lock.acquire(self._budget_s, _MOST_WAIT_S if self._budget_s >= LOCK_BUDGET_S else 0.0)
        except LockBusy:
            raise busy(self.location, self._budget_s) from None
        except OSError as error:
            raise StoreReadOnly(
                f"{self.location} cannot be written: {error.strerror}", "check the permissions of its folder"
            ) from None
        if waited_s > SLOW_S:
            from tacit import logs

            logs.get(__name__).info("waited %.1f s for the writer lock of %s", waited_s, self.location)

    def close(self) -> None:
        """Release everything. Safe to call twice."""
        if self._closed:
            return
        self._end_writing()
        if self._writer is None:
            self._close_readers()
        else:
            # The last connection to close copies the log into the file, so closing needs the lock like any checkpoint.
            try:
                with self._exclusive():
                    self._close_readers()
                    self._writer.close()
            except StoreBusy:
                # Leave the connection open until the process ends: closing it now could collide with a commit.
                self._close_readers()
                _LEFT_OPEN.append(self._writer)
                self._opening = None
        self._closed = True
        open_stores.closed(self._opening)
        if self._lock is not None:
            self._lock.close()

    def _close_readers(self) -> None:
        with self._reading:
            for _thread, db in self._readers:
                db.close()
            self._readers.clear()

    # -- writing ------------------------------------------------------------------------------------------------

    @contextmanager
    def transaction(self, origin: Origin, at: datetime) -> Iterator[SqliteTransaction]:
        """Open a write. It is durable when the block ends, and undone if it raises."""
        if self._closed:
            raise StoreClosed(f"{self.location} is closed", "open the memory again")
        with self._exclusive():
            self._same_file()
            db = self._write_connection()
            with in_our_words(self.location):
                db.execute("BEGIN IMMEDIATE")
            try:
                tx = SqliteTransaction(db, self.tenant, self.location, origin, at)
                tx.damage = self.damage
                yield tx
                tx.finish()
                with in_our_words(self.location):
                    db.execute("COMMIT")
            except BaseException:
                undo(db)
                raise
            if self.file and self._log_bytes() > CHECKPOINT_BYTES:
                # The write is durable: raising an error now would say that it was not. The next write tries again.
                with suppress(StoreError):
                    self._checkpoint("PASSIVE")

    def _checkpoint(self, how: str) -> bool:
        """Copy the log into the file; the writer lock is held. Returns True when all of it was copied."""
        sql = "PRAGMA wal_checkpoint(TRUNCATE)" if how == "TRUNCATE" else "PRAGMA wal_checkpoint(PASSIVE)"
        db = self._write_connection()
        with in_our_words(self.location):
            # A reader of an old state may take long; no writer waits for that.
            db.execute("PRAGMA busy_timeout=20")
            try:
                unfinished, _log, _done = db.execute(sql).fetchone()
            finally:
                db.execute("PRAGMA busy_timeout=5000")
        return not unfinished

    def _log_bytes(self) -> int:
        try:
            return os.stat(f"{self.location}-wal").st_size  # noqa: PTH116 - after every write
        except FileNotFoundError:
            return 0

    # -- maintenance --------------------------------------------------------------------------------------------

    def export(self) -> Iterator[tuple[str, Record | Link | Event | str]]:
        """Yield everything of the tenant in a stable order."""
        from tacit.store.sqlite import transfer

        yield from transfer.export(self)

    def dump(self) -> Dumped:
        """Return every row of the tenant, from one consistent snapshot."""
        from tacit.store.copy_rows import dump
        from tacit.store.sqlite import transfer

        with transfer.snapshot(self) as ask:
            yield from dump(ask, self.tenant)

    def fill(self, rows: Iterable[tuple[str, tuple[Any, ...]]], *, replace: bool = False) -> None:
        """Copy the rows of another store, all or none. `replace` removes the existing rows first."""
        with self._exclusive():
            from tacit.store.sqlite import transfer

            transfer.fill(self._write_connection(), self, rows, replace=replace)

    def rebuild(self) -> int:
        """Drop and rebuild the text index and the facets from the records."""
        with self._exclusive():
            db = self._write_connection()
            with in_our_words(self.location):
                return reindex(db)

    def optimise(self) -> None:
        """Check and compact the index, rebuild it if it is damaged, and copy the log into the file."""
        with self._exclusive():
            db = self._write_connection()
            try:
                db.execute("INSERT INTO search(search) VALUES ('integrity-check')")
            except sqlite3.DatabaseError:
                with in_our_words(self.location):
                    reindex(db)
            with in_our_words(self.location):
                db.execute("INSERT INTO search(search) VALUES ('optimize')")
                self.trim_changes(db)
            if self.file:
                self._checkpoint("TRUNCATE")
        self.write_words()

    def finish_forgetting(self) -> Forgotten:
        """Make erased bytes unrecoverable, as far as open readers allow it."""
        waiting = "SELECT value FROM meta WHERE name = 'erasure_pending'"
        if not self._one(waiting):
            return Forgotten(ids=(), pending=False)
        with self._exclusive():
            db = self._write_connection()
            with in_our_words(self.location):
                # A full merge leaves no trace of deleted rows in the index; it works in every version of FTS5.
                db.execute("INSERT INTO search(search) VALUES ('optimize')")
                self.drop_words()
                clean = not self.file or self._checkpoint("TRUNCATE")
                if clean:
                    db.execute("DELETE FROM meta WHERE name = 'erasure_pending'")
                    if self.file:
                        self._checkpoint("TRUNCATE")
        return Forgotten(ids=(), pending=not clean)

    def verify(
        self, head: tuple[int, str] | None = None, *, deep: bool = True, since: tuple[int, str] | None = None,
        progress: Progress | None = None,
    ) -> Verification:  # fmt: skip
        """Check seals, events, records and projections."""
        from tacit.store.sqlite.verify import verify

        return verify(self._db(), self.tenant, self.location, head, deep=deep, since=since, progress=progress)

    def position(self) -> object:
        """Return a value that changes after every write, because every write is sealed."""
        return self.head()

    def refresh(self) -> None:
        """Do nothing, because every query reads the file."""

    def copies(self) -> list[str]:
        """List the copies of this store that were made next to it."""
        from glob import escape

        path = Path(self.location)
        return sorted(map(str, path.parent.glob(f"{escape(path.name)}.before-*"))) if self.file else []

    def may_act_for(self, role: str) -> bool:
        """Return True: a file knows no roles."""
        return True

    def backup(self, target: Path, progress: Progress | None = None) -> None:
        """Write a consistent copy while others read and write."""
        from tacit.store.sqlite import transfer

        transfer.backup(self._db(), target, progress)

    def size_bytes(self) -> int:
        """Return the size of the store on disk."""
        parts = (Path(self.location + suffix) for suffix in ("", "-wal", "-shm"))
        return sum(part.stat().st_size for part in parts if part.exists()) if self.file else 0

    def engine(self) -> dict[str, str | int | bool]:
        """Describe the database."""
        return {
            "engine": f"SQLite {sqlite3.sqlite_version}",
            "id": self.id,
            "format": int(self._one("PRAGMA user_version")),
            "journal": str(self._one("PRAGMA journal_mode")),
            "log_bytes": self._log_bytes() if self.file else 0,
            "size_bytes": self.size_bytes(),
            "erasure_pending": bool(self._one("SELECT value FROM meta WHERE name = 'erasure_pending'")),
            "exists": self.file,
            "lock_holder": self._lock.holder() if self._lock is not None else 0,
        }
