"""The commands of a line, each with the folder it runs in, and whether it certainly ran if the line worked."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from typing import NamedTuple

from tacit.sessions.rules.commands.line_commands import LINE_READ, line_commands
from tacit.shell.command import Command
from tacit.text.patterns import lazy_pattern

# Looked for outside of commands, their words and documents: a command behind one of these may not have been run.
_PERHAPS = lazy_pattern(r"\|\||(?<![\w$./-])(?:if|for|while|until|case|select|function)(?![\w.-])|\(\)\s*\{")
_PERHAPS_PARTS = ("||", "if", "for", "while", "until", "case", "select", "function", "()")
_COMMENT = lazy_pattern(r"(?m)(?:^|(?<=\s))#[^\n]*")
_BRACKET = lazy_pattern(r"[()]")
# They fail for no reason that anybody expects: what stands behind them and `&&` was run.
_ENTERING = frozenset({"cd", "pushd", "export", "set", "source", ".", "mkdir"})
_SEVERAL = lazy_pattern(r"[;\n]\s*\S")
# Between two commands these let the second decide how the line ended; a pipe, if the second may fail by itself.
_ENDS_OTHERWISE = lazy_pattern(r"[;\n]|(?<![&>])&(?![&>\d])")
_PASSING_ON = frozenset({"tail", "head", "cat", "tee"})
_A_COMMAND = "\0"
"""Stands for a command in the text between commands."""
_UNKNOWN = "?"
"""The folder of which nothing is known."""


class PlacedCommand(NamedTuple):
    """A command, where it runs, and whether it certainly ran."""

    command: Command
    folder: str
    """Empty where the line begins; behind that, a path from there or from the root."""
    is_known: bool
    """Whether the folder is certainly this one."""
    is_run: bool
    """Whether it was certainly run if the line worked."""
    is_own: bool = False
    """Whether it certainly worked if the line did."""


def placed_commands(line: str) -> list[PlacedCommand]:
    """Return the commands of a line, in order, without what is written twice."""
    commands = _with_own_redirects(line_commands(line))
    before = _before_each(line, commands)
    is_run = not _is_perhaps(before, commands)
    own_from = _own_from(before, commands)
    # In brackets a shell has a folder of its own.
    folders = [""]
    found: list[PlacedCommand] = []
    for place, (command, between) in enumerate(zip(commands, before, strict=False)):
        for mark in _BRACKET.findall(between or ""):
            folders = [*folders, folders[-1]] if mark == "(" else folders[:-1] or [_UNKNOWN]
        folder = folders[-1]
        is_known = between is not None and (folder == "" or folder.startswith("/"))
        runs = is_run and between is not None
        found.append(PlacedCommand(command, folder, is_known, runs, runs and place >= own_from))
        if command.name in ("cd", "pushd", "popd") and between is not None:
            folders[-1] = _entered(folder, command)
    return found


def joined(folder: str, path: str) -> str:
    """Return a path as it is called where its line begins, or from the root."""
    return posixpath.normpath(posixpath.join(folder, path)) if path else ""


def _entered(folder: str, command: Command) -> str:
    words = [word.text for word in command.args if not word.head.startswith("--")]
    target = words[0] if len(words) == 1 else None
    # Where an unknown folder leads nobody can look.
    known = target and command.name != "popd" and not target.startswith(("-", "~"))
    return posixpath.normpath(posixpath.join(folder, target)) if known and target else _UNKNOWN


def _with_own_redirects(commands: tuple[Command, ...]) -> list[Command]:
    """Return commands in order, without redirections of a later one: before a document all of a list have them."""
    commands = tuple(sorted(commands, key=lambda one: (one.start, -one.end)))
    owner = {one.target.start: place for place, command in enumerate(commands) for one in command.redirects}
    return [
        command._replace(redirects=tuple(one for one in command.redirects if owner[one.target.start] == place))
        if command.redirects else command
        for place, command in enumerate(commands)
    ]  # fmt: skip


def _before_each(line: str, commands: list[Command]) -> list[str | None]:
    """Return what stands before each command and behind the last: operators and words of the shell.

    None stands before a command inside another one.
    """
    # A document that is cut has no end.
    whole = line if len(line) <= LINE_READ else line[:LINE_READ].partition("<<")[0]
    source = whole.encode(errors="replace")
    documents = sorted({(one.stdin.start, one.stdin.end) for one in commands if one.stdin is not None})
    found: list[str | None] = []
    place = 0
    for at in (*commands, None):
        begin = len(source) if at is None else at.start
        parts: list[bytes] = []
        for start, end in documents:
            if place <= start and end <= begin:
                parts.append(source[place:start])
                place = end
        found.append(_text(b" ".join((*parts, source[place:begin]))) if begin >= place else None)
        place = place if at is None else max(place, at.end)
    return found


def _text(source: bytes) -> str:
    text = source.decode(errors="replace")
    return _COMMENT.sub(" ", text) if "#" in text else text


def _own_from(before: Sequence[str | None], commands: Sequence[Command]) -> int:
    """Return the place from which on commands end as their line does."""
    for place in range(len(commands) - 1, 0, -1):
        between = before[place]
        if between is None:
            continue
        is_piped = "|" in between.replace("||", "") and commands[place].name not in _PASSING_ON
        if is_piped or _ENDS_OTHERWISE.search(between):
            return place
    return 0


def _is_perhaps(before: Sequence[str | None], commands: Sequence[Command]) -> bool:
    """Return whether some of the commands may not have been run though the line worked."""
    between = _A_COMMAND.join(one or "" for one in before)
    if any(map(between.__contains__, _PERHAPS_PARTS)) and _PERHAPS.search(between):
        return True
    if "&&" not in between or not _SEVERAL.search(between):
        return False
    # What stands behind `&&` was not run if something before it failed, and the line went on all the same.
    return "[ " in between or any(
        "&&" in (after or "") and command.name not in _ENTERING
        for command, after in zip(commands, before[1:], strict=False)
    )
