"""A server that goes away: what was acknowledged is there once, what was refused is not, and every refusal is typed."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tacit.errors import StoreBusy, StoreError, StoreUnreachable, TacitError, VersionConflict
from tacit.model.query import Filter
from tacit.store.postgres import commit_outcome as commits
from tacit.store.postgres.store import PostgresStore
from tests.contracts.makers import AGENT, HERE, all_sealed, at, happened, here, id_of, record, revised, write
from tests.postgres import APP, Database
from tests.server.crew import memory_of
from tests.server.machine import Machine
from tests.server.proxy import BEFORE, BEHIND, DEAF, Judge, Proxy, commit_answer, commit_request
from tests.server.waiting import until


@pytest.fixture
def through(database: Database, proxy: Proxy) -> Iterator[PostgresStore]:
    """A store that is reached through the proxy."""
    with closing(PostgresStore(proxy.url(database.url), "local")) as made:
        yield made


# -- one cut ----------------------------------------------------------------------------------------------------


def test_a_commit_whose_answer_is_lost_is_known_to_be_done(
    store: PostgresStore, through: PostgresStore, proxy: Proxy
) -> None:
    """The server committed and the connection broke before it could say so: the write counts, once."""
    proxy.judge = commit_answer()
    write(through, record(1))

    assert 1 == proxy.lost
    assert ([id_of(1)], 1, True) == (store.ids(here()), len(store.events()), all_sealed(store).ok)


def test_a_commit_that_never_arrived_is_known_to_be_undone(
    store: PostgresStore, through: PostgresStore, proxy: Proxy
) -> None:
    """The connection broke before the server heard of the commit: the write is refused, and may be tried again."""
    proxy.judge = commit_request(BEFORE)
    with pytest.raises(StoreUnreachable) as refused:
        write(through, record(1))
    assert ([], [], True) == (store.ids(here()), store.events(), refused.value.details["again"])
    write(through, record(1))

    assert [id_of(1)] == store.ids(here())


@pytest.mark.parametrize("fate", [BEHIND, DEAF])
def test_a_commit_asked_for_with_the_last_breath_is_found_out(
    store: PostgresStore, through: PostgresStore, proxy: Proxy, fate: str
) -> None:
    """Whether the server heard it or not, the answer given is the truth."""
    for number in range(1, 21):
        proxy.judge = commit_request(fate)
        try:
            write(through, record(number))
            done = True
        except StoreUnreachable:
            done = False
        assert done == (store.get(id_of(number), [HERE]) is not None)
    assert all_sealed(store).ok


def test_a_write_the_server_still_has_in_its_ears_cannot_happen_after_its_refusal(
    database: Database, store: PostgresStore, through: PostgresStore, proxy: Proxy, admin: psycopg.Connection[Any]
) -> None:
    """The client is gone while the server waits for a lock with the commit unread: once refused, it stays undone."""
    with store.transaction(AGENT, at(1)) as tx:
        tx.put(record(1))
        happened(tx, "fact.memorized", id_of(1))
    with psycopg.connect(database.admin_url) as holder:
        # The count of the same record is held, so the write stops there, before it comes to its key and the commit.
        holder.execute("UPDATE tacit.tallies SET count = count")
        proxy.judge = commit_request(DEAF)
        with pytest.raises(StoreUnreachable) as refused, through.transaction(AGENT, at(2)) as tx:
            tx.put(record(2))
            happened(tx, "fact.repeated", id_of(1))
        assert refused.value.details["again"]
        holder.rollback()
    sql = (
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND usename = %s AND backend_xid IS NOT NULL"
    )
    until(lambda: not admin.execute(sql, [APP]).fetchone(), "the end of the write nobody hears of")

    assert ([id_of(1)], 1) == (store.ids(here()), len(store.events()))
    assert all_sealed(store).ok


def test_what_cannot_be_known_is_not_claimed(
    store: PostgresStore, through: PostgresStore, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the server stays away after a commit was asked for, the error says that nobody knows, and offers no retry."""
    monkeypatch.setattr(commits, "WAIT_S", 0.2)
    answer = commit_answer()

    def gone(side: str, kind: bytes, body: bytes) -> str:
        fate = answer(side, kind, body)
        if fate:
            proxy.judge = lambda _side, _kind, _body: BEFORE
        return fate

    proxy.judge = gone
    with pytest.raises(StoreUnreachable, match="it is unknown whether the write happened") as unknown:
        write(through, record(1))

    assert ("check before you try again", None) == (unknown.value.hint, unknown.value.details.get("again"))
    assert [id_of(1)] == store.ids(here())


