"""Vector files keep the contract, and a file that is not whole, not ours or not of now is as good as none."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tacit.ports.store import Store
from tacit.store.sqlite.store import SqliteStore
from tacit.store.sqlite.transfer import restore
from tacit.vectors import vector_files as files
from tacit.vectors.vector_files import VectorFiles
from tests.contracts.makers import embed, forget, here, id_of, record, write
from tests.contracts.vectors_contract import DIM, MODEL, VectorsContract, answers, data, fill, vector
from tests.postgres import Database


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    made = SqliteStore(str(tmp_path / "memory.db"))
    yield made
    made.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the files lie."""
    return tmp_path / "vectors"


@pytest.fixture(autouse=True)
def small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are worth having from a few rows on."""
    monkeypatch.setattr(files, "SMALLEST", 20)


@pytest.fixture
def vectors(store: Store, folder: Path) -> VectorFiles:
    """Vectors of the store."""
    return VectorFiles(store, folder)


class TestVectorFiles(VectorsContract):
    """Vector files are vectors."""


class TestVectorFilesOfATenant(VectorsContract):
    """So are those that a client has of a tenant on a server."""

    @pytest.fixture
    def store(self, database: Database) -> Iterator[Store]:
        """An empty store on a server."""
        pytest.importorskip("psycopg")
        with closing(database.store("local")) as made:
            yield made


@pytest.fixture
def saved(store: Store, vectors: VectorFiles, folder: Path) -> Path:
    """A file over 200 records."""
    fill(store)
    assert 1 == vectors.save(MODEL, DIM, ["project:here"])
    (path,) = folder.glob("*.vectors")
    return path


def test_a_file_answers_as_no_file_does(store: Store, saved: Path, folder: Path, tmp_path: Path) -> None:
    """With the file, without it, and with it behind the store, the answers are equal."""
    with_file, without = answers(VectorFiles(store, folder)), answers(VectorFiles(store, tmp_path / "none"))
    assert with_file == without

    write(store, record(300), record(301))
    embed(store, {id_of(300): data(300), id_of(301): data(301), id_of(1): data(1001)})
    assert answers(VectorFiles(store, folder)) == answers(VectorFiles(store, tmp_path / "none"))
    forget(store, id_of(2))
    assert answers(VectorFiles(store, folder)) == answers(VectorFiles(store, tmp_path / "none"))


def test_a_file_is_used_at_all(store: Store, saved: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A whole file of now spares reading the store's rows, or it would not be worth its place."""
    asked = []
    monkeypatch.setattr(type(store), "vectors", lambda *given: asked.append(given) or iter(()))

    assert 7 == len(VectorFiles(store, folder).nearest(vector(1), MODEL, here(), 7))
    assert [] == asked


def _header(change: Callable[[dict], object]) -> Callable[[bytes], bytes]:
    def apply(content: bytes) -> bytes:
        head = json.loads(content[:4096])
        changed = change(head)
        return json.dumps(head if changed is None else changed).encode().ljust(4096) + content[4096:]

    return apply


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "half": lambda content: content[: len(content) // 2],
    "header only": lambda content: content[:4096],
    "less than a header": lambda content: content[:100],
    "one byte short": lambda content: content[:-1],
    "one byte more": lambda content: content + b"x",
    "noise": lambda content: random.Random(1).randbytes(len(content)),
    "another format": _header(lambda head: head.update(magic="tacit-vectors/99")),
    "another model": _header(lambda head: head.update(model="another")),
    "another scope": _header(lambda head: head.update(scope="project:elsewhere")),
    "another epoch": _header(lambda head: head.update(epoch=head["epoch"] + 1)),
    "a later stamp": _header(lambda head: head.update(stamp=head["stamp"] + 100)),
    "other codes": _header(lambda head: head.update(codes=head["codes"][::-1])),
    "a smaller count": _header(lambda head: head.update(count=head["count"] - 1)),
    "a negative count": _header(lambda head: head.update(count=-1)),
    "a count in words": _header(lambda head: head.update(count="many")),
    "no stamp": _header(lambda head: head.pop("stamp") and None),
    "no codes": _header(lambda head: head.pop("codes") and None),
    "no checksum": _header(lambda head: head.pop("crc") and None),
    "a list for a header": _header(lambda _head: [1, 2]),
    "a number for a header": _header(lambda _head: 7),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_or_foreign_file_is_ignored(
    store: Store, saved: Path, folder: Path, tmp_path: Path, damage: str
) -> None:
    """Whatever lies where a file should, the answers are those of the store."""
    saved.write_bytes(DAMAGE[damage](saved.read_bytes()))

    assert answers(VectorFiles(store, tmp_path / "none")) == answers(VectorFiles(store, folder))


def test_any_flipped_bit_is_noticed(
    store: Store, saved: Path, folder: Path, tmp_path: Path, budget: Callable[..., int]
) -> None:
    """A single changed bit anywhere, header included, changes no answer."""
    content, expected = saved.read_bytes(), answers(VectorFiles(store, tmp_path / "none"))
    head = len(content[:4096].rstrip())
    dice = random.Random(3)
    for number in range(budget(40, soak=2_000)):
        place = dice.randrange(head) if number % 2 else dice.randrange(len(content))
        flipped = bytearray(content)
        flipped[place] ^= 1 << dice.randrange(8)
        saved.write_bytes(flipped)
        assert expected == answers(VectorFiles(store, folder)), place


def test_a_restored_store_reads_its_vectors_anew(store: SqliteStore, saved: Path, folder: Path, tmp_path: Path) -> None:
    """A file of the state before a restore, or what a process remembers of it, is not taken for the state after it."""
    write(store, record(400))
    embed(store, {id_of(400): data(400)})
    store.backup(tmp_path / "backup.db")
    write(store, record(500), record(501))
    embed(store, {id_of(500): data(500), id_of(501): data(501)})
    files = VectorFiles(store, folder)
    files.drop()
    assert id_of(501) == files.nearest(vector(501), MODEL, here(), 3)[0].id
    files.save(MODEL, DIM, ["project:here"])
    files.nearest(vector(501), MODEL, here(), 3)
    restore(tmp_path / "backup.db", store.location)
    write(store, record(600), record(601))
    embed(store, {id_of(600): data(600), id_of(601): data(601)})

    for reader in (files, VectorFiles(store, folder)):
        assert id_of(601) == reader.nearest(vector(601), MODEL, here(), 3)[0].id
        assert answers(VectorFiles(store, tmp_path / "none")) == answers(reader)


def test_only_large_scopes_get_a_file_and_only_when_it_lags(store: Store, vectors: VectorFiles, folder: Path) -> None:
    """A small scope has none; a fresh file is not written again."""
    write(store, *(record(n) for n in range(1, 11)))
    embed(store, {id_of(n): data(n) for n in range(1, 11)})
    assert 0 == vectors.save(MODEL, DIM, ["project:here"])

    write(store, *(record(n) for n in range(11, 41)))
    embed(store, {id_of(n): data(n) for n in range(11, 41)})
    assert [1, 0] == [vectors.save(MODEL, DIM, ["project:here"]) for _ in range(2)]
