"""What the shell does to a word before a program sees it: quotes, escapes, splitting, braces, tildes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from tacit.shell.command import Piece, ShellWord, UnknownPart
from tacit.text.patterns import lazy_pattern

Env = dict[str, tuple[Piece, ...]]
"""The known values of variables."""

MOST_BRACES = 64
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}
_ANSI = lazy_pattern(r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|c(.)|(.))", re.S)
_BRACE = lazy_pattern(r"\{([^{}]*,[^{}]*)\}")


class WordPiece(NamedTuple):
    """A piece of a word, and how it was written: bare, in double quotes (string), in single quotes, or a value.

    Between the elements of a list is a break; a list without elements is nothing, and so is a word of it alone.
    """

    piece: Piece
    kind: str


def ansi_c(text: str) -> str:
    """Decode the escapes of `$'…'`, and of printf."""

    def character(found: re.Match[str]) -> str:
        byte, short, long, octal, control, other = found.groups()
        if byte or short or long:
            number = int(byte or short or long, 16)
            return chr(number) if number < 0x110000 else ""
        if octal:
            return chr(int(octal, 8) & 0xFF)
        if control:
            return chr(ord(control) & 0x1F)
        return _ESCAPES.get(other, other)

    return _ANSI.sub(character, text)


def words_of(atoms: Sequence[WordPiece], start: int, end: int, *, splitting: bool = True) -> list[ShellWord]:
    """Join the pieces of one word; an unquoted value is split where the shell would split it."""
    if len(atoms) == 1 and _is_plain(atoms[0]):
        return [ShellWord((atoms[0].piece,), start, end, atoms[0].kind != "bare")]
    if any(atom.kind == "nothing" for atom in atoms) and all(atom.piece == "" for atom in atoms) and splitting:
        return []
    quoted = any(atom.kind in ("quoted", "string") for atom in atoms)
    groups = _split(atoms) if splitting else [list(_unquoted(atoms))]
    made: list[ShellWord] = []
    for pieces in map(_merged, groups):
        spread = _braces(pieces) if splitting and not quoted else [pieces]
        made += [ShellWord(_merged(_restored(_home(expanded))), start, end, quoted) for expanded in spread]
    return made


def _is_plain(atom: WordPiece) -> bool:
    """Return whether a word of this one piece is the piece itself, as most are: nothing in it is escaped or expands."""
    piece = atom.piece
    if not isinstance(piece, str) or atom.kind not in ("bare", "quoted", "string") or not piece:
        return False
    return piece.isascii() and piece[0] != "~" and "\\" not in piece and "{" not in piece


# An escaped brace or comma is no part of a brace expression. Until braces are expanded, another character marks it.
_MARKED = {"{": "\ue07b", "}": "\ue07d", ",": "\ue02c"}
_RESTORED = str.maketrans({mark: plain for plain, mark in _MARKED.items()})


def _escaped(found: re.Match[str]) -> str:
    character = found.group(1)
    return "" if character == "\n" else _MARKED.get(character, character)


def _restored(pieces: Iterable[Piece]) -> list[Piece]:
    return [piece.translate(_RESTORED) if isinstance(piece, str) else piece for piece in pieces]


def _unquoted(atoms: Iterable[WordPiece]) -> Iterator[Piece]:
    for atom in atoms:
        if isinstance(atom.piece, UnknownPart) or atom.kind in ("quoted", "value", "break", "nothing"):
            yield atom.piece
        elif atom.kind == "bare":
            yield re.sub(r"\\(\n|[\s\S])", _escaped, atom.piece)
        else:
            yield re.sub(r'\\([$`"\\]|\n)', lambda m: "" if m.group(1) == "\n" else m.group(1), atom.piece)


def _split(atoms: Sequence[WordPiece]) -> list[list[Piece]]:
    groups: list[list[Piece]] = [[]]
    any_quoted = False
    for atom, piece in zip(atoms, _unquoted(atoms), strict=True):
        any_quoted = any_quoted or atom.kind in ("quoted", "string")
        if atom.kind == "break":
            groups.append([])
        elif atom.kind == "value" and isinstance(piece, str) and any(c in " \t\n" for c in piece):
            parts = re.split(r"[ \t\n]+", piece)
            groups[-1].append(parts[0])
            groups += [[part] for part in parts[1:]]
        else:
            groups[-1].append(piece)
    return [group for group in groups if any_quoted or any(isinstance(p, UnknownPart) or p for p in group)]


def _home(pieces: Sequence[Piece]) -> list[Piece]:
    """Return a word whose tilde is replaced by the variable it means."""
    first = pieces[0] if pieces else ""
    if isinstance(first, str) and first.startswith("~"):
        name, slash, rest = first[1:].partition("/")
        if name in ("", "root") or name.isidentifier():
            return [UnknownPart("HOME"), slash + rest, *pieces[1:]]
    return list(pieces)


def _braces(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Expand `{a,b}` in the literal parts."""
    options: list[list[Piece]] = [
        list(_braced(piece)) if isinstance(piece, str) and "{" in piece else [piece] for piece in pieces
    ]
    total = 1
    for option in options:
        total *= len(option)
    if total > MOST_BRACES:
        return [list(pieces)]
    return [list(choice) for choice in product(*options)]


def _braced(text: str) -> list[str]:
    """Expand a text breadth first, so that it stops as soon as there are too many results."""
    made, done = [text], False
    while not done:
        done, next_round = True, list[str]()
        for one in made:
            found = _BRACE.search(one)
            if not found:
                next_round.append(one)
                continue
            done = False
            next_round += [one[: found.start()] + part + one[found.end() :] for part in found.group(1).split(",")]
            if len(next_round) > MOST_BRACES:
                return [text]
        made = next_round
    return made


def _merged(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    made: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, str) and made and isinstance(made[-1], str):
            made[-1] += piece
        elif piece != "" or not made:
            made.append(piece)
    if len(made) > 1 and made[0] == "":
        made = made[1:]
    return tuple(made)
