"""Find secrets: search for literal anchors first, try rules only there, then join claims and skip placeholders."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain

from tacit.model.secret import Secret
from tacit.redact.apply_rule import claimed
from tacit.redact.assignments import announced, pairs
from tacit.redact.dummy_values import PLACEHOLDER
from tacit.redact.literal_search import LiteralSearch, one_by_one, places
from tacit.redact.readings import BASE64_ANCHORS, changes_at, readings
from tacit.redact.rule import SecretRule, compiled
from tacit.redact.vendor_keys import values_ahead, vendors_keys
from tacit.text.secret_marks import NAME_PARTS

_WORTH = 3
_WORD = 16
"""Shorter texts of letters alone are words, such as a tag."""
_FEW_TEXTS = 40
_SHORT_TEXT = 2_000
_TOGETHER = 8_000
"""How many characters of short texts are searched at once."""
_ENCODED = -1
"""The number of a base64 anchor, in place of a rule's."""


class _Leads:
    """Where one of several texts may hold a secret: the places of anchors, by rule, and of names."""

    def __init__(self, small: str) -> None:
        self.small = small
        self.anchored: dict[int, list[int]] = {}
        self.names: list[int] = []
        self.has_value = self.has_name = False
        """Whether a value is long enough for a key, and whether a name announces a secret."""
        self.is_open = False
        """Whether more than the rules is needed to know."""


