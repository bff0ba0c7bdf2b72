"""Decide which of an agent's facts may be injected into every prompt: plain statements only."""

from __future__ import annotations

import re

from tacit.text.patterns import lazy_pattern
from tacit.text.secret_marks import WELL_KNOWN

LEAST_WORDS = 3
MOST_CHARS = 4_000
"""A fact is one or a few sentences; a longer text is a document."""
_WORD = lazy_pattern(r"(?<!\S)[^\w\s]*\w\S*")
# Languages that part no words say a sentence in so many signs.
_SIGNS = lazy_pattern("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LEAST_SIGNS = 5
_LEAST_LETTERS = 8
"""Where letters stand alone, so many and more than half, something is spelled out that no sentence spells."""
_KEYED = lazy_pattern(r"^[\w.\-/ ]{1,60}[:=]\s*(?=[\[{])")
_LISTED = lazy_pattern(r"^[\[{(].*[\]})]$", re.S)
_PROSE = lazy_pattern(r"[\"'][^\"'\n]*[^\W\d_]+ +[^\W\d_]+ +[^\W\d_]+[^\"'\n]*[\"']|:\s*(?:\d|true|false|null)")
_REPEATED = lazy_pattern(r"(\S)\1{63}")
_CARD = lazy_pattern(r"(?<![\w-])(?:\d[ -]?){13,18}\d(?![\w-])")
_PERSON = lazy_pattern(r"(?i)\b(?:ssn|social security)\b[^\n]{0,20}?\b\d{3}-?\d{2}-?\d{4}\b")
_KEY = lazy_pattern(
    rf"-----BEGIN [A-Z ]*PRIVATE KEY|\b(?:{'|'.join(map(re.escape, WELL_KNOWN))})[\w-]{{16,}}|"
    r"://[^\s:/@]+:[^\s:/@]+@"
)


def is_context_eligible(text: str) -> bool:
    """Return whether a text may be injected into every prompt: a statement without personal numbers or keys."""
    said = text.strip()
    if len(said) > MOST_CHARS or _REPEATED.search(said) or _holds_private(said):
        return False
    listed = _KEYED.sub("", said)
    if _LISTED.match(listed) and not _PROSE.search(listed):
        return False
    words = _WORD.findall(said)
    if len(words) > _LEAST_LETTERS and sum(len(word) == 1 for word in words) > len(words) // 2:
        return False
    return len(words) >= LEAST_WORDS or len(_SIGNS.findall(said)) >= _LEAST_SIGNS


def _holds_private(text: str) -> bool:
    """Return whether a text contains a card number, a personal number, or something that looks like a key."""
    if _KEY.search(text) or _PERSON.search(text):
        return True
    return any(_is_card(found[0]) for found in _CARD.finditer(text))


def _is_card(written: str) -> bool:
    digits = [int(one) for one in written if one.isdigit()]
    doubled = [sum(divmod(2 * one, 10)) for one in digits[-2::-2]]
    return not (sum(digits[-1::-2]) + sum(doubled)) % 10 and len(set(digits)) > 1
