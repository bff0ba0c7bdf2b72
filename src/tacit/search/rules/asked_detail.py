"""Whether a query asks for a time or a number, and whether a text tells one. English only."""

from __future__ import annotations

import re
from typing import NamedTuple

from tacit.text.patterns import lazy_pattern

_ASKS_TIME = lazy_pattern(r"\b(?:when|how long|dates?|days?|weeks?|months?|years?)\b", re.I)
_ASKS_NUMBER = lazy_pattern(r"\bhow (?:many|much)\b", re.I)
_TIME = lazy_pattern(
    r"\b(?:yesterday|today|tonight|ago|last|next|week|month|year|day|morning|january|february|march|april|may|june|july"
    r"|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b"
)
_NUMBER = lazy_pattern(r"\d")


class AskedDetail(NamedTuple):
    """A time, a number, both or none: what a query asks for, or what of it a text tells."""

    time: bool
    number: bool


def asked_detail(query: str) -> AskedDetail:
    """Return what a query asks for."""
    return AskedDetail(bool(_ASKS_TIME.search(query)), bool(_ASKS_NUMBER.search(query)))


def told_detail(text: str, asked: AskedDetail) -> AskedDetail:
    """Return what a text in lower case tells of it."""
    return AskedDetail(asked.time and bool(_TIME.search(text)), asked.number and bool(_NUMBER.search(text)))
