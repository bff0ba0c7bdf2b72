"""The word index answers as the database does: FTS5 in a file, the text index of PostgreSQL on a server."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tacit.errors import StoreClosed
from tacit.store.accelerated import AcceleratedReader
from tacit.store.sqlite.reader import SqliteReader
from tacit.store.sqlite.store import SqliteStore
from tacit.store.sqlite.word_rows import SqliteWordSource
from tacit.store.write_word_index import Postings, SortedPostings
from tests.contracts.makers import AGENT, at, happened, here, record
from tests.contracts.word_index_contract import Plain, WordIndexContract, grow, same, small
from tests.postgres import Database

pytest.importorskip("numpy")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the index lies."""
    small(monkeypatch)
    return tmp_path / "derived"


class TestWordsOfAFile(WordIndexContract):
    """The index of a SQLite store."""

    @pytest.fixture
    def plain(self) -> Plain:
        """FTS5."""
        return SqliteReader

    @pytest.fixture
    def again(self, tmp_path: Path) -> Callable[[], SqliteStore]:
        """Open the file."""
        return lambda: SqliteStore(str(tmp_path / "m.db"))

    @pytest.fixture
    def large(self, again: Callable[[], SqliteStore], folder: Path) -> Iterator[SqliteStore]:
        """A store that counts as large, with its index."""
        with closing(again()) as made:
            grow(made, folder)
            yield made


class TestWordsOfATenant(WordIndexContract):
    """The index that a client has of a tenant on a server."""

    @pytest.fixture
    def plain(self) -> Plain:
        """The text index of the server."""
        pytest.importorskip("psycopg")
        from tacit.store.postgres.reader import PostgresReader

        return PostgresReader

    @pytest.fixture
    def again(self, database: Database) -> Callable[[], AcceleratedReader]:
        """Connect."""
        return lambda: database.store("local")

    @pytest.fixture
    def large(self, again: Callable[[], AcceleratedReader], folder: Path) -> Iterator[AcceleratedReader]:
        """A store that counts as large, with its index."""
        with closing(again()) as made:
            grow(made, folder)
            yield made

    def test_what_is_not_settled_is_asked_again(self, large, plain, used, again):
        """A transaction with a lower number that ends later than one with a higher number is seen all the same."""
        begun, go_on = threading.Event(), threading.Event()

        def slow() -> None:
            with closing(again()) as other, other.transaction(AGENT, at(1)) as tx:
                tx.add([record(970, "w0 late")])
                happened(tx)
                begun.set()
                go_on.wait()

        thread = threading.Thread(target=slow)
        thread.start()
        begun.wait()
        with closing(again()) as quick, quick.transaction(AGENT, at(1)) as tx:
            tx.add([record(971, "w0 quick")])
            happened(tx)
        large.refresh()
        assert ["late"] == large.absent(["late", "quick"], here())
        assert same(large, plain, 13) > 500
        go_on.set()
        thread.join()
        large.refresh()
        assert [] == large.absent(["late", "quick"], here())
        assert used() and same(large, plain, 13) > 500

    def test_whoever_lost_access_gets_nothing_from_the_file(self, large, again, database, admin_sql):
        """The server is asked with every query."""
        assert large.match(["w0"], here(), 5)
        admin_sql(database, "DELETE FROM tacit.members WHERE role = 'tester'")

        assert [] == large.match(["w0"], here(), 5)
        assert ["w0"] == large.absent(["w0"], here())

    def test_a_server_that_was_set_back_is_not_answered_for(self, large, plain, database, admin_sql):
        """A seal that the file knows is gone, or another one."""
        admin_sql(database, "UPDATE tacit.seals SET hash = 'of another history'")

        assert same(large, plain, 14) > 500
        assert "inf" == str(large.words().lag(large._word_source()))


@pytest.fixture
def admin_sql() -> Callable[[Database, str], None]:
    """Return `admin_sql(database, statement)`, run by a superuser."""
    import psycopg

    def run(database: Database, sql: str) -> None:
        with psycopg.connect(database.admin_url, autocommit=True) as admin:
            admin.execute(sql)

    return run


def test_postings_are_sorted_in_bounded_runs(tmp_path, monkeypatch):
    """Whatever the size of a run, each word has its rows in order."""
    import random
    from io import BytesIO

    import numpy as np

    chance = random.Random(3)
    rows = [
        {chance.randrange(1 << 60) << 4 | 7: chance.randrange(1, 9) for _ in range(chance.randrange(9))}
        for _ in range(99)
    ]
    for row in rows[::3]:
        row[12345] = 3
    found = []
    for run in (10, 1_000_000):
        monkeypatch.setattr("tacit.store.write_word_index.RUN", run)
        made = Postings(BytesIO(), BytesIO(), lambda: False)
        with (tmp_path / f"{run}").open("w+b") as file:
            postings = SortedPostings(file)
            for doc, row in enumerate(rows):
                postings.extend(doc, row, row.values())
            postings.write(made)
        docs = np.frombuffer(made.docs.getvalue(), "<i4").tolist()
        weights = np.frombuffer(made.weights.getvalue(), "<u2").tolist()
        found.append((list(made.hashes), list(made.counts), docs, weights))
    expected = sorted((hash, doc, weight) for doc, row in enumerate(rows) for hash, weight in row.items())

    assert found[0] == found[1]
    assert [(doc, weight) for _hash, doc, weight in expected] == list(zip(*found[0][2:], strict=True))


def test_a_store_that_is_closed_ends_the_writing(tmp_path, monkeypatch):
    """Nobody waits for an index that is not needed any more."""
    small(monkeypatch)
    store = SqliteStore(str(tmp_path / "m.db"))
    grow(store, tmp_path / "derived")
    (tmp_path / "derived" / "words.index").unlink()
    store._ending = True
    with pytest.raises(StoreClosed, match="closed while its word index was written"):
        store.write_words()
    store.close()

    assert [] == [path for path in (tmp_path / "derived").iterdir() if path.name == "words.index"]


def test_looking_for_changes_reads_no_table_of_them(tmp_path: Path) -> None:
    """Until `maintain` trims it, the table has one row a write; a query that read it all would grow with the store."""
    with closing(SqliteStore(str(tmp_path / "m.db"))) as store:
        db = store._write_connection()
        db.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
                   " INSERT INTO word_changes(n) SELECT i FROM n")  # fmt: skip
        steps = 0

        def stepped() -> int:
            nonlocal steps
            steps += 1
            return 0

        db.set_progress_handler(stepped, 10)
        assert SqliteWordSource(db, "m.db").changes("", 5_000, 100) is None
        assert steps < 20
