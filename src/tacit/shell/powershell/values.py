"""Values of PowerShell as far as they are known before a line runs, and the arguments of a command."""

from __future__ import annotations

from typing import NamedTuple

from tacit.shell.command import Piece, ShellWord, UnknownPart, literal

Values = tuple[ShellWord, ...]
"""What an expression gives: one value, or those of a list."""

_NAMED = {
    "home": "HOME", "env:userprofile": "HOME", "env:home": "HOME", "env:homepath": "HOME", "pwd": "PWD",
    "env:temp": "TMPDIR", "env:tmp": "TMPDIR", "env:tmpdir": "TMPDIR",
}  # fmt: skip
_TEXTS = {
    "true": "$true", "false": "$false", "null": "", "psscriptroot": ".", "profile": "~/.config/powershell/profile.ps1",
    "env:windir": "C:/Windows", "env:systemroot": "C:/Windows", "env:systemdrive": "C:",
    "env:programfiles": "C:/Program Files", "env:programdata": "C:/ProgramData", "env:public": "C:/Users/Public",
    "env:allusersprofile": "C:/ProgramData", "env:homedrive": "C:",
    "env:appdata": "~/AppData/Roaming", "env:localappdata": "~/AppData/Local",
}  # fmt: skip
AUTOMATIC = frozenset({
    "psversiontable", "lastexitcode", "?", "error", "matches", "host", "executioncontext", "psculture",
    "islinux", "ismacos", "iswindows", "pid", "args", "input", "this", "myinvocation", "psboundparameters", "foreach",
    "pscommandpath", "ofs", "psedition", "shellid", "stacktrace", "profile", "home", "pwd", "true", "false", "null",
    "psscriptroot", "pshome", "nestedpromptlevel",
})  # fmt: skip
"""Variables that PowerShell itself sets."""
OWN = frozenset({"psversiontable", "lastexitcode", "psscriptroot", "pscommandpath", "psboundparameters"})
"""Those whose name no other shell has."""


BLOCK: Values = (ShellWord((UnknownPart("tacit_block"),)),)
"""A script block. What is in it was read where it was written."""


class Arg(NamedTuple):
    """One argument of a command: a parameter, a value, or both (`-Path:x`)."""

    name: str
    """The parameter in lower case, without its dash; empty for a value."""
    values: Values = ()
    block: str = ""
    """The text of a script block."""
    splat: bool = False
    """Whether it is a table of parameters: `@options`."""
    raw: str = ""
    """The parameter as it is written, for programs that are no cmdlets."""


def known_variable(name: str) -> Values:
    """Return the value of a variable that no line sets."""
    low = name.lower()
    for scope in ("global:", "script:", "local:", "private:", "using:", "variable:"):
        low = low.removeprefix(scope)
    if low in _TEXTS:
        return (literal(_TEXTS[low]),)
    return (ShellWord((UnknownPart(_NAMED.get(low) or name.rpartition(":")[2]),)),)


def unknown(source: str = "") -> Values:
    """Return a value that is only known later, with the text that gives it."""
    return (ShellWord((UnknownPart(source=source.replace("\\", "/")),)),)


def added(one: Values, two: Values) -> Values:
    """Return `a + b`: texts are joined."""
    if len(one) != 1 or len(two) != 1:
        return (*one, *two)
    return (merged([*one[0].pieces, *two[0].pieces]),)


def merged(pieces: list[Piece]) -> ShellWord:
    """Return a word of pieces, in which neighbouring texts are one."""
    out: list[Piece] = []
    texts: list[str] = []
    for piece in pieces:
        if isinstance(piece, str):
            texts.append(piece)
            continue
        if texts:
            out.append("".join(texts))
            texts = []
        out.append(piece)
    if texts or not out:
        out.append("".join(texts))
    return ShellWord(tuple(out))


def spelled(word: ShellWord) -> str:
    """Return a word as PowerShell would write it, with variables for its unknown parts."""
    return "".join(piece if isinstance(piece, str) else f"${piece.name or 'tacit'}" for piece in word.pieces)


def joined(words: Values) -> ShellWord:
    """Return words with blanks between them."""
    return merged([piece for number, word in enumerate(words) for piece in ((" ",) if number else ()) + word.pieces])
