"""SQLite's own locks on the file: nothing we do may drop them while a store is open."""

import multiprocessing
import os

import pytest

from tacit.model.event import NewEvent
from tacit.model.origin import Origin
from tacit.store.sqlite.store import SqliteStore
from tests.contracts.makers import at, here, record

ORIGIN = Origin(actor="agent")


def write(store, number):
    with store.transaction(ORIGIN, at(number)) as tx:
        tx.put(record(number))
        tx.append(NewEvent(type="added"))


def visit(path, number):
    """Another process comes, writes, and goes."""
    store = SqliteStore(path)
    write(store, number)
    store.close()
    os._exit(0)


@pytest.mark.parametrize("disturb", ["write first", "open twice", "read first"])
def test_a_process_that_comes_and_goes_does_not_take_the_log_away(tmp_path, disturb):
    """What a long-lived process acknowledges is there for everybody, whoever else opens and closes the file."""
    path = str(tmp_path / "memory.db")
    SqliteStore(path).close()
    store = SqliteStore(path)
    store.count(here())
    if disturb == "open twice":
        SqliteStore(path).close()
    if disturb != "read first":
        write(store, 1)
    for number in range(2, 6):
        other = multiprocessing.get_context("spawn").Process(target=visit, args=(path, number * 10))
        other.start()
        other.join()
        write(store, number)
    expected = store.count(here())
    # As after a kill: nobody says goodbye, and a new process has to find everything.
    fresh = SqliteStore(path)

    assert expected == fresh.count(here())
    assert expected == (9 if disturb != "read first" else 8)
    assert fresh.verify().ok
    fresh.close()
    store.close()
