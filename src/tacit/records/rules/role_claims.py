"""Who has a role for what: "Alice owns billing", "the billing owner is Bob". Of two holders, one is outdated.

A statement that names several holders, a condition, a part of the time, or what once was, claims nothing here.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from tacit.records.rules.merge_vocabulary import ADDITIONS, CONDITIONS, CROWDS, JOINTS, keys_of
from tacit.records.rules.statement import Statement, StatementWord, WordKind

_ANY = "holder"
"""The role of whoever took something over: whichever role for it somebody else had."""
_VERBS = {"own": "owner", "lead": "lead", "led": "lead", "maintain": "maintainer", "manag": "manager"}
_TITLES = {
    "owner": "owner", "lead": "lead", "maintain": "maintainer", "manag": "manager", "contact": "contact",
    "respons": "responsible", "charg": "responsible", "oncal": "contact",
}  # fmt: skip
_OF = keys_of("of for")
_GENERIC = keys_of("service system component module code project")
_PAST = frozenset({"was", "were", "had"})
_BEFORE = keys_of("former formerly previous previously once until ex old temporarily")
# What follows says since when it is so, not for what.
_SINCE = keys_of("since from starting effective")
_MOST_HOLDER_WORDS = 3
_MOST_THING_WORDS = 5
_SHOWN = 40


class RoleClaim(NamedTuple):
    """A role, the words of what it is for, and the words of who has it."""

    role: str
    thing: frozenset[str]
    holder: tuple[StatementWord, ...]

    @property
    def holder_keys(self) -> frozenset[str]:
        """The words of the holder that tell one from another."""
        return frozenset(word.key for word in self.holder) - CROWDS


def role_conflict(left: RoleClaim | None, right: RoleClaim | None) -> str:
    """Return what two claims contradict each other in, or an empty text if both may hold."""
    if left is None or right is None or left.thing != right.thing:
        return ""
    if left.role != right.role and _ANY not in (left.role, right.role):
        return ""
    one, other = left.holder_keys, right.holder_keys
    if not one or not other or one <= other or other <= one:
        return ""
    role = right.role if left.role == _ANY else left.role
    return f"{role}: {_shown(left.holder)} / {_shown(right.holder)}"


def role_claim(said: Statement) -> RoleClaim | None:
    """Return the role that a statement says somebody has, or None if it says nothing of the kind."""
    words = _since_cut(said.words)
    keys = [word.key for word in words]
    barred = ADDITIONS | JOINTS | CONDITIONS | _BEFORE | {"?"}
    if not 3 <= len(words) <= 14 or barred & set(keys) or said.against:
        return None
    if any(word.sort is WordKind.NOT or word.form in _PAST for word in words) or _used_to(keys):
        return None
    return (
        _taken_over(words, keys) or _by_verb(words, keys) or _passive(words, keys) or _titled(words, keys)
        or _belongs(words, keys)
    )  # fmt: skip


def _since_cut(words: Sequence[StatementWord]) -> list[StatementWord]:
    """Return the words without "since May", at the beginning or at the end."""
    words = words[2:] if words and words[0].key in _SINCE else words
    end = next((place for place, word in enumerate(words) if place > 1 and word.key in _SINCE), len(words))
    return list(words[:end])


def _used_to(keys: Sequence[str]) -> bool:
    return ("use", "to") in pairwise(keys)


def _by_verb(words: list[StatementWord], keys: list[str]) -> RoleClaim | None:
    """Read "Alice owns billing"."""
    place = next((at for at, key in enumerate(keys) if key in _VERBS), 0)
    if not 0 < place <= _MOST_HOLDER_WORDS or "be" in keys[:place]:
        return None
    return _claim(_VERBS[keys[place]], words[place + 1 :], words[:place])


def _passive(words: list[StatementWord], keys: list[str]) -> RoleClaim | None:
    """Read "billing is owned by Alice"."""
    for at in range(1, len(keys) - 3):
        if keys[at] == "be" and keys[at + 1] in _VERBS and keys[at + 2] == "by":
            return _claim(_VERBS[keys[at + 1]], words[:at], words[at + 3 :])
    return None


def _titled(words: list[StatementWord], keys: list[str]) -> RoleClaim | None:
    """Read "Alice is the owner of billing", "the owner of billing is Alice", "the billing owner is Alice"."""
    if "be" in keys:
        middle = keys.index("be")
        before, after = words[:middle], words[middle + 1 :]
    else:
        middle = next((at for at, word in enumerate(words) if word.stop == ":"), -1)
        before, after = words[: middle + 1], words[middle + 1 :]
    if not before or not after:
        return None
    for titled, holder in ((after, before), (before, after)):
        role, thing = _title(titled)
        if role and thing:
            return _claim(role, thing, holder)
    return None


def _title(words: Sequence[StatementWord]) -> tuple[str, list[StatementWord]]:
    """Return the role in a phrase, and what it is for: "owner of billing", "billing owner", "in charge of releases"."""
    keys = [word.key for word in words]
    at = next((place for place, key in enumerate(keys) if key in _TITLES), None)
    if at is None:
        return "", []
    of = next((place for place in range(at + 1, len(keys)) if keys[place] in _OF), None)
    if of is not None:
        # "tech lead of", "on-call contact for": what stands before the title is part of the role.
        kind = " ".join([*(key for key in keys[:at] if key not in {"in"}), _TITLES[keys[at]]])
        return (kind, list(words[of + 1 :])) if of == at + 1 else ("", [])
    return (_TITLES[keys[at]], list(words[:at])) if at == len(keys) - 1 and at > 0 else ("", [])


def _belongs(words: list[StatementWord], keys: list[str]) -> RoleClaim | None:
    """Read "billing belongs to team Falcon"."""
    for at in range(1, len(keys) - 2):
        if keys[at] == "belong" and keys[at + 1] == "to":
            return _claim("owner", words[:at], words[at + 2 :])
    return None


def _taken_over(words: list[StatementWord], keys: list[str]) -> RoleClaim | None:
    """Read "Lena took over billing"."""
    for at in range(1, len(keys) - 2):
        if keys[at] in {"take", "took"} and keys[at + 1] == "over":
            return _claim(_ANY, words[at + 2 :], words[:at])
    return None


def _claim(role: str, thing: Sequence[StatementWord], holder: Sequence[StatementWord]) -> RoleClaim | None:
    about = frozenset(word.key for word in thing)
    about = (about - _GENERIC) or about
    fits = 0 < len(holder) <= _MOST_HOLDER_WORDS and 0 < len(about) <= _MOST_THING_WORDS
    # Who holds a role is a name or a crowd; "the job that owns billing" is not.
    named = any(word.sort is WordKind.NAME or word.key in CROWDS for word in holder)
    return RoleClaim(role, about, tuple(holder)) if fits and named else None


def _shown(words: Sequence[StatementWord]) -> str:
    return " ".join(word.shown for word in words)[:_SHOWN]