def test_a_write_broken_in_its_middle_is_refused(store: PostgresStore, through: PostgresStore, proxy: Proxy) -> None:
    """A connection lost between two statements undoes the write, and the store goes on."""
    with pytest.raises(StoreUnreachable) as refused, through.transaction(AGENT, at(1)) as tx:
        tx.put(record(1))
        proxy.cut()
        tx.put(record(2))
        happened(tx)
    assert ([], True) == (store.ids(here()), refused.value.details["again"])
    write(through, record(3))

    assert [id_of(3)] == through.ids(here())


def test_a_reader_does_not_notice_a_lost_connection(store: PostgresStore, through: PostgresStore, proxy: Proxy) -> None:
    """A question whose connection breaks is asked once more; only a server that stays away is an error."""
    write(store, record(1))
    for side, kind in (("client", b"P"), ("client", b"S"), ("server", b"D"), ("server", b"C"), ("server", b"Z")):
        proxy.judge = once(side, kind)
        assert [id_of(1)] == through.ids(here())
    proxy.judge = lambda _side, _kind, _body: BEFORE
    with pytest.raises(StoreUnreachable):
        through.ids(here())


def once(side: str, kind: bytes) -> Judge:
    """Lose the connection at the first message of a kind."""
    left = [BEFORE]

    def judge(who: str, what: bytes, _body: bytes) -> str:
        return left.pop() if left and (who, what) == (side, kind) else ""

    return judge


def test_a_sealing_that_fails_does_not_take_the_write_back(
    store: PostgresStore, through: PostgresStore, proxy: Proxy
) -> None:
    """What was committed is acknowledged, even if the connection breaks when it is sealed right after."""

    def judge(side: str, kind: bytes, body: bytes) -> str:
        return BEFORE if side == "client" and kind in b"PQ" and b"pg_current_snapshot" in body else ""

    proxy.judge = judge
    write(through, record(1))

    assert proxy.lost
    assert ([id_of(1)], 1) == (store.ids(here()), len(store.events()))


def test_a_flow_is_run_again_where_that_is_safe(database: Database, proxy: Proxy, tmp_path: Path) -> None:
    """A fact whose commit was lost on its way is memorized by a second attempt, and once; one that arrived, too."""
    with memory_of(proxy.url(database.url), "local", tmp_path) as memory:
        for text, judge in (("a b", commit_request(BEFORE)), ("d e", commit_answer()), ("g h", commit_request(BEHIND))):
            proxy.judge = judge
            memory.memorize(text)
        assert {"a b", "d e", "g h"} == {one.body for one in memory.list().records}
        assert 3 == len(memory.events())
        assert {1} == {len(memory.history(one.id)) for one in memory.list().records}


# -- many cuts --------------------------------------------------------------------------------------------------


class Weather:
    """Loses connections by chance, now before and now behind a message, of either side."""

    def __init__(self, seed: int, chance: float) -> None:
        self._dice = random.Random(seed)
        self._chance = chance
        self._lock = threading.Lock()

    def judge(self, _side: str, _kind: bytes, _body: bytes) -> str:
        """Say whether this message is the last."""
        with self._lock:
            return self._dice.choice((BEFORE, BEHIND)) if self._dice.random() < self._chance else ""


