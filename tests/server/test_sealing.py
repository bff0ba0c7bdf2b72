"""The log of a server: many write at once, a sealer chains what is final, and no false alarm is ever raised."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tacit.errors import StoreDamaged
from tacit.store.postgres.store import PostgresStore
from tacit.store.sqlite.store import SqliteStore
from tests.contracts.makers import AGENT, HERE, all_sealed, at, forget, happened, here, id_of, record, write
from tests.contracts.tampering import CASES, forge, story
from tests.postgres import Database
from tests.server.crew import crew
from tests.server.waiting import until


@pytest.mark.soak
def test_verifying_while_many_write_raises_no_alarm(
    database: Database, budget: Callable[..., int], figures: Callable[..., None]
) -> None:
    """8 processes write, one verifies all the while: it sees tails and no damage; then all can be sealed."""
    processes, writes = 8, budget(40, soak=500)
    timeout = budget(1_800, soak=7_200)
    outcome = crew("writers", timeout=timeout, url=database.url, tenant="local", processes=processes, writes=writes)
    figures("server writes at once", processes * writes)
    figures("server verifications meanwhile", len(outcome["tails"]))
    figures("server longest unsealed tail", max(outcome["tails"], default=0), fold="max")

    assert ([], [], processes) == (outcome["errors"], outcome["alarms"], outcome["done"])
    with closing(database.store()) as store:
        report = all_sealed(store)
        assert (True, processes * writes) == (report.ok, store.count(here()))
        assert report.seals == store.head()[0]


def test_a_number_given_late_to_an_early_write_is_not_sealed_over(opened: Callable[..., PostgresStore]) -> None:
    """The younger of two writes may hold the lower number; the older one's end does not make that number final."""
    older, younger = opened(), opened()
    write(older, record(1))
    with ExitStack() as second:
        with older.transaction(AGENT, at(2)) as first:
            tx = second.enter_context(younger.transaction(AGENT, at(3)))
            first.put(record(2))
            # The second number of the older write comes after the first of the younger one.
            assert happened(first) < tx._first < happened(first)
        older._sealer.seal()
        tx.put(record(3))
        happened(tx)

    assert () == all_sealed(older).findings


def test_an_open_write_holds_sealing_back_and_nothing_else(opened: Callable[..., PostgresStore]) -> None:
    """While an older write is open, others are durable, readable and counted as unsealed; after it they are sealed."""
    slow, quick = opened(), opened()
    write(quick, record(10))
    all_sealed(quick)
    with slow.transaction(AGENT, at(1)) as tx:
        tx.put(record(1))
        happened(tx)
        for number in range(2, 6):
            write(quick, record(number))
        report = quick.verify()
        assert (True, 4, 5, 1) == (report.ok, report.unsealed, quick.count(here()), report.seals)

    assert all_sealed(quick).ok


def test_where_somebody_always_writes_there_is_sealing_all_the_same(opened: Callable[..., PostgresStore]) -> None:
    """Each write begins before the last one ends, so never is nobody writing; what is older gets sealed."""
    stores = [opened(), opened()]
    write(stores[0], record(1))
    running = ExitStack()
    numbers = itertools.count(2)

    def sealed_while_writing() -> bool:
        nonlocal running
        number, following = next(numbers), ExitStack()
        tx = following.enter_context(stores[number % 2].transaction(AGENT, at(number)))
        tx.put(record(number))
        happened(tx)
        running.close()
        running = following
        stores[0]._sealer.seal()
        return stores[0].head()[0] > 2

    until(sealed_while_writing, "a seal while somebody writes")
    running.close()

    assert all_sealed(stores[0]).ok


def test_a_foreign_transaction_holds_sealing_back_without_an_error(
    database: Database, opened: Callable[..., PostgresStore]
) -> None:
    """A long transaction of somebody else, even in another database of the server, costs no write and no alarm."""
    store = opened()
    with psycopg.connect(database.server.url) as foreign:
        foreign.execute("SELECT pg_current_xact_id()")
        write(store, record(1))
        report = store.verify()
        assert (True, 1) == (report.ok, report.unsealed)
        foreign.rollback()

    assert (True, 1) == ((after := all_sealed(store)).ok, after.seals)


def test_a_write_that_was_undone_leaves_no_gap_that_matters(store: PostgresStore) -> None:
    """Numbers of broken writes are never given again, and the seals over them hold."""
    write(store, record(1))
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), store.transaction(AGENT, at(2)) as tx:
            tx.put(record(2))
            happened(tx)
            raise ZeroDivisionError
    write(store, record(3))

    assert (True, [1, 5]) == (all_sealed(store).ok, [event.seq for event in store.events()])


def test_seals_chain_and_cover_every_event(store: PostgresStore, admin: psycopg.Connection[Any]) -> None:
    """Each seal begins where the last one ended, and nothing is under two."""
    for number in range(1, 8):
        write(store, record(number))
        if number % 2:
            all_sealed(store)
    seals = admin.execute("SELECT number, first, last FROM seals ORDER BY number").fetchall()

    assert list(range(1, len(seals) + 1)) == [number for number, _first, _last in seals]
    assert [1, *(last + 1 for _number, _first, last in seals[:-1])] == [first for _number, first, _last in seals]
    assert (True, 7) == (len(seals) >= 4, seals[-1][2])


