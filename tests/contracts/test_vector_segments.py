"""Segments of vectors: appended and merged, never changed; a large one is searched by signs first."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

np = pytest.importorskip("numpy")

from tacit.ports.store import Store  # noqa: E402
from tacit.store.sqlite.store import SqliteStore  # noqa: E402
from tacit.vectors import vector_files as files, vector_segment as segments  # noqa: E402
from tacit.vectors.vector_files import VectorFiles  # noqa: E402
from tacit.vectors.vector_segment import DamagedSegment, SegmentRow, VectorSegment, write_segment  # noqa: E402
from tests.contracts.makers import embed, id_of, record, write  # noqa: E402
from tests.contracts.vectors_contract import DIM, MODEL, answers, data  # noqa: E402


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store."""
    return SqliteStore(str(tmp_path / "m.db"))


def added(store: Store, first: int, count: int) -> None:
    write(store, *(record(number) for number in range(first, first + count)))
    embed(store, {id_of(number): data(number) for number in range(first, first + count)})


def test_segments_are_appended_and_merged(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often it is saved, few segments remain, each at least twice as large as the next, and none is changed."""
    monkeypatch.setattr(files, "SMALLEST", 10)
    folder, first = tmp_path / "vectors", 1
    for turn in range(14):
        added(store, first, 12)
        first += 12
        if turn % 3 == 2:
            embed(store, {id_of(turn): data(5_000 + turn)})
        VectorFiles(store, folder).save(MODEL, DIM, ["project:here"])
        assert answers(VectorFiles(store, folder)) == answers(VectorFiles(store, tmp_path / "none"))
    sizes = sorted((VectorSegment(path).count for path in folder.glob("*.vectors")), reverse=True)

    assert len(sizes) <= 6
    assert all(one >= 2 * two for one, two in pairwise(sizes))


def test_while_many_are_added_few_rows_are_written_twice_and_a_save_merges_them(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without merging, each part becomes a segment of its own until they are many; all answers stay the same."""
    monkeypatch.setattr(files, "SMALLEST", 10)
    monkeypatch.setattr(files, "MOST_READ", 10)
    folder, vectors = tmp_path / "vectors", VectorFiles(store, tmp_path / "vectors")
    sizes = []
    for turn in range(14):
        added(store, 1 + 12 * turn, 12)
        if turn == 1:
            embed(store, {id_of(number): data(5_000 + number) for number in range(1, 30)})
        vectors.save(MODEL, DIM, ["project:here"], merge=False)
        sizes.append(sorted(VectorSegment(path).count for path in folder.glob("*.vectors")))
        plain = answers(VectorFiles(store, tmp_path / "none"))
        assert plain == answers(vectors) == answers(VectorFiles(store, folder))
    assert [12, 12, 12, 24] == sizes[3]
    assert [12] * 9 + [24] == sizes[9]
    assert [12, 24, 12 * 9] == sizes[10]

    VectorFiles(store, folder).save(MODEL, DIM, ["project:here"])
    merged = [VectorSegment(path).count for path in sorted(folder.glob("*.vectors"))]
    assert [12 * 14] == merged
    assert plain == answers(VectorFiles(store, folder))


def test_a_damaged_row_that_new_ones_replace_is_noticed_while_many_are_added(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The block is read again from the store; half of it was counted twice."""
    monkeypatch.setattr(files, "SMALLEST", 10)
    monkeypatch.setattr(files, "MOST_READ", 10)
    folder = tmp_path / "vectors"
    added(store, 1, 40)
    VectorFiles(store, folder).save(MODEL, DIM, ["project:here"])
    (path,) = folder.glob("*.vectors")
    content = bytearray(path.read_bytes())
    content[segments.HEADER_BYTES : segments.HEADER_BYTES + DIM * 2] = bytes(DIM * 2)
    path.write_bytes(content)
    embed(store, {id_of(number): data(5_000 + number) for number in range(1, 21)})
    vectors = VectorFiles(store, folder)
    vectors.save(MODEL, DIM, ["project:here"], merge=False)

    assert answers(vectors) == answers(VectorFiles(store, tmp_path / "none"))
    (block,) = vectors._blocks.values()
    fresh = VectorFiles(store, tmp_path / "none")
    answers(fresh)
    (other,) = fresh._blocks.values()
    assert np.allclose(block.moment, other.moment, atol=1e-2)


def made(count: int, dim: int = 64) -> list[SegmentRow]:
    chance = np.random.default_rng(7)
    centres = chance.standard_normal((40, dim))
    rows = centres[chance.integers(0, 40, count)] + chance.standard_normal((count, dim)) + 0.5
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return [
        SegmentRow(f"fact_{number:026}", "fact/active", row.astype("<f2").tobytes()) for number, row in enumerate(rows)
    ]


def test_signs_choose_the_rows_that_are_nearest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "SIGNED_FROM", 1_000)
    monkeypatch.setattr(segments, "READ_LEAST", 400)
    rows = made(8_000)
    write_segment(tmp_path / "a.vectors", rows, 64, 1, {})
    segment = VectorSegment(tmp_path / "a.vectors")
    whole = np.frombuffer(b"".join(row.data for row in rows), "<f2").reshape(-1, 64).astype(np.float32)
    barred = np.zeros(len(rows), np.bool_)
    barred[::7] = True
    right = 0
    for number in range(50):
        query = whole[number * 13] + 0.5 * whole[number * 29 + 1]
        query /= np.linalg.norm(query)
        places, scores = segment.scores(query, query, barred, 10)
        exact = np.where(barred, -np.inf, whole @ query)
        right += len(set(np.argsort(-exact)[:10]) & set(places[np.argsort(-scores)[:10]]))
        assert not barred[places].any() and len(places) < 4_000

    assert right >= 0.97 * 500


def test_a_damaged_row_is_noticed(tmp_path: Path) -> None:
    write_segment(tmp_path / "a.vectors", made(300), 64, 1, {})
    content = bytearray((tmp_path / "a.vectors").read_bytes())
    content[segments.HEADER_BYTES + 64 * 2 * 17 + 5] ^= 64
    (tmp_path / "a.vectors").write_bytes(content)
    segment = VectorSegment(tmp_path / "a.vectors")

    assert 1 == len(segment.rows([16]))
    with pytest.raises(DamagedSegment):
        segment.rows([17])


def test_ids_are_found_without_reading_all_of_them(tmp_path: Path) -> None:
    rows = made(500)
    write_segment(tmp_path / "a.vectors", rows, 64, 1, {})
    write_segment(tmp_path / "b.vectors", rows[100:120], 64, 2, {})
    segment, later = VectorSegment(tmp_path / "a.vectors"), VectorSegment(tmp_path / "b.vectors")

    assert {rows[3].id: 3, rows[400].id: 400} == segment.places([rows[3].id, rows[400].id, "fact_none"])
    assert list(range(100, 120)) == segment.shared(later).tolist()
    assert rows[77].id == segment.id_at(77)


def test_damaged_rows_stop_neither_a_search_nor_a_save(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row that is damaged is noticed wherever it is read: by a query, by what replaces it, by a merge."""
    monkeypatch.setattr(files, "SMALLEST", 10)
    folder = tmp_path / "vectors"
    added(store, 1, 40)
    VectorFiles(store, folder).save(MODEL, DIM, ["project:here"])
    for act in ("asks", "saves", "checks"):
        (path,) = folder.glob("*.vectors")
        content = bytearray(path.read_bytes())
        content[segments.HEADER_BYTES : segments.HEADER_BYTES + 40 * DIM * 2] = bytes(40 * DIM * 2)
        path.write_bytes(content)
        embed(store, {id_of(number): data(7_000 + number) for number in range(1, 21)})
        fresh = VectorFiles(store, folder)
        if act == "saves":
            fresh.save(MODEL, DIM, ["project:here"])
        elif act == "checks":
            assert set() == fresh.check(MODEL, DIM, ["project:here"])
        assert answers(fresh) == answers(VectorFiles(store, tmp_path / "none"))
        VectorFiles(store, folder).save(MODEL, DIM, ["project:here"])
