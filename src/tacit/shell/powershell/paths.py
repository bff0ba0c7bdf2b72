"""Paths of Windows as the paths of the same importance elsewhere, so that one judgement covers both."""

from __future__ import annotations

from tacit.shell.command import Piece, ShellWord
from tacit.text.patterns import lazy_pattern

_PROVIDER = lazy_pattern(r"(?:Microsoft\.PowerShell\.Core[\\/])?FileSystem::", 2)
_REGISTRY = lazy_pattern(
    r"^(?:Microsoft\.PowerShell\.Core[\\/])?(?:Registry::[\\/]?)?(?:HK(?:LM|CU|CR|U|CC)|HKEY_\w+)(?::|[\\/])"
    r"|^Registry::", 2,
)  # fmt: skip
_DRIVE = lazy_pattern(r"([A-Za-z]):/*")
_HOME = lazy_pattern(r"(?:Users|Documents and Settings)/[^/*]+", 2)
_TEMPORARY = lazy_pattern(r"(?:Windows/Temp|Temp|tmp|Users/[^/]+/AppData/Local/Temp)(?=/|$)", 2)
_SYSTEM = lazy_pattern(
    r"(?:Windows|WinNT|Program Files(?: \(x86\))?|ProgramData|Recovery|Boot|PerfLogs|System Volume Information)"
    r"(?=/|$|\*)", 2,
)  # fmt: skip
_OTHER = lazy_pattern(r"(?:env|variable|function|alias|cert|wsman):", 2)


def registry_path(word: ShellWord) -> bool:
    """Return whether a word names a key of the registry."""
    return bool(_REGISTRY.match(word.shown))


def drive_of(word: ShellWord) -> str:
    """Return the drive of a path that is no file: `env`, `function`, `cert` …; empty for a file."""
    found = _OTHER.match(word.head)
    return found[0].rstrip(":").lower() if found else ""


def posix_path(word: ShellWord) -> ShellWord:
    """Return a path with slashes, without a drive."""
    pieces: list[Piece] = [piece.replace("\\", "/") if isinstance(piece, str) else piece for piece in word.pieces]
    if pieces and isinstance(pieces[0], str):
        pieces[0] = _mapped(_PROVIDER.sub("", pieces[0], count=1))
    return word._replace(pieces=tuple(pieces))


def _mapped(text: str) -> str:
    found = _DRIVE.match(text)
    if not found:
        return text
    rest = text[found.end() :]
    if temporary := _TEMPORARY.match(rest):
        return f"/tmp{rest[temporary.end() :]}"  # noqa: S108
    if home := _HOME.match(rest):
        return f"~{rest[home.end() :]}"
    if system := _SYSTEM.match(rest):
        name = rest[system.end() :]
        return "/etc/hosts" if name.lower().endswith("/drivers/etc/hosts") else f"/etc{name}"
    if rest.lower() in ("users", "users/", "users/*", "documents and settings"):
        return f"/home{'/*' if rest.endswith('*') else ''}"
    return f"/{rest}"
