"""Which rules cannot both hold: another choice for the same thing, the reverse, or the opposite order."""

from __future__ import annotations

import re

from tacit.model.failure import Correction
from tacit.text.patterns import lazy_pattern
from tacit.text.tokens import tokens

_HEAD = r"^\W*(?:please\s+)?(?:we\s+)?"
_FORBIDS = lazy_pattern(_HEAD + r"(?:never(?:\s+ever)?|(?:don['’]?t|do\s+not)(?:\s+ever)?|stop|avoid)\s+", re.I)
_DEMANDS = lazy_pattern(_HEAD + r"(?:always|you\s+(?:must|should|may|can)|it\s+is\s+(?:ok|fine)\s+to)\s+", re.I)
# "use npm": the verb says nothing about which of two things is meant.
_USE = lazy_pattern(r"^(?:use|using|run|prefer|choose|call)\s+", re.I)


def are_contrary(one: Correction, other: Correction) -> bool:
    """Return whether two rules about the same subject ask for different things, so that only one can hold."""
    if one.original and other.original:
        first, second = _words(one.original), _words(other.original)
        wanted, instead = _words(one.corrected), _words(other.corrected)
        narrowing = [set(told) < set(asked) for told, asked in ((first, wanted), (second, instead))]
        if first == second:
            # "pytest -x" and "pytest -n 4" instead of "pytest" may both be wanted.
            return wanted != instead and not all(narrowing)
        return (first == instead or second == wanted) and not any(narrowing)
    if not one.original and not other.original:
        (forbidden, said), (also_forbidden, also_said) = _order(one.corrected), _order(other.corrected)
        return forbidden is not also_forbidden and said == also_said
    # "use bun instead of npm" and "always use npm": one wants what the other replaces.
    pair, rule = (one, other) if one.original else (other, one)
    forbidden, said = _order(rule.corrected)
    return said == _words(pair.corrected) if forbidden else said == _words(pair.original)


def _order(text: str) -> tuple[bool, tuple[str, ...]]:
    """Return whether a rule forbids, and the words of what it is about."""
    if found := _FORBIDS.match(text):
        return True, _words(text[found.end() :])
    found = _DEMANDS.match(text)
    return False, _words(text[found.end() :] if found else text)


def _words(text: str) -> tuple[str, ...]:
    """Return the base forms of the words of a text, in their order, without the verb that only chooses."""
    plain = _USE.sub("", text.strip().lower())
    return tuple(tokens(plain)) or (plain,)
