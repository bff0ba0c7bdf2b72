"""Reading files never takes the locks of an open store away, so that its log stays and what is written is kept."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

import tacit
from tacit.app.open import current_settings
from tacit.errors import TacitError
from tacit.files.lock import WriterLock
from tacit.files.plain_file import NotPlain, open_plain
from tests.crash.test_contention import looked_at

TOPIC = "---\nname: deploy\ndescription: how to deploy the shop\ntype: project\n---\nCall `run_the_deploy` to deploy.\n"


def selected(memory: tacit.Memory, _path: Path) -> object:
    """Select a topic file that names something which may be in any file of the project."""
    folder = Path(current_settings().memdir)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "deploy.md").write_text(TOPIC)
    return memory.memdir.select("deploy the shop")


READERS: dict[str, Callable[[tacit.Memory, Path], object]] = {
    "a topic file is selected": selected,
    "a folder is searched for sessions": lambda memory, path: memory.sessions.discover([(path.parent, "")], named=True),
    "the store is read as a session": lambda memory, path: memory.sessions.discover([(path, "")], named=True),
    "an import looks what the store is": lambda memory, path: memory.exchange.recognise(str(path)),
}


@pytest.mark.parametrize("reads", READERS.values(), ids=READERS)
def test_reading_files_takes_no_lock_of_the_open_store_away(tmp_path, monkeypatch, reads):
    """A reviewer: 301 of 481 acknowledged records were left after a topic file had been selected in a project with its
    store in it, with no error to anybody."""
    repo = tmp_path / "shop"
    subprocess.run(["git", "init", "-q", str(repo)], check=True)
    monkeypatch.chdir(repo)
    path = repo / "memory.db"
    with closing(tacit.open_memory(path)) as memory:
        memory.memorize("The first fact is here")
        with suppress(TacitError):
            reads(memory, path)
        looked_at(path)
        memory.memorize("The second fact is here")
        seen = subprocess.run(
            [sys.executable, "-c", COUNT, str(path)], check=True, capture_output=True, text=True
        ).stdout

    assert "2" == seen.strip()


COUNT = """import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute("SELECT count(*) FROM records WHERE kind = 'fact'").fetchone()[0])"""


def test_reading_a_file_does_not_wait_for_a_store_that_is_being_opened(tmp_path, monkeypatch):
    """Every hook reads files, and another thread may wait for seconds until it may make or upgrade a store."""
    other, path, waits = WriterLock(tmp_path / "memory.db"), tmp_path / "settings.toml", threading.Event()
    path.write_text("x")
    other.acquire(1)
    acquire = WriterLock.acquire

    def waiting(lock: WriterLock, *budget: float) -> float:
        waits.set()
        return acquire(lock, *budget)

    monkeypatch.setattr(WriterLock, "acquire", waiting)
    opening = threading.Thread(target=lambda: tacit.open_memory(tmp_path / "memory.db").close())
    reading = threading.Thread(target=lambda: open_plain(path).close())
    opening.start()
    try:
        assert waits.wait(60)
        reading.start()
        reading.join(5)
        assert (True, False) == (opening.is_alive(), reading.is_alive())
    finally:
        other.release()
        other.close()
        opening.join()
        reading.join()


def test_a_store_is_a_plain_file_again_once_it_is_closed(tmp_path):
    path = tmp_path / "memory.db"
    with closing(tacit.open_memory(path)) as memory:
        memory.memorize("The first fact is here")
        for name in (path, f"{path}-shm", f"{path}-wal"):
            with pytest.raises(NotPlain, match="a store that is open here"):
                open_plain(name)
    with open_plain(path) as file:
        assert file.read(15) == b"SQLite format 3"
