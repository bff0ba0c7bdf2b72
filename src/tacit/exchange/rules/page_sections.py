"""Split a long page by its headings, so that each note is about one thing."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import NamedTuple

from tacit.exchange.rules.markdown_blocks import Block, blocks_of, plain_words

LONG_CHARS = 4_000
_MOST_TITLE_CHARS = 120


class PageSection(NamedTuple):
    """A section of a page: the headings above it below the title of the page, and its text with its own heading."""

    headings: tuple[str, ...]
    text: str


def page_sections(page: str) -> list[PageSection]:
    """Return a page as it is if it is short or has no headings, else its sections; a long section is split again."""
    headings = [block for block in blocks_of(page) if block.kind == "heading"]
    return _split(page, 0, len(page), headings, ())


def _split(page: str, start: int, end: int, headings: list[Block], above: tuple[str, ...]) -> list[PageSection]:
    whole = PageSection(above, page[start:end].strip("\n"))
    first_inside = bisect_left(headings, start, key=_start)
    inside = headings[first_inside : bisect_left(headings, end, key=_start)]
    if above:
        inside = inside[1:]  # its own
    counts = Counter(one.level for one in inside)
    # A title alone splits nothing.
    level = next((one for one in sorted(counts) if counts[one] > 1), None)
    if end - start <= LONG_CHARS or level is None:
        return [whole] if whole.text.strip() else []
    cuts = [one for one in inside if one.level <= level]
    first = cuts[0] if cuts[0].level == level else cuts[1]
    found = [PageSection(above, page[start : first.start].strip("\n"))]
    starts = [one for one in cuts if one.start >= first.start]
    ends = [*(one.start for one in starts[1:]), end]
    for one, until in zip(starts, ends, strict=True):
        name = plain_words(one.text).rstrip(" :")[:_MOST_TITLE_CHARS]
        found += _split(page, one.start, until, headings, (*above, name))
    return [one for one in found if one.text.strip()]


def _start(block: Block) -> int:
    return block.start
