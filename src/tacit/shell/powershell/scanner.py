"""The characters of PowerShell: blanks, comments, names, strings. One pass, no character is read again."""

from __future__ import annotations

import re

from tacit.shell.command import Piece, ShellWord, UnknownPart
from tacit.shell.powershell.values import OWN, Values, known_variable, merged
from tacit.shell.work_budget import MOST_WORK
from tacit.text.patterns import lazy_pattern

MOST_DEPTH = 60
_BLANK = lazy_pattern(r"(?:[ \t\f\v\u00a0]|`\r?\n|<#.*?(?:#>|\Z))+", re.S)
_NEWLINES = lazy_pattern(r"(?:[\s;\u00a0]|`\r?\n|<#.*?(?:#>|\Z)|#[^\r\n]*)+", re.S)
_NAME = lazy_pattern(r"\{([^}]*)\}|((?:\w+:(?!:))?\w+|[?$^])")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "", "a": "", "b": "", "f": "", "v": "", "e": "\x1b"}
SINGLE, DOUBLE = "'\u2018\u2019\u201a\u201b", '"\u201c\u201d\u201e'
"""PowerShell takes typographic quotes for quotes."""
DASHES = "-\u2013\u2014\u2015"

_DRIVE = lazy_pattern(r"[A-Za-z]:\\")
BARE_END = frozenset(" \t\r\n\f\v;|&(){},\u00a0")


class Scanner:
    """A text, and how far it was read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.work = 0
        self.depth = 0
        self.errors = 0
        """How many places are not PowerShell."""
        self.signs = 0
        """How many places are PowerShell and nothing else."""
        self.variables: dict[str, Values] = {}

    @property
    def next(self) -> str:
        """The next character; empty at the end."""
        return self.text[self.at : self.at + 1]

    def starts(self, mark: str) -> bool:
        """Return whether the rest begins with a mark."""
        return self.text.startswith(mark, self.at)

    def took(self, mark: str) -> bool:
        """Read a mark if it comes next."""
        if not self.text.startswith(mark, self.at):
            return False
        self.at += len(mark)
        return True

    def matched(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Read what a pattern matches next."""
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def blank(self, *, lines: bool = False) -> None:
        """Read blanks and comments; with `lines`, also the ends of statements."""
        if found := (_NEWLINES if lines else _BLANK).match(self.text, self.at):
            self.signs += "<#" in found[0]
            self.at = found.end()

    def error(self) -> None:
        """Note a place that is not PowerShell."""
        self.errors += 1

    def spend(self) -> bool:
        """Count work, and return whether any is left."""
        self.work += 1
        return self.work <= MOST_WORK

    @property
    def is_spent(self) -> bool:
        """Whether the work is used up."""
        return self.work > MOST_WORK

    # -- strings ------------------------------------------------------------------------------------------------

    def single(self) -> str:
        """Read a string in single quotes."""
        self.at += 1
        out: list[str] = []
        while self.at < len(self.text):
            end = next((n for n in range(self.at, len(self.text)) if self.text[n] in SINGLE), len(self.text))
            out.append(self.text[self.at : end])
            self.at = end + 1
            if self.next not in SINGLE or not self.next:
                if end == len(self.text):
                    self.error()
                return "".join(out)
            out.append("'")
            self.at += 1
        self.error()
        return "".join(out)

    def double(self) -> ShellWord:
        """Read a string in double quotes, in which variables and `$(…)` are expanded."""
        self.at += 1
        pieces: list[Piece] = []
        while self.at < len(self.text):
            letter = self.text[self.at]
            if letter in DOUBLE:
                self.at += 1
                if not self.next or self.next not in DOUBLE:
                    return merged(pieces)
                pieces.append('"')
                self.at += 1
            else:
                self._piece(pieces, DOUBLE)
        self.error()
        return merged(pieces)

    def _piece(self, pieces: list[Piece], ends: str) -> None:
        """Read one part of a text with expansions."""
        letter = self.text[self.at]
        if letter == "`":
            following = self.text[self.at + 1 : self.at + 2]
            pieces.append(_ESCAPES.get(following, following))
            self.at += 2
        elif letter == "$":
            pieces += self.expanded()
        else:
            end = self.at + 1
            while end < len(self.text) and self.text[end] not in "`$" and self.text[end] not in ends:
                end += 1
            pieces.append(self.text[self.at : end])
            self.at = end

    def expanded(self) -> tuple[Piece, ...]:
        """Read a variable or `$(…)` inside a text."""
        if self.starts("$("):
            begun = self.at
            self.at += 2
            return _as_one(self.group(), self.text[begun : self.at])
        self.at += 1
        found = self.matched(_NAME)
        if not found:
            return ("$",)
        return _as_one(self.value_of(found[1] or found[2]), "")

    def bare(self) -> ShellWord:
        """Read a word without quotes, or one that has them in the middle."""
        pieces: list[Piece] = []
        quoted = False
        while letter := self.next:
            if letter in SINGLE:
                quoted = True
                pieces.append(self.single())
            elif letter in DOUBLE:
                quoted = True
                pieces += self.double().pieces
            elif letter == "`":
                pieces.append(self.text[self.at + 1 : self.at + 2].strip("\r\n"))
                self.at += 2
            elif letter == "$":
                pieces += self.expanded()
            elif letter in BARE_END:
                break
            else:
                end = self.at + 1
                while end < len(self.text) and self.text[end] not in BARE_END and self.text[end] not in "`$\"'":
                    end += 1
                self.signs += not pieces and bool(_DRIVE.match(self.text, self.at))
                pieces.append(self.text[self.at : end])
                self.at = end
        return merged(pieces)._replace(quoted=quoted)

    def group(self) -> Values:
        """Read statements up to a closing parenthesis."""
        raise NotImplementedError("a parser reads statements")

    def value_of(self, name: str) -> Values:
        """Return the value of a variable."""
        low = name.lower()
        self.signs += low.startswith("env:") or low in OWN or name == "PROFILE"
        return self.variables.get(low) or known_variable(name)

    def variable_name(self) -> str:
        """Read a variable, and return its name; empty if it is none."""
        if self.next != "$":
            return ""
        begun = self.at
        self.at += 1
        found = self.matched(_NAME)
        if not found:
            self.at = begun
            return ""
        return found[1] or found[2]

    def here_string(self) -> ShellWord:
        """Read `@"…"@` or `@'…'@`, which end at the beginning of a line."""
        self.signs += 1
        quote = self.text[self.at + 1]
        begin = self.text.find("\n", self.at) + 1 or len(self.text)
        end = self.text.find(f"\n{quote}@", begin - 1)
        if end < 0:
            self.error()
            end = len(self.text)
        if quote == "'":
            content = self.text[begin:end]
            self.at = min(len(self.text), end + 3)
            return ShellWord((content,), quoted=True)
        pieces: list[Piece] = []
        self.at = begin
        whole, self.text = self.text, self.text[:end]
        while self.at < end:
            self._piece(pieces, "")
        self.text = whole
        self.at = min(len(self.text), end + 3)
        return merged(pieces)


def _as_one(values: Values, source: str) -> tuple[Piece, ...]:
    if len(values) == 1:
        return values[0].pieces
    return (UnknownPart(source=source.replace("\\", "/")),)
