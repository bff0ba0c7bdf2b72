"""Many processes at one store: nobody fails, nobody starves, readers never wait."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tacit.errors import StoreBusy
from tacit.files.lock import LockBusy, WriterLock
from tacit.store.sqlite import store as store_module
from tacit.store.sqlite.schema import MIGRATIONS
from tacit.store.sqlite.store import SqliteStore
from tacit.store.sqlite.transfer import check_backup
from tests.contracts.makers import at, embed, forget, here, id_of, record, write
from tests.crash.run import ROOT, nursery


@pytest.mark.soak
def test_many_processes_write_at_once(tmp_path: Path, budget: Callable[..., int], figures: Callable[..., None]) -> None:
    """16 processes write 100 records each: no errors, exactly those rows, bounded waiting, readers alongside."""
    processes, writes = budget(16, soak=64), budget(100, soak=1_000)
    outcome = nursery(
        "contention", path=str(tmp_path / "m.db"), processes=processes, writes=writes, readers=2, timeout=1800
    )
    figures("contention writes", processes * writes)
    figures("contention worst wait in s", round(outcome["worst_wait"], 3), fold="max")
    figures("contention turns of others at most", outcome["overtaken"], fold="max")
    figures("contention p99 wait in s", round(outcome["p99_wait"], 3), fold="max")
    figures("contention writes per s", round(processes * writes / outcome["seconds"]), fold="min")
    figures("contention worst read in ms", round(outcome["worst_read"] * 1000), fold="max")

    assert [] == outcome["errors"]
    assert (processes * writes, True) == (outcome["rows"], outcome["ok"])
    # A loaded machine may be slow, and how long somebody waited is a figure; but nobody may starve beside the others.
    assert outcome["overtaken"] < processes * writes / 2
    assert outcome["reads"] > 0


@pytest.mark.soak
def test_many_processes_memorize_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, budget: Callable[..., int], figures: Callable[..., None]
) -> None:
    """Through the façade beside a busy core: no StoreBusy, all rows, and nobody gets ten turns while another waits."""
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / "home"))
    processes, writes = budget(8, soak=64), budget(10, soak=200)
    outcome = nursery("memorizers", path=str(tmp_path / "m.db"), processes=processes, writes=writes, busy=1)
    figures("memorizing together, calls", processes * writes)
    figures("memorizing together, calls per s", round(processes * writes / outcome["seconds"]), fold="min")
    figures("memorizing together, worst wait in s", round(outcome["worst_wait"], 3), fold="max")
    figures("memorizing together, worst call in s", round(outcome["worst_call"], 3), fold="max")
    figures("memorizing together, turns of one while another waited", outcome["turns"], fold="max")

    assert [] == outcome["errors"]
    assert (processes * writes, processes * writes + 1, True) == (outcome["calls"], outcome["rows"], outcome["ok"])
    assert outcome["semantic"]
    assert outcome["turns"] < 10


def test_opening_a_new_path_together_makes_one_store(tmp_path: Path) -> None:
    """However many processes open a new path at once, one makes it and all get the same."""
    answers = nursery("opened_together", folder=str(tmp_path), rounds=6, processes=4)["answers"]

    for ids in answers:
        assert 4 == len(ids)
        assert 1 == len(set(ids))


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Path]:
    """A store whose writer's lock another process holds."""
    path = tmp_path / "m.db"
    store = SqliteStore(str(path))
    write(store, record(1))
    store.close()
    holder = subprocess.Popen(
        [sys.executable, "-m", "tests.crash.nursery", "hold", f'{{"path": "{path}", "seconds": 3600}}'],
        cwd=ROOT, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert holder.stdout is not None
    assert "held\n" == holder.stdout.readline()
    yield path
    holder.kill()
    holder.wait()
    holder.stdout.close()


def test_a_writer_that_waits_too_long_says_busy(held: Path) -> None:
    """When the lock is held for the whole budget the writer gets StoreBusy and nothing is written; readers go on."""
    store = SqliteStore(str(held), lock_budget_s=0.2)
    start = time.monotonic()
    with pytest.raises(StoreBusy):
        write(store, record(2))
    waited = time.monotonic() - start
    for call in (store.optimise, store.rebuild):
        with pytest.raises(StoreBusy):
            call()

    assert waited > 0.15
    assert [record(1)] == list(store.find(here()).records)
    store.close()


def test_a_dead_holder_gives_the_lock_back(held: Path) -> None:
    """A killed process holds no lock: the next writer does not wait for a timeout."""
    import signal

    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    if not children.exists():
        pytest.skip("needs /proc to find the holder")
    for pid in children.read_text().split():
        if "hold" in Path(f"/proc/{pid}/cmdline").read_text().split("\0"):
            os.kill(int(pid), signal.SIGKILL)
    store = SqliteStore(str(held), lock_budget_s=300)
    write(store, record(2))

    assert 2 == store.count(here())
    store.close()


def test_threads_of_one_process_share_a_store(tmp_path: Path) -> None:
    """Threads write through one store without losing or mixing anything."""
    store = SqliteStore(str(tmp_path / "m.db"))
    failures: list[BaseException] = []

    def work(thread: int) -> None:
        try:
            for number in range(10):
                write(store, record(thread * 100 + number + 1))
                assert store.get(id_of(thread * 100 + number + 1), ["project:here"]) is not None
        except BaseException as error:  # noqa: BLE001 - carried to the main thread
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [] == failures
    assert (40, True) == (store.count(here()), store.verify().ok)
    store.close()


class Watched:
    """A writer's connection that notes whether the lock was held when it was closed or copied its log."""

    def __init__(self, connection: Any, is_locked: Callable[[], bool], seen: list[tuple[str, bool]]) -> None:
        self._connection = connection
        self._is_locked = is_locked
        self._seen = seen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def execute(self, sql: str, *values: Any) -> Any:
        """Run a statement; note a checkpoint, a begin and a commit."""
        first = sql.split("(")[0].split()
        if "wal_checkpoint" in sql or first[0] in ("BEGIN", "COMMIT", "ROLLBACK"):
            self._seen.append((first[-1] if "wal_checkpoint" in sql else first[0], self._is_locked()))
        return self._connection.execute(sql, *values)

    def close(self) -> None:
        """Close, which may copy the log."""
        self._seen.append(("close", self._is_locked()))
        self._connection.close()


def test_commits_checkpoints_and_closing_hold_the_writer_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before SQLite 3.51.3 a checkpoint that meets a commit can lose frames: neither runs without the lock."""
    path = tmp_path / "m.db"
    seen: list[tuple[str, bool]] = []
    probe = WriterLock(path)

    def is_locked() -> bool:
        try:
            probe.acquire(0)
        except LockBusy:
            return True
        probe.release()
        return False

    opened = store_module.open_writer
    monkeypatch.setattr(store_module, "open_writer", lambda at: Watched(opened(at), is_locked, seen))
    monkeypatch.setattr(store_module, "backup_before", lambda *_: None)
    monkeypatch.setattr(store_module, "CHECKPOINT_BYTES", 0)
    store = SqliteStore(str(path))
    write(store, record(1), record(2))
    embed(store, {id_of(1): b"\0\0"})
    forget(store, id_of(1))
    store.finish_forgetting()
    store.optimise()
    store.rebuild()
    store.close()
    probe.close()

    assert {"BEGIN", "COMMIT", "ROLLBACK", "wal_checkpoint", "close"} == {what for what, _ in seen}
    assert [] == [what for what, locked in seen if not locked]


def test_sqlite_never_checkpoints_by_itself(tmp_path: Path) -> None:
    """Automatic checkpoints are off, commits are FULL, and readers cannot write at all."""
    store = SqliteStore(str(tmp_path / "m.db"))
    write(store, record(1))
    writer, reader = store._write_connection(), store._db()

    assert (0,) == writer.execute("PRAGMA wal_autocheckpoint").fetchone()
    assert (2,) == writer.execute("PRAGMA synchronous").fetchone()
    assert ("wal",) == writer.execute("PRAGMA journal_mode").fetchone()
    assert (0,) == reader.execute("PRAGMA mmap_size").fetchone()
    with pytest.raises(sqlite3.OperationalError):
        reader.execute("DELETE FROM records")
    store.close()


def test_the_log_does_not_grow_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Past a size the log is copied into the file by the writers themselves."""
    monkeypatch.setattr(store_module, "CHECKPOINT_BYTES", 300_000)
    store = SqliteStore(str(tmp_path / "m.db"))
    sizes = []
    for number in range(1, 61):
        write(store, record(number, "word " * 2000))
        sizes.append(store.engine()["log_bytes"])

    assert max(sizes) < 900_000
    store.close()


def test_closing_while_another_writes_waits_for_the_lock(tmp_path: Path) -> None:
    """A close that finds the lock taken waits for its turn; past its budget it leaves the file alone."""
    path = tmp_path / "m.db"
    store = SqliteStore(str(path), lock_budget_s=0.1)
    write(store, record(1))
    other = WriterLock(path)
    other.acquire(1)
    store.close()
    log = Path(f"{path}-wal").stat().st_size
    other.release()
    other.close()

    assert log > 0
    again = SqliteStore(str(path))
    assert at(1) == again.get(id_of(1), ["project:here"]).created_at
    again.close()


LOOKS = "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute('SELECT count(*) FROM meta'); db.close()"

# As another process leaves a store that it has begun to make: nothing in it yet, and a log.
BEGINS = """import os, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for step in ("PRAGMA journal_mode=WAL", "CREATE TABLE one(x)", "DROP TABLE one"):
    db.execute(step)
os._exit(0)"""


def looked_at(path: Path) -> None:
    """Let another process open a store and close it: if it takes itself for the last, it removes the log."""
    subprocess.run([sys.executable, "-c", LOOKS, str(path)], check=True)


@pytest.mark.parametrize("earlier", ["made", "being made", "older"])
def test_nobody_takes_the_log_away_from_an_open_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, earlier: str
) -> None:
    """However the store was when it was opened, its locks hold: what is written later is there for others."""
    path = tmp_path / "m.db"
    with monkeypatch.context() as patch:
        if earlier == "older":
            known = MIGRATIONS[:-1]
            patch.setattr("tacit.store.sqlite.migrate.MIGRATIONS", known)
            patch.setattr("tacit.store.sqlite.migrate.NEWEST", known[-1][0])
            patch.setattr("tacit.store.sqlite.connect.NEWEST", known[-1][0])
        if earlier == "being made":
            subprocess.run([sys.executable, "-c", BEGINS, str(path)], check=True)
        else:
            SqliteStore(str(path)).close()
    store = SqliteStore(str(path))
    looked_at(path)
    write(store, record(1))
    looked_at(path)
    with closing(sqlite3.connect(path)) as db:
        found = db.execute("SELECT id FROM records").fetchall()
    store.close()

    assert [(id_of(1),)] == found


