"""Read a line as PowerShell, and tell whether it is PowerShell at all.

A line may be of either shell: then both readings count. Only if nothing in it is foreign to PowerShell, what another
shell could not read of it is no doubt.
"""

from __future__ import annotations

import base64
import binascii
from functools import lru_cache
from typing import NamedTuple

from tacit.shell.command import Command, Doubt, Script, ShellWord
from tacit.shell.parse import MOST_BYTES, parse
from tacit.shell.powershell.cmdlets import cmdlet_in_shell
from tacit.shell.powershell.hint import may_be_powershell
from tacit.shell.powershell.names import is_sign
from tacit.shell.powershell.parser import Parser
from tacit.shell.powershell.values import spelled
from tacit.shell.work_budget import exhausted

_OURS = frozenset({"size", "budget", "depth"})
_RESERVED = frozenset({"if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac",
                       "function", "select", "{", "}"})  # fmt: skip


class PowerShellReading(NamedTuple):
    """A line as PowerShell reads it."""

    script: Script
    is_powershell: bool
    """Whether something in it is PowerShell and nothing else."""
    is_whole: bool
    """Whether nothing in it is foreign to PowerShell."""


@lru_cache(16)
def read_powershell(text: str) -> PowerShellReading:
    """Read a text as PowerShell."""
    if len(text) > MOST_BYTES:
        return PowerShellReading(
            Script((), (Doubt(f"it is over {MOST_BYTES:,} characters", 0, len(text), "size"),)), True, False
        )
    parser = Parser(text)
    parser.statements()
    doubts = [*parser.doubts, *([exhausted(0, len(text))] if parser.is_spent else [])]
    script = Script(tuple(parser.commands), tuple(doubts), parser.work)
    return PowerShellReading(script, parser.signs > 0, not parser.errors and not parser.is_spent)


def is_powershell(text: str) -> bool:
    """Return whether a line is PowerShell."""
    if len(text) > MOST_BYTES or not may_be_powershell(text):
        return False
    return _is_meant(read_powershell(text), parse(text))


def _is_meant(reading: PowerShellReading, plain: Script) -> bool:
    """Return whether a line is PowerShell: by anything of it if all of it is, else by a cmdlet that would be run."""
    whole = reading.is_powershell and reading.is_whole
    return whole or any(is_sign(command.name or "") for command in plain.commands)


def read_line(text: str) -> Script:
    """Read a line as a POSIX shell does, and also as PowerShell does if it may be PowerShell."""
    plain = parse(text)
    if not is_powershell(text):
        return plain
    reading = read_powershell(text)
    if not reading.is_whole:
        return added_to(plain, text)
    more = reading.script
    known = tuple(command for command in plain.commands if not _is_misread(command))
    doubts = (*(doubt for doubt in plain.doubts if doubt.kind in _OURS), *more.doubts)
    return Script((*known, *more.commands), doubts, plain.work + more.work)


def added_to(plain: Script, text: str) -> Script:
    """Return what a text runs in another shell, with all its doubts, and what it would run in PowerShell."""
    if not is_powershell(text):
        return plain
    more = read_powershell(text).script
    named = [one for command in plain.commands if is_sign(command.name or "") for one in cmdlet_in_shell(command)]
    doubts = (*plain.doubts, *(doubt for doubt in more.doubts if doubt.kind in _OURS))
    return Script((*plain.commands, *named, *more.commands), doubts, plain.work + more.work)


def _is_misread(command: Command) -> bool:
    """Return whether a shell takes a value of PowerShell for a program."""
    if not command.words:
        return False
    first = command.words[0]
    text = first.text
    return text is None or text in _RESERVED or (not first.quoted and text[:1] in "@[({$%?!")


def powershell_text(word: ShellWord) -> Script:
    """Read a text that PowerShell itself is given."""
    text = word.text
    if text is None:
        text = spelled(word)
    reading = read_powershell(text)
    doubts = reading.script.doubts
    if not reading.is_whole:
        doubts = (*doubts, Doubt("it is not well formed", word.start, word.end))
    return reading.script._replace(doubts=doubts)


def decoded(text: str) -> str | None:
    """Return the text of `-EncodedCommand`; None if it is none."""
    try:
        return base64.b64decode(text.strip("'\""), validate=True).decode("utf-16-le")
    except (binascii.Error, ValueError, UnicodeDecodeError):
        return None
