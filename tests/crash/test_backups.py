"""Backups are made under load and are good only because restoring them is practised here."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tacit.app.config import Settings
from tacit.app.open import Caller
from tacit.app.open_store import open_store
from tacit.app.person_actions import restore_backup
from tacit.clock import SystemClock
from tacit.errors import Conflict, PersonNeeded, StoreDamaged, StoreMissing, UsageError
from tacit.files.known_stores import KnownStores
from tacit.model.origin import Origin
from tacit.store.sqlite.store import SqliteStore
from tacit.store.sqlite.transfer import check_backup, restore
from tests.contracts.makers import PERSON, here, id_of, matched, record, write
from tests.crash.run import nursery

PERSON_VISITS = Caller(PERSON, SystemClock())


def test_backups_made_under_load_restore_whole(tmp_path: Path, figures) -> None:
    """Each backup holds at least what was there when it began, verifies, and can be written to after its restore."""
    outcome = nursery("backups_under_load", path=str(tmp_path / "m.db"), folder=str(tmp_path), count=4)
    assert (True, []) == (outcome["ok"], outcome["errors"])
    for number, known in enumerate(outcome["known"]):
        backup, target = tmp_path / f"backup-{number}.db", tmp_path / f"restored-{number}.db"
        check_backup(backup)
        restore(backup, str(target))
        store = SqliteStore(str(target))
        keys = {row[0] for row in store._all("SELECT key FROM records")}
        assert set(known) <= keys
        assert store.verify().ok
        write(store, record(10**8))
        assert store.verify().ok
        store.close()
    figures("restore drills", len(outcome["known"]))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """The settings of a home with a store."""
    return Settings(home=tmp_path / "home", store=str(tmp_path / "m.db"), user="tester", cwd=tmp_path)


@pytest.fixture
def backup(settings: Settings, tmp_path: Path) -> Path:
    """A known store that went on after its backup."""
    store = open_store(settings.store, KnownStores(settings.home), "local", create=True)
    write(store, record(1, "kept words"))
    target = tmp_path / "backup.db"
    store.backup(target)
    write(store, record(2, "later words"))
    store.close()
    return target


def reopened(settings: Settings) -> SqliteStore:
    """Open the known store."""
    return open_store(settings.store, KnownStores(settings.home), "local", create=False)


DISASTERS = {
    "nothing": lambda path: None,
    "gone": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:9000]),
    "noise": lambda path: path.write_bytes(b"\xa5" * 50_000),
    "first page zeroed": lambda path: path.write_bytes(bytes(4096) + path.read_bytes()[4096:]),
    "middle zeroed": lambda path: path.write_bytes(path.read_bytes()[:8192] + bytes(16384) + path.read_bytes()[24576:]),
    "another program's": lambda path: _foreign(path),
}


def _foreign(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE theirs(x)")


@pytest.mark.parametrize("disaster", DISASTERS)
def test_restore_brings_the_backup_back_whatever_happened(settings: Settings, backup: Path, disaster: str) -> None:
    """The backup's state is back under the known path, verified against its head, and what lay there was kept."""
    path = Path(settings.store)
    DISASTERS[disaster](path)
    before = path.read_bytes() if path.exists() else None
    kept = restore_backup(settings, PERSON_VISITS, backup)
    store = reopened(settings)

    assert [id_of(1)] == [one.id for one in store.find(here()).records]
    assert [id_of(1)] == matched(store, "words")
    assert store.verify(KnownStores(settings.home).head(store.id, store.location)).ok
    assert before == (kept.read_bytes() if kept else None)
    write(store, record(3))
    store.close()


def test_a_store_open_in_this_process_is_not_restored(settings: Settings, backup: Path) -> None:
    """Copying the file would drop the locks of the open store, so it has to be closed first; nothing is changed."""
    store = reopened(settings)

    with pytest.raises(UsageError, match="open in this process"):
        restore_backup(settings, PERSON_VISITS, backup)
    assert 2 == store.count(here())
    write(store, record(4))
    assert store.verify().ok
    store.close()


def test_only_a_person_restores(settings: Settings, backup: Path) -> None:
    """An agent cannot put an old state in the place of the new one."""
    with pytest.raises(PersonNeeded):
        restore_backup(settings, Caller(Origin(actor="agent"), SystemClock()), backup)
    store = reopened(settings)
    assert 2 == store.count(here())
    store.close()


@pytest.mark.parametrize("disaster", ["empty", "truncated", "noise", "first page zeroed", "another program's", "gone"])
def test_a_bad_backup_is_refused_before_anything_changes(settings: Settings, backup: Path, disaster: str) -> None:
    """What is not a sound store of ours is not restored; the store stays as it is."""
    DISASTERS[disaster](backup)
    before = Path(settings.store).read_bytes()

    with pytest.raises((StoreDamaged, StoreMissing)):
        restore_backup(settings, PERSON_VISITS, backup)
    assert before == Path(settings.store).read_bytes()


def test_a_backup_never_overwrites(settings: Settings, backup: Path) -> None:
    """An existing file is left alone, and that it exists is a conflict."""
    store, before = reopened(settings), backup.read_bytes()
    with pytest.raises(Conflict):
        store.backup(backup)
    store.close()

    assert before == backup.read_bytes()
    assert not list(backup.parent.glob("*.part"))
