"""Many processes write to one server at once: nobody fails, nothing is doubled, one wins where only one can."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from tacit.errors import KeyTaken, StoreBusy, VersionConflict
from tacit.model.query import Filter
from tacit.store.postgres.store import PostgresStore
from tests.contracts.makers import (
    AGENT,
    HERE,
    PERSON,
    all_sealed,
    at,
    forget,
    happened,
    here,
    id_of,
    link,
    record,
    revised,
    write,
)
from tests.postgres import Database
from tests.server.crew import KEY, crew, memory_of
from tests.server.waiting import until

PROCESSES = 8


@pytest.mark.soak
def test_one_version_has_one_author(
    database: Database, store: PostgresStore, budget: Callable[..., int], figures: Callable[..., None]
) -> None:
    """Processes revise one record at once: each version is written by one of them, the others get a typed refusal."""
    write(store, record(1))
    rounds = budget(25, soak=500)
    many = {"processes": PROCESSES, "rounds": rounds}
    said = crew("revisers", timeout=budget(1_800, soak=7_200), url=database.url, tenant="local", **many)["said"]
    won = {int(line.split()[1]): line.split()[2] for line in said if line.startswith("won")}
    refused = Counter(line.split()[1] for line in said if line.startswith("lost"))
    figures("revisions at once", PROCESSES * rounds)
    figures("revisions refused", sum(refused.values()))

    assert PROCESSES * rounds == len(won) + sum(refused.values()), said[:5]
    assert set(refused) <= {"VersionConflict", "StoreBusy"}
    assert won == {one.version: one.body for one in store.history(id_of(1), [HERE])[1:]}
    assert list(range(2, len(won) + 2)) == sorted(won)
    assert all_sealed(store).ok


def flow(database: Database, tmp_path: Path, what: str) -> list[str]:
    """Let processes do the same at once; give what each got."""
    return crew("flows", url=database.url, tenant="local", home=str(tmp_path), processes=PROCESSES, what=what)["said"]


def test_a_scope_is_taken_along_once(database: Database, store: PostgresStore, tmp_path: Path) -> None:
    """Processes that open a project with a new remote at once: one moves its memory, all find it, the log is sound."""
    with memory_of(database.url, "local", tmp_path, scope="project:/old") as memory:
        memory.add_many([{"kind": "note", "body": f"note {n} of the old scope"} for n in range(50)])
    said = flow(database, tmp_path, "take along")

    assert Counter({"found it moved": PROCESSES - 1, "moved": 1}) == Counter(said)
    assert (50, 0) == (store.count(here()), store.count(Filter(scopes=("project:/old",))))
    assert all_sealed(store).ok


def test_one_fact_is_memorized_once(database: Database, store: PostgresStore, tmp_path: Path) -> None:
    """Eight processes memorize the same text at once: there is one fact, and it was said eight times."""
    said = flow(database, tmp_path, "same fact")

    assert (PROCESSES, 1) == (len(said), len(set(said))), said
    assert set(said) == set(store.ids(here()))
    assert {said[0]: {"repetitions": PROCESSES}} == store.tallies([said[0]])
    assert all_sealed(store).ok


@pytest.mark.parametrize(("what", "kind"), [
    ("same entity", "entity"), ("same term", "term"), ("facts of one entity", "entity"),
])  # fmt: skip
def test_one_name_is_one_record(database: Database, store: PostgresStore, tmp_path: Path, what: str, kind: str) -> None:
    """Whoever needs the same entity or term at once gets the same one, and nobody an error."""
    said = flow(database, tmp_path, what)

    assert (PROCESSES, 1) == (len(said), len(set(said))), said
    assert set(said) == set(store.ids(here(kinds=(kind,))))
    assert all_sealed(store).ok


def test_similar_facts_contradict_each_other_once(database: Database, store: PostgresStore, tmp_path: Path) -> None:
    """Facts that cannot all hold, memorized at once, are all kept, and every pair of them is named."""
    said = flow(database, tmp_path, "similar facts")
    links = store.links(said, [HERE], relation="contradicts")

    assert (PROCESSES, PROCESSES) == (len(said), len(set(said))), said
    assert PROCESSES * (PROCESSES - 1) // 2 == len({frozenset((one.source, one.target)) for one in links})


def test_one_relation_holds_once(database: Database, store: PostgresStore, tmp_path: Path) -> None:
    """Eight processes relate the same two at once: one relation holds, the others were replaced by the next."""
    with memory_of(database.url, "local", tmp_path) as memory:
        memory.entities.add("service", "api")
        memory.entities.add("service", "db")
    said = flow(database, tmp_path, "same relation")
    api = store.find(Filter(scopes=(HERE,), key=KEY)).records[0]

    assert ["done"] * PROCESSES == said
    assert 1 == len(store.links([api.id], [HERE], relation="calls"))


# -- two at once, step by step --------------------------------------------------------------------------------


def beside(work: Callable[[], object]) -> tuple[threading.Thread, list[object]]:
    """Do something in another thread; gives the thread, and in the end what came of it."""
    outcome: list[object] = []

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as error:  # noqa: BLE001 - it is the outcome
            outcome.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, outcome


def waits(admin: psycopg.Connection, thread: threading.Thread) -> bool:
    """Wait until somebody waits for a lock, or the thread is done; say whether it waits."""
    sql = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    until(lambda: admin.execute(sql).fetchone() or not thread.is_alive(), "somebody who waits")
    return thread.is_alive()


@pytest.mark.parametrize("how", ["insert", "move"])
def test_a_key_taken_meanwhile_is_a_taken_key(
    opened: Callable[..., PostgresStore], admin: psycopg.Connection, how: str
) -> None:
    """Two take the same key at once: the second waits for the first, and is told that the key is taken."""
    first, second = opened(), opened()
    one, two = record(1), record(2)
    write(first, one, two)
    theirs = record(3, key="k") if how == "insert" else revised(two, key="k")
    with first.transaction(AGENT, at(2)) as tx:
        tx.put(revised(one, key="k"), expected=1)
        happened(tx)
        thread, outcome = beside(lambda: write(second, theirs))
        assert waits(admin, thread)
    thread.join()

    assert [KeyTaken] == [type(error) for error in outcome]
    assert [id_of(1)] == [found.id for found in first.find(here(key="k")).records]
    assert all_sealed(first).ok


@pytest.mark.parametrize("read", ["get", "get_many", "history"])
def test_what_a_write_read_stays_as_it_is(
    opened: Callable[..., PostgresStore], admin: psycopg.Connection, read: str
) -> None:
    """A record read inside a write cannot be changed by another before it ends."""
    first, second = opened(), opened()
    one = record(1)
    write(first, one)
    with first.transaction(AGENT, at(2)) as tx:
        getattr(tx, read)([one.id] if read == "get_many" else one.id, [HERE])
        thread, outcome = beside(lambda: write(second, revised(one, body="theirs")))
        assert waits(admin, thread)
        tx.put(revised(one, body="mine"), expected=1)
        happened(tx)
    thread.join()

    assert [VersionConflict] == [type(error) for error in outcome]
    assert "mine" == first.get(one.id, [HERE]).body


def test_a_record_forgotten_meanwhile_is_a_conflict(
    opened: Callable[..., PostgresStore], admin: psycopg.Connection
) -> None:
    """Whoever revises what another is just forgetting is told that it is gone."""
    first, second = opened(), opened()
    write(first, record(1))
    with first.transaction(AGENT, at(2)) as tx:
        tx.forget([id_of(1)])
        thread, outcome = beside(lambda: write(second, revised(record(1))))
        assert waits(admin, thread)
    thread.join()

    assert [VersionConflict] == [type(error) for error in outcome]
    assert ([], True) == (first.ids(here()), all_sealed(first).ok)


def test_a_link_made_twice_at_once_holds_once(opened: Callable[..., PostgresStore], admin: psycopg.Connection) -> None:
    """The second waits for the first and replaces it."""
    first, second = opened(), opened()
    one, two = record(1), record(2)
    write(first, one, two)
    with first.transaction(AGENT, at(2)) as tx:
        tx.link(link(one, two, weight=0.1, since=at(2)))
        happened(tx)
        thread, outcome = beside(lambda: write(second, links=[link(one, two, weight=0.2, since=at(3))]))
        assert waits(admin, thread)
    thread.join()

    assert [None] == outcome
    assert [0.2] == [found.weight for found in first.links([one.id], [HERE])]


def test_being_alone_is_by_name_and_tenant(opened: Callable[..., PostgresStore], admin: psycopg.Connection) -> None:
    """Under one name the second waits; under another, or in another tenant, nobody does."""
    first, second, neighbour = opened(), opened(), opened("other")

    def alone(store: PostgresStore, name: str) -> None:
        with store.transaction(AGENT, at(1)) as tx:
            tx.alone(name)
            happened(tx)

    with first.transaction(AGENT, at(1)) as tx:
        tx.alone("a")
        happened(tx)
        alone(second, "b")
        alone(neighbour, "a")
        thread, outcome = beside(lambda: alone(second, "a"))
        assert waits(admin, thread)
        assert [] == outcome
    thread.join()

    assert [None] == outcome


def test_an_idempotency_key_is_claimed_by_one(opened: Callable[..., PostgresStore], admin: psycopg.Connection) -> None:
    """The second waits: if the first ends well it has lost, if the first is undone it has won."""
    first, second = opened(), opened()

    def claim(key: str) -> bool:
        with second.transaction(AGENT, at(1)) as tx:
            return tx.once(key)

    for undone in (False, True):
        try:
            with first.transaction(AGENT, at(1)) as tx:
                assert tx.once(f"job {undone}")
                thread, outcome = beside(lambda undone=undone: claim(f"job {undone}"))
                assert waits(admin, thread)
                if undone:
                    raise ZeroDivisionError
        except ZeroDivisionError:
            pass
        thread.join()

        assert [undone] == outcome


def test_a_new_scope_gets_one_number(opened: Callable[..., PostgresStore], admin: psycopg.Connection) -> None:
    """Two who first write into the same scope at once agree on it, and both are found there."""
    first, second = opened(), opened()
    with first.transaction(AGENT, at(1)) as tx:
        tx.put(record(1, scope="project:new"))
        happened(tx)
        thread, outcome = beside(lambda: write(second, record(2, scope="project:new")))
        assert waits(admin, thread)
    thread.join()

    assert [None] == outcome
    assert 2 == len(first.match(["bodi"], here(scopes=("project:new",)), 5))


def test_whoever_waits_too_long_is_told(opened: Callable[..., PostgresStore]) -> None:
    """A lock that is not given back within the budget is StoreBusy, nothing is written, and a retry works."""
    first, second = opened(), opened(wait_s=1.0)
    one = record(1)
    write(first, one)
    with first.transaction(AGENT, at(2)) as tx:
        tx.get(one.id, [HERE])
        with pytest.raises(StoreBusy, match="held a lock for too long"):
            write(second, revised(one, body="theirs"))
        happened(tx)
    write(second, revised(one, body="theirs"))

    assert ["body 1", "theirs"] == [version.body for version in first.history(one.id, [HERE])]


def test_who_replaces_everything_is_alone(opened: Callable[..., PostgresStore], admin: psycopg.Connection) -> None:
    """A rebuild and a restore wait for open writes, and writes for them; afterwards all is there and sound."""
    first, second = opened(), opened()
    write(first, record(1))
    rows = list(first.dump())
    for number, replace in ((2, first.rebuild), (4, lambda: first.fill(rows, replace=True))):
        with second.transaction(AGENT, at(2)) as tx:
            thread, outcome = beside(replace)
            assert waits(admin, thread)
            tx.put(record(number))
            happened(tx)
        thread.join()
        assert not isinstance(outcome[0], BaseException), outcome
        assert all_sealed(first).ok
    write(second, record(3))

    assert {id_of(1), id_of(3)} == set(first.ids(here()))
    assert all_sealed(first).ok


def test_writing_goes_on_while_the_index_is_made_anew(database: Database, store: PostgresStore) -> None:
    """However often the index is rebuilt, no write fails and none is missing in it."""
    for number in range(1, 30):
        write(store, record(number))
    stop, failed = threading.Event(), []

    def work() -> None:
        number = 100
        with closing(database.store()) as other:
            while not stop.is_set():
                number += 1
                one = record(number)
                write(other, one)
                write(other, revised(one, body="revised"))

    thread, failed = beside(work)
    for _ in range(10):
        store.rebuild()
    stop.set()
    thread.join()

    assert [None] == failed
    assert all_sealed(store).ok


def test_what_is_forgotten_late_is_noticed_too(opened: Callable[..., PostgresStore]) -> None:
    """Of two that forget at once, the one with the lower number may end last: whoever has vectors must hear of both."""
    mine, theirs = opened(), opened()
    write(mine, record(1), record(2))
    seen = [mine.vector_stamp("m", HERE)[0]]
    with mine.transaction(PERSON, at(5)) as tx:
        tx.forget([id_of(1)])
        forget(theirs, id_of(2))
        seen.append(theirs.vector_stamp("m", HERE)[0])
    seen.append(theirs.vector_stamp("m", HERE)[0])

    assert 3 == len(set(seen))


def test_a_role_with_other_habits_writes_just_as_well(
    role: str, database: Database, opened: Callable[..., PostgresStore]
) -> None:
    """A default isolation level, time zone, or text style set for a role changes nothing in what is stored or seen."""
    database.let_in("local", role)
    habits = {
        "default_transaction_isolation": "serializable", "timezone": "Asia/Tokyo", "datestyle": "German",
        "bytea_output": "escape", "extra_float_digits": "-5", "standard_conforming_strings": "on",
        "client_encoding": "UTF8", "search_path": "nowhere", "default_text_search_config": "english",
        "statement_timeout": "60s",
    }  # fmt: skip
    with psycopg.connect(database.admin_url, autocommit=True) as root:
        for name, value in habits.items():
            root.execute(f"ALTER ROLE {role} SET {name} = '{value}'")
    first = opened()
    with closing(PostgresStore(database.server.as_role(role, database.name), "local")) as second:
        with second.transaction(AGENT, at(1)) as tx:
            write(first, record(1, scope="project:new", importance=0.1 + 0.2))
            tx.put(record(2, scope="project:new", importance=0.1 + 0.2))
            happened(tx)
        walls = ("project:new",)
        assert first.find(here(scopes=walls)) == second.find(here(scopes=walls))
        assert [0.1 + 0.2] * 2 == [one.importance for one in second.find(here(scopes=walls)).records]
        assert list(first.export()) == list(second.export())
        assert all_sealed(second).ok


def test_a_revision_in_progress_is_waited_for_by_a_fact_that_it_contradicts(database, store, tmp_path, monkeypatch):
    """Neither saw the other, and nothing linked them later."""
    from tacit.records import revise

    with memory_of(database.url, "local", tmp_path) as one, memory_of(database.url, "local", tmp_path) as two:
        known = one.memorize("The staging database listens on a socket of the host").id
        real, inside, go = revise.contradictions, threading.Event(), threading.Event()

        def slow(*given):
            found = real(*given)
            inside.set()
            go.wait(0.3)
            return found

        monkeypatch.setattr(revise, "contradictions", slow)
        changing = threading.Thread(
            target=one.revise, args=[known], kwargs={"body": "The staging database listens on port 6000"}
        )
        changing.start()
        inside.wait(10)
        done = two.memorize("The staging database listens on port 5432")
        go.set()
        changing.join()

    assert [known] == [pair.other for pair in done.conflicts]
