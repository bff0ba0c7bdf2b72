"""Plain commands, told without a parser: words and nothing that means something to a shell. Imports next to nothing."""

from __future__ import annotations

import re

MOST_CHARS = 2_000
PLAIN = re.compile(r"[A-Za-z][\w.+-]*(?: +[\w./:=@%+,-]+)*", re.ASCII)
_CLASSES = (
    ("<url>", re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://\S+")),
    ("<hash>", re.compile(r"(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}")),
    ("<uuid>", re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")),
    ("<number>", re.compile(r"[+-]?\d+(?:\.\d+)?[a-zA-Z%]?")),
    ("<path>", re.compile(r"(?:[~.]{1,2})?/\S*|[\w.@+-]+(?:/[\w.@+-]*)+|\.{1,2}|[\w@+-]+\.[A-Za-z][A-Za-z0-9]{0,5}")),
)
_NUMBERED = re.compile(r"-\d+")
_SETTING = re.compile(r"[A-Za-z_]\w*=")


def plain_words(command: str) -> list[str]:
    """Give the words of a line that is plainly one command; none when it is anything else."""
    if len(command) > MOST_CHARS or not PLAIN.fullmatch(command):
        return []
    return command.split()


def shape(text: str) -> str:
    """Give a word as a signature has it: flags and bare words as they are, values by their class."""
    if (text.startswith("-") and not _NUMBERED.fullmatch(text)) or _SETTING.match(text):
        name, equals, value = text.partition("=")
        return f"{name}={shape(value)}" if equals else name
    return next((name for name, pattern in _CLASSES if pattern.fullmatch(text)), text)


def plain_signature(words: list[str]) -> str:
    """Give the signature of a plain command."""
    return " ".join([words[0].rsplit("/", 1)[-1], *map(shape, words[1:])])
