"""Find the positions of many literals in a long text, in a few passes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from tacit.text.patterns import lazy_pattern

_SIGNS = "_-.~|<*:+$"
_OPTION = " -"
_RARE = "\\!"
NAME_CHARS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."
"""The characters of names."""


def places(text: str, anchor: str) -> Iterator[int]:
    """Return every position of a literal."""
    at = text.find(anchor)
    while at >= 0:
        yield at
        at = text.find(anchor, at + 1)


def one_by_one(anchors: Iterable[str], text: str) -> Iterator[tuple[str, int]]:
    """Return each literal with its positions, without preparing anything; the same secrets are found by them."""
    for one in anchors:
        if one in text:
            # As in `LiteralSearch`, one letter and a symbol count at the start of a word only.
            at_start = len(one) == len("s.") and one[0].islower() and one[-1] in _SIGNS
            yield from ((one, at) for at in places(text, one) if not (at_start and at and _is_letter(text[at - 1])))


def _is_letter(char: str) -> bool:
    return char.isascii() and char.isalnum()


class LiteralSearch:
    """Prepared literals: those with a symbol at one end, or with a capital at the start, are found by that character.

    Symbols and capitals are rare in most texts, and their passes run inside the regex engine, as does the one for
    options; the few others are searched one by one.
    """

    def __init__(self, anchors: Iterable[str]) -> None:
        known = list(anchors)
        self._signs = [_Sign(sign, known) for sign in _SIGNS if any(sign in (one[0], one[-1]) for one in known)]
        rest = [one for one in known if one[0] not in _SIGNS and one[-1] not in _SIGNS]
        self._capital: dict[str, list[str]] = {}
        for one in rest:
            if one[0].isupper():
                self._capital.setdefault(one[0], []).append(one)
        self._capitals = lazy_pattern(
            "|".join(f"{first}(?={_either(those)})" for first, those in self._capital.items())
        )
        options = [one for one in rest if one.startswith(_OPTION)]
        self._options = lazy_pattern(f"{_OPTION}(?={_either(options, len(_OPTION))})") if options else None
        self._option_lists: dict[str, list[str]] = {}
        for one in options:
            self._option_lists.setdefault(one[len(_OPTION)], []).append(one)
        # Whether a text has one character is known much sooner than whether it has a word.
        others = (one for one in rest if not one[0].isupper() and one not in options)
        self._others = [(one, next((char for char in one if char in _RARE), "")) for one in others]

    def over(self, text: str) -> Iterator[tuple[str, int]]:
        """Return each literal with each of its positions."""
        for sign in self._signs:
            yield from sign.over(text)
        if self._capital:
            for found in self._capitals.finditer(text):
                at = found.start()
                yield from ((one, at) for one in self._capital[found[0]] if text.startswith(one, at))
        if self._options:
            for found in self._options.finditer(text):
                at, end = found.span()
                yield from ((one, at) for one in self._option_lists[text[end]] if text.startswith(one, at))
        for one, rare in self._others:
            if rare in text and one in text:
                yield from ((one, at) for at in places(text, one))


class _Sign:
    """The literals that end in a symbol, or else begin with it, and a pattern that finds the symbol next to one."""

    def __init__(self, sign: str, anchors: Iterable[str]) -> None:
        self._sign = sign
        self._ending: dict[str, list[str]] = {}
        self._beginning: list[str] = []
        for one in anchors:
            if one[-1] == sign:
                self._ending.setdefault(one[-2:], []).append(one)
            elif one[0] == sign and one[-1] not in _SIGNS:
                self._beginning.append(one)
        ending = [one for those in self._ending.values() for one in those]
        beside = [_behind(ending)] if ending else []
        beside += [f"(?={_either(self._beginning)})"] if self._beginning else []
        self._pattern = lazy_pattern(f"{re.escape(sign)}(?:{'|'.join(beside)})", re.DOTALL)

    def over(self, text: str) -> Iterator[tuple[str, int]]:
        """Return each literal with each of its positions."""
        alone, ending, beginning = self._ending.get(self._sign, ()), self._ending, self._beginning
        for found in self._pattern.finditer(text):
            at, end = found.span()
            for one in alone:
                yield one, at
            if end > 1:
                for one in ending.get(text[end - 2 : end], ()):
                    if text.endswith(one, 0, end):
                        yield one, end - len(one)
            for one in beginning:
                if text.startswith(one, at):
                    yield one, at


def _either(anchors: Iterable[str], after: int = 1) -> str:
    return "|".join(sorted((re.escape(one[after:]) for one in anchors), key=len))


def _behind(anchors: Sequence[str]) -> str:
    """Make a pattern that requires one of the anchors before a position."""
    by_size: dict[int, list[str]] = {}
    for one in anchors:
        by_size.setdefault(len(one), []).append(re.escape(one))
    behind = "|".join(f"(?<={'|'.join(those)}){_start(size, those)}" for size, those in by_size.items())
    if 1 in by_size:
        return behind
    # Most symbols are ruled out by the one or two characters before them.
    before = "".join(sorted({re.escape(one[-2]) for one in anchors}))
    second: dict[str, set[str]] = {}
    for one in anchors:
        second.setdefault(one[-3:-2], set()).add(re.escape(one[-2]))
    if "" in second:
        return f"(?<=[{before}].)(?:{behind})"
    firsts: dict[str, list[str]] = {}
    for first, seconds in second.items():
        firsts.setdefault("".join(sorted(seconds)), []).append(re.escape(first))
    two = "|".join(f"[{''.join(sorted(those))}][{seconds}]." for seconds, those in sorted(firsts.items()))
    return f"(?<=[{before}].)(?<={two})(?:{behind})"


def _start(size: int, anchors: Iterable[str]) -> str:
    """Require the start of a word before anchors of one lower-case letter, which also end many other words."""
    those = [one for one in anchors if size == len("s.") and one[0].islower()]
    return f"(?<![A-Za-z0-9](?:{'|'.join(those)}))" if those else ""