class SecretFinder:
    """The compiled rules: the literals to search for, and the rules to try at each literal."""

    def __init__(self, rules: Sequence[SecretRule]) -> None:
        self._rules = tuple(rules)
        self._ranks = {rule.kind: number for number, rule in reversed(list(enumerate(self._rules)))}
        self._exact: dict[str, list[int]] = {anchor: [_ENCODED] for anchor in BASE64_ANCHORS if rules}
        self._folded: dict[str, dict[str, list[int]]] = {}
        """Anchors in any case, by the part of names with which they begin."""
        self._ahead: dict[str, list[int]] = {}
        for number, rule in enumerate(self._rules):
            if rule.ahead:
                self._ahead.setdefault(rule.ahead, []).append(number)
            for anchor in rule.anchors:
                if rule.fold:
                    part = next((one for one in NAME_PARTS if anchor.startswith(one)), "")
                    self._folded.setdefault(part, {}).setdefault(anchor, []).append(number)
                else:
                    self._exact.setdefault(anchor, []).append(number)
        self._unanchored = frozenset({_ENCODED, *(number for those in self._ahead.values() for number in those)})
        """Where one of these begins depends on what is around it, or it is found in another reading only."""
        self._needed = {number: rule.needed for number, rule in enumerate(self._rules) if rule.needed}
        self._few = _FEW_TEXTS

    def find(self, text: str) -> list[Secret]:
        """Find the secrets of a text, sorted and not overlapping, and not inside a placeholder."""
        if len(text) < _WORD and text.isalpha():
            return []
        claims, encoded_at = self._claims(text)
        for reading in readings(text, encoded_at):
            claims += [back for claim in self._claims(reading.text)[0] if (back := reading.back(claim))]
        return settled(claims, text, self.rank) if claims else []

    def untouched(self, texts: Iterable[str]) -> set[str]:
        """Return texts in which nothing is found, reading many as one: that takes a fifth of the time.

        Whatever is found in a text needs an anchor, a name, a value or another reading of it, and a longer text around
        it does not hide these. Where a text has some, the rules are tried in it; one that can be read in another way,
        or may hold a value without an anchor, is left to `find`.
        """
        found: set[str] = set()
        for group in _groups(texts):
            starts = list(accumulate((len(text) + 1 for text in group), initial=0))
            leads = self._leads("\n".join(group), starts)
            for number, text in enumerate(group):
                lead = leads.get(number)
                if lead is None or not (lead.is_open or self._has_claim(text, lead)):
                    found.add(text)
        return found

    def _leads(self, text: str, starts: Sequence[int]) -> dict[int, _Leads]:
        """Return where `find` would look closer in each of the texts that start at these positions."""
        small, names, anchored = self._anchors(text)
        leads: dict[int, _Leads] = {}

        def at_text(at: int) -> tuple[_Leads, int]:
            number = bisect_right(starts, at) - 1
            lead = leads.get(number)
            if lead is None:
                lead = leads[number] = _Leads(small[starts[number] : starts[number + 1] - 1])
            return lead, at - starts[number]

        for rule, found_at in anchored.items():
            for at in found_at:
                lead, place = at_text(at)
                lead.anchored.setdefault(rule, []).append(place)
                lead.is_open |= rule in self._unanchored
        for at in changes_at(text):
            at_text(at)[0].is_open = True
        for at in values_ahead(text):
            at_text(at)[0].has_value = True
        for at, _end, _name, _says in announced(text, names):
            at_text(at)[0].has_name = True
        for at in names:
            if (number := bisect_right(starts, at) - 1) in leads:
                leads[number].names.append(at - starts[number])
        return leads

    def _has_claim(self, text: str, lead: _Leads) -> bool:
        rules = (claimed(self._rules[number], text, places) for number, places in lead.anchored.items())
        named = pairs(text, lead.names) if lead.has_name else ()
        keys = vendors_keys(text, lead.small) if lead.has_value else ()
        return any(True for _ in chain(*rules, named, keys))

    def _claims(self, text: str) -> tuple[list[Secret], list[int]]:
        """Return what the rules claim, and where base64 may hold a secret."""
        small, names, anchored = self._anchors(text)
        encoded_at = anchored.pop(_ENCODED, [])
        claims = [claim for number, places in anchored.items()
                  for claim in claimed(self._rules[number], text, places)]  # fmt: skip
        claims += [Secret("secret", *span) for span in pairs(text, names)]
        claims += [Secret("key", *span, "service-key") for span in vendors_keys(text, small)]
        return claims, encoded_at

    def _anchors(self, text: str) -> tuple[str, list[int], dict[int, list[int]]]:
        """Return the text in small letters, where names have a part, and each rule with the places of its anchors."""
        small = text.replace("İ", "I").lower()  # the only capital with a longer lower case; positions must stay
        names = {part: list(places(small, part)) for part in NAME_PARTS if part in small}
        return small, sorted(at for ats in names.values() for at in ats), self._anchored(text, small, names)

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

    def _anchored(self, text: str, small: str, names: Mapping[str, list[int]]) -> dict[int, list[int]]:
        """Return each rule whose anchors occur somewhere, with their positions in order.

        An anchor that begins like one of the parts of names is only looked for where these are.
        """
        found: dict[int, list[int]] = {}
        for anchor, at in self._exact_places(text):
            for number in self._exact[anchor]:
                found.setdefault(number, []).append(at)
        for part in ("", *names):
            for folded, numbers in self._folded.get(part, {}).items():
                ats = (
                    list(places(small, folded))
                    if not part
                    else [at for at in names[part] if small.startswith(folded, at)]
                )
                for number in numbers if ats else ():
                    found.setdefault(number, []).extend(ats)
        for ahead, numbers in self._ahead.items():
            if ats := [one.start() for one in compiled(ahead).finditer(text)]:
                found.update((number, list(ats)) for number in numbers)
        for number, needed in self._needed.items():
            if number in found and not any(map(text.__contains__, needed)):
                del found[number]
        for ats in found.values():
            ats.sort()
        return found


def _groups(texts: Iterable[str]) -> Iterator[list[str]]:
    """Return different short texts in groups; a long text costs as much alone."""
    group: list[str] = []
    size = 0
    for text in dict.fromkeys(text for text in texts if len(text) <= _SHORT_TEXT):
        group.append(text)
        size += len(text)
        if size > _TOGETHER:
            yield group
            group, size = [], 0
    if group:
        yield group


def settled(claims: Iterable[Secret], text: str, rank: Callable[[str], int]) -> list[Secret]:
    """Join overlapping claims under the kind that ranks first, and skip placeholders."""
    joined: list[Secret] = []
    for claim in sorted(claims, key=lambda claim: (claim.start, claim.end)):
        if joined and claim.start < joined[-1].end:
            last = joined[-1]
            best = min(last, claim, key=lambda one: rank(one.kind))
            joined[-1] = Secret(best.kind, last.start, max(last.end, claim.end), best.rule)
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
        yield claim._replace(start=start, end=end)
