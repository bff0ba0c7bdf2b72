"""The part of a text that answers a question, on one line."""

from __future__ import annotations

from collections.abc import Collection

_BEFORE = 60
"""How much of a text is shown before the first word that was asked for."""
_LEAST_CHARS = 3
_MOST_PLACES = 50


def excerpt(text: str, wanted: Collection[str], most: int) -> str:
    """Return the part of a text with the most of the wanted tokens; its beginning if that has as many."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    small = line.lower()
    small = small if len(small) == len(line) else line
    # A stem may end otherwise than the word does.
    parts = {token[: max(_LEAST_CHARS, len(token) - 1)] for token in wanted if len(token) >= _LEAST_CHARS}
    starts = [
        (0, 0),
        *((max(0, place - min(_BEFORE, most // 3)), place) for part in parts for place in _places(small, part)),
    ]
    start, place = max(starts, key=lambda at: (sum(part in small[at[0] : at[0] + most - 2] for part in parts), -at[0]))
    if start and (blank := line.find(" ", start, place)) >= 0:
        start = blank + 1
    end = start + most - 2
    return f"{'… ' if start else ''}{line[start:end]}{'…' if end < len(line) else ''}"


def _places(text: str, part: str) -> list[int]:
    found: list[int] = []
    at = text.find(part)
    while at >= 0 and len(found) < _MOST_PLACES:
        found.append(at)
        at = text.find(part, at + len(part))
    return found
