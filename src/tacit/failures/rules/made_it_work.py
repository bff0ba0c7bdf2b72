"""What made a command work that had failed: the command that was run in between and did something about it.

It changed or made a file that the failed command or its error names, installed what the error misses, or is another
subcommand of the same program that the error speaks of. What only looks around, a test and another aim are no cure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tacit.failures.rules.command_kinds import is_checker
from tacit.failures.rules.line_parts import LinePart, line_parts, meant_parts
from tacit.failures.rules.worked_next import LOOKING, spaced, worked_next
from tacit.model.payload import KeptTurn
from tacit.text.patterns import lazy_pattern

_CHANGES_FILES = frozenset({
    "chmod", "chown", "chgrp", "mkdir", "touch", "mv", "cp", "ln", "rm", "rmdir", "rsync", "unzip", "patch", "tee",
    "dos2unix", "xattr", "setfacl", "truncate",
})  # fmt: skip
_REMOVES = frozenset({"rm", "rmdir"})
_INSIDE = frozenset({"mkdir", "chmod", "chown", "chgrp", "ln", "mv"})
"""What they do to a folder matters to what is in it."""
_INTO_THE_LAST = frozenset({"mv", "cp", "ln", "rsync"})
_IN_PLACE = frozenset({"-i", "--in-place", "--write", "--fix", "-w"})
_INSTALLERS = frozenset({
    "npm", "pnpm", "yarn", "bun", "pip", "pip3", "pipx", "uv", "poetry", "pdm", "conda", "cargo", "go", "gem", "bundle",
    "brew", "apt", "apt-get", "dnf", "yum", "pacman", "apk", "composer", "mise", "asdf", "nvm", "rustup", "npx",
    "playwright", "python", "python3", "dotnet", "winget", "choco", "scoop", "port", "nix-env", "corepack",
})  # fmt: skip
_INSTALLS = lazy_pattern(r"\s(?:install|add|i|ci|sync|get|restore|use|enable)\b")
_MISSES = lazy_pattern(r"not found|cannot find|can't find|could not find|no such|no module|missing|not installed", re.I)
_LOOKS = frozenset({
    "status", "log", "show", "list", "diff", "help", "info", "version", "view", "branch", "describe", "logs", "inspect",
    "run", "exec", "remote", "tag",
})  # fmt: skip
_REJECTED = lazy_pattern(r"rejected|fast-forward|fetch first|failed to push|behind", re.I)
_CATCHES_UP = frozenset({"pull", "rebase", "merge"})
_WORD = lazy_pattern(r"[\w@./~+-]+")
_LEAST_CHARS = 3
_SHOWN_CHARS = 280
_MOST_NAMES = 2


class WhatWorked(NamedTuple):
    """What is told before "worked" of a command that failed, and the number of the turn in which it did."""

    command: str
    number: int


def what_worked(failed: KeptTurn, later: Iterable[KeptTurn]) -> WhatWorked | None:
    """Return the command that worked after one that failed or, if it is the same again, what clearly made it work."""
    turns = list(later)
    then = worked_next(failed, turns)
    if then is None:
        return None
    between = turns[: next(place for place, one in enumerate(turns) if one is then)]
    is_again = spaced(then.command) == spaced(failed.command)
    cure = made_it_work(failed, between) if is_again else None
    if cure is None and is_again and (changed := changed_between(between)):
        return WhatWorked(f"{_cut(then.command)}, after {changed} changed,", then.number)
    said = _cut((cure or then).command)
    return WhatWorked(f"{said}, and it" if cure else said, then.number)


def changed_between(turns: Sequence[KeptTurn]) -> str:
    """Return the names of the files that were written last before a command worked, as in "a.py and b.py were"."""
    paths = [path for one in reversed(turns) if not one.command and one.ok is not False for path in one.paths]
    names = list(dict.fromkeys(path.rpartition("/")[2] for path in paths))[:_MOST_NAMES]
    return f"{' and '.join(reversed(names))} {'was' if len(names) == 1 else 'were'}" if names else ""


def made_it_work(failed: KeptTurn, between: Sequence[KeptTurn]) -> KeptTurn | None:
    """Return the last of these commands that worked and did something about the one that failed."""
    worked = [one for one in between if one.ok and one.command and spaced(one.command) != spaced(failed.command)]
    if not worked:
        return None
    ran = meant_parts(failed.command)
    hosts = {part.host for part in ran}
    for one in reversed(worked):
        if any(part.host in hosts and _cures(part, ran, failed.error) for part in line_parts(one.command)):
            return one
    return None


def _cures(part: LinePart, ran: Sequence[LinePart], error: str) -> bool:
    named = {name for one in ran for name in map(_plain, (one.command.words[0].text or "", *_words(one)))}
    said = set(map(_plain, _WORD.findall(error)))
    if _changed(part, named | said):
        return True
    programs = {one.name for one in ran} - LOOKING
    if part.name in _INSTALLERS and _INSTALLS.search(part.text):
        asked = {_package(word) for word in _words(part)} & said
        return bool(asked) or (part.name in programs and bool(_MISSES.search(error)))
    return part.name in programs and not is_checker(part) and _is_spoken_of(part, ran, error)


def _changed(part: LinePart, names: set[str]) -> bool:
    """Return whether a command makes or changes one of these files, or a folder that one of them is in."""
    written = [one.target.text or "" for one in part.command.redirects if ">" in one.operator]
    words = _words(part)
    if part.name in _REMOVES:
        # A lock that was left is removed by its name; what removes more is nothing to repeat.
        return not _is_recursive(part) and any(_plain(one) in names for one in words)
    if part.name in _CHANGES_FILES:
        written += words[-1:] if part.name in _INTO_THE_LAST else words
    elif any((word.text or "") in _IN_PLACE for word in part.command.args):
        written += words
    inside = part.name in _INSIDE
    return any(_is_same(_plain(one), name, inside) for one in written for name in names)


def _is_recursive(part: LinePart) -> bool:
    flags = [word.text or "" for word in part.command.args if (word.text or "").startswith("-")]
    return any(flag == "--recursive" or (flag[1:2] != "-" and "r" in flag.lower()) for flag in flags)


def _is_same(written: str, name: str, inside: bool) -> bool:
    if min(len(written), len(name)) < _LEAST_CHARS or written.startswith("/dev/"):
        return False
    return (
        written == name or (inside and name.startswith(f"{written}/")) or f"/{name}".endswith(f"/{written}")
        or ("/" in name and written.endswith(f"/{name}"))
    )  # fmt: skip


def _is_spoken_of(part: LinePart, ran: Sequence[LinePart], error: str) -> bool:
    """Return whether the error asks for this subcommand of the program: `gt track` for an "untracked branch"."""
    does = part.subcommand.split()[:1]
    failed = [one.subcommand.split()[:1] for one in ran if one.name == part.name]
    if not does or does in failed or len(does[0]) < _LEAST_CHARS or does[0] in _LOOKS:
        return False
    if part.name == "git" and ["push"] in failed and _REJECTED.search(error):
        return does[0] in _CATCHES_UP
    return does[0].lower() in error.lower()


def _words(part: LinePart) -> list[str]:
    return [text for word in part.command.args if (text := word.text or "") and not text.startswith(("-", "+"))]


def _plain(name: str) -> str:
    return name.strip("'\"`:,;()").rstrip("./").removeprefix("./")


def _package(word: str) -> str:
    """Return the name of a package without its version: `react@18`, `requests==2.31`, `uvicorn[standard]`."""
    return re.split(r"[=<>~\[]|(?<=.)@", word, maxsplit=1)[0]


def _cut(command: str) -> str:
    line = spaced(command)
    return line if len(line) <= _SHOWN_CHARS else f"{line[: _SHOWN_CHARS - 1]}…"