def test_many_sealers_make_one_chain(opened: Callable[..., PostgresStore]) -> None:
    """Whoever seals at the same time as others adds to the same chain, and no write fails because of it."""
    stores = [opened() for _ in range(4)]
    failed: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for turn in range(10):
                write(stores[number], record(number * 100 + turn + 1))
                stores[number]._sealer.seal()
        except BaseException as error:  # noqa: BLE001 - told to the test
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert ([], True) == (failed, all_sealed(stores[0]).ok)


def test_a_copy_of_an_unsealed_log_is_sealed(opened: Callable[..., PostgresStore], tmp_path: Path) -> None:
    """A file has no open writes: what was unsealed on the server is under a seal there, and it can be written on."""
    slow, quick = opened(), opened()
    write(quick, record(1))
    all_sealed(quick)
    with closing(SqliteStore(str(tmp_path / "copy.db"))) as copy:
        with slow.transaction(AGENT, at(1)) as tx:
            happened(tx)
            write(quick, record(2))
            write(quick, record(3))
            assert 2 == quick.verify().unsealed
            copy.fill(quick.dump())
        for number in range(4, 7):
            write(copy, record(number))
        report = copy.verify()

        assert (True, 0, 6) == (report.ok, report.unsealed, copy.count(here()))


def test_what_others_wrote_is_noticed(opened: Callable[..., PostgresStore], monkeypatch: pytest.MonkeyPatch) -> None:
    """The position of the log differs after one's own write at once, and after another's when it is looked at."""
    mine, theirs = opened(), opened()
    monkeypatch.setattr("tacit.store.postgres.store.POLL_S", 3600.0)
    before = mine.position()
    write(mine, record(1))
    after = mine.position()
    write(theirs, record(2))
    assert after == mine.position(), "a server is asked once a second"
    monkeypatch.setattr("tacit.store.postgres.store.POLL_S", 0.0)

    assert 3 == len({before, after, mine.position()})
    assert {id_of(1), id_of(2)} == {match.id for match in mine.match(["bodi"], here(), 5)}


# -- tampering --------------------------------------------------------------------------------------------------


def changed(admin: psycopg.Connection[Any], sql: str) -> None:
    """Change the tables as somebody for whom there are no walls; the cases are written for the other engine."""
    if sql in ("rehash", "clone"):
        forge(lambda text, values: admin.execute(text.replace("?", "%s"), values), id_of(1), clone=sql == "clone")
        return
    sql = sql.replace("hex(randomblob(32))", "md5(random()::text)")
    sql = sql.replace("search_docsize WHERE id = 1", "search WHERE n = (SELECT min(n) FROM search)")
    for statement in sql.split(";"):
        admin.execute(statement.replace(":one", f"'{id_of(1)}'"))


@pytest.mark.parametrize("case", CASES)
def test_verify_notices(store: PostgresStore, admin: psycopg.Connection[Any], case: str) -> None:
    """Whatever is changed behind the store's back is found, and the first thing broken is named, as on a file."""
    story(store)
    sql, subject = CASES[case]
    changed(admin, sql)
    report = store.verify()

    assert not report.ok
    assert any(finding.subject.startswith(subject) for finding in report.findings), report.findings
    if subject.startswith(("event", "seal")):
        assert report.findings[0].subject.startswith(subject)


def test_a_chain_cut_short_shows_against_the_outside_head(store: PostgresStore, admin: psycopg.Connection[Any]) -> None:
    """Whoever cuts records, events and seals off the end together is betrayed by the head kept elsewhere."""
    for number in (1, 2):
        write(store, record(number))
        all_sealed(store)
    head = store.head()
    for table in ("records", "facets"):
        admin.execute(f"DELETE FROM {table} WHERE id = %s", [id_of(2)])
    admin.execute("DELETE FROM search WHERE n NOT IN (SELECT n FROM records)")
    admin.execute("DELETE FROM events WHERE seq = 2")
    admin.execute("DELETE FROM seals WHERE number = 2")

    assert store.verify().ok
    assert ["seal 2"] == [finding.subject for finding in store.verify(head).findings]


def test_an_erased_body_is_told_from_a_lost_one(store: PostgresStore, admin: psycopg.Connection[Any]) -> None:
    """What was forgotten is counted as erased; a body removed beside it is named as lost."""
    write(store, record(1))
    write(store, record(2))
    forget(store, id_of(1))
    assert (True, 1) == (store.verify().ok, store.verify().erased)
    admin.execute("UPDATE events SET salt = NULL, payload = NULL WHERE seq = 2")

    assert "event 2" in (subjects := {finding.subject for finding in store.verify().findings})
    assert "event 1" not in subjects


def test_a_changed_record_is_never_an_answer(store: PostgresStore, admin: psycopg.Connection[Any]) -> None:
    """A record that does not match its hash is damage for its reader too, not only for the checker."""
    write(store, record(1), record(2))
    changed(admin, CASES["a changed body"][0])

    with pytest.raises(StoreDamaged):
        store.get(id_of(1), [HERE])
    assert record(2) == store.get(id_of(2), [HERE])
