"""Text between tags, in one pass: an opening tag that nothing closes costs one look, not one from every place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

# Texts come from outside: with so many kinds of tags left open it is no text with tags in it.
_MOST_UNCLOSED = 100


class TaggedText(NamedTuple):
    """What stands between two tags, and where both of them begin and end."""

    name: str
    inner: str
    start: int
    end: int


def tagged(text: str, opening: re.Pattern[str]) -> Iterator[TaggedText]:
    """Return what stands between tags, from the left, none inside another; group 1 of `opening` is a tag's name."""
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
    """Return what stands in the first tag of this name, without the space around it; empty where there is none."""
    return next((one.inner.strip() for one in tagged(text, re.compile(f"<({name})>"))), "")


def without(text: str, opening: re.Pattern[str]) -> str:
    """Return a text without its tags of these names and what stands between them."""
    pieces, at = list[str](), 0
    for one in tagged(text, opening):
        pieces.append(text[at : one.start])
        at = one.end
    return "".join([*pieces, text[at:]]) if at else text
