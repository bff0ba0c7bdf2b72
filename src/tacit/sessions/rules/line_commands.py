"""The commands of a line, as recaps read them."""

from __future__ import annotations

import math

from tacit.shell.command import Command
from tacit.shell.parse import parse

LINE_READ = 2_000
"""How much of a line is read."""


def line_commands(line: str) -> tuple[Command, ...]:
    """Return the commands of a line; of a very long one those at its beginning that are whole."""
    begun = line[:LINE_READ]
    end = len(begun.encode()) if len(line) > LINE_READ else math.inf
    return tuple(one for one in parse(begun).commands if one.end < end)
