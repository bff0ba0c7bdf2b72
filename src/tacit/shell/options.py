"""Options and operands: which words of a line are options, which of them take a value, and what remains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tacit.shell.command import ShellWord


class OptionSpec(NamedTuple):
    """The options of a program that take a value, which is needed to find where its options end."""

    short: str
    """Letters of the options that take a value."""
    long: str
    """Names of the long options that take a value."""
    operands: int = 0
    """How many operands come before the rest."""
    others: str = ""
    """Names of further long options, which take no value or only an attached one. An abbreviation may mean them."""


Option = tuple[str, ShellWord | None]


def is_abbreviation(flag: str, name: str) -> bool:
    """Return whether a long option is the beginning of a name, which GNU programs and git accept for it."""
    return name.startswith(flag) and len(flag) > 2 and flag.startswith("--")


def completed(name: str, names: Sequence[str]) -> str:
    """Return the long option that a name abbreviates; the name itself if it abbreviates none or several."""
    if name in names:
        return name
    meant = [one for one in names if name and one.startswith(name)]
    return meant[0] if len(meant) == 1 else name


def split_options(args: tuple[ShellWord, ...], prefix: OptionSpec) -> list[Option]:
    """Return the leading options with their values."""
    return _read(args, prefix)[0]


def after_options(args: tuple[ShellWord, ...], prefix: OptionSpec) -> tuple[ShellWord, ...]:
    """Return the words after the options and the leading operands."""
    return args[_read(args, prefix)[1] :][prefix.operands :]


def _read(args: tuple[ShellWord, ...], prefix: OptionSpec) -> tuple[list[Option], int]:
    found: list[Option] = []
    longs = prefix.long.split()
    names = (*longs, *prefix.others.split())
    index = 0
    while index < len(args):
        text = args[index].head
        if text == "--" and args[index].text is not None:
            return found, index + 1
        if text.startswith("--") and len(text) > 2:
            name, equals, value = text[2:].partition("=")
            name = completed(name, names)
            if equals:
                found.append((name, args[index]._replace(pieces=(value, *args[index].pieces[1:]))))
            elif name in longs and index + 1 < len(args):
                found.append((name, args[index + 1]))
                index += 1
            else:
                found.append((name, None))
        elif text.startswith("-") and len(text) > 1:
            index += _cluster(args, index, prefix, found)
        else:
            break
        index += 1
    return found, index


def _cluster(args: tuple[ShellWord, ...], index: int, prefix: OptionSpec, found: list[Option]) -> int:
    """Read `-abc value`, and return how many more words it took."""
    word = args[index]
    letters = word.head[1:]
    for place, letter in enumerate(letters):
        if letter in prefix.short:
            rest = letters[place + 1 :]
            if rest or len(word.pieces) > 1:
                found.append((letter, word._replace(pieces=tuple(p for p in (rest, *word.pieces[1:]) if p != ""))))
                return 0
            if index + 1 < len(args):
                found.append((letter, args[index + 1]))
                return 1
        found.append((letter, None))
    return 0


def value_of(word: ShellWord, after: ShellWord | None, option: str) -> ShellWord | None:
    """Return the value of an option, attached to a word or after it; None if the word is another option."""
    name, equals, value = word.head.partition("=")
    if equals and is_abbreviation(name, option):
        return word._replace(pieces=(value, *word.pieces[1:]))
    if word.text == option or is_abbreviation(word.text or "", option) or _ends_cluster(word, option):
        return after
    if len(option) == 2 and word.head.startswith(option) and " " in word.shown:
        return word._replace(pieces=(word.head[2:], *word.pieces[1:]))
    return None


def _ends_cluster(word: ShellWord, option: str) -> bool:
    """Return whether a cluster like `-qc` ends in the letter of `-c`."""
    text = word.text or ""
    return (
        len(option) == 2 < len(text) <= 5
        and text[0] == "-" != text[1]
        and text.endswith(option[1])
        and text[1:].isalpha()
    )
