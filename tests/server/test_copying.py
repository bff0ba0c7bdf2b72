"""From a file to a server and back: nothing is lost, nothing is half done, and the source stays as it is."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tacit.app.config import Settings
from tacit.app.open import Caller
from tacit.app.person_actions import migrate_store, restore_backup
from tacit.clock import SystemClock
from tacit.errors import Conflict, NotFound, PersonNeeded, StoreReadOnly, UsageError
from tacit.model.origin import Origin
from tacit.model.results import Migrated
from tacit.ports.store import Store
from tacit.store.copy_rows import RowDigest
from tacit.store.sqlite.store import SqliteStore
from tacit.testing import FakeEmbedder
from tests.contracts.makers import AGENT, HERE, all_sealed, at, happened, here, id_of, record, write
from tests.postgres import Database
from tests.server.crew import crew, memory_of, settings_of

PERSON = Caller(Origin(actor="user", session="t"), SystemClock())
SOMEBODY = Caller(Origin(actor="agent", session="t"), SystemClock())
TENANT = "team-a"


@pytest.fixture
def settings(tmp_path: Path, database: Database) -> Settings:
    """The settings of somebody who moves: the server's tenant is not that of the file."""
    database.let_in(TENANT)
    return settings_of(database.url, TENANT, tmp_path)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with one of everything: revisions, ended links, rooms, vectors, what was retired, undone and forgotten."""
    path = tmp_path / "memory.db"
    with memory_of(str(path), "local", tmp_path / "old", embedder_of=FakeEmbedder, actor="user") as memory:
        said = "the staging api listens on 8443"
        fact = memory.memorize(said, entity=("service", "api"), tags=["net"], source="README")
        memory.memorize(said, importance=0.9, valid_to="2027-01-01")
        memory.memorize("the staging api listens on 9000", entity=("service", "api"))
        memory.entities.add("service", "db", "keeps things")
        for strength in (0.5, 0.7, 1 / 3):
            memory.relations.add("service/api", "calls", "db", strength=strength)
        memory.relations.remove("service/api", "calls", "db")
        memory.relations.add("service/api", "feeds", "db")
        memory.terms.add("SLO", "objective", category="ops")
        for room in ("lab", "büro"):
            memory.namespaces.add(room, "for trials")
            memory.memorize(f"deploys in {room} are manual", namespace=room)
        note = {"kind": "note", "title": "ünï", "body": "日本語 🤷 \\ ' \" </script>", "at": "1999-12-31"}
        memory.retire(memory.add_many([note])[0])
        memory.revise(fact.id, body="the staging api listens on 8444")
        memory.rollback(fact.id, 1)
        memory.memorize("undo me")
        memory.undo()
        memory.forget(memory.memorize("the garden is a secret").id)
        assert memory.verify().ok
    with closing(SqliteStore(str(path))) as store, store.transaction(AGENT, at(1)) as tx:
        assert tx.once("a job")
    return path


def digest_of(store: Store) -> tuple[dict[str, int], str]:
    """Give the counts and the hash of everything in a store."""
    digest = RowDigest()
    for _row in digest.over(store.dump()):
        pass
    return digest.counts, digest.hash


def exported(place: str, tenant: str, home: Path) -> list[bytes]:
    """Give an export, in lines; the first one names the tenant."""
    with memory_of(place, tenant, home) as memory:
        return list(memory.export_lines())


def move(settings: Settings, source: object, target: object, **how: Any) -> Migrated:
    """Copy a store, as a person."""
    return migrate_store(settings, PERSON, str(source), str(target), **how)


@pytest.mark.parametrize("tenant", ["local", TENANT])
def test_there_and_back_everything_is_the_same(
    settings: Settings, file: Path, database: Database, tmp_path: Path, figures: Callable[..., None], tenant: str
) -> None:
    """A file copied to a server and from there to a file gives the same export, byte by byte, and the same rows."""
    settings = msgspec.structs.replace(settings, tenant=tenant)
    there = move(settings, file, database.url)
    back = move(settings, database.url, tmp_path / "back.db")
    exports = [
        exported(str(file), "local", tmp_path / "1"), exported(database.url, tenant, tmp_path / "2"),
        exported(str(tmp_path / "back.db"), tenant, tmp_path / "3"),
    ]  # fmt: skip
    with closing(SqliteStore(str(tmp_path / "back.db"), tenant)) as copy, closing(database.store(tenant)) as server:
        reports = [copy.verify(), server.verify()]
        assert (there.rows, there.hash) == (back.rows, back.hash) == digest_of(copy) == digest_of(server)
        assert copy.head() == server.head()
    figures("rows copied there and back", sum(there.rows.values()))

    assert exports[1] == exports[2]
    assert exports[0][tenant != "local" :] == exports[1][tenant != "local" :]
    assert len(exports[0]) > 40
    assert all(there.rows.values()), "there is one of everything"
    for report in reports:
        assert (True, 0, 1) == (report.ok, report.unsealed, report.erased)


def test_both_go_on_after_a_copy(settings: Settings, file: Path, database: Database, tmp_path: Path) -> None:
    """After a copy either side is written to, searched, and sound; numbers of events follow those that came along."""
    move(settings, file, database.url)
    for place, tenant in ((str(file), "local"), (database.url, TENANT)):
        with memory_of(place, tenant, tmp_path / tenant, embedder_of=FakeEmbedder) as memory:
            before = memory.events(limit=1)[0].seq
            assert "the staging api listens on 8443" == memory.recall("staging api 8443")[0].record.body
            assert "deploys in lab are manual" == memory.recall("deploys lab", mode="semantic")[0].record.body
            memory.memorize("the build takes 4 minutes")
            assert memory.events(limit=1)[0].seq > before
            assert memory.verify().ok
            assert 0 == memory.status()["semantic"]["waiting"]


def test_a_server_can_be_copied_to_another(settings: Settings, file: Path, database: Database, bare: Database) -> None:
    """Between servers nothing changes either, whether vectors are searched there or not."""
    first = move(settings, file, database.url)
    second = move(settings, database.url, bare.owner_url)

    assert (first.rows, first.hash) == (second.rows, second.hash)


def test_the_source_is_not_touched(settings: Settings, file: Path, database: Database, tmp_path: Path) -> None:
    """Neither a copy nor a dry run changes the file it reads, or a server's rows."""
    whole = hashlib.sha256(file.read_bytes()).hexdigest()
    move(settings, file, database.url, dry_run=True)
    move(settings, file, database.url)
    with closing(database.store(TENANT)) as server:
        before = digest_of(server)
        move(settings, database.url, tmp_path / "copy.db")
        assert before == digest_of(server)

    assert whole == hashlib.sha256(file.read_bytes()).hexdigest()


