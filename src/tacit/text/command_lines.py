"""Commands on one line, for lists: where a line of the command ends is visible."""

from __future__ import annotations

NEXT_LINE = " ⏎ "


def on_one_line(command: str) -> str:
    """Return a command on one line. A line that goes on with a backslash is one with the next."""
    lines = (" ".join(line.split()) for line in command.replace("\\\n", " ").splitlines())
    return NEXT_LINE.join(line for line in lines if line)
