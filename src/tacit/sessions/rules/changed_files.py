"""Which files a session changed: those that it wrote, and did not remove or bring back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from tacit.sessions.rules.command_results import files_committed
from tacit.sessions.rules.commits import commits_in, git_words, reverts_last, taken_back
from tacit.sessions.rules.line_commands import line_commands
from tacit.sessions.rules.shell_changes import UNSURE, Turns, plain_path, written_by
from tacit.text.patterns import lazy_pattern

_MOST_FILES = 6
_ALL = "."
_ELSEWHERE = lazy_pattern(r"\bcd (?![\"']?/)|\bpushd\b|\bgit -C\b")
_MOST_DELETED = 3
# A file that somebody wrote; not what a program leaves, and not what is only there for a while.
_FILE = lazy_pattern(
    r"\A(?!/(?:tmp|var|dev)/)[^*?\[$]+\.(?!lock\b|log\b|tmp\b|pyc\b|bak\b|orig\b|pid\b|sock\b)\w{1,6}\Z"
)
_NEW_BRANCH = frozenset({"-b", "-B", "--orphan"})


class _Undone(NamedTuple):
    """The paths that a line removes, and those that it brings back to what was committed; a dot stands for all."""

    removed: frozenset[str] = frozenset()
    restored: frozenset[str] = frozenset()
    perhaps: frozenset[str] = frozenset()
    """Words that are brought back if they are paths: they may be a branch."""


def changed_files(turns: Turns, cwd: str) -> Iterator[str]:
    """Return the files that were changed, those that were written most often first, and how many more there are."""
    counted: Counter[str] = Counter()
    committed: set[str] = set()
    last: set[str] = set()
    turns = list(turns)
    for turn, _text in turns:
        if turn.ok is False or turn.error:
            continue
        # A path beside a command was read from it; only a tool that edits writes what it names.
        written = written_by(turn.command) if turn.command else turn.paths
        counted.update(plain_path(path, cwd) for path in written)
        if turn.command and counted:
            committed = set() if taken_back(turn.command, 1) else committed
            if commits_in(turn.command):
                last = counted.keys() - committed
                committed |= last
            undone = _undone(turn.command, cwd)
            reverted = last if reverts_last(turn.command) else set()
            for path in list(counted):
                back = _is_in(path, undone.restored) or path in undone.perhaps
                if _is_in(path, undone.removed) or (back and path not in committed) or path in reverted:
                    del counted[path]
    # What else a shell wrote is not listed; what was staged by name was changed.
    # How many there are is not known: a folder may be among them, and others may have been staged otherwise.
    staged = [path for path, _count in _staged(turns, cwd).most_common() if path not in counted]
    found = [*(path for path, _count in counted.most_common()), *staged]
    yield from found[:_MOST_FILES]
    # What a commit holds that no tool wrote, a shell did.
    many = max(len(found), _most_committed(turns))
    left = many - min(len(found), _MOST_FILES)
    if found and left:
        yield "others" if staged else f"{left} more"


def _most_committed(turns: Turns) -> int:
    """Return how many files the largest commit has that was made and not taken back; 0 if none says it."""
    made: list[int] = []
    for turn, _text in turns:
        back = 1 if reverts_last(turn.command) else taken_back(turn.command, len(made)) if turn.ok else 0
        made = made[: len(made) - back] if back else made
        if files := files_committed(turn.result):
            made.append(files)
    return max(made, default=0)


def deleted_files(turns: Turns, cwd: str) -> Iterator[str]:
    """Return the files that were deleted by name, neither written before nor there again afterwards; a few of many."""
    written: set[str] = set()
    deleted: dict[str, None] = {}
    for turn, _text in turns:
        if turn.ok is False or turn.error:
            continue
        now = {plain_path(path, cwd) for path in (written_by(turn.command) if turn.command else turn.paths)}
        written |= now
        undone = _undone(turn.command, cwd) if turn.command else _Undone()
        deleted = {path: None for path in deleted if path not in now and not _is_in(path, undone.restored)}
        removed = undone.removed if turn.ok and "rm" in turn.command and not UNSURE.search(turn.command) else ()
        deleted |= dict.fromkeys(path for path in sorted(removed) if _FILE.search(path) and path not in written)
    yield from (*list(deleted)[:_MOST_DELETED], *(["others"] if len(deleted) > _MOST_DELETED else []))


def _staged(turns: Turns, cwd: str) -> Counter[str]:
    """Return the paths that were staged by name, here, and not brought back."""
    named: Counter[str] = Counter()
    committed: Counter[str] = Counter()
    last: Counter[str] = Counter()
    for turn, _text in turns:
        if turn.ok:
            for path in _named(turn.command, cwd):
                named[path] += 1
            if reverts_last(turn.command):
                committed = committed - last
            elif commits_in(turn.command):
                committed, named, last = committed + named, Counter(), named
            elif "reset" in turn.command and _undone(turn.command, cwd).restored:
                named.clear()
    return committed + named


def _named(line: str, cwd: str) -> Iterator[str]:
    """Return the paths that a line stages by name; none if it may be in another folder."""
    for verb, *words in git_words(line) if " add " in line and not _ELSEWHERE.search(line) else ():
        if verb == "add" and not any(word.startswith("-") for word in words):
            yield from (
                plain_path(word, cwd) for word in words if word not in (_ALL, "") and not set(word) & set("*?:")
            )


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
        return frozenset(plain_path(word, cwd) for word in here if word and not word.startswith("-"))

    return _Undone(named(removed - {_ALL}), named(restored), named(perhaps - {_ALL}))


def _is_in(path: str, names: frozenset[str]) -> bool:
    return any(
        one == _ALL or path == one or path.startswith(f"{one}/") or ("/" in one and path.endswith(f"/{one}"))
        for one in names
    )
