"""The word index answers as FTS5 does: the same records, the same scores, whatever was written since."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tacit.model.query import Filter
from tacit.store.sqlite import accelerated, word_index
from tacit.store.sqlite.reader import SqliteReader
from tacit.store.sqlite.store import SqliteStore
from tests.contracts.makers import HERE, id_of, record, write

pytest.importorskip("numpy")
WORDS = [f"w{number}" for number in range(60)]
WHERE = Filter(scopes=(str(HERE),))


def text(chance: random.Random) -> str:
    """A text in which some words are frequent and most are not."""
    return " ".join(WORDS[min(int(chance.expovariate(0.08)), 59)] for _ in range(chance.randint(1, 30)))


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SqliteStore:
    """A store that counts as large, with its index."""
    monkeypatch.setattr(accelerated, "SMALLEST", 10)
    monkeypatch.setattr(word_index, "SHARE_CHANGED", 1.0)
    chance = random.Random(5)
    store = SqliteStore(str(tmp_path / "m.db"))
    write(store, *(record(number, text(chance)) for number in range(1, 400)))
    store.accelerate(tmp_path / "derived")
    store.optimise()
    assert (tmp_path / "derived" / "words.index").exists()
    return store


def same(store: SqliteStore, seed: int, where: Filter = WHERE) -> int:
    """Ask both, and return how many records were found."""
    chance, found = random.Random(seed), 0
    for _ in range(30):
        tokens = list(dict.fromkeys(chance.choices([*WORDS, "nothing"], k=chance.randint(1, 5))))
        limit = chance.choice([1, 3, 10, 50, 1_000])
        by_words = store.match(tokens, where, limit)
        assert SqliteReader.match(store, tokens, where, limit) == by_words
        found += len(by_words)
    return found


def used(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether the index answers, and not FTS5."""
    with monkeypatch.context() as only:
        only.setattr(SqliteReader, "match", lambda *_args: None)
        return store.match(["w0"], WHERE, 5) is not None


def test_it_answers_as_fts5_does(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    assert same(store, 1) > 500
    assert used(store, monkeypatch)


def test_what_was_written_since_counts_at_once(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """New, changed, archived and forgotten records, again and again."""
    chance = random.Random(9)
    for turn in range(12):
        number = 400 + turn
        write(store, record(number, text(chance)))
        old = store.get(id_of(chance.randint(1, 399)), [str(HERE)])
        if old is not None:
            from tacit.records.write import revised

            status = chance.choice(["active", "archived"])
            write(store, revised(old, old.updated_at, body=text(chance), status=status))
        assert used(store, monkeypatch)
        assert same(store, turn) > 500


def test_filters_hold(store: SqliteStore) -> None:
    write(store, record(900, "w0 w1 w2", scope="project:other"))
    assert same(store, 3, Filter(scopes=("project:other",))) > 0
    assert 0 == same(store, 3, Filter(scopes=("project:none",)))
    assert 0 == same(store, 3, Filter(scopes=(str(HERE),), kinds=("note",)))
    assert same(store, 3, Filter(scopes=(str(HERE), "project:other"), statuses=("active", "archived"))) > 500


@pytest.mark.parametrize("damage", ["cut", "flipped", "other", "gone"])
def test_a_file_that_cannot_be_used_is_not(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    path = tmp_path / "derived" / "words.index"
    data = bytearray(path.read_bytes())
    match damage:
        case "cut":
            path.write_bytes(data[: len(data) // 2])
        case "flipped":
            for at in range(word_index.HEADER_BYTES + 8, len(data), 997):
                data[at] ^= 255
            path.write_bytes(data)
        case "other":
            path.write_bytes(data.replace(store.id.encode(), b"0" * len(store.id), 1))
        case "gone":
            path.unlink()
    assert same(store, 4) > 500
    assert not used(store, monkeypatch)
    store.optimise()
    assert used(store, monkeypatch) and same(store, 4) > 500


def test_it_is_written_again_when_much_has_changed(store: SqliteStore, tmp_path: Path) -> None:
    path = tmp_path / "derived" / "words.index"
    before = path.read_bytes()
    store.optimise()
    assert before == path.read_bytes()
    write(store, *(record(number, f"new words {number}") for number in range(1_000, 1_050)))
    store.optimise()
    assert before != path.read_bytes() and same(store, 5) > 500


def test_what_was_forgotten_is_in_no_file(store: SqliteStore, tmp_path: Path) -> None:
    with store.transaction(record(1, "x").origin, record(1, "x").updated_at) as tx:
        tx.forget([id_of(7)])
    store.finish_forgetting()
    assert not (tmp_path / "derived" / "words.index").exists()


def test_a_small_store_needs_none(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path / "m.db"))
    write(store, record(1, "w1"))
    store.accelerate(tmp_path / "derived")
    store.optimise()
    assert not (tmp_path / "derived").exists()
