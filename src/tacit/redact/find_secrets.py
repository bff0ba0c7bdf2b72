"""Find secrets: search for literal anchors first, try rules only there, then join claims and skip placeholders."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from tacit.model.secret import Secret
from tacit.redact.apply_rule import claimed
from tacit.redact.assignments import pairs
from tacit.redact.dummy_values import PLACEHOLDER
from tacit.redact.literal_search import LiteralSearch, one_by_one, places
from tacit.redact.rule import SecretRule, compiled
from tacit.redact.vendor_keys import bots, vendors_keys

_WORTH = 3
_WORD = 16
"""Shorter texts of letters alone are words, such as a tag."""
_FEW_TEXTS = 40
_SHORT_TEXT = 2_000


class SecretFinder:
    """The compiled rules: the literals to search for, and the rules to try at each literal."""

    def __init__(self, rules: Sequence[SecretRule]) -> None:
        self._rules = tuple(rules)
        self._ranks = {rule.kind: number for number, rule in reversed(list(enumerate(self._rules)))}
        self._exact: dict[str, list[int]] = {}
        self._folded: dict[str, list[int]] = {}
        for number, rule in enumerate(self._rules):
            for anchor in rule.anchors:
                (self._folded if rule.fold else self._exact).setdefault(anchor, []).append(number)
        self._few = _FEW_TEXTS

    def find(self, text: str) -> list[Secret]:
        """Find the secrets of a text, sorted and not overlapping, and not inside a placeholder."""
        if len(text) < _WORD and text.isalpha():
            return []
        small = text.replace("İ", "I").lower()  # the only capital with a longer lower case; positions must stay
        claims = [claim for number, places in self._anchored(text, small).items()
                  for claim in claimed(self._rules[number], text, places)]  # fmt: skip
        claims += [Secret("secret", *span) for span in pairs(text, small)]
        claims += [Secret("key", *span) for span in vendors_keys(text, small)]
        claims += [Secret("discord", *span) for span in bots(text)]
        return settled(claims, text, self.rank) if claims else []

    @cached_property
    def _passes(self) -> LiteralSearch:
        return LiteralSearch(self._exact)

    def _exact_places(self, text: str) -> Iterable[tuple[str, int]]:
        """Return each exact anchor with its positions: one by one for the first short texts of a process.

        To compile the patterns of `LiteralSearch` takes as long as to search a hundred short texts in this way, and a
        hook that runs once redacts fewer.
        """
        if self._few <= 0 or len(text) > _SHORT_TEXT:
            return self._passes.over(text)
        self._few -= 1
        return one_by_one(self._exact, text)

    def rank(self, kind: str) -> int:
        """Return the rank of a kind. If two kinds claim the same text, the lower rank names it."""
        return self._ranks.get(kind, len(self._ranks))

    def _anchored(self, text: str, small: str) -> dict[int, list[int]]:
        """Return each rule whose anchors occur somewhere, with their positions in order."""
        found: dict[int, list[int]] = {}
        for anchor, at in self._exact_places(text):
            for number in self._exact[anchor]:
                found.setdefault(number, []).append(at)
        for folded, numbers in self._folded.items():
            if folded in small:
                ats = list(places(small, folded))
                for number in numbers:
                    found.setdefault(number, []).extend(ats)
        for ats in found.values():
            ats.sort()
        return found


def settled(claims: Iterable[Secret], text: str, rank: Callable[[str], int]) -> list[Secret]:
    """Join overlapping claims under the kind that ranks first, and skip placeholders."""
    joined: list[Secret] = []
    for claim in sorted(claims, key=lambda claim: (claim.start, claim.end)):
        if joined and claim.start < joined[-1].end:
            last = joined[-1]
            kind = min(last.kind, claim.kind, key=rank)
            joined[-1] = Secret(kind, last.start, max(last.end, claim.end))
        else:
            joined.append(claim)
    placed = [found.span() for found in compiled(PLACEHOLDER).finditer(text)]
    return [part for claim in joined for part in _outside(claim, text, placed)] if placed else joined


def _outside(claim: Secret, text: str, placed: Sequence[tuple[int, int]]) -> Iterator[Secret]:
    """Return the parts of a claim outside the placeholders; tiny pieces between them are not secrets."""
    start, at = claim.start, max(0, bisect_right(placed, (claim.start, claim.start)) - 1)
    while at < len(placed) and placed[at][0] < claim.end:
        since, until = placed[at]
        at += 1
        if until > start:
            yield from _crumb(claim, start, since, text)
            start = until
    yield from _crumb(claim, start, claim.end, text)


def _crumb(claim: Secret, start: int, end: int, text: str) -> Iterator[Secret]:
    if (start, end) == (claim.start, claim.end):
        yield claim
    elif end - start >= _WORTH and sum(map(str.isalnum, text[start:end])) >= _WORTH:
        yield Secret(claim.kind, start, end)
