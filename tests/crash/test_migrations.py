"""Migrations: forward only, one at a time, with a backup first; what is newer is left alone."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tacit.errors import StoreDamaged, StoreNewer, TacitError
from tacit.model.payload import Fact, KeptTurn, Recap
from tacit.model.record import replace
from tacit.model.session import Session
from tacit.store.sqlite import connect, migrate
from tacit.store.sqlite.schema import MIGRATIONS
from tacit.store.sqlite.store import SqliteStore
from tests.contracts.makers import HERE, here, id_of, matched, record, write
from tests.contracts.tampering import tampered

NEXT = MIGRATIONS[-1][0] + 1
LATER = (NEXT, "a test's table", ("CREATE TABLE extra(tenant TEXT NOT NULL)", "INSERT INTO extra VALUES ('x')"))


def newest(monkeypatch: pytest.MonkeyPatch, *more: tuple[int, str, tuple[str, ...]]) -> None:
    """Let this tacit know more migrations than it has."""
    known = (*MIGRATIONS, *more)
    monkeypatch.setattr(migrate, "MIGRATIONS", known)
    monkeypatch.setattr(migrate, "NEWEST", known[-1][0])
    monkeypatch.setattr(connect, "NEWEST", known[-1][0])
    monkeypatch.setattr(migrate, "_VERSIONS", {n: f"PRAGMA user_version={n:d}" for n, _, _ in known})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store of today's format with one record."""
    where = tmp_path / "m.db"
    store = SqliteStore(str(where))
    write(store, record(1, "first words"))
    store.close()
    return where


