"""Merge two texts with a common ancestor line by line. If both changed the same lines, there is no result."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

# Comparing lines costs their product at worst; larger texts are left to people.
MOST_LINES = 5_000


def merge3(base: str, ours: str, theirs: str) -> str | None:
    """Return one text with the changes of both, or None if both changed the same or adjacent lines."""
    if ours in (base, theirs):
        return theirs
    if theirs == base:
        return ours
    old, left, right = (text.splitlines(keepends=True) for text in (base, ours, theirs))
    if max(map(len, (old, left, right))) > MOST_LINES:
        return None
    merged: list[str] = []
    at_old = at_left = at_right = 0
    for start, one, other, size in _stable(old, left, right):
        chunk = _settled(old[at_old:start], left[at_left:one], right[at_right:other])
        if chunk is None:
            return None
        merged += [*chunk, *old[start : start + size]]
        at_old, at_left, at_right = start + size, one + size, other + size
    return "".join(merged)


def _settled(old: Sequence[str], left: Sequence[str], right: Sequence[str]) -> Sequence[str] | None:
    """Return the lines of a place that at most one side changed, or that both changed alike."""
    if left in (old, right):
        return right
    return left if right == old else None


def _stable(old: list[str], left: list[str], right: list[str]) -> list[tuple[int, int, int, int]]:
    """Return the runs of lines that all three share, as positions in each and a length; the last is the empty end."""
    one, other = _places(old, left), _places(old, right)
    runs: list[tuple[int, int, int, int]] = []
    for number in range(len(old)):
        if number not in one or number not in other:
            continue
        if runs:
            start, a, b, size = runs[-1]
            if (start + size, a + size, b + size) == (number, one[number], other[number]):
                runs[-1] = (start, a, b, size + 1)
                continue
        runs.append((number, one[number], other[number], 1))
    return [*runs, (len(old), len(left), len(right), 0)]


def _places(old: list[str], new: list[str]) -> dict[int, int]:
    """Return where each unchanged line is now."""
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return {block.a + step: block.b + step for block in blocks for step in range(block.size)}
