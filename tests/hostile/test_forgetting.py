"""What was forgotten is in no byte of the store's files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tacit.store.sqlite.connect import open_reader
from tacit.store.sqlite.store import SqliteStore
from tacit.testing import FakeEmbedder, temporary_memory
from tests.contracts.makers import HERE, embed, forget, here, link, record, revised, write

SECRET = "xylophonequartz"
SHORT = "zq7vw"
TEXTS = [text.encode() for text in (SECRET, SECRET.upper(), SHORT, f"{SECRET} tag", "kryptonkey", SECRET[:12])]


def traces(folder: Path) -> list[str]:
    """Name the files that hold a forgotten text, and where."""
    found = []
    for path in sorted(folder.rglob("*")):
        content = path.read_bytes() if path.is_file() else b""
        found += [f"{path.name}: {text!r} at {content.find(text)}" for text in TEXTS if text in content]
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the store lies, alone."""
    place = tmp_path / "place"
    place.mkdir()
    return place


@pytest.fixture
def store(folder: Path) -> Iterator[SqliteStore]:
    """A store with a secret in every corner, among other records."""
    made = SqliteStore(str(folder / "m.db"))
    others = [record(n, f"harmless number{n} " * 30) for n in range(2, 40)]
    write(made, *others[:20])
    secret = record(1, f"the word is {SECRET} {SHORT}", title=SECRET.upper(), tags=(f"{SECRET} tag",), key="kryptonkey")
    write(made, secret, links=[link(secret, others[0], f"r{SECRET}", payload={"x": SECRET})])
    write(made, revised(secret, body=f"{SECRET} " * 3000))
    write(made, revised(revised(secret, body=f"{SECRET} " * 3000), body=f"short {SECRET}"))
    embed(made, {secret.id: SECRET.encode() * 4})
    write(made, *others[20:])
    with made.transaction(secret.origin, secret.updated_at) as tx:
        from tests.contracts.makers import happened

        happened(tx, "said", secret.id, quote=SECRET)
    yield made
    made.close()


def test_the_secret_is_there_before(store: SqliteStore, folder: Path) -> None:
    """The search for traces would find them: in the file or in its log."""
    assert traces(folder)


@pytest.mark.parametrize("copied", [False, True])
def test_no_byte_of_it_is_left(store: SqliteStore, folder: Path, copied: bool) -> None:
    """Record, history, index, vectors, links and events are gone from file and log, also after they were compacted."""
    if copied:
        store.optimise()
    forget(store, record(1).id)
    assert store.engine()["erasure_pending"]
    outcome = store.finish_forgetting()

    assert not outcome.pending
    assert not store.engine()["erasure_pending"]
    assert [] == traces(folder)
    store.close()
    assert [] == traces(folder)


def test_an_open_reader_delays_it_and_that_is_said(store: SqliteStore, folder: Path) -> None:
    """While somebody reads an older state the log must stay: erasure is pending, says so at once, and ends later."""
    reader = open_reader(store.location)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM records").fetchone()
    forget(store, record(1).id)
    said: list[str] = []
    store._write_connection().set_trace_callback(said.append)
    outcome = store.finish_forgetting()

    assert outcome.pending
    # At once: SQLite itself waits for the reader, and is told not to for long.
    first = next(number for number, sql in enumerate(said) if "wal_checkpoint" in sql)
    assert [sql for sql in said[:first] if "busy_timeout" in sql][-1] == "PRAGMA busy_timeout=20"
    assert store.engine()["erasure_pending"]
    write(store, record(50))
    reader.execute("COMMIT")
    reader.close()
    assert not store.finish_forgetting().pending
    assert [] == traces(folder)
    assert store.verify().ok


def test_pending_survives_a_restart(store: SqliteStore, folder: Path) -> None:
    """A store closed before it could finish still knows, and maintain finishes it."""
    forget(store, record(1).id)
    store.close()
    again = SqliteStore(str(folder / "m.db"))

    assert again.engine()["erasure_pending"]
    assert not again.finish_forgetting().pending
    assert [] == traces(folder)
    again.close()


def test_the_rest_is_untouched(store: SqliteStore) -> None:
    """Forgetting one record changes no other, and search still finds them."""
    before = {one.id: one for one in store.find(here(), limit=1000).records if one.id != record(1).id}
    forget(store, record(1).id)
    store.finish_forgetting()

    assert before == {one.id: one for one in store.find(here(), limit=1000).records}
    assert 38 == len(store.match(["harmless"], here(), 100))
    assert [] == store.history(record(1).id, [HERE])
    assert store.verify().ok


def test_a_memory_forgets_through_its_door(tmp_path: Path) -> None:
    """Memorized, merged, linked, embedded, revised and forgotten: no file of the home or the store holds it."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="tacit-") as scratch:
        with temporary_memory(folder=scratch, actor="user", embedder=FakeEmbedder()) as memory:
            fact = memory.memorize(f"the vault word is {SECRET}", entity=("vault", "main"), tags=[f"{SECRET} tag"])
            memory.memorize(f"the vault word is {SECRET}", importance=0.9)
            memory.revise(fact.id, body=f"the vault word was {SECRET} {SHORT}")
            memory.memorize("something else about gardens")
            memory.recall("vault word")
            memory.maintain()
            outcome = memory.forget(fact.id)
            left = traces(Path(scratch))

            assert (False, []) == (outcome.pending, left)
            assert memory.verify().ok
            assert 0 == len(memory.recall(SECRET))
        assert [] == traces(Path(scratch))
