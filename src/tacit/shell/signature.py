"""A command's signature: the command without the values that change from one run to the next.

Only paths, numbers, hashes, URLs and quoted text are replaced by their class. Bare words stay: `npm run build` differs
from `npm run biuld`.
"""

from __future__ import annotations

import re

from tacit.shell.command import Command, ShellWord
from tacit.shell.plain_command import shape


def signature_of(command: Command) -> str:
    """Return the signature of a command: program, then flags and words in order, values by their class."""
    name = command.name
    parts = [name if name is not None else "<unknown>"]
    parts += (_shape(word) for word in command.args)
    return " ".join(parts)


def _shape(word: ShellWord) -> str:
    text = word.text
    if text is None:
        return "<value>"
    if word.quoted and not text.startswith("-") and re.search(r"\s", text):
        return "<text>"
    return shape(text)
