"""Written memory that orders its reader about, or hides something from them: a topic file, or a line of an index."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from itertools import pairwise

from tacit.admission.trust import suspicious
from tacit.memdir.rules.topic_file import LINK, apart


def wrong_in(text: str) -> str:
    """Say what is wrong with a topic file by its name, its description and its text; empty when nothing is."""
    said = apart(text).said
    return "; ".join(suspicious((said.name, said.description), said.body.removeprefix("\ufeff")))


def linked(line: str, room: str) -> list[str]:
    """Give the paths an index, or a line of it, links to; `room` is the folder of the index."""
    return [posixpath.normpath(posixpath.join(room, target)) for target in LINK.findall(line)]


def wrong_lines(index: str, room: str, wrong_file: Callable[[str], str], ours: Callable[[str], bool]) -> dict[int, str]:
    """Say which lines of an index, counted from 0, do not belong before a model, and why.

    Those that give orders, unless `ours` says that they only repeat what a person vouched for, and those of files that
    `wrong_file` has something against. An order may be spread over two lines.
    """
    lines = index.splitlines()
    found: dict[int, str] = {}
    for number, line in enumerate(lines):
        why = "; ".join(suspicious((), line))
        if why and not ours(line):
            found[number] = why
        elif against := next(filter(None, map(wrong_file, linked(line, room))), ""):
            found[number] = f"it lists a file of which is said: {against}"
    rest = [(number, line) for number, line in enumerate(lines) if number not in found and not ours(line)]
    if suspicious((), "\n".join(line for _number, line in rest)):
        for (one, first), (other, second) in pairwise(rest):
            if why := "; ".join(suspicious((), f"{first}\n{second}")):
                found |= {one: why, other: why}
    return found
