"""The output of a command, if it can be known without running it: echo, printf, and decoders of their output."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from tacit.shell.command import Command, Piece, ShellWord, UnknownPart, literal
from tacit.shell.expand import ansi_c
from tacit.text.patterns import lazy_pattern

MOST_CHARS = 100_000
MOST_COMMANDS = 40
_DECODING = frozenset({"-d", "--decode", "-D", "-di", "-id"})


def output_of(command: Command) -> ShellWord | None:
    """Return the output of a command, or None if it is unknown. It may have unknown parts."""
    match command.name:
        case "echo":
            return _echoed(command)
        case "printf":
            return _printed(command)
        case "cat" | "tee" if not _operands(command) or command.name == "tee":
            return command.stdin
        case "base64" | "gbase64" | "base32":
            return _decoded(command, command.name)
        case "xxd" if any("r" in (arg.text or "") for arg in command.args if (arg.text or "").startswith("-")):
            return _unhexed(command)
        case "rev":
            return _mapped(command, lambda text: "\n".join(line[::-1] for line in text.split("\n")))
        case "tr":
            return _translated(command)
        case "sudo" | "command" | "builtin" | "env" | "time":
            return output_of(command._replace(words=command.words[1:])) if len(command.words) > 1 else None
    return None


# Commands that print nothing.
_SILENT = frozenset({
    "cd", "[", "[[", "test", "true", "false", ":", "export", "set", "declare", "local", "read", "sleep", "wait", "trap",
    "mkdir", "touch", "shift", "unset", "exit", "return", "break", "continue", "shopt", "exec",
})  # fmt: skip


def together(commands: list[Command]) -> Command | None:
    """Return a command that prints what several print one after the other; None for none."""
    printing = [one for one in commands if one.name not in _SILENT]
    if len(printing) < 2:
        return next(reversed(printing or commands), None)
    pieces: list[Piece] = []
    unknown: Command | None = None
    for at, command in enumerate(printing[: MOST_COMMANDS + 1]):
        printed = output_of(command) if at < MOST_COMMANDS else None
        pieces += printed.pieces if printed is not None else (UnknownPart(),)
        unknown = command if printed is None or printed.holes else unknown
    return Command((literal("cat"),), stdin=ShellWord(tuple(pieces)), feeder=unknown, piped=unknown is not None)


def _operands(command: Command) -> list[ShellWord]:
    return [arg for arg in command.args if not (arg.text or "").startswith("-") or arg.text == "-"]


def _echoed(command: Command) -> ShellWord:
    args = list(command.args)
    escapes = False
    while args and re.fullmatch(r"-[neE]+", args[0].text or ""):
        escapes = "e" in (args[0].text or "")
        args = args[1:]
    pieces: list[Piece] = []
    for number, arg in enumerate(args):
        pieces += [" "] if number else []
        pieces += [ansi_c(p) if escapes and isinstance(p, str) else p for p in arg.pieces]
    return ShellWord((*pieces, "\n"), command.start, command.end)


def _printed(command: Command) -> ShellWord | None:
    args = [arg for arg in command.args if arg.text != "--"]
    if not args or args[0].text is None:
        return ShellWord(tuple(p for a in args for p in a.pieces)) if args else None
    form = ansi_c(args[0].text)
    values = list(args[1:])
    pieces: list[Piece] = []
    # The format is used again until there are no more values.
    while len(pieces) < MOST_PIECES:
        left = len(values)
        pieces += _formatted(form, values)
        if not values or len(values) == left:
            return ShellWord(tuple(pieces), command.start, command.end)
    return None


MOST_PIECES = 1_000
_PLACE = lazy_pattern(r"%(?:[-+ 0#]*\d*(?:\.\d+)?)([bsqdiuxXc%])")


def _formatted(form: str, values: list[ShellWord]) -> Iterator[Piece]:
    """Return a format with the next values, which are taken from the list."""
    at = 0
    for found in _PLACE.finditer(form):
        yield form[at : found.start()]
        at = found.end()
        if found.group(1) == "%":
            yield "%"
        elif values:
            pieces = values.pop(0).pieces
            yield from (ansi_c(p) if found.group(1) == "b" and isinstance(p, str) else p for p in pieces)
    yield form[at:]


def _known(command: Command) -> str | None:
    text = command.stdin.text if command.stdin is not None else None
    return text if text is not None and len(text) <= MOST_CHARS else None


def _decoded(command: Command, name: str | None) -> ShellWord | None:
    text = _known(command)
    if text is None or not any((arg.text or "") in _DECODING for arg in command.args):
        return None
    import base64

    try:
        packed = "".join(text.split())
        packed += "=" * (-len(packed) % (8 if name == "base32" else 4))
        plain = base64.b32decode(packed) if name == "base32" else base64.b64decode(packed)
    except ValueError:
        return None
    return ShellWord((plain.decode(errors="replace"),), command.start, command.end)


def _unhexed(command: Command) -> ShellWord | None:
    text = _known(command)
    try:
        plain = bytes.fromhex("".join(text.split())) if text is not None else None
    except ValueError:
        return None
    return ShellWord((plain.decode(errors="replace"),), command.start, command.end) if plain is not None else None


def _mapped(command: Command, change: object) -> ShellWord | None:
    text = _known(command)
    return ShellWord((change(text),), command.start, command.end) if text is not None and callable(change) else None


def _translated(command: Command) -> ShellWord | None:
    sets = [arg.text for arg in command.args]
    if sets == ["A-Za-z", "N-ZA-Mn-za-m"] or sets == ["a-zA-Z", "n-za-mN-ZA-M"]:
        return _mapped(command, lambda text: codecs.encode(text, "rot13"))
    if len(sets) == 2 and sets[0] == "-d" and sets[1]:
        return _mapped(command, lambda text: "".join(c for c in text if c not in sets[1]))
    return None
