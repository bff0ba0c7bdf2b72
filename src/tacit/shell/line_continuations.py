"""Line continuations: a backslash before a newline, which a shell removes before it reads words.

In single quotes, comments and here-documents whose marker is quoted, the backslash is text and stays.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from tacit.shell.command import Script

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_ROUNDS = 8
_CONTINUED = re.compile(rb"(?<!\\)(?:\\\\)*(\\\n)")
_KEEPING = frozenset({"raw_string", "ansi_c_string", "comment"})


class JoinedLines(NamedTuple):
    """A source without line continuations, its tree, and where it was cut."""

    source: bytes
    root: Node
    cuts: tuple[int, ...] = ()
    """Where continuations were, as places of the joined source."""
    originals: tuple[int, ...] = ()
    """The same as places of the original."""
    is_complete: bool = True

    def start(self, place: int) -> int:
        """Return where the original has what begins at a place of the joined source."""
        return place + 2 * bisect_right(self.cuts, place)

    def end(self, place: int) -> int:
        """Return where the original has the end of what ends at a place of the joined source."""
        return place + 2 * bisect_left(self.cuts, place)

    def restored(self, script: Script) -> Script:
        """Return a script of the joined source with the spans of the original."""
        if not self.cuts:
            return script
        commands = []
        for one in script.commands:
            words = tuple(w._replace(start=self.start(w.start), end=self.end(w.end)) for w in one.words)
            commands.append(one._replace(words=words, start=self.start(one.start), end=self.end(one.end)))
        doubts = tuple(one._replace(start=self.start(one.start), end=self.end(one.end)) for one in script.doubts)
        return script._replace(commands=tuple(commands), doubts=doubts)


def join_lines(source: bytes, tree_of: Callable[[bytes], Node]) -> JoinedLines:
    """Remove the line continuations of a source. Removing one may uncover others: `a\\` before `#b` is no comment."""
    joined = JoinedLines(source, tree_of(source))
    for _ in range(MOST_ROUNDS):
        source = joined.source
        found = [match.start(1) for match in _CONTINUED.finditer(source)] if b"\\\n" in source else []
        kept = _kept(joined.root, found) if found else set()
        here = [place for place in found if place not in kept]
        if not here:
            return joined
        originals = sorted([*(joined.start(place) for place in here), *joined.originals])
        source = b"".join(source[a:b] for a, b in zip([0, *(p + 2 for p in here)], [*here, None], strict=True))
        cuts = tuple(place - 2 * number for number, place in enumerate(originals))
        joined = JoinedLines(source, tree_of(source), cuts, tuple(originals))
    return joined._replace(is_complete=False)


def _kept(root: Node, places: list[int]) -> set[int]:
    """Return the places at which a backslash and a newline are text."""
    kept: set[int] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        first, last = bisect_left(places, node.start_byte), bisect_left(places, node.end_byte)
        if first == last:
            continue
        if node.type in _KEEPING or (node.type == "heredoc_body" and is_quoted_document(node)):
            kept.update(places[first:last])
        else:
            waiting += node.children
    return kept


def is_quoted_document(body: Node) -> bool:
    """Return whether the marker of a here-document is quoted, so that its text stays as it is."""
    above = body.parent.children if body.parent is not None else ()
    marks = [one.text or b"" for one in above if one.type == "heredoc_start"]
    return any(quote in mark for mark in marks for quote in (b"'", b'"', b"\\"))
