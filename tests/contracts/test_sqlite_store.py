"""The SQLite store keeps the contracts; tampering with its file is noticed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tacit.errors import StoreDamaged
from tacit.ports.store import Store
from tacit.store.sqlite.store import SqliteStore
from tests.contracts.makers import forget, id_of, record, write
from tests.contracts.search_contract import SearchContract
from tests.contracts.store_contract import StoreContract
from tests.contracts.tampering import CASES, story, tampered
from tests.contracts.thread_contract import ThreadContract


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the store lies."""
    return tmp_path / "memory.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    """An empty store."""
    made = SqliteStore(str(path))
    yield made
    made.close()


@pytest.fixture
def neighbour(path: Path, store: Store) -> Iterator[Store]:
    """Another tenant of the same file."""
    made = SqliteStore(str(path), "other")
    yield made
    made.close()


class TestSqliteStore(StoreContract):
    """The SQLite store is a store."""


class TestSqliteThreads(ThreadContract):
    """The SQLite store knows the order of conversations."""


class TestSqliteSearch(SearchContract):
    """The SQLite store searches."""


class TestMemoryStore(SearchContract):
    """A store without a file searches too, so that a memory that does not exist yet answers empty."""

    @pytest.fixture
    def store(self) -> Iterator[Store]:
        """A store in memory."""
        made = SqliteStore(":memory:")
        yield made
        made.close()


def test_each_write_seals_its_events(store: Store) -> None:
    """The only writer seals what it wrote, at once."""
    for number in range(1, 4):
        write(store, record(number))
        assert number == store.head()[0]


@pytest.mark.parametrize("case", CASES)
def test_verify_notices(store: SqliteStore, path: Path, case: str) -> None:
    """Whatever is changed behind the store's back is found, and the first thing broken is named."""
    story(store)
    store.close()
    sql, subject = CASES[case]
    tampered(path, sql, one=id_of(1))
    again = SqliteStore(str(path))
    report = again.verify()
    again.close()

    assert not report.ok
    assert any(finding.subject.startswith(subject) for finding in report.findings), report.findings
    if subject.startswith(("event", "seal")):
        assert report.findings[0].subject.startswith(subject)


def test_a_chain_cut_short_shows_against_the_outside_head_only(store: SqliteStore, path: Path) -> None:
    """Whoever cuts records, events and seals off the end together is betrayed by the head kept elsewhere."""
    write(store, record(1))
    write(store, record(2))
    head = store.head()
    store.close()
    cut = (
        "DELETE FROM events WHERE seq = 2; DELETE FROM seals WHERE number = 2; DELETE FROM facets WHERE id = :two; "
        "DELETE FROM records WHERE id = :two; DELETE FROM search_docsize WHERE id = 2"
    )
    tampered(path, cut, two=id_of(2))
    again = SqliteStore(str(path))

    assert again.verify().ok
    assert ["seal 2"] == [finding.subject for finding in again.verify(head).findings]
    again.close()


def test_a_log_rewritten_with_fresh_seals_shows_against_the_outside_head(store: SqliteStore, tmp_path: Path) -> None:
    """Another history, sound in itself, is not the one that was seen before."""
    write(store, record(1, "as it was"))
    head = store.head()
    other = SqliteStore(str(tmp_path / "other.db"))
    write(other, record(1, "as somebody wishes"))
    report = other.verify(head)
    other.close()

    assert ["seal 1"] == [finding.subject for finding in report.findings]


def test_an_erased_body_is_told_from_a_lost_one(store: SqliteStore, path: Path) -> None:
    """What was forgotten is counted as erased; a body removed beside it is named as lost."""
    write(store, record(1))
    write(store, record(2))
    forget(store, id_of(1))
    assert (True, 1) == (store.verify().ok, store.verify().erased)
    store.close()
    tampered(path, "UPDATE events SET salt = NULL, payload = NULL WHERE seq = 2")
    again = SqliteStore(str(path))
    report = again.verify()
    again.close()

    assert "event 2" in {finding.subject for finding in report.findings}
    assert "event 1" not in {finding.subject for finding in report.findings}


def test_a_changed_record_is_never_an_answer(store: SqliteStore, path: Path) -> None:
    """A record that does not match its hash is damage for its reader too, not only for the checker."""
    write(store, record(1), record(2))
    store.close()
    tampered(path, CASES["a changed body"][0], one=id_of(1))
    again = SqliteStore(str(path))

    with pytest.raises(StoreDamaged):
        again.get(id_of(1), ["project:here"])
    assert record(2) == again.get(id_of(2), ["project:here"])
    again.close()


def test_a_symbolic_link_is_the_same_store(store: SqliteStore, path: Path, tmp_path: Path) -> None:
    """Two names of one file share one lock and one log."""
    link = tmp_path / "link.db"
    link.symlink_to(path)
    write(store, record(1))
    other = SqliteStore(str(link))
    write(other, record(2))

    assert (store.id, store.location) == (other.id, other.location)
    assert not list(tmp_path.glob("link.db-*"))
    other.close()
