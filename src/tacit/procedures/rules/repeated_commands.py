"""Find the commands of a session that worked, and command sequences that occur in several sessions."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from tacit.model.session import Turn
from tacit.shell.command import Command
from tacit.shell.parse import parse
from tacit.shell.programs.printing import PRINTING, PRINTING_GIT
from tacit.shell.signature import signature_of
from tacit.text.patterns import lazy_pattern

# Commands that only look at something; they are not part of what was done.
TRIVIAL = PRINTING | {"env", "awk", "date", "history", "hostname"}
_LOOKING: dict[str, frozenset[str]] = {
    "git": PRINTING_GIT | {"remote"},
    "docker": frozenset({"ps", "logs", "images", "inspect"}), "kubectl": frozenset({"get", "describe", "logs"}),
    "gh": frozenset({"status", "auth"}), "npm": frozenset({"ls", "view", "outdated"}),
}  # fmt: skip
# `cd DIR && COMMAND` with a literal DIR; where a shell would have to expand something, the line stays whole.
_ENTERED = lazy_pattern(r"cd\s+(?P<where>'[^']*'|\"[^\"$`\\]*\"|(?!-)[^\s;&|<>$`*?'\"\\]+)\s*&&\s*(?P<rest>.+)", re.S)
LONGEST_RUN = 6
SHORTEST_RUN = 2
MOST_RUNS = 10


class WorkedCommand(NamedTuple):
    """A command that worked, where it ran, and its signature."""

    command: str
    cwd: str
    signature: str
    is_certain: bool = True
    """Whether the transcript says that it worked; some transcripts keep no outcomes."""


class RepeatedSequence(NamedTuple):
    """A sequence of commands that worked in several sessions: its latest commands, and the sessions."""

    steps: tuple[WorkedCommand, ...]
    sessions: tuple[str, ...]


class VaryingWord(NamedTuple):
    """A word of a step that differed in other sessions."""

    step: int
    word: str
    others: tuple[str, ...]


def done_in(turns: Iterable[Turn], cwd: str = "") -> list[WorkedCommand]:
    """Return the commands of a session that worked and changed something, in order.

    Of repeated ones the last is kept.
    """
    return [one for one in offered_in(turns, cwd) if one.is_certain]


def offered_in(turns: Iterable[Turn], cwd: str = "") -> list[WorkedCommand]:
    """Return what a person may choose as steps: the commands that worked, and those whose outcome is not known."""
    kept: dict[tuple[str, str], WorkedCommand] = {}
    for turn in turns:
        tool, ok = turn.tool, turn.outcome.ok if turn.outcome else None
        if tool is None or tool.kind != "shell" or tool.background or ok is False:
            continue
        if turn.outcome is not None and turn.outcome.refused:
            continue
        done = _done(tool.command, turn.cwd or cwd)
        if done is not None:
            # A repeated command counts where it was run last; that it worked once is enough.
            before = kept.get((done.command, done.cwd))
            if ok or before is None or not before.is_certain:
                kept.pop((done.command, done.cwd), None)
                kept[done.command, done.cwd] = done._replace(is_certain=ok is True)
    return list(kept.values())


def _done(command: str, cwd: str) -> WorkedCommand | None:
    line = command.strip()
    if entered := _ENTERED.fullmatch(line):
        line, cwd = entered["rest"].strip(), _joined(cwd, entered["where"].strip("'\""))
    script = parse(line)
    commands = [one for one in script.commands if one.name]
    if not commands or script.doubts or all(is_trivial(one) for one in commands):
        return None
    return WorkedCommand(line, cwd, " ; ".join(signature_of(one) for one in commands if not is_trivial(one)))


def is_trivial(command: Command) -> bool:
    """Return whether a command only reads. A command that writes to a file is not trivial."""
    if any(one.operator in (">", ">>", "&>", ">|") for one in command.redirects):
        return False
    name = command.name or ""
    if name in _LOOKING:
        words = [word.text or "" for word in command.args if not (word.text or "-").startswith("-")]
        return bool(words) and words[0] in _LOOKING[name]
    return name in TRIVIAL


def recurring(sessions: Sequence[tuple[str, Sequence[WorkedCommand]]], least: int = 2) -> list[RepeatedSequence]:
    """Find command sequences that worked in several sessions, longest and most frequent first, none inside another."""
    found: dict[tuple[str, ...], dict[str, tuple[WorkedCommand, ...]]] = defaultdict(dict)
    for name, done in sessions:
        for length in range(SHORTEST_RUN, LONGEST_RUN + 1):
            for at in range(len(done) - length + 1):
                run = tuple(done[at : at + length])
                signatures = tuple(one.signature for one in run)
                if len(set(signatures)) > 1:
                    found[signatures][name] = run
    often = {key: where for key, where in found.items() if len(where) >= least}
    chosen: list[tuple[str, ...]] = []
    inside: dict[tuple[str, ...], int] = {}
    for key in sorted(often, key=lambda key: (-len(key), -len(often[key]), key)):
        count = len(often[key])
        if inside.get(key, 0) < count:
            chosen.append(key)
            for part in _parts(key):
                inside[part] = max(count, inside.get(part, 0))
    ranked = sorted(chosen, key=lambda key: (-len(often[key]) * len(key), key))[:MOST_RUNS]
    return [RepeatedSequence(list(often[key].values())[-1], tuple(often[key])) for key in ranked]


def varying(steps: Sequence[WorkedCommand], others: Iterable[Sequence[WorkedCommand]]) -> list[VaryingWord]:
    """Find words that differed in the same commands of other sessions: they may be parameters."""
    seen: dict[str, list[list[str]]] = defaultdict(list)
    for session in others:
        for one in session:
            seen[one.signature].append(_words(one.command))
    found = []
    for number, step in enumerate(steps, 1):
        mine = _words(step.command)
        for place, word in enumerate(mine):
            there = {words[place] for words in seen[step.signature] if len(words) == len(mine)}
            if len(word) > 1 and there - {word}:
                found.append(VaryingWord(number, word, tuple(sorted(there - {word}))))
    return found


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


def _parts(run: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Return the sequences inside a sequence; they are short, so there are few."""
    for length in range(SHORTEST_RUN, len(run) + 1):
        for at in range(len(run) - length + 1):
            yield run[at : at + length]


def _joined(cwd: str, where: str) -> str:
    if where.startswith(("/", "~")) or not cwd:
        return where
    import posixpath

    return posixpath.normpath(posixpath.join(cwd, where))
