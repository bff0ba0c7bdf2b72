"""Whether two statements say nearly the same in other words: the same names, numbers and weighty words, in one order.

This offers, it does not merge: what differs may matter to whoever wrote it. Verbs that only place or connect things
("listens on", "uses", "lives in") may differ or be missing; every other word must have its like on the other side.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from tacit.records.rules.merge_vocabulary import ASIDES, JOINTS, PREPOSITIONS, keys_of
from tacit.records.rules.statement import Statement, StatementWord, WordKind, alike

_LIGHT = (
    PREPOSITIONS
    | ASIDES
    | keys_of(
        "be have do use listen bind live sit reside locate store keep go happen find put set configure expose serve "
        "available there it we our you the a an of is are as by"
    )
)
_ALIKE = (
    "need require", "start begin launch boot trigger", "delete remove", "fetch download pull", "show display",
    "build compile", "run execute", "repo repository", "db database", "config configuration setting",
    "doc documentation", "env environment", "prod production", "dev development", "k8s kubernetes",
    "js javascript", "ts typescript",
    "pg postgres postgresql", "auth authentication", "call name", "error failure", "big large", "quick fast",
    "limit maximum max", "minimum min", "check verify validate", "send deliver", "write author", "dependency dep",
    "directory folder dir", "application app", "message msg", "rebuild rebuilding", "parameter argument",
)  # fmt: skip
_LEAST_WORDS = 2
_MOST_WORDS = 40


@lru_cache(1)
def _canonical() -> dict[str, str]:
    return {key: sorted(group)[0] for group in map(keys_of, _ALIKE) for key in group}


def in_other_words(left: Statement, right: Statement) -> bool:
    """Return whether two statements, which are not the same word by word, say nearly the same."""
    if max(len(left.words), len(right.words)) > _MOST_WORDS or _stance(left) != _stance(right):
        return False
    ours, theirs = _weighty(left.words), _weighty(right.words)
    one, other = [_like(word) for word in ours], [_like(word) for word in theirs]
    if len(one) < _LEAST_WORDS or Counter(one) != Counter(other) or not _of_one_kind(ours, theirs):
        return False
    # "invoices are sent by the worker" turns around what "the worker sends invoices" says; nothing else may.
    return one == other or _is_passive(left) != _is_passive(right) or _is_equation(left, right)


def _like(word: StatementWord) -> str:
    return _canonical().get(word.key, word.key)


def _of_one_kind(ours: list[StatementWord], theirs: list[StatementWord]) -> bool:
    """Return whether words of one stem are forms of one word: "product" and "production" are not."""
    pairs = zip(sorted(ours, key=_like), sorted(theirs, key=_like), strict=True)
    return all(one.key != other.key or alike(one, other) for one, other in pairs)


def _stance(said: Statement) -> tuple[int, tuple[str, ...], frozenset[str]]:
    """Return what turns a statement into another one: negations, what it rejects, and what ties parts together."""
    keys = {word.key for word in said.words}
    nots = sum(word.sort is WordKind.NOT for word in said.words)
    return nots, tuple(word.key for word in said.against), frozenset(keys & (JOINTS | {"?", "must", "should", "can"}))


def _weighty(words: tuple[StatementWord, ...]) -> list[StatementWord]:
    return [word for word in words if word.key not in _LIGHT or (word.exact and word.sort is not WordKind.PLAIN)]


def _is_passive(said: Statement) -> bool:
    keys = [word.key for word in said.words]
    return "by" in keys and "be" in keys[: keys.index("by")]


def _is_equation(left: Statement, right: Statement) -> bool:
    """Return whether one says "the cache is Redis", which may be said the other way round: "Redis as the cache"."""
    return any(
        [word.key for word in said.words].count("be") == 1 and len(_weighty(said.words)) == _LEAST_WORDS
        for said in (left, right)
    )