# -- refusals ---------------------------------------------------------------------------------------------------


def test_a_dry_run_writes_nothing(settings: Settings, file: Path, bare: Database, tmp_path: Path) -> None:
    """It tells the same counts and hash as the copy would, makes no schema and no file, and an agent may ask for it."""
    from tests.server.test_opening import looked

    before = looked(bare)
    told = [
        migrate_store(settings, SOMEBODY, str(file), target, dry_run=True)
        for target in (bare.owner_url, str(tmp_path / "absent.db"))
    ]
    assert (before, False) == (looked(bare), (tmp_path / "absent.db").exists())
    done = move(settings, file, bare.owner_url)

    assert [(done.rows, done.hash, True)] * 2 == [(one.rows, one.hash, one.dry_run) for one in told]


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_target_that_holds_something_is_refused(
    settings: Settings, file: Path, database: Database, tmp_path: Path, dry_run: bool
) -> None:
    """Nothing is mixed: neither a server's tenant nor a file that was written to takes a copy."""
    with closing(database.store(TENANT)) as server, closing(SqliteStore(str(tmp_path / "full.db"), TENANT)) as full:
        for store in (server, full):
            write(store, record(1, tenant=TENANT))
        before = [digest_of(store) for store in (server, full)]
        for target in (database.url, tmp_path / "full.db"):
            with pytest.raises(Conflict, match="already contains records; nothing was copied"):
                move(settings, file, target, dry_run=dry_run)

        assert before == [digest_of(store) for store in (server, full)]


