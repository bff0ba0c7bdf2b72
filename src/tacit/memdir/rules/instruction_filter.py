"""Find, with pure functions, topic files and index lines that contain instructions for their reader, or hidden text."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from itertools import pairwise

from tacit.admission.trust import suspicious
from tacit.memdir.rules.topic_file import apart, targets_in


def wrong_in(text: str) -> str:
    """Return why a topic file is flagged by its name, description or text; empty if it is not."""
    said = apart(text).said
    return "; ".join(suspicious((said.name, said.description), said.body.removeprefix("\ufeff")))


def linked(line: str, place: str) -> list[str]:
    """Return the paths that an index, or a line of it, links to. `place` is the folder of the index."""
    return [posixpath.normpath(posixpath.join(place, target)) for target in targets_in(line)]


def wrong_lines(
    index: str, place: str, wrong_file: Callable[[str], str], ours: Callable[[str], bool]
) -> dict[int, str]:
    """Return which lines of an index, counted from 0, are hidden from a model, and why.

    These are lines that contain instructions, unless `ours` says that they only repeat a text that a person approved,
    and lines of files that `wrong_file` flags. An instruction may be spread over two lines.
    """
    lines = index.splitlines()
    found: dict[int, str] = {}
    for number, line in enumerate(lines):
        why = "; ".join(suspicious((), line))
        if why and not ours(line):
            found[number] = why
        elif against := next(filter(None, map(wrong_file, linked(line, place))), ""):
            found[number] = f"it lists a flagged file: {against}"
    rest = [(number, line) for number, line in enumerate(lines) if number not in found and not ours(line)]
    if suspicious((), "\n".join(line for _number, line in rest)):
        for (one, first), (other, second) in pairwise(rest):
            if why := "; ".join(suspicious((), f"{first}\n{second}")):
                found |= {one: why, other: why}
    return found
