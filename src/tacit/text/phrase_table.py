"""Find phrases in a text: leftmost, longest, whole words. The token table works the same in every process."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from tacit.text.patterns import lazy_pattern

MOST_TOKENS = 32
# A word with its accents, or one symbol.
_TOKEN = lazy_pattern(r"\w[\w\u0300-\u036f]*|[^\w\s]")
_CHUNK = lazy_pattern(r"\S+")
# Characters that may touch a word from outside without being part of it. Not a hyphen, a slash or an equals sign:
# `-rf`, `pnpm-lock` and `a/npm` are words themselves.
_BEFORE = frozenset("([{<\"'`“‘«„,;:|&!?*>")
_AFTER = frozenset(")]}>\"'`”’»“.,;:!?|&*<…")
_INSIDE = frozenset(".:'’")
_WRAPPED = "()[]{}<>\"'`“”‘’«»„,;:!?*."
# How far to look on each side of a phrase; a longer run of symbols does not matter.
_WRAP = 60
# Where a command in a line begins: at its start, or after an operator that joins commands.
_COMMANDS = lazy_pattern(r"(?:^|[;|&(\n])\s*(?:(?:sudo|time|env|nohup|command|exec|\w+=[^\s'\"$`;|&]*)\s+)*")
_QUOTED = lazy_pattern(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.", re.S)
_SHELL_ENDS = frozenset(" \t\n;|&)")


class PhraseSpan(NamedTuple):
    """The position of a phrase, and its number."""

    start: int
    end: int
    phrase: str


def spelled(phrase: str) -> str:
    """Return a phrase in the form used for comparison: case folded, single spaces."""
    return " ".join(phrase.casefold().split())


class _TokenizedText:
    """A tokenized text: its tokens as they are compared, and their positions."""

    def __init__(self, text: str, lowered: str, plain: bool, tokens: list[str]) -> None:
        self.text = text
        self.tokens = tokens
        self.spans = [one.span() for one in _TOKEN.finditer(lowered)]
        # If all its spaces are single, a phrase is a substring of the text.
        self._whole = lowered if plain and " ".join(lowered.split()) == lowered.strip(" ") else ""
        self._closed: list[tuple[int, int]] | None = None

    def phrase(self, at: int, count: int) -> str:
        """Spell some tokens as a phrase: with a space where the text has one."""
        if self._whole:
            return self._whole[self.spans[at][0] : self.spans[at + count - 1][1]]
        parts, last = [self.tokens[at]], self.spans[at][1]
        for token, (start, end) in zip(self.tokens[at + 1 : at + count], self.spans[at + 1 : at + count], strict=True):
            parts.append(f" {token}" if start > last else token)
            last = end
        return "".join(parts)

    def shuts(self, start: int, end: int) -> bool:
        """Return whether a phrase is only a part of a URL or a path."""
        if self._closed is None:
            self._closed = _closed(self.text)
        # The calls go from left to right, so pieces that were passed are not needed again.
        while self._closed and self._closed[-1][1] <= start:
            self._closed.pop()
        if not self._closed or self._closed[-1][0] >= end:
            return False
        first, last = self._closed[-1]
        before, after = self.text[max(first, start - _WRAP) : start], self.text[end : min(last, end + _WRAP)]
        return bool(before.strip(_WRAPPED) or after.strip(_WRAPPED))


def _closed(text: str) -> list[tuple[int, int]]:
    """Return the pieces between spaces that are URLs, addresses or paths, last first."""
    if not ("/" in text or "\\" in text or "@" in text or "www." in text):
        return []
    return [
        (chunk.start(), chunk.end())
        for chunk in _CHUNK.finditer(text)
        if "/" in chunk[0] or "\\" in chunk[0] or "@" in chunk[0] or chunk[0].startswith("www.")
    ][::-1]


class PhraseTable:
    """Phrases by their first token: one look-up per word, then only the phrases that begin with that word."""

    def __init__(self, phrases: Collection[str]) -> None:
        lengths: dict[str, set[int]] = {}
        self.too_long: list[str] = []
        known: set[str] = set()
        for phrase in phrases:
            # Plain words need no search for symbols, and most phrases are plain.
            plain = phrase.isascii() and phrase.replace(" ", "").isalnum()
            tokens = phrase.split() if plain else _TOKEN.findall(phrase)
            if not tokens:
                continue
            if len(tokens) > MOST_TOKENS:
                self.too_long.append(phrase)
                continue
            known.add(phrase)
            lengths.setdefault(tokens[0], set()).add(len(tokens))
        self._phrases = known
        self._lengths = {token: tuple(sorted(counts, reverse=True)) for token, counts in lengths.items()}

    def find(self, text: str) -> Iterator[PhraseSpan]:
        """Return the phrases of a text from the left, none inside another."""
        plain = text.isascii()
        lowered = text.lower() if plain else text
        tokens = _TOKEN.findall(lowered)
        if not plain:
            tokens = [token.casefold() for token in tokens]
        lengths = self._lengths
        begins = [at for at, token in enumerate(tokens) if token in lengths]
        if not begins:
            return  # most texts end here, before the expensive part
        reading = _TokenizedText(text, lowered, plain, tokens)
        free = 0
        for at in begins:
            if at >= free and (taken := self._longest(reading, at, lengths[tokens[at]])):
                yield taken[1]
                free = at + taken[0]

    def _longest(self, reading: _TokenizedText, at: int, counts: tuple[int, ...]) -> tuple[int, PhraseSpan] | None:
        text, start = reading.text, reading.spans[at][0]
        if not _begins(text, start):
            return None
        for count in counts:
            if at + count > len(reading.tokens):
                continue
            phrase = reading.phrase(at, count)
            if phrase in self._phrases:
                end = reading.spans[at + count - 1][1]
                if _ends(text, end) and not reading.shuts(start, end):
                    return count, PhraseSpan(start, end, phrase)
        return None

    def find_commands(self, line: str) -> Iterator[PhraseSpan]:
        """Return the phrases at the start of commands in a line. Quoted text and here-documents are skipped."""
        bare = _QUOTED.sub(lambda found: "\0" * len(found[0]), line)
        if "<<" in bare or "'" in bare or '"' in bare or "#" in bare or "`" in bare:
            return
        begins = {found.end() for found in _COMMANDS.finditer(bare)}
        for span in self.find(bare):
            if span.start in begins and (span.end == len(bare) or bare[span.end] in _SHELL_ENDS):
                yield span


def _begins(text: str, start: int) -> bool:
    return start == 0 or text[start - 1].isspace() or text[start - 1] in _BEFORE


def _ends(text: str, end: int) -> bool:
    if end == len(text) or text[end].isspace():
        return True
    if text[end] not in _AFTER:
        return False
    # `npm.cmd` and `npm:latest` are longer words; `npm.` and `npm's` are not.
    goes_on = text[end] in _INSIDE and text[end + 1 : end + 2].isalnum()
    return not goes_on or text[end + 1 : end + 3] in ("s", "s ", "s,", "s.")
