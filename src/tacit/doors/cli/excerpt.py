"""The part of a text that answers a question, on one line."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import islice

from tacit.text.tokens import is_unspaced

_BEFORE = 60
"""How much of a text is shown before the first word that was asked for."""
_WHOLE = 2
"""So short a word is no part of another."""
_MOST_PLACES = 50


def excerpt(text: str, wanted: Collection[str], most: int) -> str:
    """Return the part of a text with the most of the wanted tokens; its beginning if that has as many."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    small = line.lower()
    small = small if len(small) == len(line) else line
    parts = [re.compile(part) for part in dict.fromkeys(map(_part, wanted)) if part]
    places = (one.start() for part in parts for one in islice(part.finditer(small), _MOST_PLACES))
    starts = [(0, 0), *((max(0, place - min(_BEFORE, most // 3)), place) for place in places)]
    room = most - 2
    start, place = max(starts, key=lambda at: (sum(_holds(part, small, at[0], room) for part in parts), -at[0]))
    if start and (blank := line.find(" ", start, place)) >= 0:
        start = blank + 1
    end = start + room
    return f"{'… ' if start else ''}{line[start:end]}{'…' if end < len(line) else ''}"


def _part(token: str) -> str:
    """Return what a token looks like in a text, empty for a single letter: a stem may end otherwise than its word."""
    if any(map(is_unspaced, token)):
        return re.escape(token)
    if len(token) > _WHOLE:
        return re.escape(token[: max(_WHOLE + 1, len(token) - 1)])
    return rf"(?<![^\W_]){re.escape(token)}(?![^\W_])" if len(token) == _WHOLE else ""


def _holds(part: re.Pattern[str], text: str, start: int, room: int) -> bool:
    """Return whether a part of a text holds a token, with the letter after it."""
    return part.search(text, start, start + room - 1) is not None
