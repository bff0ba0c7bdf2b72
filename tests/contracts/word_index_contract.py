"""What every word index promises, given fixtures `large` (a store that counts as large, with its index in `folder`),
`plain` (the reader that asks the database) and `again` (opens the same store once more)."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tacit.model.query import Filter
from tacit.store import accelerated, word_index, word_index_file
from tacit.store.accelerated import AcceleratedReader
from tacit.store.text_reader import TextReader
from tacit.store.word_index_file import HEADER_BYTES
from tests.contracts.makers import (
    ELSEWHERE,
    HERE,
    NOWHERE,
    ROOM,
    all_sealed,
    forget,
    here,
    id_of,
    record,
    revised,
    write,
)

WORDS = [f"w{number}" for number in range(58)] + ["it's", "back\\slash"]
Plain = type[TextReader]


def text(chance: random.Random) -> str:
    """Give a text in which some words are frequent and most are not."""
    return " ".join(WORDS[min(int(chance.expovariate(0.08)), 59)] for _ in range(chance.randint(1, 30)))


def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a few hundred records count as many, and let most of them change."""
    monkeypatch.setattr(accelerated, "SMALLEST", 10)
    monkeypatch.setattr(word_index, "SHARE_CHANGED", 1.0)


def grow(store: AcceleratedReader, folder: Path) -> None:
    """Fill an empty store and write its index."""
    chance = random.Random(5)
    write(store, *(
        record(number, text(chance), title=text(chance)[:20], tags=tuple(chance.sample(WORDS[:9], 2)),
               scope=chance.choice((HERE, HERE, ROOM)))
        for number in range(1, 400)
    ))  # fmt: skip
    # On a server an index needs a seal, which waits for transactions of others.
    all_sealed(store)
    store.accelerate(folder)
    store.optimise()
    assert (folder / "words.index").exists()


def same(store: AcceleratedReader, plain: Plain, seed: int, where: Filter | None = None) -> int:
    """Ask both ways, and return how many records were found."""
    chance, found, where = random.Random(seed), 0, where or here()
    for _ in range(30):
        tokens = list(dict.fromkeys(chance.choices([*WORDS, "nothing"], k=chance.randint(1, 5))))
        limit = chance.choice([1, 3, 10, 50, 1_000])
        by_words = store.match(tokens, where, limit)
        assert plain.match(store, tokens, where, limit) == by_words
        assert plain.absent(store, tokens, where) == store.absent(tokens, where)
        found += len(by_words)
    return found


