"""Opening a store on a server: made once, never over what is somebody else's, and every refusal is one sentence."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tacit.app.open_store import open_store
from tacit.errors import (
    StoreBusy,
    StoreDamaged,
    StoreMissing,
    StoreNewer,
    StoreReadOnly,
    StoreReplaced,
    StoreUnreachable,
    TacitError,
    UsageError,
)
from tacit.files.known_stores import KnownStores
from tacit.store.postgres import migrate as migrating
from tacit.store.postgres.schema import NEWEST
from tacit.store.postgres.store import PostgresStore
from tests.contracts.makers import HERE, embed, here, id_of, matched, record, write
from tests.postgres import Database
from tests.server.crew import crew
from tests.server.machine import Machine
from tests.server.older_formats import add_near, of_format

SECRET = "hunter2"
LOOK = (
    "SELECT n.nspname, c.relname, c.relkind, c.relfilenode, c.relacl::text FROM pg_class c "
    "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'tacit' ORDER BY 1, 2"
)
ROWS = "SELECT xmin::text, t::text FROM tacit.{} t ORDER BY 2"


def looked(database: Database, *tables: str) -> list[Any]:
    """Give what the database has of a schema `tacit`, and the rows of some tables."""
    with psycopg.connect(database.admin_url, autocommit=True) as admin:
        there = admin.execute("SELECT oid, nspowner FROM pg_namespace WHERE nspname = 'tacit'").fetchall()
        extensions = admin.execute("SELECT extname FROM pg_extension ORDER BY 1").fetchall()
        rows = [admin.execute(ROWS.format(table)).fetchall() for table in tables]
        return [there, extensions, admin.execute(LOOK).fetchall(), rows]


def owned(database: Database, *statements: str) -> None:
    """Run statements as the owner of the database."""
    with psycopg.connect(database.owner_url, autocommit=True) as owner:
        for statement in statements:
            owner.execute(statement)


# -- making -----------------------------------------------------------------------------------------------------


def test_processes_that_open_an_empty_database_at_once_make_one_store(bare: Database) -> None:
    """One makes it, the others wait and find it; all get the same, and it is a store."""
    said = crew("openers", url=bare.owner_url, processes=6)["said"]

    assert [1] * 6 == [len(lines) for lines in said]
    assert 1 == len({id for lines in said for id in lines}), said
    with closing(PostgresStore(bare.owner_url, "local")) as store:
        write(store, record(1))
        assert (1, True) == (store.count(here()), store.verify().ok)


def test_opening_again_changes_nothing(store: PostgresStore, database: Database) -> None:
    """A store that is there is opened as it is."""
    before = looked(database, "meta", "migrations", "members", "indexed")
    with closing(database.store()) as again:
        assert store.id == again.id

    assert before == looked(database, "meta", "migrations", "members", "indexed")


def test_looking_at_an_empty_database_makes_nothing(bare: Database, own_home: Path) -> None:
    """Reading before the first write finds an empty memory, and leaves the database and the home as they were."""
    before = looked(bare)
    with closing(open_store(bare.owner_url, KnownStores(own_home), "local", create=False)) as blank:
        assert ([], False) == (blank.ids(here()), blank.lasting)

    assert before == looked(bare)
    assert not own_home.exists()


def test_a_making_that_breaks_off_leaves_nothing(bare: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a step fails the database is as empty as before, and the next attempt makes a whole store."""
    before = looked(bare)
    with monkeypatch.context() as patch:
        broken = (*migrating.MIGRATIONS, (99, "broken", ("CREATE TABLE half(x int)", "SELECT nonsense")))
        patch.setattr(migrating, "MIGRATIONS", broken)
        with pytest.raises(StoreDamaged):
            PostgresStore(bare.owner_url, "local")
    assert before == looked(bare)

    PostgresStore(bare.owner_url, "local").close()