def test_only_a_person_may_copy(settings: Settings, file: Path, database: Database) -> None:
    """An agent is refused, and nothing was copied."""
    with pytest.raises(PersonNeeded):
        migrate_store(settings, SOMEBODY, str(file), database.url)
    with pytest.raises(PersonNeeded):
        restore_backup(settings, SOMEBODY, file, database.url)
    with closing(database.store(TENANT)) as server:
        assert [] == server.events()


def test_what_cannot_be_copied_is_named(settings: Settings, file: Path, database: Database, tmp_path: Path) -> None:
    """A source that is not there, the same store twice, a file of several other tenants: one sentence each."""
    for source, target, error in (
        (tmp_path / "absent.db", database.url, NotFound),
        (file, file, UsageError),
        (database.url, database.url, UsageError),
        (file, tmp_path / "no" / "\0", UsageError),
    ):
        with pytest.raises(error):
            move(settings, source, target)
    for tenant in ("b", "c"):
        with closing(SqliteStore(str(tmp_path / "two.db"), tenant)) as two:
            write(two, record(1, tenant=tenant))
    with pytest.raises(NotFound, match="contains nothing of the tenant 'team-a'"):
        move(settings, tmp_path / "two.db", database.url)
    assert not (tmp_path / "absent.db").exists()


