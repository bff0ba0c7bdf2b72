"""Connections go from one tenant to the next: none takes along who had it before, however that ended."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from typing import Any

import psycopg
import pytest

from tacit.errors import KeyTaken, StoreBusy, StoreClosed, StoreDamaged, StoreError, TacitError, UsageError
from tacit.store.postgres.connect import BEGIN, PREPARED_AFTER, TenantPool, in_our_words
from tacit.store.postgres.store import PostgresStore
from tests.contracts.makers import AGENT, HERE, at, happened, here, id_of, record, write
from tests.postgres import Database
from tests.server.waiting import until

TENANTS = ("first", "second", "third")
SEEN = "SELECT DISTINCT tenant FROM {}"
TABLES = ("records", "search", "events", "scopes", "once")
AROUND = (
    "SELECT current_setting('tacit.tenant', true), current_setting('tacit.words', true), "
    "current_setting('search_path'), (SELECT count(*) FROM tacit.records)"
)


@pytest.fixture(scope="module")
def home(postgres_server: Any) -> Iterator[Database]:
    """A database with a record of each of three tenants."""
    from tests.postgres import fresh_database

    with fresh_database(postgres_server) as database:
        for tenant in TENANTS:
            with closing(database.store(tenant)) as store:
                write(store, record(1, f"a word of {tenant}", tenant=tenant, key="taken"))
        yield database


@pytest.fixture
def pool(home: Database) -> Iterator[TenantPool]:
    """A pool of a single connection, so that everybody gets the same one."""
    made = TenantPool(home.url, "here", 1, 5.0)
    yield made
    made.close()


def prepared(pool: TenantPool) -> int:
    """Count the statements that the one connection of a pool has prepared by name."""
    return pool.read("first", "SELECT count(*) FROM pg_prepared_statements", ())[0][0]


def test_statements_that_come_back_are_prepared(pool: TenantPool) -> None:
    """A connection that talks to the server itself prepares what it has asked a few times."""
    for _ in range(2 * PREPARED_AFTER):
        assert [("first",)] == pool.read("first", SEEN.format("records"), ())

    assert prepared(pool) >= 1


def test_nothing_is_prepared_through_a_pooler(pool: TenantPool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pooler gives its clients a process number of its own, because each transaction may go to another backend."""
    monkeypatch.setattr(psycopg.ConnectionInfo, "backend_pid", property(lambda _self: 1))
    for _ in range(2 * PREPARED_AFTER):
        assert [("first",)] == pool.read("first", SEEN.format("records"), ())

    assert 0 == prepared(pool)


def ask(pool: TenantPool, tenant: str, dice: random.Random) -> None:
    """Ask as a tenant; it sees its own rows."""
    table = dice.choice(TABLES)
    assert [(tenant,)] == pool.read(tenant, SEEN.format(table), ())


def fail_to_ask(pool: TenantPool, tenant: str, dice: random.Random) -> None:
    """Ask what cannot be answered, at once or in the middle of the answer."""
    wrong = ("SELECT nonsense", "SELECT * FROM nowhere", "SELECT 1 / (length(body) - length(body)) FROM records",
             "SELEC", "SELECT 'x'::int", "INSERT INTO scopes(tenant, scope) VALUES ('x', 'y')")  # fmt: skip
    with pytest.raises(TacitError):
        pool.read(tenant, dice.choice(wrong), ())


def break_off(pool: TenantPool, tenant: str, dice: random.Random) -> None:
    """Leave a transaction in its middle: by an error of one's own, or one of the server's that was passed over."""
    with suppress(ZeroDivisionError, psycopg.Error), pool.lent() as connection:
        pool.enter(connection, tenant, BEGIN)
        connection.execute("INSERT INTO once(tenant, key, at) VALUES (%s, %s, '')", (tenant, str(dice.random())))
        if dice.random() < 0.5:
            with suppress(psycopg.Error):
                connection.execute("SELECT nonsense")
            return
        if dice.random() < 0.5:
            connection.execute("SELECT set_config('tacit.words', '''x''', true)")
        raise ZeroDivisionError


def be_stopped(pool: TenantPool, tenant: str, dice: random.Random) -> None:
    """Have a statement stopped by the server."""
    with pytest.raises(StoreBusy), in_our_words("here"), pool.lent() as connection:
        pool.enter(connection, tenant, BEGIN)
        connection.execute("SET LOCAL statement_timeout = 1")
        connection.execute("SELECT count(*) FROM records, pg_sleep(30)")


def break_a_pipeline(pool: TenantPool, tenant: str, dice: random.Random) -> None:
    """Fail in the middle of many statements that were sent at once."""
    with suppress(psycopg.Error), pool.lent() as connection, connection.pipeline():
        pool.enter(connection, tenant, BEGIN)
        for sql in ("SELECT 1", "SELECT nonsense", "SELECT count(*) FROM records", "COMMIT"):
            connection.execute(sql)


