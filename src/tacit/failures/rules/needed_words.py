"""The words of which every match of a pattern has one, so that most patterns need not be tried, nor compiled."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

_LEAST_CHARS = 3
_OPTIONAL = "?*{"
_SIGNS = r"\[.^$+?*{}()|"


def folded(text: str) -> str:
    """Return a text in the form in which needed words are looked for: as patterns that ignore case read it."""
    return text.lower() if text.isascii() else text.replace("ı", "i").replace("İ", "i").casefold()


@cache
def needed_words(pattern: str) -> tuple[str, ...]:
    """Return words in small letters of which each match has at least one; none if the pattern does not tell."""
    found: list[str] = []
    for branch in _branches(pattern):
        best = max(_candidates(branch), key=lambda words: min(map(len, words)), default=("",))
        if min(map(len, best)) < _LEAST_CHARS:
            return ()
        found += best
    return tuple(dict.fromkeys(found))


def _candidates(branch: str) -> Iterator[tuple[str, ...]]:
    """Return the runs of plain characters of a sequence, and the words of its groups."""
    run = ""
    for part, follows in _parts(branch):
        if len(part) == 1 and part not in _SIGNS and follows not in _OPTIONAL:
            run += part.lower()
            continue
        if run:
            yield (run,)
        run = ""
        if part.startswith(("(?:", "(?P<")) and follows not in _OPTIONAL:
            inner = part[3:-1] if part.startswith("(?:") else part[part.index(">") + 1 : -1]
            if words := needed_words(inner):
                yield words
    if run:
        yield (run,)


def _branches(pattern: str) -> list[str]:
    """Return the alternatives of a pattern."""
    branches = [""]
    for part, _follows in _parts(pattern):
        if part == "|":
            branches.append("")
        else:
            branches[-1] += part
    return branches


def _parts(pattern: str) -> Iterator[tuple[str, str]]:
    """Return the characters, escapes, classes and groups of a pattern, each with the sign that follows it."""
    at = 0
    while at < len(pattern):
        end = _end(pattern, at)
        yield pattern[at:end], pattern[end : end + 1] or " "
        at = end


def _end(pattern: str, at: int) -> int:
    """Return where the part of a pattern that begins at a position ends."""
    match pattern[at]:
        case "\\":
            return at + 2
        case "[":
            at = pattern.index("]", at + 2)
            return at + 1
        case "{":
            return pattern.index("}", at) + 1
        case "(":
            at += 1
            while pattern[at] != ")":
                at = _end(pattern, at)
            return at + 1
    return at + 1
