"""Turns that say the same, such as a command that was run again and again, are one line among what sessions say."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from tacit.model.payload import KeptTurn
from tacit.model.query import Hit
from tacit.model.record import Record
from tacit.text.patterns import lazy_pattern
from tacit.text.plural import plural

AGAIN = "and "
_MOST_COMMANDS = 3
NEARLY, _AS_CLOSE = 0.75, 0.5
"""Which share of the best score makes a hit from sessions one of the best, and a command the answer to "which"."""
_NUMBERS = lazy_pattern(r"0x[0-9a-f]+|\b(?=\w*\d)[0-9a-f]{7,40}\b|\d+", re.I)
_NO_WORD = lazy_pattern(r"\W+")


def distinct_turns(hits: Sequence[Hit], most: int) -> list[Hit]:
    """Return the best of those that say the same, at most so many, each with how often it was said besides."""
    alike: dict[object, list[Hit]] = {}
    for hit in hits:
        alike.setdefault(_said(hit.record), []).append(hit)
    return [_counted(same[0], len(same) - 1) for same in list(alike.values())[:most]]


def commands_first(hits: Sequence[Hit]) -> list[Hit]:
    """Return the best commands before everything else, for a question that asks for one, if they match as closely."""
    least = _AS_CLOSE * max((hit.score for hit in hits), default=0.0)
    commands = (hit for hit in hits if getattr(hit.record.payload, "command", ""))
    best = [hit for hit in commands if hit.score >= least][:_MOST_COMMANDS]
    return [*best, *(hit for hit in hits if hit not in best)]


def _said(record: Record) -> object:
    """Return what a turn says, without case and marks: a command without its numbers, and with how it ended.

    A number that somebody says matters, and so does who says it.
    """
    turn = record.payload
    if not isinstance(turn, KeptTurn):
        return record.id
    text = _NUMBERS.sub("0", turn.command) if turn.command else record.body
    words = _NO_WORD.sub(" ", text).casefold().strip()
    return ("" if turn.command else turn.author, turn.ok is False, words) if words else record.id


def _counted(hit: Hit, more: int) -> Hit:
    if not more:
        return hit
    labels = (*hit.why.labels, f"{AGAIN}{plural(more, 'more time')}")
    return msgspec.structs.replace(hit, why=msgspec.structs.replace(hit.why, labels=labels))
