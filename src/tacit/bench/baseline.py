"""Recipe A, a published LLM-free recipe for comparison: .6 BM25 + .4 static vectors weighted by the corpus's own idf.

This implementation uses SQLite's own tokenizer and the wordllama wheel's files, and shares only the list of stopwords
with our search: FTS5 `porter unicode61` over speaker, text and date. BM25 and vectors score every document; both scores
are min-max normalised.
"""

from __future__ import annotations

import importlib.util
import json
import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.bench.question_sets import DialogueTurn
from tacit.errors import MissingExtra
from tacit.text.stopwords import STOPWORDS

if TYPE_CHECKING:
    from numpy import float32, ndarray

    Floats = ndarray[Any, Any]

LEXICAL, SEMANTIC = 0.6, 0.4
_WORD = re.compile(r"\w+")
_TABLE = "CREATE VIRTUAL TABLE turns USING fts5(body, content='', tokenize='porter unicode61')"
_MATCH = "SELECT rowid, -bm25(turns) FROM turns WHERE turns MATCH ?"


class RecipeA:
    """The recipe over the turns of one dialogue."""

    def __init__(self, turns: Sequence[DialogueTurn], words: WordVectors) -> None:
        self._ids = [turn.id for turn in turns]
        self._words = words
        self._db = sqlite3.connect(":memory:")
        self._db.execute(_TABLE)
        rows = [(number, f"{turn.text} {turn.day}") for number, turn in enumerate(turns)]
        self._db.executemany("INSERT INTO turns(rowid, body) VALUES (?, ?)", rows)
        pieces = [words.pieces(turn.text) for turn in turns]
        self._idf = words.idf(pieces)
        self._matrix = words.weighted(pieces, self._idf)

    def rank(self, question: str, limit: int) -> list[str]:
        """Return the ids of the best turns, best first."""
        import numpy as np

        lexical = np.zeros(len(self._ids), np.float32)
        asked = [word for word in dict.fromkeys(_WORD.findall(question.lower())) if word not in STOPWORDS]
        if asked:
            query = " OR ".join(f'"{word}"' for word in asked)
            for number, score in self._db.execute(_MATCH, [query]):
                lexical[number] = score
        vector = self._words.weighted([self._words.pieces(question)], self._idf)[0]
        both = LEXICAL * _scaled(lexical) + SEMANTIC * _scaled(self._matrix @ vector)
        return [self._ids[number] for number in np.argsort(-both, kind="stable")[:limit]]


class WordVectors:
    """The tokenizer and the weights of the wordllama wheel."""

    def __init__(self) -> None:
        spec = importlib.util.find_spec("wordllama")
        if spec is None or not spec.submodule_search_locations:
            raise MissingExtra("recipe A needs the wordllama package", "pip install 'tacit[semantic]'")
        import numpy as np
        from tokenizers import Tokenizer

        folder = Path(spec.submodule_search_locations[0])
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizers/l2_supercat_tokenizer_config.json"))
        content = (folder / "weights/l2_supercat_256.safetensors").read_bytes()
        start = 8 + int.from_bytes(content[:8], "little")
        tensor = json.loads(content[8:start])["embedding.weight"]
        first, end = (start + offset for offset in tensor["data_offsets"])
        self._weights = np.frombuffer(content[first:end], "<f2").reshape(tensor["shape"]).astype(np.float32)

    def pieces(self, text: str) -> list[int]:
        """Return the ids of a text's pieces."""
        numbers: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return numbers

    def idf(self, texts: Sequence[Sequence[int]]) -> Floats:
        """Weight every piece by how few of these texts contain it."""
        import numpy as np

        held = np.zeros(len(self._weights), np.float32)
        for text in texts:
            held[list(set(text))] += 1
        weights: ndarray[Any, Any] = np.log((len(texts) + 1) / (held + 0.5)).clip(0).astype(np.float32)
        return weights

    def weighted(self, texts: Sequence[Sequence[int]], idf: Floats) -> Floats:
        """Return the weighted sum of each text's pieces, scaled to length one."""
        import numpy as np

        rows = np.zeros((len(texts), self._weights.shape[1]), np.float32)
        for row, text in zip(rows, texts, strict=True):
            if text:
                row[:] = idf[text] @ self._weights[text]
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        scaled: ndarray[Any, Any] = np.divide(rows, lengths, out=rows, where=lengths > 0)
        return scaled


def _scaled(scores: Floats) -> Floats:
    span: float32 = scores.max() - scores.min()
    scaled: Floats = (scores - scores.min()) / max(float(span), 1e-9)
    return scaled
