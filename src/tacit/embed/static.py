"""Static word vectors from the `wordllama` wheel: no download, no network, a few microseconds per text.

A text's vector is the mean of its words' vectors, scaled to length one, with no other weights: the learned vectors
already carry a word's importance in their length (`the` 1.6, `Paris` 24), and a document's vector must depend on the
document alone. Instead, the query is weakened in the direction that all records of a store have in common.

The wheel's files are read directly. Importing the package itself would cost half a second, and its loader looks for the
tokenizer in the wrong place.
"""

from __future__ import annotations

import importlib.util
import json
import zlib
from collections.abc import Sequence
from functools import cached_property
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tacit.errors import MissingExtra
from tacit.text.patterns import lazy_pattern

Vectors = NDArray[np.float32]

_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_RULE = "mean-2"
_HINT = "pip install 'tacit[semantic]'"

# Only this much of a text is read, so that a body of a megabyte costs as little as a page.
_MOST_CHARACTERS = 32_000
_MOST_WORDS = 2_000
_LONGEST_WORD = 64
_CACHED_WORDS = 131_072
_MARKS = ",.;:!?)]}\"'"
# A query has fewer new words than this; to prepare for many takes as long as spelling a few hundred.
_FEW_WORDS = 500

# The vocabulary begins with three special tokens and the 256 bytes; bytes spell characters it does not contain.
_FIRST_BYTE = 3
_FIRST_PIECE = 259
_NO_PIECE = 1 << 30
_BYTE = "\0"  # in no piece, so bytes are never joined
_WORD_START = "\u2581"
# A mark of the start of a word belongs to what follows it. The square sign is no letter here.
_PART = lazy_pattern(rf"{_WORD_START}*(?:[^\W\d_²]+|\d|(?:(?!{_WORD_START})[\W_²])+)|{_WORD_START}+")


def load_static() -> StaticEmbedder:
    """Open the embedder.

    Raises:
        MissingExtra: the `wordllama` package or one of its files is missing.
    """
    folder = _package_folder()
    try:
        weights, mark = _read_weights(folder / _WEIGHTS)
        pieces = _read_pieces(folder / _TOKENIZER)
    except (OSError, ValueError, KeyError) as error:
        raise MissingExtra(f"the wordllama package lacks usable weights: {error}", _HINT) from error
    return StaticEmbedder(weights, pieces, f"wordllama-l2_supercat_256-{mark}-{_RULE}")


class StaticEmbedder:
    """Mean of static word vectors. Safe to share between threads."""

    local = True

    def __init__(self, weights: NDArray[np.float16], pieces: dict[str, int], model: str) -> None:
        self.model = model
        self.dim: int = weights.shape[1]
        # A plain view: indexing through the map's own class costs more than the look-up.
        self._weights: NDArray[np.float16] = np.asarray(weights)
        # As float32, filled in as pieces occur: converting float16 to float32 costs more than adding up.
        self._rows: Vectors = np.zeros(weights.shape, np.float32)
        self._met: set[int] = set()
        self._pieces = pieces
        # Tuples of numbers are nothing to a garbage collector, which would visit as many lists again and again.
        self._spelt: dict[str, tuple[int, ...]] = {}
        self._learnt = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row of length one per text, a zero row for a text without words."""
        out: Vectors = np.zeros((len(texts), self.dim), np.float32)
        for row, text in zip(out, texts, strict=True):
            numbers = self._numbers(text)
            if numbers:
                # Text by text: a text gets the same vector whatever else is embedded with it.
                np.add.reduce(self._rows.take(numbers, axis=0), axis=0, out=row)
        return _at_length_one(out)

    def _numbers(self, text: str) -> list[int]:
        """Return the ids of the pieces of a text's words; a word is spelt once and then cached."""
        known, learn = self._spelt.get, self._learn
        return list(chain.from_iterable([known(word) or learn(word) for word in _words(text)]))

    def _learn(self, word: str) -> tuple[int, ...]:
        """Spell a word; marks at its end are spelt separately, so that `port` and `port,` share one cached word."""
        self._learnt += 1
        core = word.rstrip(_MARKS)
        if not core or core == word:
            numbers = self._spell(_WORD_START + word)
        else:
            numbers = (self._spelt.get(core) or self._learn(core)) + self._spell(word[len(core) :])
        # Before the word is cached, or another thread would add up rows that do not exist yet.
        if not self._met.issuperset(numbers):
            # One by one, because a list of numbers takes numpy four times as long.
            for number in numbers:
                self._rows[number] = self._weights[number]
            self._met.update(numbers)
        if len(self._spelt) >= _CACHED_WORDS:
            self._spelt.clear()
        self._spelt[word] = numbers
        return numbers

    def _spell(self, word: str) -> tuple[int, ...]:
        whole = self._pieces.get(word)
        if whole is not None:
            return (whole,)
        return _spell(word, self._pieces) if self._learnt < _FEW_WORDS else self._parts.spell(word)

    @cached_property
    def _parts(self) -> _WordParts:
        return _WordParts(self._pieces)


