"""The redactor: rules, a tag for each secret, and exceptions. Redacting a redacted text changes nothing."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from tacit.model.secret import Secret
from tacit.redact.assignments import COMPARED
from tacit.redact.command_secrets import COMMANDS
from tacit.redact.find_secrets import SecretFinder, settled
from tacit.redact.named_values import WHY as NAMED
from tacit.redact.private_keys import BLOCKS
from tacit.redact.readings import WHY as HOW
from tacit.redact.rule import SecretRule
from tacit.redact.token_formats import TOKENS
from tacit.redact.url_credentials import URLS

BUILT_IN: tuple[SecretRule, ...] = (*BLOCKS, *TOKENS, *URLS, *COMMANDS, COMPARED)
"""All rules. If two find the same secret, the earlier one names its kind."""

_WHY = {
    **{rule.id: rule.why for rule in BUILT_IN},
    **NAMED,
    "service-key": "it looks random, and the name of a service or the word key is next to it",
    "setting": "it matches a pattern of [redact] in config.toml",
}

Tag = Callable[[str], str]
Spans = Callable[[str], Iterable[Secret]]


def no_more(_text: str) -> tuple[Secret, ...]:
    """Return nothing, because no patterns were added."""
    return ()


class Redactor:
    """Removes secrets from texts. Equal secrets get equal placeholders, with a tag that reveals nothing about them.

    `allow` are texts that look like a secret but are not one here; `more` finds the patterns of the settings.
    """

    def __init__(
        self, tag: Tag, rules: tuple[SecretRule, ...] = BUILT_IN, allow: frozenset[str] = frozenset(),
        more: Spans = no_more,
    ) -> None:  # fmt: skip
        self._tag = tag
        self._allow = allow
        self._more = more
        # Kept here: looking rules up by their hash for every text would cost more than the search.
        self._finder = _finder(rules)

    def clean(self, text: str) -> str:
        """Return the text without its secrets."""
        return self.found(text)[0]

    def untouched(self, texts: Iterable[str]) -> set[str]:
        """Return those of some texts that `clean` would return unchanged, as far as this is known at once."""
        found = self._finder.untouched(texts)
        return found if self._more is no_more else {text for text in found if not any(True for _ in self._more(text))}

    def found(self, text: str) -> tuple[str, list[Secret]]:
        """Return the text without its secrets, and the positions of the secrets.

        Text next to a secret may look like one only after the secret is removed, so the search is repeated.
        """
        all_found: list[Secret] = []
        if not text:
            return text, all_found
        cleaned, starts = text, [(0, 0)]
        while new := self._seen(cleaned):
            moved = [_moved(one, starts) for one in new] if all_found else new
            all_found = sorted([*all_found, *moved], key=lambda one: one.start)
            cleaned, starts = self._replaced(text, all_found)
        return cleaned, all_found

    def _seen(self, text: str) -> list[Secret]:
        seen = self._finder.find(text)
        if more := list(self._more(text)):
            seen = settled([*seen, *more], text, self._finder.rank)
        return [one for one in seen if text[one.start : one.end] not in self._allow] if self._allow else seen

    def _replaced(self, text: str, found: Sequence[Secret]) -> tuple[str, list[tuple[int, int]]]:
        """Return the text with placeholders, and for each piece kept where it starts now and where it started."""
        pieces: list[str] = []
        starts, at, size = [(0, 0)], 0, 0
        for kind, start, end, _rule in found:
            placeholder = f"[redacted:{kind}:{self._tag(text[start:end])}]"
            pieces += (text[at:start], placeholder)
            size += start - at + len(placeholder)
            at = end
            starts.append((size, end))
        return "".join([*pieces, text[at:]]), starts


def _moved(one: Secret, starts: Sequence[tuple[int, int]]) -> Secret:
    """Return where a secret of a redacted text was in the text before."""
    now, then = starts[bisect_right(starts, one.start, key=lambda pair: pair[0]) - 1]
    return one._replace(start=one.start - now + then, end=one.end - now + then)


@lru_cache(8)
def _finder(rules: tuple[SecretRule, ...]) -> SecretFinder:
    return SecretFinder(rules)


def why(rule: str) -> str:
    """Return in a plain sentence why a rule takes a text."""
    how, _, inner = rule.rpartition("/")
    return (HOW[how] if how else "") + _WHY[inner]


def find(text: str, rules: tuple[SecretRule, ...] = BUILT_IN) -> list[Secret]:
    """Find the secrets of a text, in code points: sorted and not overlapping."""
    return Redactor(lambda _secret: "0" * 8, rules).found(text)[1]


def redact(text: str, tag: Tag, rules: tuple[SecretRule, ...] = BUILT_IN) -> str:
    """Replace every secret of a text by a placeholder."""
    return Redactor(tag, rules).clean(text)