def test_checking_a_backup_that_is_open_here_takes_no_lock_away(tmp_path: Path) -> None:
    """A store may be given as the backup: it is not opened in another way than by SQLite."""
    path = tmp_path / "m.db"
    store = SqliteStore(str(path))
    write(store, record(1))
    check_backup(path)
    looked_at(path)
    write(store, record(2))
    again = SqliteStore(str(path))

    assert 2 == again.count(here())
    again.close()
    store.close()
    reopened = SqliteStore(str(path))
    assert 2 == reopened.count(here())
    reopened.close()


@pytest.mark.parametrize("is_open", [True, False], ids=["still open", "closed again"])
def test_a_store_that_is_read_only_only_here_is_read_as_others_write_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_open: bool
) -> None:
    """A folder mounted read-only is read as one that nobody writes only until somebody does."""
    path = tmp_path / "m.db"
    store = SqliteStore(str(path))
    write(store, record(1))
    store.close()
    os.utime(path, (1, 1))
    writable = os.statvfs(tmp_path)
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_flag=writable.f_flag | os.ST_RDONLY))
    reader = SqliteStore(str(path))
    assert (1, []) == (reader.count(here()), list(tmp_path.glob("*-shm")))
    monkeypatch.setattr(os, "statvfs", lambda _: writable)
    writer = SqliteStore(str(path))
    write(writer, record(2))
    if not is_open:
        writer.close()
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_flag=writable.f_flag | os.ST_RDONLY))

    assert (2, [record(2)]) == (reader.count(here()), [one for one in reader.find(here()).records if one == record(2)])
    reader.close()
    writer.close()
