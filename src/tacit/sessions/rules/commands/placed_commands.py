"""The commands of a line, each with the folder it runs in, and whether it certainly ran if the line worked."""

from __future__ import annotations

import posixpath
from typing import NamedTuple

from tacit.sessions.rules.commands.line_commands import LINE_READ, line_commands
from tacit.shell.command import Command
from tacit.text.patterns import lazy_pattern

# Looked for outside of commands, their words and documents: a command behind one of these may not have been run.
_PERHAPS = lazy_pattern(r"\|\||(?<![\w$./-])(?:if|for|while|until|case|select|function)(?![\w.-])|\(\)\s*\{")
_PERHAPS_PARTS = ("||", "if", "for", "while", "until", "case", "select", "function", "()")
_COMMENT = lazy_pattern(r"(?m)(?:^|(?<=\s))#[^\n]*")
_BRACKET = lazy_pattern(r"[()]")
_TESTS = frozenset({"[", "test", "command", "which"})
_SEVERAL = lazy_pattern(r"[;\n]\s*\S")
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


def placed_commands(line: str) -> list[PlacedCommand]:
    """Return the commands of a line, in order, without what is written twice."""
    commands = _with_own_redirects(line_commands(line))
    before = _before_each(line, commands)
    is_run = not _is_perhaps(_A_COMMAND.join(one or "" for one in before), commands)
    # In brackets a shell has a folder of its own.
    folders = [""]
    found: list[PlacedCommand] = []
    for command, between in zip(commands, before, strict=False):
        for mark in _BRACKET.findall(between or ""):
            folders = [*folders, folders[-1]] if mark == "(" else folders[:-1] or [_UNKNOWN]
        folder = folders[-1]
        is_known = between is not None and (folder == "" or folder.startswith("/"))
        found.append(PlacedCommand(command, folder, is_known, is_run and between is not None))
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


def _is_perhaps(between: str, commands: list[Command]) -> bool:
    """Return whether some of the commands may not have been run though the line worked."""
    if any(map(between.__contains__, _PERHAPS_PARTS)) and _PERHAPS.search(between):
        return True
    tests = "[ " in between or any(
        one.name in _TESTS or (one.name in ("grep", "rg") and any((word.text or "")[:2] == "-q" for word in one.args))
        for one in commands
    )
    return tests and "&&" in between and bool(_SEVERAL.search(between))
