"""Find text between tags in one pass. The time is linear, even for a text with many tags that are never closed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

# Texts come from outside: one with this many kinds of unclosed tags is not tagged text.
_MOST_UNCLOSED = 100


class TaggedText(NamedTuple):
    """The text between two tags, and the start and end of both tags."""

    name: str
    inner: str
    start: int
    end: int


def tagged(text: str, opening: re.Pattern[str]) -> Iterator[TaggedText]:
    """Return the texts between tags, left to right and not nested. Group 1 of `opening` is the name of a tag."""
    place, unclosed = 0, set[str]()
    while (found := opening.search(text, place)) and len(unclosed) < _MOST_UNCLOSED:
        name, place = found[1], found.end()
        end = -1 if name in unclosed else text.find(f"</{name}>", place)
        if end < 0:
            unclosed.add(name)
            continue
        inner, place = text[place:end], end + len(f"</{name}>")
        yield TaggedText(name, inner, found.start(), place)


def inside(text: str, name: str) -> str:
    """Return the text in the first tag of this name, stripped; empty if there is none."""
    return next((one.inner.strip() for one in tagged(text, re.compile(f"<({name})>"))), "")


def without(text: str, opening: re.Pattern[str]) -> str:
    """Return a text without the tags of these names and the text between them."""
    pieces, at = list[str](), 0
    for one in tagged(text, opening):
        pieces.append(text[at : one.start])
        at = one.end
    return "".join([*pieces, text[at:]]) if at else text