def test_a_migration_keeps_a_backup_and_says_that_it_ran(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store as it was lies beside it, readable; the migration is recorded; the second opening does nothing."""
    newest(monkeypatch, LATER)
    store = SqliteStore(str(path))
    facts, intact = store.engine(), store.verify().ok
    store.close()
    backup = path.with_name(f"m.db.before-format-{NEXT}")
    with closing(sqlite3.connect(backup)) as db:
        kept = db.execute("SELECT id FROM records").fetchall()
        version = db.execute("PRAGMA user_version").fetchone()
    again = SqliteStore(str(path))
    runs = again._all("SELECT number, name FROM migrations")
    again.close()

    assert (NEXT, True) == (facts["format"], intact)
    assert ([(id_of(1),)], (NEXT - 1,)) == (kept, version)
    assert 0o600 == backup.stat().st_mode & 0o777
    assert [*((number, name) for number, name, _steps in MIGRATIONS), (NEXT, "a test's table")] == runs


def test_a_migration_that_fails_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a migration is none: the store stays at its format, and a mended migration runs later."""
    newest(monkeypatch, (NEXT, "broken", ("CREATE TABLE extra(tenant TEXT)", "INSERT INTO nothing VALUES (1)")))
    with pytest.raises(TacitError):
        SqliteStore(str(path))
    with closing(sqlite3.connect(path)) as db:
        assert (NEXT - 1,) == db.execute("PRAGMA user_version").fetchone()
        assert [] == db.execute("SELECT name FROM sqlite_master WHERE name = 'extra'").fetchall()

    newest(monkeypatch, LATER)
    store = SqliteStore(str(path))
    assert (NEXT, 1) == (store.engine()["format"], store.count(here()))
    store.close()


def test_a_broken_off_backup_is_not_taken_for_one(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a killed process left of a backup is written anew; a whole one is kept."""
    path.with_name(f"m.db.before-format-{NEXT}.part").write_bytes(b"half")
    newest(monkeypatch, LATER)
    SqliteStore(str(path)).close()

    with closing(sqlite3.connect(path.with_name(f"m.db.before-format-{NEXT}"))) as db:
        assert [(id_of(1),)] == db.execute("SELECT id FROM records").fetchall()
    assert not path.with_name(f"m.db.before-format-{NEXT}.part").exists()


@pytest.mark.parametrize("checkpointed", [True, False])
def test_a_newer_store_is_refused_untouched(path: Path, checkpointed: bool) -> None:
    """A store of a later format is left as it is, byte for byte, also when only its log says so."""
    keeper = sqlite3.connect(path, isolation_level=None)
    keeper.execute("PRAGMA user_version=99")
    if checkpointed:
        keeper.close()
    files = {p: hashlib.sha256(p.read_bytes()).hexdigest() for p in path.parent.glob("m.db*") if "shm" not in p.name}
    for known in ("", "some id"):
        with pytest.raises(StoreNewer):
            SqliteStore(str(path), expected_id=known)
    now = {p: hashlib.sha256(p.read_bytes()).hexdigest() for p in path.parent.glob("m.db*") if "shm" not in p.name}
    keeper.close()

    assert files == now


def test_new_tokens_rebuild_the_index(path: Path) -> None:
    """When the rules of tokens change, the index is rebuilt at the next opening and answers as before."""
    tampered(
        path,
        "UPDATE meta SET value = 'tokens-0' WHERE name = 'tokens'; INSERT INTO search(search) VALUES('delete-all')",
    )
    store = SqliteStore(str(path))

    assert [id_of(1)] == matched(store, "words")
    assert store.verify().ok
    store.close()


def test_a_store_without_a_format_is_damaged(path: Path) -> None:
    """A file that says it is ours but of no format is not migrated from nothing."""
    tampered(path, "PRAGMA user_version=0")
    before = path.read_bytes()

    with pytest.raises(StoreDamaged):
        SqliteStore(str(path))
    assert before == path.read_bytes()


def test_a_new_store_is_private(tmp_path: Path) -> None:
    """Its files are made for their owner alone."""
    path = tmp_path / "own" / "m.db"
    path.parent.mkdir()
    store = SqliteStore(str(path))
    write(store, record(1))
    modes = {one.name: one.stat().st_mode & 0o777 for one in path.parent.iterdir()}
    store.close()

    assert {0o600} == set(modes.values())
    assert record(1).scope == HERE


def test_counts_are_made_for_an_older_store_and_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store of the first format has its records counted when it is opened; a wrong count is found and mended."""
    path, all_of_them = tmp_path / "old.db", MIGRATIONS
    with monkeypatch.context() as older:
        older.setattr(migrate, "MIGRATIONS", all_of_them[:1])
        older.setattr(migrate, "NEWEST", 1)
        older.setattr(connect, "NEWEST", 1)
        store = SqliteStore(str(path))
        write(store, record(1, "first words"), record(2, "second words"))
        store.close()
    store = SqliteStore(str(path))
    write(store, record(3, "third words"))
    assert (3, True) == (store.count(here()), store.verify().ok)
    store.close()

    tampered(path, "UPDATE counts SET records = 7")
    store = SqliteStore(str(path))
    assert ["counts"] == [finding.subject for finding in store.verify().findings]
    store.rebuild()
    assert (3, True) == (store.count(here()), store.verify().ok)
    store.close()


def test_what_agents_said_is_not_the_users_in_an_older_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F3: a store that a person filled with sessions has the trust of today when it is opened, and verifies."""
    path, all_of_them = tmp_path / "old.db", MIGRATIONS
    by_person = replace(record(1).origin, actor="user")
    said = [
        ("turn", KeptTurn(author="user", number=1)), ("turn", KeptTurn(author="claude", number=2, command="x")),
        ("recap", Recap(author="claude", agent="claude")), ("session", Session(agent="claude", external="s")),
        ("fact", Fact(author="claude")), ("fact", Fact()), ("fact", Fact()), ("fact", Fact()),
    ]  # fmt: skip
    rows = [
        replace(record(number), kind=kind, payload=payload, origin=by_person, trust=3, key=f"k{number}")
        for number, (kind, payload) in enumerate(said, 1)
    ]
    with monkeypatch.context() as older:
        older.setattr(migrate, "MIGRATIONS", all_of_them[:2])
        older.setattr(migrate, "NEWEST", 2)
        older.setattr(connect, "NEWEST", 2)
        store = SqliteStore(str(path))
        write(store, *rows)
        # The sixth is derived from an agent's turn, the seventh from the sixth, the eighth from the seventh.
        chain = [rows[1].id, *(one.id for one in rows[5:])]
        sql = "INSERT INTO links VALUES ('local', ?, 'derived_from', ?, ?, 'a', NULL, 1, '{}')"
        with closing(sqlite3.connect(path)) as db, db:
            db.executemany(sql, [(chain[n + 1], chain[n], rows[0].scope) for n in range(3)])
        store.close()
    store = SqliteStore(str(path))
    trusts = dict(store._all("SELECT id, trust FROM records"))

    assert [3, 1, 1, 1, 3, 1, 1, 1] == [trusts[one.id] for one in rows]
    assert store.verify().ok
    store.close()