WAYS = (ask, ask, fail_to_ask, break_off, break_a_pipeline, be_stopped)


@pytest.mark.soak
def test_a_connection_forgets_who_had_it(
    pool: TenantPool, budget: Callable[..., int], figures: Callable[..., None]
) -> None:
    """Whatever a tenant did with a connection, and however it failed, the next one begins as nobody."""
    dice, calls = random.Random(7), budget(5_000, soak=100_000)
    for _ in range(calls):
        dice.choices(WAYS, (8, 8, 4, 4, 4, 1))[0](pool, dice.choice(TENANTS), dice)
        with pool.lent() as connection:
            tenant, words, path, seen = connection.execute(AROUND).fetchone()
        assert ("", "", 0) == (tenant or "", words or "", seen)
        assert path == '"$user", public'
    figures("pooled calls", calls)


def test_a_cancelled_statement_leaves_nothing_behind(home: Database, pool: TenantPool) -> None:
    """A statement that somebody cancels is a typed error, and its connection serves the next tenant."""

    def cancel() -> None:
        sql = (
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND wait_event = 'PgSleep'"
        )
        with psycopg.connect(home.admin_url, autocommit=True) as admin:
            until(lambda: admin.execute(sql).fetchone(), "a statement to cancel")

    helper = threading.Thread(target=cancel)
    helper.start()
    with pytest.raises(StoreBusy, match="the server stopped the statement"):
        pool.read("first", "SELECT count(*) FROM records, pg_sleep(600)", ())
    helper.join()

    assert [("second",)] == pool.read("second", SEEN.format("records"), ())


def test_a_write_that_failed_leaves_its_connection_clean(home: Database) -> None:
    """After a conflict, a usage error and a foreign exception inside writes, the same connection reads and writes."""
    with closing(PostgresStore(home.url, "first", connections=1)) as store:
        for error, body in (
            (KeyTaken, lambda tx: tx.put(record(9, tenant="first", key="taken"))),
            (UsageError, lambda tx: tx.put(record(9, tenant="second"))),
            (UsageError, lambda tx: tx.put(record(9, tenant="first"))),  # without an event
            (ZeroDivisionError, lambda tx: (tx.put(record(9, tenant="first")), 1 / 0)),
            (StoreDamaged, lambda tx: tx._ask("SELECT * FROM nowhere", ())),
        ):
            with pytest.raises(error), store.transaction(AGENT, at(1)) as tx:
                body(tx)
            assert [id_of(1)] == [one.id for one in store.find(here()).records]


def test_a_write_goes_on_after_a_conflict_it_expected(store: PostgresStore) -> None:
    """Whoever catches a taken key inside the write may still write something else, and only that is kept."""
    write(store, record(1, key="k"))
    with store.transaction(AGENT, at(2)) as tx:
        with pytest.raises(KeyTaken):
            tx.put(record(2, key="k"))
        tx.put(record(3))
        happened(tx)

    assert {id_of(1), id_of(3)} == set(store.ids(here()))
    assert store.verify().ok


def test_an_error_passed_over_keeps_nothing(store: PostgresStore) -> None:
    """A server's error that somebody swallows inside a write undoes all of it, and the end says so."""
    with pytest.raises(StoreError), store.transaction(AGENT, at(2)) as tx:
        tx.put(record(1))
        happened(tx)
        with suppress(StoreError):
            tx._ask("SELECT * FROM nowhere", ())

    assert [] == store.ids(here())


def test_when_all_connections_are_busy_that_is_said(database: Database) -> None:
    """With one connection for two threads the second is told to come back, and then it works."""
    with closing(database.store(connections=1, wait_s=1.0)) as store:
        with store.transaction(AGENT, at(1)) as tx:
            tx.put(record(1))
            happened(tx)
            with pytest.raises(StoreBusy, match=r"all 1 connections to .* were busy for 1 seconds"):
                store.count(here())
        assert 1 == store.count(here())


def test_many_threads_share_few_connections(database: Database) -> None:
    """Sixteen threads with three connections wait for each other, and every write is there."""
    with closing(database.store(connections=3)) as store:
        failed: list[BaseException] = []

        def work(number: int) -> None:
            try:
                for turn in range(5):
                    write(store, record(number * 10 + turn))
                    assert store.get(id_of(number * 10 + turn), [HERE])
            except BaseException as error:  # noqa: BLE001 - told to the test
                failed.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert ([], 80) == (failed, store.count(here()))


def test_a_closed_store_says_so(database: Database) -> None:
    """Reading and writing after `close` is an error of its own kind; closing again is none."""
    store = database.store()
    store.close()
    store.close()
    with pytest.raises(StoreClosed):
        store.count(here())
    with pytest.raises(StoreClosed), store.transaction(AGENT, at(1)):
        pass
