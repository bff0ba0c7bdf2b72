"""What a fix says beyond the one command that it mended; nothing if it holds for that command alone.

`python3 -c "…"` instead of `python -c "…"` says that the program is called `python3` here. That a pull request of
another number was read with other fields says nothing.
"""

from __future__ import annotations

from typing import NamedTuple

from tacit.failures.rules.causes import Cause
from tacit.failures.rules.fixes import alike, is_provision, is_runner, never_ran, spelling
from tacit.failures.rules.line_parts import LinePart, line_parts
from tacit.shell.plain_command import shape

_MOST_CHARS, _MOST_WORDS = 100, 8
# What they name is one file, one text or one host.
_OF_ONE = frozenset({"path", "glob", "syntax", "network", "auth", "permission"})
_MOST_FIELDS, _MOST_STARTING = 2, 4
_OF_ONE_PERSON = ("/home/", "/Users/", "/private/", "/var/", "~")


class GeneralFix(NamedTuple):
    """What to use, and instead of what."""

    original: str
    corrected: str


def general_fix(cause: Cause, failed: str, fix: str) -> GeneralFix | None:
    """Return what a fix teaches for other commands than the one that failed; None if it teaches nothing."""
    if any(is_provision(cause, part) for part in line_parts(fix)):
        return None
    if never_ran(cause) and (program := _other_program(cause.part, fix)):
        return program
    if cause.kind in _OF_ONE or not (_is_plain(failed) and _is_plain(fix)):
        return None
    return GeneralFix(failed, fix)


def _other_program(failed: LinePart, fix: str) -> GeneralFix | None:
    """Return the programs alone, where the same arguments follow: `pytest`, `uv run pytest`."""
    parts = line_parts(fix)
    if not parts or any(part.nested is False and part is not parts[0] for part in parts):
        return None
    old, new = ([word.shown for word in part.command.words] for part in (failed, parts[0]))
    count = len(old) - 1
    if count and new[-count:] != old[1:]:
        return None
    starts = new[: len(new) - count]
    if not 0 < len(starts) <= _MOST_STARTING:
        return None
    # The same arguments were perhaps given to a program for something else.
    is_spelt = spelling(old) == spelling(new)
    is_same = alike(old[0], starts[-1]) or old[0] == starts[-1].rpartition("/")[2]
    if not (is_spelt or (is_same and (len(starts) == 1 or is_runner(starts[:-1])))):
        return None
    assigned = [f"{name}={value.shown}" for name, value in parts[0].command.assigns]
    if starts == old[:1] or not all(map(_is_lasting, (*assigned, *starts))):
        return None
    return GeneralFix(old[0], " ".join((*assigned, *starts)))


def _is_lasting(word: str) -> bool:
    """Return whether a word by which a program is started is not of one moment or one person's folder."""
    return shape(word) in (word, "<path>") and not word.startswith(_OF_ONE_PERSON)


def _is_plain(line: str) -> bool:
    """Return whether a command has no number, file, text or list of its own, and is short enough to be remembered."""
    if len(line) > _MOST_CHARS or "\n" in line:
        return False
    parts = line_parts(line)
    words = [word for part in parts for word in part.command.args]
    if len(words) > _MOST_WORDS or not all(_is_lasting(part.command.words[0].shown) for part in parts):
        return False
    return all(
        not any(sign.isspace() for sign in word.shown)
        and word.shown.count(",") <= _MOST_FIELDS
        and not shape(word.shown).startswith("<")
        for word in words
    )
