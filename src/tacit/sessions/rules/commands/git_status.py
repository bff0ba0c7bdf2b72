"""Which files git lists as changed and not committed, by what it printed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from tacit.text.patterns import lazy_pattern

_READ = 20_000
# Asked at the beginning of a line, of the repository where the shell is or that it enters by its whole path.
_WHERE = lazy_pattern(r"\s*pwd\s*(?:&&|;)\s*")
_ASKS_GIT = lazy_pattern(
    r"\s*(?:cd [\"']?/[^;&|\n]*&& *)?git (?:-c \S+ |--no-\S+ )*status\b(?P<how>[^;&|\n]*)(?P<rest>.*)", re.S
)
# Asked at the end of a line, its answer is the end of what the line prints.
_ASKS_LAST = lazy_pattern(
    r".*[;&\n]\s*git status(?: (?:-b|--branch))* (?:-s|-sb|--short|--porcelain)(?: (?:-b|--branch))*\s*", re.S
)
_ELSEWHERE = lazy_pattern(r"\b(?:cd|pushd)\s|\bgit -C\b")
_SHORT = lazy_pattern(r"\s(?:-s|-sb|-bs|--short|--porcelain\S*)(?=\s|\Z)")
_ALONE = lazy_pattern(r"\s*(?:\|\s*(?:head|tail|cat)[^;&|\n]*)?\s*")
# What prints behind it, unless it is git, prints no lines that begin as these do.
_BEFORE_OTHERS = lazy_pattern(r"(?s)\s*(?:&&|;)(?!.*(?<![\w-])git ).*")
# A line of its own says where the answer ends.
_MARKED = lazy_pattern(r"\s*(?:&&|;)\s*echo ([\"'])(?P<mark>[^\"'$`\n]{3,60})\1\s*(?:&&|;)")
_SHORT_LINE = lazy_pattern(r"(?!  )(?:[ MADRCTU]{2}|\?\?) (?P<path>\S.*)")
# As a status and a commit say that a file is deleted.
_GONE = lazy_pattern(r"(?m)^(?:D | D|\tdeleted: +| delete mode \d{6}) ?(?P<path>\S.*)$")
_GONE_WORDS = ("delete", "\nD ", "\n D ")
_TELLS = lazy_pattern(r"\bgit\b[^|;&\n]{0,80}\b(?:status|commit)\b")
_LONG_LINE = lazy_pattern(r"\s(?:\s*(?:modified|new file|deleted|renamed|both modified):\s+)(?P<path>\S.*)")
_UNTRACKED = "Untracked files:"
_LEFT_OUT = ("[…", "…", "...")
_INSIDE = lazy_pattern(r" \((?:modified|untracked|new) [^)]*\)\Z")
_MOST_CHANGED = 20


class _Listed(NamedTuple):
    path: str
    is_new: bool


class GitStatus(NamedTuple):
    """The files that git lists as changed, those that are new first, and how many of them are new."""

    files: tuple[str, ...]
    new: int


def git_status(command: str, output: str) -> GitStatus | None:
    """Return what git lists as changed; None if it was not asked, or others print beside it."""
    if where := _WHERE.match(command):
        # The folder is one line.
        command, output = command[where.end() :], output.partition("\n")[2]
    asked = _ASKS_GIT.fullmatch(command) if "git" in command and len(output) <= _READ else None
    # Asked twice, it was asked of two repositories.
    is_last = asked is None and bool(_ASKS_LAST.fullmatch(command)) and command.count("git status") == 1
    if is_last and not _ELSEWHERE.search(command):
        lines = list(takewhile(_SHORT_LINE.fullmatch, reversed(output.rstrip("\n").splitlines())))[::-1]
        # Where nothing is listed, the end of the line was perhaps not run.
        return _sorted(_short_status(lines)) if lines else None
    if asked is None or "--ignored" in asked["how"] or " status" in asked["rest"]:
        return None
    if _SHORT.search(asked["how"]):
        found = _short_status(output.splitlines())
    elif _ALONE.fullmatch(asked["rest"]):
        found = _any_status(output.splitlines())
    elif marked := _MARKED.match(asked["rest"]):
        found = _any_status(list(takewhile(lambda line: line != marked["mark"], output.splitlines())))
    elif _BEFORE_OTHERS.fullmatch(asked["rest"]):
        found = _long_status(
            [
                one
                for one in output.splitlines()
                if one.startswith(("\tmodified: ", "\tnew file: ", "\trenamed: ", "\tdeleted: ", *_LEFT_OUT))
            ]
        )
        return _sorted(found) if found else None
    else:
        return None
    return _sorted(found)


def gone_files(command: str, output: str) -> tuple[str, ...]:
    """Return the files of which git says in a status or of a commit that they are deleted."""
    if (
        "git" not in command
        or not any(map(f"\n{output[:_READ]}".__contains__, _GONE_WORDS))
        or not _TELLS.search(command)
    ):
        return ()
    found = (one["path"].strip().strip('"') for one in _GONE.finditer(output[:_READ]))
    return tuple(dict.fromkeys(found))[:_MOST_CHANGED]


def is_limited(command: str) -> bool:
    """Return whether git was asked about some files only."""
    asked = _ASKS_GIT.fullmatch(command)
    return asked is not None and any(not word.startswith(("-", "2>")) for word in asked["how"].split())


def _sorted(found: Sequence[_Listed]) -> GitStatus:
    # What was made says more than what was changed.
    listed = sorted(found, key=lambda one: not one.is_new)[:_MOST_CHANGED]
    return GitStatus(tuple(map(_without_mark, listed)), sum(one.is_new for one in listed))


def _without_mark(one: _Listed) -> str:
    # What was renamed has its new name; behind a submodule git says what is in it.
    return _INSIDE.sub("", one.path.rpartition(" -> ")[2]).strip('"')


def _short_status(lines: Sequence[str]) -> list[_Listed]:
    """Return the paths of a short status: what comes after its last line is of another command."""
    found = []
    for line, after in pairwise([*lines, ""]):
        path = _SHORT_LINE.fullmatch(line)
        if path is None and not line.startswith(("## ", "* ", *_LEFT_OUT)):
            break
        # Where an output is cut, half a path is another path.
        if path and not after.startswith(_LEFT_OUT):
            found.append(_Listed(path["path"], line.startswith(("??", "A"))))
    return found


def _any_status(lines: Sequence[str]) -> list[_Listed]:
    """Return the paths of a status, which settings of git may have made short."""
    return _long_status(lines) or _short_status(lines)


def _long_status(lines: Sequence[str]) -> list[_Listed]:
    found = []
    untracked = False
    for line, after in pairwise([*lines, ""]):
        untracked = untracked or line == _UNTRACKED
        path = _LONG_LINE.fullmatch(line)
        if path is None and untracked and line.startswith("\t"):
            found.append(_Listed(line.strip(), is_new=True))
        elif path and not after.startswith(_LEFT_OUT):
            found.append(_Listed(path["path"], "new file:" in line))
    return found
