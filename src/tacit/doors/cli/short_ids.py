"""Short ids in texts for people: each id is shown by its last letters, which every command accepts."""

from __future__ import annotations

from tacit.model.record import short_id
from tacit.text.patterns import lazy_pattern

_ID = lazy_pattern(r"\b[a-z]{3,20}_[0-9A-HJKMNP-TV-Z]{26}\b")


def is_whole_id(text: str) -> bool:
    """Return whether a text is an id, and nothing else."""
    return _ID.fullmatch(text) is not None


def shorten_ids(said: str) -> str:
    """Return a text in which each id is its last letters."""
    return _ID.sub(lambda found: short_id(found[0]), said)
