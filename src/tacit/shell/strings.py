"""Text that a shell will read again: strings after -c, what eval joins, here-documents and pipes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tacit.shell.model import Command, Doubt, Hole, Word
from tacit.shell.parse import parse
from tacit.shell.printers import is_printer
from tacit.shell.work import MOST_WORK, exhausted


class Inner(NamedTuple):
    """What a command runs in turn, and what could not be made out of it."""

    commands: tuple[Command, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    work: int = 0
    """What it cost to find them."""


def joint(parts: Iterable[Inner]) -> Inner:
    """Put together what several parts run. They are taken one by one, until they have cost too much."""
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
    return Inner(tuple(commands), tuple(doubts), work)


def run_text(command: Command, word: Word) -> Inner:
    """Take a string apart that a shell will run. What is not known of it stays a hole."""
    if not word.pieces or word.pieces == ("",):
        return Inner()
    holes: dict[str, tuple[str | Hole, ...]] = {}
    texts: list[str] = []
    for piece in word.pieces:
        if isinstance(piece, Hole):
            mark = f"tacit_hole_{len(holes)}"
            holes[mark] = (piece,)
            texts.append(f"${{{mark}}}")
        else:
            texts.append(piece)
    script = parse("".join(texts), holes)
    doubts = tuple(doubt._replace(start=word.start, end=word.end) for doubt in script.doubts)
    only = word.pieces[0] if len(word.pieces) == 1 else ""
    if isinstance(only, Hole):
        if is_printer(only.source):
            return Inner(work=script.work)
        doubts = (*doubts, Doubt("what it runs is not known", word.start, word.end))
    commands = tuple(
        c._replace(start=word.start or command.start, end=word.end or command.end) for c in script.commands
    )
    return Inner(commands, doubts, script.work)


def joined(words: tuple[Word, ...]) -> Word:
    """Put words together as a shell would read them again."""
    pieces: list[str | Hole] = []
    for number, word in enumerate(words):
        pieces += [" "] if number else []
        pieces += word.pieces
    return Word(tuple(pieces), words[0].start if words else 0, words[-1].end if words else 0)


def run_words(command: Command, words: tuple[Word, ...]) -> Inner:
    """Run words as they are."""
    return Inner((command._replace(words=words, assigns=()),), work=len(words)) if words else Inner()


def after_dashes(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """Give what stands after `--`; None without it."""
    at = next((number for number, word in enumerate(words) if word.text == "--"), None)
    return None if at is None else words[at + 1 :]


def run_line(command: Command, words: tuple[Word, ...]) -> Inner:
    """Run one word by a shell, several as they are."""
    if len(words) == 1:
        return run_text(command, words[0])
    return run_words(command, words)


def run_stdin(command: Command) -> Inner:
    """Run what is read: a here-document, a string, or a pipe."""
    if command.stdin is not None:
        return run_text(command, command.stdin)
    if command.piped or any(r.operator.startswith("<") and r.target.holes for r in command.redirects):
        return Inner((), (Doubt("it runs what another command prints", command.start, command.end),))
    return Inner()


def filled(word: Word, mark: str, value: Word) -> Word:
    """Put a value where a mark stands."""
    pieces: list[str | Hole] = []
    for piece in word.pieces:
        if isinstance(piece, str) and mark in piece:
            parts = piece.split(mark)
            for number, part in enumerate(parts):
                pieces += list(value.pieces) if number else []
                pieces.append(part)
        else:
            pieces.append(piece)
    return word._replace(pieces=tuple(piece for piece in pieces if piece != ""))
