"""Phrases found in a text: leftmost, longest, whole words. A table of tokens, the same in a warm and a cold process."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from tacit.text.patterns import lazy_pattern

MOST_TOKENS = 32
# A word with its accents, or one sign.
_TOKEN = lazy_pattern(r"\w[\w\u0300-\u036f]*|[^\w\s]")
_CHUNK = lazy_pattern(r"\S+")
# What may touch a word from outside without being a part of it. A hyphen, a slash or an equals sign may not:
# `-rf`, `pnpm-lock` and `a/npm` are words of their own.
_BEFORE = frozenset("([{<\"'`“‘«„,;:|&!?*>")
_AFTER = frozenset(")]}>\"'`”’»“.,;:!?|&*<…")
_INSIDE = frozenset(".:'’")
_WRAPPED = "()[]{}<>\"'`“”‘’«»„,;:!?*."
# Looked at on each side of a phrase; a piece that goes on for longer in signs alone is no matter.
_WRAP = 60
# Where a command of a line begins: at its start, or after what joins commands.
_COMMANDS = lazy_pattern(r"(?:^|[;|&(\n])\s*(?:(?:sudo|time|env|nohup|command|exec|\w+=[^\s'\"$`;|&]*)\s+)*")
_QUOTED = lazy_pattern(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.", re.S)
_SHELL_ENDS = frozenset(" \t\n;|&)")


class PhraseSpan(NamedTuple):
    """Where a phrase stands, and which."""

    start: int
    end: int
    phrase: str


def spelled(phrase: str) -> str:
    """Give a phrase as it is compared: no case, single spaces."""
    return " ".join(phrase.casefold().split())


class _TokenizedText:
    """A text taken apart: its tokens as they are compared, and where they stand."""

    def __init__(self, text: str, lowered: str, plain: bool, tokens: list[str]) -> None:
        self.text = text
        self.tokens = tokens
        self.spans = [one.span() for one in _TOKEN.finditer(lowered)]
        # Where every space is one space, a phrase is a piece of the text as it stands.
        self._whole = lowered if plain and " ".join(lowered.split()) == lowered.strip(" ") else ""
        self._closed: list[tuple[int, int]] | None = None

    def phrase(self, at: int, count: int) -> str:
        """Spell some tokens as a phrase: a space where there is any in the text."""
        if self._whole:
            return self._whole[self.spans[at][0] : self.spans[at + count - 1][1]]
        parts, last = [self.tokens[at]], self.spans[at][1]
        for token, (start, end) in zip(self.tokens[at + 1 : at + count], self.spans[at + 1 : at + count], strict=True):
            parts.append(f" {token}" if start > last else token)
            last = end
        return "".join(parts)

    def shuts(self, start: int, end: int) -> bool:
        """Say whether a phrase is a part of a URL or a path; one that is all of it is not."""
        if self._closed is None:
            self._closed = _closed(self.text)
        # From the left, so what was passed is never asked for again.
        while self._closed and self._closed[-1][1] <= start:
            self._closed.pop()
        if not self._closed or self._closed[-1][0] >= end:
            return False
        first, last = self._closed[-1]
        before, after = self.text[max(first, start - _WRAP) : start], self.text[end : min(last, end + _WRAP)]
        return bool(before.strip(_WRAPPED) or after.strip(_WRAPPED))


def _closed(text: str) -> list[tuple[int, int]]:
    """Give the pieces between spaces that are URLs, addresses or paths, last first."""
    if not ("/" in text or "\\" in text or "@" in text or "www." in text):
        return []
    return [
        (chunk.start(), chunk.end())
        for chunk in _CHUNK.finditer(text)
        if "/" in chunk[0] or "\\" in chunk[0] or "@" in chunk[0] or chunk[0].startswith("www.")
    ][::-1]


class PhraseTable:
    """Phrases by their first token: one look-up a word, and only as many tries as phrases begin with that word."""

    def __init__(self, phrases: Collection[str]) -> None:
        lengths: dict[str, set[int]] = {}
        self.too_long: list[str] = []
        known: set[str] = set()
        for phrase in phrases:
            # Plain words need no looking for signs, and most phrases are plain.
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
        """Give the phrases of a text, from the left, none inside another."""
        plain = text.isascii()
        lowered = text.lower() if plain else text
        tokens = _TOKEN.findall(lowered)
        if not plain:
            tokens = [token.casefold() for token in tokens]
        lengths = self._lengths
        begins = [at for at, token in enumerate(tokens) if token in lengths]
        if not begins:
            return  # most texts end here, before anything more is made of them
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
        """Give the phrases that commands of a line begin with: never quoted text, nor any where a document is."""
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
    # `npm.cmd` and `npm:latest` go on; `npm.` and `npm's` do not.
    goes_on = text[end] in _INSIDE and text[end + 1 : end + 2].isalnum()
    return not goes_on or text[end + 1 : end + 3] in ("s", "s ", "s,", "s.")
