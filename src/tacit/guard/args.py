"""Parsed arguments: flags in any order and spelling, combined or after operands, and operands in order."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from tacit.shell.command import Command, ShellWord
from tacit.shell.options import completed, is_abbreviation


class ParsedArgs(NamedTuple):
    """The flags of a line (`-f`, `--force`, each letter of `-rf` by itself) and its operands."""

    flags: frozenset[str]
    operands: tuple[ShellWord, ...]
    values: tuple[tuple[str, ShellWord], ...]

    def has(self, *names: str) -> bool:
        """Return whether one of these flags is given, in full."""
        return not self.flags.isdisjoint(names)

    def may(self, *names: str) -> bool:
        """Return whether one of these flags is given, in full or abbreviated as GNU programs and git accept it."""
        return self.has(*names) or any(is_abbreviation(flag, name) for flag in self.flags for name in names)

    def means(self, *names: str) -> bool:
        """Return whether one of these flags is given, in full or abbreviated so that hardly another one is meant."""
        return self.has(*names) or any(
            is_abbreviation(flag, one) and len(flag) > 3 for flag in self.flags for one in names
        )

    def value(self, *names: str) -> ShellWord | None:
        """Return the value of a flag."""
        return next((word for name, word in self.values if name in names), None)

    @property
    def words(self) -> tuple[str, ...]:
        """The operands as they are shown."""
        return tuple(word.shown for word in self.operands)


def read(command: Command, *, values: str = "", longs: str = "", single: bool = False) -> ParsedArgs:
    """Read a command's arguments. `values` are the letters, `longs` the names, of flags that take a value.

    With `single`, one dash starts a long name (`-force`), as in find, terraform and java.
    """
    flags: set[str] = set()
    operands: list[ShellWord] = []
    given: list[tuple[str, ShellWord]] = []
    names, rest = longs.split(), deque(command.args)
    while rest:
        word = rest.popleft()
        text = word.head
        if text == "--" and word.text is not None:
            operands += rest
            break
        if text.startswith("--") or (single and text.startswith("-") and len(text) > 2):
            name, equals, value = text.partition("=")
            name = f"--{completed(name[2:], names)}" if name.startswith("--") else name
            flags.add(name)
            if equals:
                given.append((name, word._replace(pieces=(value, *word.pieces[1:]))))
            elif name.lstrip("-") in names and rest:
                given.append((name, rest.popleft()))
        elif text.startswith("-") and len(text) > 1:
            _letters(word, text, values, rest, flags, given)
        else:
            operands.append(word)
    return ParsedArgs(frozenset(flags), tuple(operands), tuple(given))


# program -> the flags with which it only shows what it would do.
_SIMULATING = ("-s", "--simulate", "--just-print", "--dry-run", "--no-act", "--recon")
_DRY_RUN = {
    **dict.fromkeys(("apt", "apt-get", "aptitude", "dpkg"), _SIMULATING), **dict.fromkeys(("zfs", "zpool"), ("-n",)),
    **dict.fromkeys(("wipefs", "sfdisk", "blkdiscard"), ("-n", "--no-act")), "mke2fs": ("-n",),
    **dict.fromkeys(("lvremove", "vgremove", "pvremove", "lvreduce", "vgreduce"), ("-t", "--test")),
    **dict.fromkeys(("dnf", "yum"), ("--assumeno",)), "pacman": ("-p", "--print"),
    **dict.fromkeys(("brew", "pip", "pip3", "npm", "poetry", "composer", "gem", "bundle"), ("--dry-run",)),
}  # fmt: skip


def is_dry_run(command: Command) -> bool:
    """Return whether a program is told to show what it would do, and to do nothing."""
    flags = _DRY_RUN.get(command.name or "")
    return flags is not None and read(command).has(*flags)


def _letters(
    word: ShellWord, text: str, values: str, rest: deque[ShellWord], flags: set[str], given: list[tuple[str, ShellWord]]
) -> None:
    flags.add(text)
    for place, letter in enumerate(text[1:], 1):
        flags.add(f"-{letter}")
        if letter in values:
            glued = text[place + 1 :]
            if glued or len(word.pieces) > 1:
                given.append((f"-{letter}", word._replace(pieces=(glued, *word.pieces[1:]))))
            elif rest:
                given.append((f"-{letter}", rest.popleft()))
            return
