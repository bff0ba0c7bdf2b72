"""Which files a session changed: those that it wrote, and did not remove or bring back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from tacit.model.payload import KeptTurn
from tacit.sessions.rules.commits import commits_in, git_words, taken_back
from tacit.sessions.rules.line_commands import line_commands
from tacit.text.patterns import lazy_pattern

_MOST_FILES = 6
_ALL = "."
_ELSEWHERE = lazy_pattern(r"\bcd (?![\"']?/)|\bpushd\b|\bgit -C\b")
_NEW_BRANCH = frozenset({"-b", "-B", "--orphan"})


class _Undone(NamedTuple):
    """The paths that a line removes, and those that it brings back to what was committed; a dot stands for all."""

    removed: frozenset[str] = frozenset()
    restored: frozenset[str] = frozenset()
    perhaps: frozenset[str] = frozenset()
    """Words that are brought back if they are paths: they may be a branch."""


def changed_files(turns: Iterable[tuple[KeptTurn, str]], cwd: str) -> Iterator[str]:
    """Return the files that were changed, those that were written most often first, and how many more there are."""
    counted: Counter[str] = Counter()
    committed: set[str] = set()
    turns = list(turns)
    for turn, _text in turns:
        # A path beside a command was read from it; only a tool that edits writes what it names.
        if not turn.command and turn.ok is not False:
            counted.update(_plain(path, cwd) for path in turn.paths)
        elif turn.command and turn.ok is not False and counted:
            committed = set() if taken_back(turn.command, 1) else committed
            committed |= counted.keys() if commits_in(turn.command) else set()
            undone = _undone(turn.command, cwd)
            for path in list(counted):
                back = _is_in(path, undone.restored) or path in undone.perhaps
                if _is_in(path, undone.removed) or (back and path not in committed):
                    del counted[path]
    if not counted:
        # What a shell wrote is not listed; what was staged by name was changed.
        # How many there are is not known: a folder may be among them, and others may have been staged otherwise.
        yield from [path for path, _count in _staged(turns, cwd).most_common(_MOST_FILES)]
    for path, _count in counted.most_common(_MOST_FILES):
        yield path
    if len(counted) > _MOST_FILES:
        yield f"{len(counted) - _MOST_FILES} more"


def _plain(path: str, cwd: str) -> str:
    return (path.removeprefix(f"{cwd}/") if cwd else path).removeprefix("./").rstrip("/")


def _staged(turns: Iterable[tuple[KeptTurn, str]], cwd: str) -> Counter[str]:
    """Return the paths that were staged by name, here, and not brought back."""
    named: Counter[str] = Counter()
    committed: Counter[str] = Counter()
    for turn, _text in turns:
        if turn.ok:
            for path in _named(turn.command, cwd):
                named[path] += 1
            if commits_in(turn.command):
                committed, named = committed + named, Counter()
            elif "reset" in turn.command and _undone(turn.command, cwd).restored:
                named.clear()
    return committed + named


def _named(line: str, cwd: str) -> Iterator[str]:
    """Return the paths that a line stages by name; none if it may be in another folder."""
    for verb, *words in git_words(line) if " add " in line and not _ELSEWHERE.search(line) else ():
        if verb == "add" and not any(word.startswith("-") for word in words):
            yield from (_plain(word, cwd) for word in words if word not in (_ALL, "") and not set(word) & set("*?:"))


@lru_cache(1_024)
def _undone(line: str, cwd: str) -> _Undone:
    removed: set[str] = set()
    restored: set[str] = set()
    perhaps: set[str] = set()
    commands = line_commands(line) if "rm" in line or "git" in line else ()
    for command in commands:
        if command.name == "rm":
            removed |= {word.text or "" for word in command.args}
    for verb, *words in git_words(line):
        if verb == "rm" and "--cached" not in words:
            removed |= set(words)
        elif verb == "reset" and "--hard" in words:
            restored.add(_ALL)
        elif verb == "restore" and "--staged" not in words:
            restored |= set(words)
        elif verb == "checkout" and "--" in words:
            restored |= set(words[words.index("--") + 1 :])
        elif verb == "checkout" and _NEW_BRANCH.isdisjoint(words):
            restored |= {_ALL} & set(words)
            perhaps |= set(words)
    # In another folder a name is that of another file.
    is_elsewhere = any(command.name in ("cd", "pushd") for command in commands)

    def named(words: set[str]) -> frozenset[str]:
        here = {word for word in words if word.startswith("/") or not is_elsewhere}
        return frozenset(_plain(word, cwd) for word in here if word and not word.startswith("-"))

    return _Undone(named(removed - {_ALL}), named(restored), named(perhaps - {_ALL}))


def _is_in(path: str, names: frozenset[str]) -> bool:
    return any(
        one == _ALL or path == one or path.startswith(f"{one}/") or ("/" in one and path.endswith(f"/{one}"))
        for one in names
    )
