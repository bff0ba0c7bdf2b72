"""What every `Vectors` promises, given fixtures `store` (empty, tenant `local`) and `vectors` over it."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest

from tacit.model.query import Neighbour
from tacit.ports.store import Store
from tacit.ports.vectors import Vectors
from tests.contracts.makers import ELSEWHERE, ROOM, embed, forget, here, id_of, record, revised, write

DIM = 16
MODEL = "m"


def vector(seed: int, dim: int = DIM) -> np.ndarray:
    """Give a unit vector, always the same for a seed."""
    row = np.random.default_rng(seed).normal(size=dim).astype(np.float32)
    return row / np.linalg.norm(row)


def data(seed: int, dim: int = DIM) -> bytes:
    """Give a vector as the store keeps it."""
    return vector(seed, dim).astype("<f2").tobytes()


def fill(store: Store, count: int = 200) -> None:
    """Write facts with vectors; every tenth is a note, every tenth archived."""
    records = [
        record(n, kind="note" if n % 10 == 0 else "fact", status="archived" if n % 10 == 5 else "active")
        for n in range(1, count + 1)
    ]
    write(store, *records)
    embed(store, {one.id: data(n) for n, one in enumerate(records, 1)})


class Answers(list[list[Neighbour]]):
    """Answers to a set of questions; equal when they name the same records in the same order, alike to rounding."""

    def __eq__(self, other: object) -> bool:
        assert isinstance(other, Answers)
        ours, theirs = list(chain.from_iterable(self)), list(chain.from_iterable(other))
        return [one.id for one in ours] == [one.id for one in theirs] and all(
            abs(one.cosine - two.cosine) < 1e-4 for one, two in zip(ours, theirs, strict=True)
        )

    __hash__ = None


def answers(vectors: Vectors) -> Answers:
    """Ask a set of questions."""
    asked = (here(), here(kinds=("note",)), here(statuses=()), here(statuses=("archived",)))
    return Answers(vectors.nearest(vector(seed), MODEL, where, 7) for seed in range(1000, 1010) for where in asked)


class VectorsContract:
    """Everything that finds records by meaning passes this class."""

    def test_a_small_subset_still_fills_the_limit(self, store: Store, vectors: Vectors) -> None:
        """With a tenth of the records of a kind or status, exactly `limit` of those are found: filters come first."""
        fill(store)

        for where, size in (
            (here(kinds=("note",)), 20),
            (here(statuses=("archived",)), 20),
            (here(kinds=("term",)), 0),
        ):
            for limit in (1, 10, size, 500):
                near = vectors.nearest(vector(7), MODEL, where, limit)
                assert min(limit, size) == len(near) == len({one.id for one in near})
                assert {one.id for one in near} <= set(store.ids(where))

    def test_the_nearest_come_first(self, store: Store, vectors: Vectors) -> None:
        """A record's own vector finds it first; cosines fall."""
        fill(store)
        near = vectors.nearest(vector(42), MODEL, here(), 20)

        assert id_of(42) == near[0].id
        assert sorted((one.cosine for one in near), reverse=True) == [one.cosine for one in near]

    def test_equal_vectors_are_told_apart_by_id(self, store: Store, vectors: Vectors) -> None:
        """Ties are settled the same way every time, also across the limit."""
        write(store, *(record(n) for n in range(1, 31)))
        embed(store, {id_of(n): data(1) for n in range(1, 31)})

        assert [id_of(n) for n in range(1, 11)] == [one.id for one in vectors.nearest(vector(1), MODEL, here(), 10)]

    def test_scope_is_a_wall(self, store: Store, vectors: Vectors) -> None:
        """Only the scopes named and their namespaces are looked at; none named is none seen."""
        write(store, record(1), record(2, scope=ROOM), record(3, scope=ELSEWHERE))
        embed(store, {id_of(n): data(n) for n in (1, 2, 3)})

        def seen(*scopes: str) -> set[str]:
            return {one.id for one in vectors.nearest(vector(3), MODEL, here(scopes=scopes), 9)}

        assert {id_of(1), id_of(2)} == seen("project:here")
        assert {id_of(2)} == seen(ROOM)
        assert set() == seen() == seen("project:unknown")

    @pytest.mark.parametrize("narrower", [{"tags": ("t",)}, {"min_trust": 3}, {"key": "k"}, {"actors": ("user",)}])
    def test_narrow_filters_come_before_the_limit(self, store: Store, vectors: Vectors, narrower: dict) -> None:
        """Filters the rows do not know by themselves hold too."""
        from tests.contracts.makers import PERSON

        fill(store)
        write(store, record(500, tags=("t",), key="k", origin=PERSON))
        embed(store, {id_of(500): data(500)})

        assert [id_of(500)] == [one.id for one in vectors.nearest(vector(1), MODEL, here(**narrower), 3)]

    def test_changes_are_seen_at_once(self, store: Store, vectors: Vectors) -> None:
        """New, changed, archived and forgotten records count from the next question on."""
        fill(store, 30)
        vectors.nearest(vector(1), MODEL, here(), 5)
        write(store, record(99))
        embed(store, {id_of(99): data(99)})
        assert id_of(99) == vectors.nearest(vector(99), MODEL, here(), 5)[0].id

        write(store, revised(record(99), status="archived"))
        assert id_of(99) not in [one.id for one in vectors.nearest(vector(99), MODEL, here(), 50)]
        embed(store, {id_of(3): data(77)})
        assert id_of(3) == vectors.nearest(vector(77), MODEL, here(), 5)[0].id
        assert 1 == [one.id for one in vectors.nearest(vector(77), MODEL, here(), 50)].count(id_of(3))

        forget(store, id_of(3))
        assert id_of(3) not in [one.id for one in vectors.nearest(vector(77), MODEL, here(), 50)]

    def test_models_and_dimensions_do_not_mix(self, store: Store, vectors: Vectors) -> None:
        """Another model's vectors, or those of another dimension under the same name, are not looked at."""
        write(store, record(1), record(2), record(3))
        embed(store, {id_of(1): data(1)})
        embed(store, {id_of(2): data(2)}, "another")
        embed(store, {id_of(3): data(3, DIM * 2)})

        assert [id_of(1)] == [one.id for one in vectors.nearest(vector(1), MODEL, here(), 9)]
        assert [id_of(3)] == [one.id for one in vectors.nearest(vector(3, DIM * 2), MODEL, here(), 9)]

    def test_saving_and_dropping_change_no_answer(self, store: Store, vectors: Vectors) -> None:
        """What is kept beside the store is disposable."""
        fill(store)
        before = answers(vectors)
        vectors.save(MODEL, DIM, ["project:here"])
        saved = answers(vectors)
        vectors.drop()

        assert before == saved == answers(vectors)
