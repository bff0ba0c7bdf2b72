"""Text that a shell will parse again: strings after -c, arguments joined by eval, here-documents and pipes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tacit.shell.command import Command, Doubt, ShellWord, UnknownPart, literal
from tacit.shell.eval_output import is_printer
from tacit.shell.parse import parse
from tacit.shell.powershell.hint import with_powershell
from tacit.shell.work_budget import MOST_WORK, exhausted
from tacit.text.patterns import lazy_pattern


class NestedCommands(NamedTuple):
    """The commands that a command itself runs, and what could not be determined about them."""

    commands: tuple[Command, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    work: int = 0
    """The cost of finding them, in units of work."""


def joint(parts: Iterable[NestedCommands]) -> NestedCommands:
    """Combine the commands of several parts. They are parsed one by one until the work budget is used up."""
    commands: list[Command] = []
    doubts: list[Doubt] = []
    work = 0
    for part in parts:
        commands += part.commands
        doubts += part.doubts
        work += part.work
        if work > MOST_WORK:
            doubts.append(exhausted(0, 0))
            break
    return NestedCommands(tuple(commands), tuple(doubts), work)


def run_text(command: Command, word: ShellWord) -> NestedCommands:
    """Parse a string that a shell will run. Its unknown parts stay unknown."""
    if not word.pieces or word.pieces == ("",):
        return NestedCommands()
    holes: dict[str, tuple[str | UnknownPart, ...]] = {}
    texts: list[str] = []
    for piece in word.pieces:
        if isinstance(piece, UnknownPart):
            mark = f"tacit_hole_{len(holes)}"
            holes[mark] = (piece,)
            texts.append(f"${{{mark}}}")
        else:
            texts.append(piece)
    text = "".join(texts)
    script = with_powershell(text, parse(text, {**command.variables, **holes}, _fed(command)))
    doubts = tuple(doubt._replace(start=word.start, end=word.end) for doubt in script.doubts)
    only = word.pieces[0] if len(word.pieces) == 1 else ""
    if isinstance(only, UnknownPart):
        if is_printer(only.source):
            return NestedCommands(work=script.work)
        doubts = (*doubts, Doubt("what it runs is unknown", word.start, word.end))
    commands = tuple(
        c._replace(start=word.start or command.start, end=word.end or command.end) for c in script.commands
    )
    return NestedCommands(commands, doubts, script.work)


def _fed(command: Command) -> Command | None:
    """Return what prints the input of a command, for the commands that it runs to read; None without an input."""
    if command.stdin is None and not command.piped:
        return None
    return Command((literal("cat"),), stdin=command.stdin, piped=command.piped, feeder=command.feeder)


def joined(words: tuple[ShellWord, ...]) -> ShellWord:
    """Join words the way a shell joins them to parse them again."""
    pieces: list[str | UnknownPart] = []
    for number, word in enumerate(words):
        pieces += [" "] if number else []
        pieces += word.pieces
    return ShellWord(tuple(pieces), words[0].start if words else 0, words[-1].end if words else 0)


def run_words(command: Command, words: tuple[ShellWord, ...]) -> NestedCommands:
    """Run words directly."""
    return NestedCommands((command._replace(words=words, assigns=()),), work=len(words)) if words else NestedCommands()


def after_dashes(words: tuple[ShellWord, ...]) -> tuple[ShellWord, ...] | None:
    """Return the words after `--`, or None without it."""
    at = next((number for number, word in enumerate(words) if word.text == "--"), None)
    return None if at is None else words[at + 1 :]


def run_line(command: Command, words: tuple[ShellWord, ...]) -> NestedCommands:
    """Run a single word through a shell, or several words directly."""
    if len(words) == 1:
        return run_text(command, words[0])
    return run_words(command, words)


INPUT_FILES = frozenset({"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
"""Names under which a program can open its own input."""


def with_content(command: Command) -> NestedCommands:
    """Return a command that reads a process substitution whose content is known, as if it read its input."""
    at = next((at for at, word in enumerate(command.words) if at and _content(word) is not None), 0)
    taken = next((_content(one.target) for one in command.redirects if one.operator.startswith("<")), None)
    content = _content(command.words[at]) if at else taken
    if content is None:
        return NestedCommands()
    words = tuple(ShellWord(("/dev/stdin",)) if number == at else word for number, word in enumerate(command.words))
    redirects = tuple(one for one in command.redirects if not one.operator.startswith("<"))
    made = command._replace(words=words if at else command.words, stdin=ShellWord((content,)), redirects=redirects)
    return NestedCommands((made,), work=len(words))


_BEFORE_GAP, _AFTER_GAP = lazy_pattern(r"[\w./-]*[\w.-]"), lazy_pattern(r"\w[\w./-]*")


def closed_up(command: Command) -> NestedCommands:
    """Return a command as it is if variables in the middle of its words are empty: `r${x}m`."""
    if all(len(word.pieces) < 2 for word in command.words):
        return NestedCommands()
    words = tuple(map(_closed_up, command.words))
    # What is before the name of a program may be empty too: `${CROSS}gcc`.
    if words and len(words[0].pieces) == 2 and isinstance(words[0].pieces[1], str) and "/" not in words[0].shown:
        words = (words[0]._replace(pieces=words[0].pieces[1:]), *words[1:])
    return (
        NestedCommands((command._replace(words=words),), work=len(words))
        if words != command.words
        else NestedCommands()
    )


def _closed_up(word: ShellWord) -> ShellWord:
    first, *_holes, last = word.pieces if len(word.pieces) > 2 else ("", "")
    ends = (
        isinstance(first, str) and isinstance(last, str) and _BEFORE_GAP.fullmatch(first) and _AFTER_GAP.fullmatch(last)
    )
    return word._replace(pieces=("".join(one for one in word.pieces if isinstance(one, str)),)) if ends else word


def _content(word: ShellWord) -> str | None:
    only = word.pieces[0] if len(word.pieces) == 1 else ""
    return only.content if isinstance(only, UnknownPart) else None


def run_stdin(command: Command) -> NestedCommands:
    """Return the commands read from input: a here-document, a string, or a pipe."""
    if command.stdin is not None:
        return run_text(command._replace(stdin=None, piped=False, feeder=None), command.stdin)
    copied = any(r.operator == "<&" and r.target.text not in ("0", "-") for r in command.redirects)
    if command.piped or copied or any(r.operator.startswith("<") and r.target.holes for r in command.redirects):
        return NestedCommands((), (Doubt("it runs what another command prints", command.start, command.end),))
    return NestedCommands()


def filled(word: ShellWord, mark: str, value: ShellWord) -> ShellWord:
    """Replace a mark by a value."""
    pieces: list[str | UnknownPart] = []
    for piece in word.pieces:
        if isinstance(piece, str) and mark in piece:
            parts = piece.split(mark)
            for number, part in enumerate(parts):
                pieces += list(value.pieces) if number else []
                pieces.append(part)
        else:
            pieces.append(piece)
    return word._replace(pieces=tuple(piece for piece in pieces if piece != ""))