class WordIndexContract:
    """Every store that has a word index passes this class."""

    @pytest.fixture
    def used(self, large: AcceleratedReader, plain: Plain, monkeypatch: pytest.MonkeyPatch) -> Callable[..., bool]:
        """Return `used(store)`: whether the index answers, and not the database."""

        def used(store: AcceleratedReader = large) -> bool:
            with monkeypatch.context() as only:
                only.setattr(plain, "match", lambda *_args: None)
                return store.match(["w0"], here(), 5) is not None

        return used

    def test_it_answers_as_the_database_does(self, large, plain, used):
        """The same records with the same scores, to the last digit."""
        assert same(large, plain, 1) > 500
        assert used()

    def test_what_was_written_since_counts_at_once(self, large, plain, used):
        """New, changed, archived and moved records, again and again."""
        chance = random.Random(9)
        for turn in range(8):
            write(large, record(400 + turn, text(chance)))
            old = large.get(id_of(chance.randint(1, 399)), [HERE, ROOM])
            status, scope = chance.choice(["active", "archived"]), chance.choice([HERE, ROOM, ELSEWHERE])
            write(large, revised(old, body=text(chance), status=status, scope=scope))
            assert used()
            assert same(large, plain, turn) > 500

    def test_what_others_wrote_counts_too(self, large, plain, used, again, folder):
        """Two connections with the same file, in turns."""
        with closing(again()) as other:
            other.accelerate(folder)
            for turn in range(3):
                write(other, record(500 + turn, text(random.Random(turn))))
                large.refresh()
                assert used() and used(other)
                assert same(large, plain, turn) > 500
                assert same(other, plain, turn) > 500

    def test_filters_hold(self, large, plain):
        """By scope, kind and status."""
        write(large, record(900, "w0 w1 w2", scope=ELSEWHERE))
        assert same(large, plain, 3, here(scopes=(ELSEWHERE,))) > 0
        assert 0 == same(large, plain, 3, here(scopes=(NOWHERE,)))
        assert 0 == same(large, plain, 3, here(kinds=("note",)))
        assert same(large, plain, 3, here(scopes=(HERE, ELSEWHERE), statuses=("active", "archived"))) > 500
        assert same(large, plain, 3, here(tags=("w1",))) > 0

    @pytest.mark.parametrize("damage", ["cut", "flipped", "head", "other", "gone"])
    def test_a_file_that_cannot_be_used_is_not(self, large, plain, used, folder, monkeypatch, damage):
        """The database answers until the file is written again."""
        path = folder / "words.index"
        data = bytearray(path.read_bytes())
        match damage:
            case "cut":
                path.write_bytes(data[: len(data) // 2])
            case "flipped":
                for at in range(HEADER_BYTES + 8, len(data), 997):
                    data[at] ^= 255
                path.write_bytes(data)
            case "head":
                path.write_bytes(data.replace(b'"change": ', b'"change": 1', 1))
            case "other":
                path.write_bytes(data.replace(large.id.encode(), b"0" * len(large.id), 1))
            case "gone":
                path.unlink()
        monkeypatch.setattr(accelerated, "_PATIENCE", 1_000)
        assert same(large, plain, 4) > 500
        assert not used()
        large.optimise()
        assert used() and same(large, plain, 4) > 500

    def test_it_is_written_again_when_much_has_changed(self, large, plain, folder):
        """And not before."""
        path = folder / "words.index"
        before = path.read_bytes()
        large.optimise()
        assert before == path.read_bytes()
        write(large, *(record(number, f"new words {number}") for number in range(1_000, 1_050)))
        large.optimise()
        assert before != path.read_bytes() and same(large, plain, 5) > 500

    def test_what_was_forgotten_is_not_found(self, large, plain, used, again, folder):
        """Not by whoever forgot it, nor by others that have its words in a file."""
        with closing(again()) as other:
            other.accelerate(folder.with_name("elsewhere"))
            other.write_words()
            assert used(other)
            forget(large, id_of(7))
            assert same(large, plain, 7) > 500
            other.refresh()
            assert same(other, plain, 7) > 500
            large.finish_forgetting()
            large.optimise()
            other.write_words()
            assert used() and used(other)

    def test_what_was_forgotten_is_in_no_file(self, large, folder):
        """The index goes with what was forgotten."""
        forget(large, id_of(7))
        large.finish_forgetting()
        assert not (folder / "words.index").exists()

    def test_what_was_read_is_given_back_and_read_again(self, large, plain, used, monkeypatch):
        """After each query, as if it had read much."""
        monkeypatch.setattr(word_index_file, "_MOST_TOUCHED", 0)
        assert used() and same(large, plain, 9) > 500

    def test_many_scopes_have_an_index(self, large, plain, used, folder):
        """Their names took the place of the file's head: with 80 scopes maintenance failed."""
        write(large, *(record(2_000 + n, "w0 w1", scope=f"project:{'long-name-' * 20}{n}") for n in range(400)))
        large.optimise()
        assert [] == list(folder.glob("*.part"))
        assert used() and same(large, plain, 8) > 500

    def test_a_restored_store_has_another_index(self, large, plain, used):
        """Rows that were replaced by others are not found by the old file."""
        rows = list(large.dump())
        write(large, record(950, "w0 unique"))
        large.optimise()
        large.fill(rows, replace=True)
        assert ["unique"] == large.absent(["unique"], here())
        assert same(large, plain, 8) > 500
        large.optimise()
        assert used() and same(large, plain, 8) > 500

    def test_a_write_that_was_undone_leaves_nothing(self, large, plain, used):
        """What a transaction wrote before it failed is not found."""
        with pytest.raises(RuntimeError), large.transaction(record(1).origin, record(1).updated_at) as tx:
            tx.add([record(960, "w0 unique")])
            raise RuntimeError
        assert used()
        assert ["unique"] == large.absent(["unique"], here())
        assert same(large, plain, 9) > 500

    def test_a_moved_scope_is_searched_in_its_new_place(self, large, plain, used):
        """By the index at once, since the rows are written again."""
        with large.transaction(record(1).origin, record(1).updated_at) as tx:
            assert tx.move([(ROOM, ELSEWHERE)], {}) > 50
        assert used()
        assert same(large, plain, 10, here(scopes=(ELSEWHERE,))) > 50
        assert same(large, plain, 10) > 300

    def test_a_rebuilt_text_index_has_another_file(self, large, plain, used):
        """Token rules may have changed."""
        large.rebuild()
        assert same(large, plain, 11) > 500
        large.optimise()
        assert used() and same(large, plain, 11) > 500

    def test_whoever_asks_often_writes_the_missing_index(self, large, plain, used, folder):
        """In a thread, while the database answers."""
        (folder / "words.index").unlink()
        for _ in range(10):
            large.match(["w0"], here(), 5)
        large._writer_thread.join()
        assert used() and same(large, plain, 12) > 500

    def test_files_are_for_their_owner_alone(self, large, folder):
        """A file holds what may be read, so nobody else reads it."""
        assert (0o700, 0o600) == tuple(path.stat().st_mode & 0o777 for path in (folder, folder / "words.index"))
        assert ["words.index"] == [path.name for path in folder.iterdir()]

    def test_a_small_store_needs_none(self, again, folder, monkeypatch):
        """The database is as fast."""
        monkeypatch.setattr(accelerated, "SMALLEST", 1_000)
        with closing(again()) as store:
            store.accelerate(folder.with_name("small"))
            store.optimise()
        assert not folder.with_name("small").exists()
