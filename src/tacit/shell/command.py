"""Commands as values: words that may have unknown parts, redirections, and the source of their input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple


class UnknownPart(NamedTuple):
    """A part of a word that is unknown before it runs: a variable by its name, or a command's output (no name)."""

    name: str = ""
    default: tuple[str | UnknownPart, ...] = ()
    """The value if the variable is not set."""
    source: str = ""
    """The command whose output it is."""
    content: str | None = None
    """What a process substitution lets a program read, if that is known."""
    choices: tuple[tuple[str | UnknownPart, ...], ...] = ()
    """The values one of which a variable has, if they are known: after `if`, for example."""


Piece = str | UnknownPart


class ShellWord(NamedTuple):
    """One argument: literal text with unknown parts, and the span of the source it came from."""

    pieces: tuple[Piece, ...]
    start: int = 0
    end: int = 0
    quoted: bool = False

    @property
    def text(self) -> str | None:
        """The whole text, or None if a part of it is unknown."""
        if len(self.pieces) == 1 and isinstance(self.pieces[0], str):
            return self.pieces[0]
        return "".join(p for p in self.pieces if isinstance(p, str)) if not self.holes else None

    @property
    def holes(self) -> tuple[UnknownPart, ...]:
        """The unknown parts."""
        return tuple(piece for piece in self.pieces if isinstance(piece, UnknownPart))

    @property
    def shown(self) -> str:
        """The word for display and matching: an unknown part is shown as its variable, or an ellipsis."""
        return "".join(p if isinstance(p, str) else f"${p.name}" if p.name else "\u2026" for p in self.pieces)

    @property
    def file_name(self) -> str | None:
        """The last part of a path whose folder may be unknown; None if the value may be another word altogether."""
        last = self.pieces[-1] if self.pieces else None
        folders = self.quoted or all(hole.name in _FOLDERS for hole in self.holes)
        return last.rsplit("/", 1)[-1] or None if isinstance(last, str) and "/" in last and folders else None

    @property
    def head(self) -> str:
        """The text before the first unknown part."""
        return self.pieces[0] if self.pieces and isinstance(self.pieces[0], str) else ""


# Variables that hold a folder, and nothing a shell would split into words.
_FOLDERS = frozenset({"HOME", "PWD", "OLDPWD", "TMPDIR", "VIRTUAL_ENV", "GOPATH", "GOBIN", "CARGO_HOME", "JAVA_HOME"})


def literal(text: str, start: int = 0, end: int = 0) -> ShellWord:
    """Make a word without unknown parts."""
    return ShellWord((text,), start, end)


UNKNOWN = ShellWord((UnknownPart(),))


MOST_VALUES = 8


def telling(values: Sequence[ShellWord]) -> list[ShellWord]:
    """Return the values with which a command is judged that runs for each of many.

    If there are too many, those that may change what it does stand for all, besides an unknown one.
    """
    if len(values) <= MOST_VALUES:
        return list(values)
    changing = [word for word in values if word.shown[:1] in _CHANGING or " " in word.shown]
    return [UNKNOWN, *changing[:MOST_VALUES]]


# How options, folders, refs and variables begin.
_CHANGING = frozenset("-~/$+:.")


class Redirect(NamedTuple):
    """A redirection: `>`, `>>`, `>|`, `<`, `&>` …, and the file."""

    operator: str
    target: ShellWord


class Command(NamedTuple):
    """A simple command as it would run."""

    words: tuple[ShellWord, ...]
    start: int = 0
    end: int = 0
    redirects: tuple[Redirect, ...] = ()
    assigns: tuple[tuple[str, ShellWord], ...] = ()
    stdin: ShellWord | None = None
    """The input it reads, if at least partly known: a here-document, a string, or the output of a pipe."""
    piped: bool = False
    """Whether it reads from a command whose output is unknown."""
    feeder: Command | None = None
    """The command whose output it reads."""
    variables: Mapping[str, tuple[Piece, ...]] = {}
    """The known variables, for a command that runs a text in the same shell: `eval`, `trap`."""

    @property
    def name(self) -> str | None:
        """The program, without its folder and without the `=` by which zsh looks it up; None when it is not known."""
        if not self.words:
            return None
        text = self.words[0].text
        if text is None:
            return self.words[0].file_name
        return _program(text)

    @property
    def args(self) -> tuple[ShellWord, ...]:
        """The arguments."""
        return self.words[1:]


@lru_cache(1_024)  # a line is asked for the same few names again and again
def _program(text: str) -> str:
    name = text.rsplit("/", 1)[-1].removeprefix("=")
    return name[:-4] if name.lower().endswith(".exe") and len(name) > 4 else name


class Doubt(NamedTuple):
    """Something that could not be determined."""

    what: str
    start: int = 0
    end: int = 0
    kind: str = "unknown"


class Script(NamedTuple):
    """All commands a text would run, in order, nested ones included, and what could not be determined."""

    commands: tuple[Command, ...]
    doubts: tuple[Doubt, ...] = ()
    work: int = 0
    """The cost of finding them, in units of work."""
