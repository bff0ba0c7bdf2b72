"""The commands of a line, as recaps read them."""

from __future__ import annotations

import math

from tacit.failures.rules.worked_next import spaced
from tacit.sessions.rules.own_words import with_short_names
from tacit.shell.command import Command
from tacit.shell.parse import parse
from tacit.shell.programs.printing import ENTERED
from tacit.text.patterns import lazy_pattern

LINE_READ = 2_000
"""How much of a line is read."""
_COMMAND_CHARS = 80
_WRAPPED = lazy_pattern(r"\A(?:timeout (?:-\S+ )*\d+[smh]? |nice (?:-n \d+ )?|time )+(?=\S)")
_SET_BEFORE = lazy_pattern(r"\A(?:env )?(?:[A-Za-z_]\w*=[^\s\"'$`]* )+(?=[\w./~-])")


def line_commands(line: str) -> tuple[Command, ...]:
    """Return the commands of a line; of a very long one those at its beginning that are whole."""
    begun = line[:LINE_READ]
    end = len(begun.encode()) if len(line) > LINE_READ else math.inf
    return tuple(one for one in parse(begun).commands if one.end < end)


def split_line(line: str, command: Command) -> tuple[str, str, str]:
    """Return what is before a command of a line, the command, and what is after it."""
    source = line.encode()
    parts = source[: command.start], source[command.start : command.end], source[command.end :]
    before, text, after = (part.decode(errors="replace") for part in parts)
    return before, text, after


def is_at(command: Command, text: str) -> bool:
    """Return whether a command begins in a text that was cut out of its line."""
    first = command.words[0].text if command.words else ""
    return bool(first) and first in text.split()


def shortened_command(command: str) -> str:
    """Return a command on one line, without the folder it was run in and how long it might take."""
    shown = _WRAPPED.sub("", ENTERED.sub("", spaced(command), count=1)).removesuffix(" 2>&1")
    if len(shown) > _COMMAND_CHARS:
        # Variables that are set for it, and the beginnings of long paths, say less than the rest.
        shown = with_short_names(_SET_BEFORE.sub("", shown, count=1))
    return shown if len(shown) <= _COMMAND_CHARS else f"{shown[: _COMMAND_CHARS - 1]}…"
