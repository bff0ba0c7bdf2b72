"""Try a rule where its anchors occur. A text is read only a few times, even if it has many anchors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tacit.model.secret import Secret
from tacit.redact.literal_search import NAME_CHARS
from tacit.redact.rule import REACH, SecretRule, compiled, cut_out

_LETTERS = NAME_CHARS.replace(".", "")
_LEAST_TRIES = 4
_MOST_TRIES = 16
_CHARS_PER_TRY = 64


class TryBudget:
    """How many more attempts a part of a text gets.

    A match reports how far it has read. Anchors before that position are in text that was already read. A few of them
    are tried too, in proportion to its length, because a secret may be inside a match that is not a secret. Real text
    does not have more of them, and trying all would make the work quadratic.
    """

    def __init__(self) -> None:
        self._until = 0
        self._left = 0

    def are_spent(self, at: int) -> bool:
        """Return whether a position is in a part that has used up its attempts."""
        return at < self._until and self._left <= 0

    def read(self, at: int, end: int, *, claimed: bool) -> None:
        """Record a match from one position to another; claimed text is not searched again."""
        fresh = min(_MOST_TRIES, _LEAST_TRIES + (end - at) // _CHARS_PER_TRY)
        self._left = self._left - 1 if at < self._until else fresh
        self._until = max(self._until, end)
        if claimed:
            self._left = 0


def claimed(rule: SecretRule, text: str, places: Sequence[int]) -> Iterator[Secret]:
    """Return the spans that a rule claims, given the positions of its anchors in order."""
    return _near(rule, text, places) if rule.where == "near" else _at(rule, text, places)


def _at(rule: SecretRule, text: str, places: Sequence[int]) -> Iterator[Secret]:
    pattern, tries = compiled(rule.pattern), TryBudget()
    for at in places:
        if tries.are_spent(at):
            continue
        start = _left(text, at) if rule.where == "word" else at
        if found := pattern.match(text, start):
            is_secret = rule.check(found)
            tries.read(at, found.end(), claimed=is_secret)
            if is_secret:
                yield from _cut(rule, *cut_out(found))


def _near(rule: SecretRule, text: str, places: Sequence[int]) -> Iterator[Secret]:
    """Search around all anchors; where their surroundings overlap, they are searched once."""
    pattern = compiled(rule.pattern)
    for start, end in _windows(places, text):
        for found in pattern.finditer(text, start, end):
            if rule.check(found):
                yield from _cut(rule, *cut_out(found))


def _cut(rule: SecretRule, start: int, end: int) -> Iterator[Secret]:
    if start < end:
        yield Secret(rule.kind, start, end, rule.id)


def _windows(places: Sequence[int], text: str) -> Iterator[tuple[int, int]]:
    """Return the parts of a text around anchors, each extended to the end of a word, so that no secret is cut."""
    word, start, last, end = compiled(r"\S*+"), places[0] - REACH, places[0], 0
    for at in places:
        if at - last > 2 * REACH and at - REACH > end:
            # The end of a word is looked up once, however long the word is and however many anchors it has.
            end = word.match(text, min(len(text), last + REACH)).end()  # type: ignore[union-attr]  # matches anything
            if at - REACH > end:
                yield max(0, start), end
                start = at - REACH
        last = at
    yield max(0, start), max(end, word.match(text, min(len(text), last + REACH)).end())  # type: ignore[union-attr]


def _left(text: str, at: int) -> int:
    """Return where the word that ends at a position begins."""
    head = text[max(0, at - REACH) : at]
    return at - len(head) + len(head.rstrip(_LETTERS))
