"""The two stores answer alike: the same words find the same records with the same scores, and so do vectors."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tacit.ports.store import Store
from tacit.store.postgres.store import PostgresStore
from tacit.store.sqlite.store import SqliteStore
from tacit.text.tokens import query_tokens
from tacit.vectors.vector_files import VectorFiles
from tests.contracts.makers import AGENT, HERE, ROOM, all_sealed, at, happened, here, id_of, record, write
from tests.contracts.search_contract import WORDS, fill as filled
from tests.contracts.vectors_contract import MODEL, answers, data
from tests.postgres import Database
from tests.server.waiting import until


@pytest.fixture
def file(tmp_path: Path) -> Iterator[SqliteStore]:
    """An empty store in a file."""
    with closing(SqliteStore(str(tmp_path / "memory.db"), "local")) as made:
        yield made


def many(store: Store, numbers: range) -> None:
    """Write facts with vectors, all at once."""
    with store.transaction(AGENT, at(1)) as tx:
        tx.add([record(n) for n in numbers])
        tx.embed(MODEL, {id_of(n): data(n) for n in numbers})
        happened(tx)


def test_words_score_the_same(store: PostgresStore, file: SqliteStore) -> None:
    """Where all records are searched, BM25 gives each the same score in both, for 300 queries of any length."""
    dice = random.Random(7)
    for one in (store, file):
        filled(one, random.Random(11))
    # Words that stand often, in one field and in several, in short and in long texts.
    many = [
        record(n, " ".join(dice.choices(WORDS, k=dice.choice((3, 30, 300)))), title=" ".join(dice.choices(WORDS, k=2)),
               tags=tuple(dice.sample(WORDS[:9], 2)), scope=dice.choice((HERE, ROOM)))
        for n in range(1_000, 1_200)
    ]  # fmt: skip
    write(store, *many)
    write(file, *many)
    everything = here(statuses=())
    for _ in range(300):
        tokens = query_tokens(" ".join(dice.choices(WORDS, k=dice.randrange(1, 8))))
        theirs, ours = (
            [(round(match.score, 6), match.id) for match in one.match(tokens, everything, 1_000)]
            for one in (file, store)
        )
        # Equal scores may come in another order: a number behind the comma tells them apart.
        assert sorted(theirs) == sorted(ours)
        assert [score for score, _id in theirs] == [score for score, _id in ours]


def test_meaning_is_turned_the_same(store: PostgresStore, file: SqliteStore, tmp_path: Path) -> None:
    """All vectors of a scope say what they have in common, in a file and on a server, however many there are."""
    for one in (store, file):
        many(one, range(1, 2_501))
    found = [VectorFiles(one, tmp_path / one.id) for one in (file, store)]

    assert answers(found[0]) == answers(found[1])
    # As long as any transaction of the server is open, what was written after it began may not be all; and who only
    # reads seals nothing.
    all_sealed(store)
    until(lambda: answers(found[1]) and 2 == len(list(tmp_path.glob("*/*.vectors"))), "who reads many writes them")
    assert answers(found[0]) == answers(found[1]) == answers(VectorFiles(store, tmp_path / store.id))


def test_a_new_scope_of_another_machine_is_searched_within_a_second(
    database: Database, store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Search asks once a second which scopes there are; what is read by id, listed or counted is seen at once."""
    monkeypatch.setattr("tacit.store.postgres.store.POLL_S", 3600.0)
    write(store, record(1, "plain word", scope="project:old"))
    where = here(scopes=("project:new", "project:old"))
    assert [id_of(1)] == [match.id for match in store.match(["plain"], where, 5)]
    with closing(database.store()) as other:
        write(other, record(2, "plain word", scope="project:new"))
    assert (2, id_of(2)) == (store.count(where), store.get(id_of(2), ["project:new"]).id)
    assert [id_of(1)] == [match.id for match in store.match(["plain"], where, 5)]
    monkeypatch.setattr("tacit.store.postgres.store.POLL_S", 0.0)

    assert [id_of(2), id_of(1)] == [match.id for match in store.match(["plain"], where, 5)]
