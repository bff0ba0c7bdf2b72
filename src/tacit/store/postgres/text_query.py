"""A record's tokens as a tsvector and a query as a tsquery: every token is quoted, so that no text is read as syntax.

A token has one position per occurrence, independent of its place, because a tsvector limits positions. The weight
letter is the field. Filter tokens contain a control character that no other token has.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import lru_cache

from tacit.text.search_fields import SearchFields

MOST_BYTES = 65_536
"""How much of a record's tokens is indexed. A tsvector is at most one megabyte, and nobody searches for the rest."""
MOST_TIMES = 255
LONGEST = 2_000
_GATE = "\x01"
_LETTERS = ("A", "C", "B", "D")
"""Of title, body, tags and extra."""


@lru_cache(64)
def tenant_gate(tenant: str) -> str:
    """Return the filter token that only this tenant's rows have; the table's row policy requires it."""
    return f"T{hashlib.md5(tenant.encode(), usedforsecurity=False).hexdigest()}"


def vector_of(fields: SearchFields, gates: Sequence[str], own: str) -> tuple[str, int, bool]:
    """Return a record's tsvector, its number of tokens, and whether some were left out. `own` is its tenant's token.

    Filter tokens count as tokens, as they do for FTS5, so that a text has the same length in both stores.
    """
    letters: dict[str, str] = {}
    size, length = 0, len(gates)
    cut = False
    for letter, text in zip(_LETTERS, fields, strict=True):
        tokens = text.split(" ") if text else []
        size += len(text.encode()) + 1
        if size > MOST_BYTES:
            tokens, cut = _first_of(tokens, MOST_BYTES - (size - len(text.encode()) - 1)), True
        length += len(tokens)
        for token in tokens:
            letters[token] = letters.get(token, "") + letter
        if cut:
            break
    parts = [_quoted(_GATE + gate) for gate in (own, *gates)]
    if size < LONGEST and not any("'" in text or "\\" in text for text in fields):
        # Nearly all texts: no token is too long, and none has to be quoted with care.
        parts += [f"'{token}'{_places(found[:MOST_TIMES])}" for token, found in letters.items()]
    else:
        parts += [_quoted(token[:LONGEST]) + _places(found[:MOST_TIMES]) for token, found in letters.items()]
    return " ".join(parts), length, cut


def _first_of(tokens: list[str], most_bytes: int) -> list[str]:
    """Return as many of the first tokens as fit."""
    kept: list[str] = []
    for token in tokens:
        most_bytes -= len(token.encode()) + 1
        if most_bytes < 0:
            break
        kept.append(token)
    return kept


@lru_cache(4_096)
def _places(letters: str) -> str:
    """Return the positions of a token that occurs once for each letter."""
    return ":" + ",".join(f"{place}{letter}" for place, letter in enumerate(letters, 1))


def gates_query(groups: Iterable[Iterable[str]]) -> str:
    """Return the query that needs one filter token of each group."""
    return " & ".join(_either(_GATE + gate for gate in group) for group in groups)


def words_query(groups: Iterable[Iterable[str]], tokens: Sequence[str]) -> str:
    """Return the query that needs one filter token of each group, and any of the tokens."""
    return f"{gates_query(groups)} & {_either(tokens)}"


def prefix_query(groups: Iterable[Iterable[str]], prefix: str) -> str:
    """Return the query that needs one filter token of each group, and a token that begins with the prefix."""
    return f"{gates_query(groups)} & {_quoted(prefix[:LONGEST])}:*"


def word_query(token: str) -> str:
    """Return the query for one token."""
    return _quoted(token[:LONGEST])


def _either(words: Iterable[str]) -> str:
    return "(" + " | ".join(_quoted(word[:LONGEST]) for word in words) + ")"


def _quoted(word: str) -> str:
    if "'" in word or "\\" in word:
        word = word.replace("\\", "\\\\").replace("'", "''")
    return f"'{word}'"