class _WordParts:
    """Spells words part by part: names in paths and options come again in many words.

    A part is letters, one digit, or other characters. If no piece goes across parts, a word is the sum of its parts.
    """

    def __init__(self, pieces: dict[str, int]) -> None:
        self._pieces = pieces
        self._spelt: dict[str, tuple[int, ...]] = {}
        pairs = {piece[at : at + 2] for piece in pieces for at in range(len(piece) - 1)}
        self._are_pieces_inside = all(len(_PART.findall(pair)) == 1 for pair in pairs)

    def spell(self, word: str) -> tuple[int, ...]:
        """Return the ids of the pieces of one word."""
        if not self._are_pieces_inside:
            return _spell(word, self._pieces)
        spelt = self._spelt
        numbers: list[int] = []
        for part in _PART.findall(word):
            known = spelt.get(part)
            if known is None:
                if len(spelt) >= _CACHED_WORDS:
                    spelt.clear()
                known = spelt[part] = _spell(part, self._pieces)
            numbers += known
        return tuple(numbers)


def _at_length_one(rows: Vectors) -> Vectors:
    """Scale each row to length one; a row of zeros, a text without words, stays unchanged."""
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    norms[norms == 0] = 1
    rows /= norms[:, None]
    return rows


def _words(text: str) -> list[str]:
    words = text[:_MOST_CHARACTERS].split()
    if len(text) > _LONGEST_WORD and max(map(len, words), default=0) > _LONGEST_WORD:
        words = [word[i : i + _LONGEST_WORD] for word in words for i in range(0, len(word), _LONGEST_WORD)]
    return words[:_MOST_WORDS]


def _spell(word: str, pieces: dict[str, int]) -> tuple[int, ...]:
    """Return the ids of the pieces of one word, by byte pair encoding: the pair that was learnt first is joined first.

    The id of a piece is the order in which it was learnt, so the vocabulary alone says what to join. No piece contains
    a space inside, so each word can be spelt separately.
    """
    whole = pieces.get(word)
    if whole is not None:
        # Every piece is spelt as itself.
        return (whole,)
    get = pieces.get
    names = list(word)
    if not all(map(pieces.__contains__, names)):
        names = [name for character in word for name in _named(character, pieces)]
    joined = [get(one + other, _NO_PIECE) for one, other in pairwise(names)]
    while joined and (best := min(joined)) != _NO_PIECE:
        at = joined.index(best)
        name = names[at] = names[at] + names.pop(at + 1)
        del joined[at]
        if at > 0:
            joined[at - 1] = get(names[at - 1] + name, _NO_PIECE)
        if at < len(joined):
            joined[at] = get(name + names[at + 1], _NO_PIECE)
    return tuple([_FIRST_BYTE + ord(name[1]) if name[0] == _BYTE else pieces[name] for name in names])


def _named(character: str, pieces: dict[str, int]) -> list[str]:
    """Return a character, or its bytes if the vocabulary lacks it."""
    return [character] if character in pieces else [_BYTE + chr(byte) for byte in character.encode("utf-8", "replace")]


def _package_folder() -> Path:
    spec = importlib.util.find_spec("wordllama")  # finds a top-level package without running it
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtra("semantic search needs the wordllama package, which is not installed", _HINT)
    return Path(spec.submodule_search_locations[0])


def _read_weights(path: Path) -> tuple[NDArray[np.float16], str]:
    """Map the one tensor of a safetensors file, and return it with a checksum that distinguishes files."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > 1_000_000:
            raise ValueError(f"{path.name} has no safetensors header")
        header = file.read(length)
        start = file.read(65_536)
    tensor = json.loads(header)["embedding.weight"]
    if tensor["dtype"] != "F16":
        raise ValueError(f"{path.name} contains {tensor['dtype']} instead of F16")
    shape = tuple(tensor["shape"])
    weights = np.memmap(path, "<f2", "r", offset=8 + length + tensor["data_offsets"][0], shape=shape)
    return weights, f"{zlib.crc32(header + start):08x}"


def _read_pieces(path: Path) -> dict[str, int]:
    """Return the vocabulary of the tokenizer file, without its special tokens and bytes.

    Only this part is parsed: the list of merges after it is twice as long and adds nothing.
    """
    content = path.read_bytes()
    start = content.index(b"{", content.index(b'"vocab"'))
    end = content.rindex(b"}", start, content.index(b'"merges"', start))
    vocabulary: dict[str, int] = json.loads(content[start : end + 1])
    return {piece: number for piece, number in vocabulary.items() if number >= _FIRST_PIECE}
