"""Which files a session changed: those that it wrote, and did not remove or bring back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from tacit.model.payload import KeptTurn
from tacit.sessions.rules.commits import commits_in
from tacit.sessions.rules.line_commands import line_commands

_MOST_FILES = 6
_ALL = "."


class _Undone(NamedTuple):
    """The paths that a line removes, and those that it brings back to what was committed; a dot stands for all."""

    removed: frozenset[str] = frozenset()
    restored: frozenset[str] = frozenset()


def changed_files(turns: Iterable[tuple[KeptTurn, str]], cwd: str) -> Iterator[str]:
    """Return the files that were changed, those that were written most often first, and how many more there are."""
    counted: Counter[str] = Counter()
    committed: set[str] = set()
    for turn, _text in turns:
        # A path beside a command was read from it; only a tool that edits writes what it names.
        if not turn.command and turn.ok is not False:
            counted.update(path.removeprefix(f"{cwd}/") if cwd else path for path in turn.paths)
        elif turn.command and turn.ok is not False and counted:
            committed |= counted.keys() if commits_in(turn.command) else set()
            undone = _undone(turn.command)
            for path in list(counted):
                if _is_in(path, undone.removed) or (path not in committed and _is_in(path, undone.restored)):
                    del counted[path]
    for path, _count in counted.most_common(_MOST_FILES):
        yield path
    if len(counted) > _MOST_FILES:
        yield f"{len(counted) - _MOST_FILES} more"


@lru_cache(1_024)
def _undone(line: str) -> _Undone:
    removed: set[str] = set()
    restored: set[str] = set()
    for command in line_commands(line) if "rm" in line or "git" in line else ():
        first, *words = [command.name or "", *(word.text or "" for word in command.args)]
        if first == "git" and words:
            first, *words = words
            if first in ("checkout", "restore") and "--staged" not in words:
                restored |= set(words)
            elif first == "reset" and "--hard" in words:
                restored.add(_ALL)
        if first == "rm" and "--cached" not in words:
            removed |= {word.removeprefix("./").rstrip("/") for word in words}
    return _Undone(frozenset(removed - {_ALL}), frozenset(restored))


def _is_in(path: str, names: frozenset[str]) -> bool:
    return any(
        one and (one == _ALL or path == one or path.endswith(f"/{one}") or path.startswith(f"{one}/")) for one in names
    )