def stubborn(store: PostgresStore, number: int, said: Counter[str]) -> None:
    """Write something until it is acknowledged, each time as a new record: a refused one that is there would show."""
    for attempt in range(1, 100):
        try:
            write(store, record(number * 100 + attempt, f"write {number}", key=f"{number}/{attempt}"))
            said["acknowledged"] += 1
            return
        except StoreError as error:
            said["refused" if error.details.get("again") else f"unknown {error}"] += 1
    said[f"never {number}"] += 1


@pytest.mark.soak
def test_no_write_is_lost_or_doubled_in_any_weather(
    database: Database, store: PostgresStore, proxy: Proxy, budget: Callable[..., int], figures: Callable[..., None]
) -> None:
    """Hundreds of writes by four threads, connections lost at any message: each acknowledged one is there, and once."""
    writes, said = budget(400, soak=10_000), Counter()
    with closing(PostgresStore(proxy.url(database.url), "local")) as through:
        proxy.judge = Weather(16, 0.004).judge

        def work(first: int) -> None:
            for number in range(first, writes, 4):
                stubborn(through, number, said)

        threads = [threading.Thread(target=work, args=(first,)) for first in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        proxy.judge = lambda _side, _kind, _body: ""
    found = Counter(one.body for one in everything(store))
    lost = sum(f"write {number}" not in found for number in range(writes))
    counts = {"lost": lost, "doubled": sum(found.values()) - len(found)}
    figures("faults injected", proxy.lost)
    figures("faults: writes acknowledged", said["acknowledged"])
    figures("faults: attempts refused", said["refused"])
    for name, count in counts.items():
        figures(f"faults: {name}", count)

    assert {"acknowledged": writes, "refused": said["refused"]} == dict(said)
    assert {"lost": 0, "doubled": 0} == counts
    assert said["refused"] > 10
    assert (True, writes) == ((report := all_sealed(store)).ok, report.events)


def everything(store: PostgresStore) -> Iterator[Any]:
    """Give every record, page by page."""
    after = ""
    while True:
        page = store.find(here(statuses=()), limit=1_000, after=after)
        yield from page.records
        after = page.next
        if not after:
            return


# -- the server itself ------------------------------------------------------------------------------------------


def test_a_server_that_restarts_costs_what_was_open_and_no_more(machine: Machine, tmp_path: Path) -> None:
    """A write in the middle of a restart is refused; before and after, everything works, whatever was pooled."""
    with machine.database() as database, closing(database.store()) as store:
        warm(store)
        with pytest.raises(StoreUnreachable) as refused, store.transaction(AGENT, at(1)) as tx:
            tx.put(record(2))
            machine.restart()
            happened(tx)
        assert refused.value.details["again"]
        # Every pooled connection is dead now; neither a question nor a write is the one to find out.
        assert [id_of(1)] == store.ids(here())
        machine.restart()
        write(store, record(3))
        machine.restart()
        with memory_of(database.url, "local", tmp_path) as memory:
            machine.restart()
            memory.memorize("right after a restart")
        machine.restart()
        report = all_sealed(store)

        assert (True, 3) == (report.ok, len(store.ids(here())))


def warm(store: PostgresStore) -> None:
    """Let several connections be used at once, so that the pool keeps them."""
    write(store, record(1))
    barrier = threading.Barrier(5)

    def ask() -> None:
        with store._pool.lent() as connection:
            barrier.wait()
            connection.execute("SELECT 1")

    threads = [threading.Thread(target=ask) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_a_server_that_is_away_is_named_at_once_and_found_again(machine: Machine) -> None:
    """While it is down every verb is StoreUnreachable; when it is back the same store works, without being reopened."""
    with machine.database() as database, closing(database.store()) as store:
        warm(store)
        machine.stop()
        for _ in range(3):
            with pytest.raises(StoreUnreachable):
                store.ids(here())
            with pytest.raises(StoreUnreachable) as refused:
                write(store, record(2))
            assert refused.value.details["again"]
            with pytest.raises(StoreUnreachable):
                store.verify()
            with pytest.raises(StoreUnreachable):
                database.store()
        machine.start()
        write(store, record(2))

        assert ({id_of(1), id_of(2)}, True) == (set(store.ids(here())), all_sealed(store).ok)


# -- what a server says no to -----------------------------------------------------------------------------------


def test_a_deadlock_costs_one_of_the_two(opened: Callable[..., PostgresStore], admin: psycopg.Connection[Any]) -> None:
    """Two writes that wait for each other: one goes on, the other is told to try again, and does so with success."""
    stores = [opened(), opened()]
    one, two = record(1), record(2)
    write(stores[0], one, two)
    barrier, said = threading.Barrier(2), []

    def work(store: PostgresStore, first: Any, second: Any) -> None:
        try:
            with store.transaction(AGENT, at(2)) as tx:
                tx.get(first.id, [HERE])
                barrier.wait()
                tx.get(second.id, [HERE])
                happened(tx)
            said.append("done")
        except TacitError as error:
            said.append((type(error), error.details.get("again"), "waited for each other" in error.message))

    pairs = ((one, two), (two, one))
    threads = [threading.Thread(target=work, args=(stores[number], *pairs[number])) for number in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert {"done", (StoreBusy, True, True)} == set(said)
    for store in stores:
        write(store, revised(store.get(one.id, [HERE])))
    assert all_sealed(stores[0]).ok


def revising(store: PostgresStore, other: PostgresStore) -> None:
    """Revise a record in a transaction that has looked before another one revises it and ends."""
    with store.transaction(AGENT, at(2)) as tx:
        tx.scopes()
        write(other, revised(record(1), body="first"))
        tx.put(revised(record(1), body="second"), expected=1)
        happened(tx)


def test_two_writes_of_one_record_do_not_fail_to_serialize(opened: Callable[..., PostgresStore]) -> None:
    """Our own level never gives that error: whoever comes second sees the newer version, and is told of that."""
    mine, theirs = opened(), opened()
    write(mine, record(1))
    with pytest.raises(VersionConflict):
        revising(mine, theirs)

    assert "first" == mine.get(id_of(1), [HERE]).body


@pytest.mark.parametrize("level", ["REPEATABLE READ", "SERIALIZABLE"])
def test_a_real_failure_to_serialize_may_be_tried_again(
    opened: Callable[..., PostgresStore], monkeypatch: pytest.MonkeyPatch, level: str
) -> None:
    """At a level that gives it, the server's own error is told as one after which a retry is safe, and it is."""
    mine, theirs = opened(), opened()
    write(mine, record(1))
    monkeypatch.setattr("tacit.store.postgres.store.BEGIN", f"BEGIN ISOLATION LEVEL {level}")
    with pytest.raises(StoreBusy, match=r"another write came first \(could not serialize access") as refused:
        revising(mine, theirs)
    assert (True, "first") == (refused.value.details["again"], mine.get(id_of(1), [HERE]).body)
    write(mine, revised(mine.get(id_of(1), [HERE]), body="second"))

    assert ("second", True) == (mine.get(id_of(1), [HERE]).body, all_sealed(mine).ok)


ERRORS = {
    "40001": (StoreBusy, True), "40P01": (StoreBusy, True), "57014": (StoreBusy, None), "55P03": (StoreBusy, None),
    "53300": (StoreBusy, None), "53100": (StoreError, None), "54000": (StoreError, None), "XX000": (StoreError, None),
    "57P01": (StoreUnreachable, True), "08006": (StoreUnreachable, True), "P0001": (StoreError, None),
}  # fmt: skip


@pytest.mark.parametrize("table", ["records", "events"])
def test_whatever_the_server_refuses_is_typed_and_undone(
    store: PostgresStore, admin: psycopg.Connection[Any], table: str
) -> None:
    """An error of the server at an early or a late statement of a write leaves nothing of it."""
    for number, (state, (error, again)) in enumerate(ERRORS.items(), 1):
        admin.execute(
            f"CREATE OR REPLACE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{state}'; END $$"
        )
        admin.execute(f"CREATE TRIGGER refuse BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION public.refuse()")
        with pytest.raises(error) as refused:
            write(store, record(number))
        assert ("\n" not in refused.value.message, again) == (True, refused.value.details.get("again")), state
        admin.execute(f"DROP TRIGGER refuse ON {table}")
        assert store.get(id_of(number), [HERE]) is None
        write(store, record(number))

        assert (number, number) == (store.count(here()), len(store.events()))
    assert all_sealed(store).ok


def test_a_statement_that_takes_too_long_is_busy(role: str, database: Database) -> None:
    """A limit set for the role ends the statement with a typed error, and the store goes on."""
    database.let_in("local", role)
    with psycopg.connect(database.admin_url, autocommit=True) as admin:
        admin.execute(f"ALTER ROLE {role} SET statement_timeout = '1s'")
    with closing(PostgresStore(database.server.as_role(role, database.name), "local")) as store:
        with pytest.raises(StoreBusy, match="the server stopped the statement"):
            store._all("SELECT pg_sleep(600)")
        with pytest.raises(StoreBusy, match="the server stopped the statement"), store.transaction(AGENT, at(1)) as tx:
            tx.put(record(1))
            tx._ask("SELECT pg_sleep(600)", ())
        write(store, record(2))

        assert [id_of(2)] == store.ids(here())


def test_a_write_that_takes_too_long_is_ended_and_typed(role: str, database: Database) -> None:
    """A server that ends long transactions refuses the write, and the next one works."""
    database.let_in("local", role)
    url = database.server.as_role(role, database.name)
    with psycopg.connect(database.admin_url, autocommit=True) as admin:
        if admin.info.server_version < 170_000:
            pytest.skip("a limit for transactions came with PostgreSQL 17")
        admin.execute(f"ALTER ROLE {role} SET transaction_timeout = '2s'")
        with closing(PostgresStore(url, "local")) as store:
            with pytest.raises((StoreBusy, StoreUnreachable)), store.transaction(AGENT, at(1)) as tx:
                tx.put(record(1))
                sql = "SELECT 1 FROM pg_stat_activity WHERE usename = %s"
                until(lambda: not admin.execute(sql, [role]).fetchone(), "the server ends the transaction")
                happened(tx)
            assert [] == store.ids(here())
            write(store, record(2))
            assert [id_of(2)] == store.ids(here())


def test_a_server_without_a_free_connection_is_busy(role: str, database: Database) -> None:
    """Where the role may have no more connections, that is said, and later it works."""
    database.let_in("local", role)
    url = database.server.as_role(role, database.name)
    with psycopg.connect(database.admin_url, autocommit=True) as admin:
        with psycopg.connect(url):
            admin.execute(f"ALTER ROLE {role} CONNECTION LIMIT 1")
            with pytest.raises((StoreBusy, StoreUnreachable)) as refused:
                PostgresStore(url, "local")
            assert "too many connections" in refused.value.message
        admin.execute(f"ALTER ROLE {role} CONNECTION LIMIT 2")
        sql = "SELECT 1 FROM pg_stat_activity WHERE usename = %s"
        until(lambda: not admin.execute(sql, [role]).fetchone(), "the connection is gone")
        with closing(PostgresStore(url, "local")) as store:
            assert 0 == store.count(Filter(scopes=(HERE,)))


def test_connections_that_the_administrator_ends_are_replaced(
    store: PostgresStore, admin: psycopg.Connection[Any]
) -> None:
    """Every connection of the store is terminated, again and again; reading and writing go on."""
    warm(store)
    alive = "SELECT pid FROM pg_stat_activity WHERE usename = %s AND datname = current_database()"
    for number in range(2, 8):
        ended = {pid for (pid,) in admin.execute(alive, [APP]).fetchall()}
        admin.execute("SELECT pg_terminate_backend(pid) FROM unnest(%s::int[]) pid", [list(ended)])
        until(lambda ended=ended: not ended & {pid for (pid,) in admin.execute(alive, [APP]).fetchall()})
        if number % 2:
            assert number - 1 == store.count(here())
        write(store, record(number))
    with suppress(StoreUnreachable):
        store.verify()

    assert (7, True) == (store.count(here()), all_sealed(store).ok)