# -- interruptions ----------------------------------------------------------------------------------------------


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A file with so many rows that a copy can be met in its middle."""
    path = tmp_path / "large.db"
    with closing(SqliteStore(str(path))) as store, store.transaction(AGENT, at(1)) as tx:
        tx.add([record(number, f"word {number}") for number in range(1, 1_501)])
        happened(tx)
    return path


class Interrupted(BaseException):
    """Comes from outside, in the middle."""


@pytest.mark.parametrize("to", ["server", "file"])
def test_an_interrupted_copy_leaves_nothing_and_a_second_one_works(
    settings: Settings, large: Path, database: Database, tmp_path: Path, to: str
) -> None:
    """Broken off in the middle, the target is empty; the next run starts over and copies everything."""

    def interrupt(_done: int, _total: int) -> None:
        raise Interrupted

    source: object = large
    if to == "file":
        source = database.url
        move(settings, large, database.url)
    target = database.url if to == "server" else str(tmp_path / "copy.db")
    with pytest.raises(Interrupted):
        move(settings, source, target, progress=interrupt)
    with memory_of(target, TENANT, tmp_path / "look") as memory:
        assert ({}, 0) == (memory.stats().records, memory.verify().events)

    assert 1_500 == move(settings, source, target).rows["records"]


@pytest.mark.parametrize("to", ["server", "file"])
def test_a_killed_copy_leaves_nothing_and_a_second_one_works(
    settings: Settings, large: Path, database: Database, tmp_path: Path, to: str
) -> None:
    """Killed in the middle, as by a power cut, it is the same."""
    source = str(large)
    if to == "file":
        source = database.url
        move(settings, large, database.url)
    target = database.url if to == "server" else str(tmp_path / "copy.db")
    assert ["begun"] == crew("copying", tenant=TENANT, home=str(tmp_path), source=source, target=target)["said"]
    with memory_of(target, TENANT, tmp_path / "look") as memory:
        assert ({}, 0) == (memory.stats().records, memory.verify().events)

    assert 1_500 == move(settings, source, target).rows["records"]


def test_rows_that_cannot_be_taken_leave_nothing(store: Store, tmp_path: Path) -> None:
    """A source that turns out damaged in the middle of a copy costs the target nothing."""
    with closing(SqliteStore(str(tmp_path / "source.db"))) as source:
        write(source, *(record(number) for number in range(1, 5)))
        rows = list(source.dump())
    records = [row for table, row in rows if table == "records"]
    for broken in (("records", records[0]), ("records", (*records[0][:17], "no json", *records[0][18:]))):
        with pytest.raises(Exception, match=r"already exists|cannot be read"):
            store.fill([*rows, broken])
        assert ([], [], []) == (store.ids(here()), store.events(), store.scopes())
    store.fill(rows)

    assert (4, True) == (store.count(here()), store.verify().ok)


# -- backups ----------------------------------------------------------------------------------------------------


@pytest.fixture
def inhabited(settings: Settings, file: Path, database: Database) -> Iterator[Database]:
    """A server that holds what the file does."""
    move(settings, file, database.url)
    yield database


def test_a_backup_of_a_server_is_a_file_that_can_be_restored(
    settings: Settings, inhabited: Database, tmp_path: Path
) -> None:
    """Back up, go on, restore: everything is as it was, what came after is kept aside, and others see it at once."""
    folder = tmp_path / "backups"
    folder.mkdir()
    with memory_of(inhabited.url, TENANT, tmp_path, embedder_of=FakeEmbedder) as memory:
        memory.backup(folder / "team.db")
        assert ["team.db"] == [path.name for path in folder.iterdir()]
        before = list(memory.export_lines())
        memory.memorize("written after the backup")
        after = list(memory.export_lines())
        kept = restore_backup(settings, PERSON, folder / "team.db", inhabited.url)
        assert before == list(memory.export_lines())
        assert "deploys in lab are manual" == memory.recall("deploys lab", mode="semantic")[0].record.body
        assert not [hit for hit in memory.recall("written after backup") if "after" in hit.record.body]
        memory.memorize("written after the restore")
        assert memory.verify().ok
    assert after == list(memory_lines(kept, tmp_path))
    assert ["team.db"] == [path.name for path in folder.iterdir()]


def memory_lines(path: Path, home: Path) -> list[bytes]:
    """Give the export of a file that a restore kept aside."""
    with memory_of(str(path), TENANT, home / "kept") as memory:
        return list(memory.export_lines())


def test_a_file_of_another_tenant_restores_as_ones_own(settings: Settings, file: Path, database: Database) -> None:
    """A file whose only tenant has another name is taken over, not read as empty."""
    whole = hashlib.sha256(file.read_bytes()).hexdigest()
    restore_backup(settings, PERSON, file, database.url)
    with closing(database.store(TENANT)) as server, closing(SqliteStore(str(file))) as source:
        assert digest_of(source) == digest_of(server)
        assert all_sealed(server).ok
    assert whole == hashlib.sha256(file.read_bytes()).hexdigest()


def test_a_restore_that_breaks_off_changes_nothing(
    settings: Settings, inhabited: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the backup cannot be read to its end, the server holds what it held."""
    with closing(inhabited.store(TENANT)) as server:
        before = digest_of(server)
        backup = tmp_path / "b.db"
        with memory_of(inhabited.url, TENANT, tmp_path) as memory:
            memory.backup(backup)
            before = digest_of(server)

        def rows(_self: SqliteStore) -> Iterator[tuple[str, tuple[Any, ...]]]:
            yield "scopes", (TENANT, HERE)
            raise Interrupted

        monkeypatch.setattr(SqliteStore, "dump", rows)
        with pytest.raises(Interrupted):
            restore_backup(settings, PERSON, backup, inhabited.url)
        monkeypatch.undo()

        assert before == digest_of(server)
        assert id_of(1) not in server.ids(here())


@pytest.mark.parametrize("name", ["no/such/folder.db", "memory.db"])
def test_a_backup_that_cannot_be_written_leaves_nothing(inhabited: Database, tmp_path: Path, name: str) -> None:
    """A folder that is not there, a name that is taken: one sentence, no file, and the file that was there stays."""
    before = {path: path.stat().st_size for path in tmp_path.glob("*") if path.is_file()}
    with memory_of(inhabited.url, TENANT, tmp_path / "h") as memory, pytest.raises((StoreReadOnly, Conflict)):
        memory.backup(tmp_path / name)

    assert before == {path: path.stat().st_size for path in tmp_path.glob("*") if path.is_file()}