def test_a_pending_step_is_taken_by_the_owner_alone(
    store: PostgresStore, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A role of the application is told who has to come first; the owner brings the tables to date, once."""
    steps = (*migrating.MIGRATIONS, (99, "more", ("CREATE TABLE more(tenant text)",)))
    monkeypatch.setattr(migrating, "MIGRATIONS", steps)
    monkeypatch.setattr(migrating, "NEWEST", 99)
    monkeypatch.setattr("tacit.store.postgres.store.NEWEST", 99)
    before = looked(database, "migrations")
    with pytest.raises(StoreReadOnly, match="only its owner can upgrade it"):
        PostgresStore(database.url, "local")
    assert before == looked(database, "migrations")
    PostgresStore(database.owner_url, "local").close()
    PostgresStore(database.url, "local").close()

    assert len(steps) == len(looked(database, "migrations")[3][0])


@pytest.mark.parametrize("near", [False, True])
@pytest.mark.parametrize("number", range(1, NEWEST))
def test_a_store_of_an_older_format_is_brought_to_date(
    role: str, bare: Database, monkeypatch: pytest.MonkeyPatch, number: int, near: bool
) -> None:
    """What was in it stays, members keep their rights and get those to the new tables, the index is made anew.

    With the vectors of pgvector beside ours, or without.
    """
    with of_format(number, monkeypatch), closing(PostgresStore(bare.owner_url, "local")) as old:
        bare.let_in("local", role)
        write(old, record(1, "a plain word"))
        embed(old, {id_of(1): b"\0\x3c\0\0"})
    with psycopg.connect(bare.owner_url, autocommit=True) as owner:
        owner.execute("SELECT set_config('tacit.tenant', 'local', false)")
        owner.execute("UPDATE tacit.search SET length = 1000")
    if near:
        add_near(bare)
    PostgresStore(bare.owner_url, "local").close()
    with closing(PostgresStore(bare.server.as_role(role, bare.name), "local")) as store:
        write(store, record(2, "another word"))

        assert [(7 if number == 1 else 1000,)] == store._all("SELECT length FROM search WHERE id = ?", [id_of(1)])
        assert [id_of(1)] == matched(store, "plain")
        assert 1 == len(list(store.vectors("m", HERE)))
        assert store.verify().ok
    columns = "SELECT attname FROM pg_attribute WHERE attrelid = 'tacit.vectors'::regclass AND attname = 'near'"
    with psycopg.connect(bare.admin_url) as admin:
        assert [] == admin.execute(columns).fetchall()
        assert [] == admin.execute("SELECT 1 FROM pg_proc WHERE proname = 'make_near'").fetchall()


def test_whoever_makes_a_store_is_waited_for_and_not_for_ever(bare: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """While another process is at it the store is busy, and nothing was made."""
    monkeypatch.setattr(migrating, "WAIT_S", 0.1)
    with psycopg.connect(bare.owner_url) as other:
        other.execute("SELECT pg_advisory_xact_lock(%s)", [migrating._LOCK])
        with pytest.raises(StoreBusy):
            PostgresStore(bare.owner_url, "local")

    assert [] == looked(bare)[0]


# -- what is not ours -------------------------------------------------------------------------------------------


def test_a_newer_store_is_left_alone(store: PostgresStore, database: Database) -> None:
    """What a later version wrote is refused with both numbers, for the owner too, and stays as it is."""
    owned(database, "INSERT INTO tacit.migrations VALUES (99, 'from the future', 'later')")
    before = looked(database, "migrations", "meta", "members")
    for url in (database.url, database.owner_url):
        with pytest.raises(StoreNewer, match=rf"format 99, this one knows {NEWEST}\); nothing was changed"):
            PostgresStore(url, "local")

    assert before == looked(database, "migrations", "meta", "members")


FOREIGN = {
    "empty": ["CREATE SCHEMA tacit"],
    "another program's": ["CREATE SCHEMA tacit", "CREATE TABLE tacit.orders AS SELECT 1 AS id"],
    "with names like ours": [
        "CREATE SCHEMA tacit", *(f"CREATE TABLE tacit.{name}(x int)" for name in ("meta", "migrations", "members")),
    ],
}  # fmt: skip


@pytest.mark.parametrize("case", FOREIGN)
def test_a_schema_of_another_program_is_left_alone(bare: Database, case: str) -> None:
    """A schema of our name that we did not make is refused, and nothing is added to it or taken from it."""
    owned(bare, *FOREIGN[case])
    before = looked(bare)
    for _ in range(2):
        with pytest.raises(StoreDamaged):
            PostgresStore(bare.owner_url, "local")

    assert before == looked(bare)


def test_a_known_store_that_is_gone_is_not_made_anew(store: PostgresStore, database: Database) -> None:
    """If the schema was dropped, the known store is missing, and the database stays empty."""
    store.close()
    owned(database, "DROP SCHEMA tacit CASCADE")
    with pytest.raises(StoreMissing, match="known but missing"):
        PostgresStore(database.owner_url, "local", expected_id=store.id)

    assert [] == looked(database)[0]


def test_another_store_in_its_place_is_noticed(store: PostgresStore, database: Database) -> None:
    """A database that holds another store than the one known under its URL is refused."""
    with pytest.raises(StoreReplaced):
        PostgresStore(database.url, "local", expected_id="another")


# -- no way in --------------------------------------------------------------------------------------------------


def test_without_the_right_to_make_one_there_is_one_sentence(role: str, bare: Database) -> None:
    """A role that may not create a schema is told so, and nothing was created."""
    before = looked(bare)
    url = bare.server.as_role(role, bare.name)
    with pytest.raises(StoreReadOnly) as refused:
        PostgresStore(url, "local")

    assert one_sentence(refused.value)
    assert before == looked(bare)


def test_without_the_right_to_connect_there_is_one_sentence(role: str, database: Database) -> None:
    """A database that lets nobody connect says so."""
    owned(database, f'REVOKE CONNECT ON DATABASE "{database.name}" FROM PUBLIC')
    with pytest.raises(StoreUnreachable, match="refused the login: permission denied for database") as refused:
        PostgresStore(database.server.as_role(role, database.name), "local")

    assert one_sentence(refused.value)


def one_sentence(error: TacitError) -> bool:
    """Say whether an error is one line with a hint, and tells no secret."""
    return "\n" not in error.message and bool(error.hint) and SECRET not in f"{error.message}{error.hint}"


WRONG = {
    "no server on a port": (f"postgresql://u:{SECRET}@127.0.0.1:1/x", StoreUnreachable),
    "no server on a socket": (f"postgresql://u:{SECRET}@/x?host=/nonexistent", StoreUnreachable),
    "no such host": (f"postgresql://u:{SECRET}@no.such.host.invalid/x", StoreUnreachable),
    "a slash in the password": (f"postgresql://u:a/{SECRET}@h/db", UsageError),
    "a slash in a password of digits": (f"postgresql://u:1/{SECRET}@h/db", UsageError),
    "a space in the password": (f"postgresql://u:a {SECRET}@h/db", UsageError),
    "a percent sign in the password": (f"postgresql://u:%zz{SECRET}@h/db", UsageError),
    "half an address": (f"postgresql://u:{SECRET}@[::1/db", UsageError),
    "a port that is none": (f"postgresql://u@h:{SECRET}/db", UsageError),
    "an option nobody knows": (f"postgresql://h/db?{SECRET}=1", UsageError),
    "a character that is none": (f"postgresql://u:{SECRET}@h\0/db", UsageError),
    "a line break": (f"postgresql://u:{SECRET}@h\n/db", UsageError),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_url_is_one_sentence_without_its_password(case: str, own_home: Path) -> None:
    """Whatever is wrong with a URL, the error is typed, one line, tells no password, and nothing is written down."""
    url, error = WRONG[case]
    for create in (True, False):
        with pytest.raises(error) as refused:
            open_store(url, KnownStores(own_home), "local", create=create)
        assert one_sentence(refused.value), refused.value.message
    assert not own_home.exists()


@pytest.mark.parametrize(("role_name", "name", "error", "said"), [
    ("nobody_of_that_name", "", StoreUnreachable, "refused the login"),
    ("tester", "no_such_database", StoreMissing, "does not exist; it was not created"),
])  # fmt: skip
def test_a_wrong_user_or_database_is_named(
    database: Database, role_name: str, name: str, error: type[TacitError], said: str
) -> None:
    """A role or a database that does not exist is named, and none is made."""
    with pytest.raises(error, match=said) as refused:
        PostgresStore(database.server.as_role(role_name, name or database.name), "local")

    assert one_sentence(refused.value)


@pytest.fixture
def listener() -> Iterator[Callable[[bytes], int]]:
    """Return `listener(answer)`: something that listens on a port, says its answer, and is no PostgreSQL."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve(answer: bytes) -> None:
            with suppress(OSError):
                while True:
                    caller = server.accept()[0]
                    guests.append(caller)
                    if answer:
                        caller.sendall(answer)

        guests: list[socket.socket] = []

        def start(answer: bytes) -> int:
            threading.Thread(target=serve, args=(answer,), daemon=True).start()
            return server.getsockname()[1]

        yield start
        server.shutdown(socket.SHUT_RDWR)
        for caller in guests:
            caller.close()


@pytest.mark.parametrize("answer", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\0" * 64, b""])
def test_something_else_at_that_address_is_not_a_store(listener: Callable[[bytes], int], answer: bytes) -> None:
    """What answers nonsense, or never, is a server that cannot be reached; a URL may say how long to wait."""
    url = f"postgresql://u:{SECRET}@127.0.0.1:{listener(answer)}/x?connect_timeout=2"
    with pytest.raises(StoreUnreachable) as refused:
        PostgresStore(url, "local")

    assert one_sentence(refused.value)


def test_a_wrong_password_is_named_and_not_told(machine: Machine) -> None:
    """Neither a wrong password nor a missing one opens anything, and no message holds one; the right one does."""
    with psycopg.connect(machine.server.url, autocommit=True) as root:
        root.execute(f"ALTER ROLE tester PASSWORD '{SECRET}'")
    rules = machine.data / "cluster" / "pg_hba.conf"
    rules.write_text(f"local all tester scram-sha-256\n{rules.read_text()}")
    machine.run("reload")
    with machine.database() as database:
        for password in (":wrong", ""):
            url = database.url.replace("tester@", f"tester{password}@")
            with pytest.raises(StoreUnreachable) as refused:
                PostgresStore(url, "local")
            assert one_sentence(refused.value)
            assert "wrong" not in refused.value.message
        with closing(PostgresStore(database.url.replace("tester@", f"tester:{SECRET}@"), "local")) as store:
            write(store, record(1))
            assert (1, False) == (store.count(here()), SECRET in store.location)
