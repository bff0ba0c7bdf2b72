"""Short ids in texts for people: each id is shown by its last letters, which every command accepts."""

from __future__ import annotations

from collections.abc import Iterable

from tacit.model.record import SHORT_ID, short_id, short_letters
from tacit.text.patterns import lazy_pattern

_ID = lazy_pattern(r"\b[a-z]{3,20}_[0-9A-HJKMNP-TV-Z]{26}\b")
_UUID = lazy_pattern(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){0,3}-[0-9a-f]{0,12}")


def is_whole_id(text: str) -> bool:
    """Return whether a text is an id, and nothing else."""
    return _ID.fullmatch(text) is not None


def shorten_ids(said: str) -> str:
    """Return a text in which each id is its last letters."""
    return _ID.sub(lambda found: short_id(found[0]), said)


def typed_ids(words: Iterable[str]) -> frozenset[str]:
    """Return the words of a command line that have the form of an id of ours, or of a UUID or its beginning."""
    values = {part for word in words for part in (word, word.partition("=")[2]) if part}
    return frozenset(value for value in values if _is_id(value))


def _is_id(word: str) -> bool:
    is_short = len(word) <= SHORT_ID and bool(short_letters(word))
    return is_short or is_whole_id(word) or _UUID.fullmatch(word.lower()) is not None
