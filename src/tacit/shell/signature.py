"""A command's signature: what it is, without the values that change from one run to the next.

Only paths, numbers, hashes, URLs and quoted text become classes. Bare words stay: `npm run build` is not
`npm run biuld`.
"""

from __future__ import annotations

import re

from tacit.shell.model import Command, Word

_CLASSES = (
    ("<url>", re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://\S+")),
    ("<hash>", re.compile(r"(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}")),
    ("<uuid>", re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")),
    ("<number>", re.compile(r"[+-]?\d+(?:\.\d+)?[a-zA-Z%]?")),
    ("<path>", re.compile(r"(?:[~.]{1,2})?/\S*|[\w.@+-]+(?:/[\w.@+-]*)+|\.{1,2}|[\w@+-]+\.[A-Za-z][A-Za-z0-9]{0,5}")),
)


def signature_of(command: Command) -> str:
    """Give the signature of a command: program, then flags and words in order, values by their class."""
    name = command.name
    parts = [name if name is not None else "<unknown>"]
    parts += (_shape(word) for word in command.args)
    return " ".join(parts)


def _shape(word: Word) -> str:
    text = word.text
    if text is None:
        return "<value>"
    if text.startswith("-") and not re.fullmatch(r"-\d+", text):
        flag, equals, value = text.partition("=")
        return f"{flag}={_shape(Word((value,)))}" if equals else flag
    if word.quoted and re.search(r"\s", text):
        return "<text>"
    for name, pattern in _CLASSES:
        if pattern.fullmatch(text):
            return name
    return text
