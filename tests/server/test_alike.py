"""The two stores answer alike: the same words find the same records with the same scores, and so do vectors."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from tacit.ports.store import Store
from tacit.ports.vectors import VectorQuery
from tacit.store.postgres import vector_search as nearby
from tacit.store.postgres.store import PostgresStore
from tacit.store.sqlite.store import SqliteStore
from tacit.text.tokens import query_tokens
from tacit.vectors.server_search import ServerVectors
from tacit.vectors.vector_files import VectorFiles
from tests.contracts.makers import AGENT, HERE, ROOM, at, forget, happened, here, id_of, record, write
from tests.contracts.search_contract import WORDS, fill as filled
from tests.contracts.vectors_contract import DIM, MODEL, answers, data, fill, vector
from tests.postgres import Database


@pytest.fixture
def file(tmp_path: Path) -> Iterator[SqliteStore]:
    """An empty store in a file."""
    with closing(SqliteStore(str(tmp_path / "memory.db"), "local")) as made:
        yield made


def many(store: Store, numbers: range) -> None:
    """Write facts with vectors, all at once."""
    with store.transaction(AGENT, at(1)) as tx:
        tx.add([record(n) for n in numbers])
        for n in numbers:
            tx.embed(id_of(n), MODEL, data(n))
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
    found = zip(answers(VectorFiles(file, tmp_path / "vectors")), answers(ServerVectors(store)), strict=True)
    for theirs, ours in found:
        # The server has the query in half precision, so what is all but equally near may change places.
        assert [one.cosine for one in theirs] == pytest.approx([one.cosine for one in ours], abs=1e-3)
        assert len({one.id for one in theirs} & {one.id for one in ours}) >= len(theirs) - 1


def test_what_vectors_have_in_common_is_kept(store: PostgresStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """After upkeep no process reads all vectors of a large scope to search it; forgetting drops what was kept."""
    many(store, range(1, 2_501))
    before = answers(ServerVectors(store))
    assert (1, 0) == tuple(ServerVectors(store).save(MODEL, DIM, [HERE]) for _twice in range(2))
    with monkeypatch.context() as patch:
        patch.setattr(PostgresStore, "all_vectors", None)
        assert before == answers(ServerVectors(store))
    many(store, range(3_000, 3_600))
    near = ServerVectors(store)
    assert id_of(3_001) == near.nearest(vector(3_001), MODEL, here(), 1)[0].id
    assert 1 == near.save(MODEL, DIM, [HERE]), "a tenth is new"
    forget(store, id_of(1))
    near.drop()

    assert (0, b"") == store.kept_moment(MODEL, HERE, DIM)


def test_few_vectors_are_not_kept_as_a_sum(store: PostgresStore) -> None:
    """Of a few, the sum would tell what each was."""
    fill(store, 100)

    assert (0, (0, b"")) == (ServerVectors(store).save(MODEL, DIM, [HERE]), store.kept_moment(MODEL, HERE, DIM))


def test_an_index_that_gives_up_is_not_the_last_word(
    database: Database, store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the index stops before it has found as many as there are, the scope is searched exactly."""
    monkeypatch.setattr(nearby, "INDEXED_FROM", 50)
    monkeypatch.setattr(nearby, "_INDEXED", (("hnsw.iterative_scan", "off"), ("hnsw.ef_search", "1")))
    fill(store, 300)
    with closing(PostgresStore(database.owner_url, "local")) as owner:
        owner._do("SELECT make_near(%s, %s)", (MODEL, DIM))
    looks = [VectorQuery(HERE, vector(7).tolist(), 300)]
    exact = sorted(range(1, 301), key=lambda n: -float(vector(7) @ np.frombuffer(data(n), "<f2").astype(np.float32)))

    found = store.nearest(MODEL, looks, here(statuses=()), 10)
    assert [id_of(n, "note" if n % 10 == 0 else "fact") for n in exact[:10]] == [one.id for one in found]


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
