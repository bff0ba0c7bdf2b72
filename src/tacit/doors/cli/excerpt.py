"""The part of a text that answers a question, on one line."""

from __future__ import annotations

from collections.abc import Collection

_BEFORE = 60
"""How much of a text is shown before the first word that was asked for."""
_LEAST_CHARS = 3


def excerpt(text: str, wanted: Collection[str], most: int) -> str:
    """Return the part of a text with the most of the wanted tokens; its beginning if that has as many."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    small = line.casefold()
    # A stem may end otherwise than the word does.
    parts = {token[: max(_LEAST_CHARS, len(token) - 1)] for token in wanted if len(token) >= _LEAST_CHARS}
    starts = [0, *(max(0, place - _BEFORE) for part in parts for place in _places(small, part))]
    start = max(starts, key=lambda at: (sum(part in small[at : at + most - 2] for part in parts), -at))
    if start:
        start = line.find(" ", start) + 1
    end = start + most - 2
    return f"{'… ' if start else ''}{line[start:end]}{'…' if end < len(line) else ''}"


def _places(text: str, part: str) -> list[int]:
    found, at = [], text.find(part)
    while at >= 0:
        found.append(at)
        at = text.find(part, at + len(part))
    return found
