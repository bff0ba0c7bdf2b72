"""What is used, and what is used no longer: "We deploy with Jenkins" against "We stopped using Jenkins".

That something ended contradicts every statement that says it is in use, unless it ended only for somebody, or only for
something, that the other statement does not speak of.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tacit.records.rules.merge_vocabulary import CONDITIONS, CROWDS, PREPOSITIONS, keys_of
from tacit.records.rules.statement import NOT, Statement, StatementWord, WordKind

_USES = keys_of(
    "use deploy run build test store send ship host go rely depend write log monitor publish cache queue schedule "
    "track manage live keep serve handle format lint release upload push authenticate encrypt index search render"
)
# A tool that does something for us is in use.
_DOES = keys_of("run build deploy host store serve handle manage schedule send track publish render")
_ENDS = keys_of("stop drop quit cease abandon ditch remove retire deprecate sunset discontinue decommission kill")
_OVER = keys_of("gone retired deprecated removed discontinued decommissioned dead dropped replaced abandoned sunset")
_REPLACE = keys_of("replace")
_AWAY = keys_of("move migrate switch")
_LINKS = PREPOSITIONS | keys_of("away off out")
_GENERIC_SUBJECTS = keys_of("project repo repository team codebase company everyone us app")
_LIGHT = keys_of("be have been all longer anymore already fully completely entirely finally recently")
_PAST = frozenset({"was", "were", "used", "had"})
_UNTIL = keys_of("until till former formerly previously once")
# When it ended does not limit what has ended.
_WHEN = keys_of(
    "last this month week year quarter sprint yesterday today earlier ago spring summer autumn winter january february "
    "march april may june july august september october november december monday tuesday wednesday thursday friday"
)
_MOST_NAME_WORDS = 3
_SHOWN = 40


class EndedUse(NamedTuple):
    """What is used no longer, and what the end is limited to: by whom, and for what."""

    name: tuple[StatementWord, ...]
    only: frozenset[str]

    @property
    def keys(self) -> tuple[str, ...]:
        """The words of the name, as they are compared."""
        return tuple(word.key for word in self.name)


def use_conflict(left: Statement, right: Statement) -> str:
    """Return what one statement says has ended and the other says is used; an empty text if there is no such thing."""
    for ended, other in ((ended_use(left), right), (ended_use(right), left)):
        if ended is not None and ended_use(other) is None and _uses(other, ended):
            return f"no longer used: {' '.join(word.shown for word in ended.name)[:_SHOWN]}"
    return ""


def ended_use(said: Statement) -> EndedUse | None:
    """Return what a statement says is used no longer, or None if it says nothing of the kind."""
    words = [word for word in said.words if word.key not in _LIGHT or word.key == "be"]
    keys = [word.key for word in words]
    if not words or CONDITIONS & set(keys) or "?" in keys:
        return None
    return _not_used(words, keys) or _stopped(words, keys) or _gone(words, keys) or _moved_away(words, keys)


def _not_used(words: list[StatementWord], keys: list[str]) -> EndedUse | None:
    """Read "we no longer use Jenkins", "Redis is no longer used for sessions"."""
    at = next((place for place, word in enumerate(words) if word.sort is WordKind.NOT), None)
    if at is None or at + 1 >= len(words):
        return None
    # "never" is a rule for the future, which says nothing about what was.
    ends = words[at].form == "no longer" or (words[at].form == NOT and words[at].shown != "never")
    if not ends or keys[at + 1] not in _USES:
        return None
    if at > 0 and keys[at - 1] == "be":
        return _ended(words[: at - 1], [], words[at + 2 :])
    return _ended(_object(words[at + 2 :]), words[:at], _rest(words[at + 2 :]))


def _stopped(words: list[StatementWord], keys: list[str]) -> EndedUse | None:
    """Read "we stopped using Kafka", "we dropped CircleCI", "we got rid of SendGrid", "we replaced poetry with uv"."""
    for at, key in enumerate(keys):
        if keys[at : at + 3] in (["got", "rid", "of"], ["get", "rid", "of"]):
            return _ended(_object(words[at + 3 :]), words[:at], _rest(words[at + 3 :]))
        if key in _REPLACE and "be" not in keys[:at] and "with" in keys[at + 1 :]:
            end = keys.index("with", at + 1)
            return _ended(words[at + 1 : end], words[:at], [])
        if key in _ENDS and "be" not in keys[:at]:
            rest = words[at + 1 :]
            # "stopped publishing to Docker Hub"
            rest = rest[1:] if rest and rest[0].key in _USES else rest
            return _ended(_object(rest), words[:at], _rest(rest))
    return None


def _gone(words: list[StatementWord], keys: list[str]) -> EndedUse | None:
    """Read "LaunchDarkly is gone", "Vault has been retired", "Datadog was replaced by Grafana"."""
    for at in range(1, len(keys)):
        if keys[at] in _OVER | _ENDS and at <= _MOST_NAME_WORDS + 1:
            name = [word for word in words[:at] if word.key != "be"]
            passive = "be" in keys[:at] or len(name) < at or at == len(keys) - 1
            return _ended(name, [], [] if keys[at] in _REPLACE else words[at + 1 :]) if passive else None
    return None


def _moved_away(words: list[StatementWord], keys: list[str]) -> EndedUse | None:
    """Read "we moved from Webpack to Vite", "we migrated away from Heroku"."""
    at = next((place for place, key in enumerate(keys) if key in _AWAY), None)
    if at is None or "from" not in keys[at:]:
        return None
    start = keys.index("from", at) + 1
    return _ended(_object(words[start:]), words[:at], [])


def _object(words: Sequence[StatementWord]) -> list[StatementWord]:
    """Return the name that a verb takes: the words up to a preposition, without one that leads to it."""
    start = 1 if words and words[0].key in _LINKS else 0
    ends = _LINKS | _WHEN
    end = next((place for place in range(start, len(words)) if words[place].key in ends), len(words))
    return list(words[start:end])


def _rest(words: Sequence[StatementWord]) -> list[StatementWord]:
    skipped = 1 if words and words[0].key in _LINKS else 0
    return list(words[skipped + len(_object(words)) :])


def _ended(
    name: Sequence[StatementWord], subject: Sequence[StatementWord], rest: Sequence[StatementWord]
) -> EndedUse | None:
    limits = (word.key for word in (*subject, *rest) if word.sort not in (WordKind.DATE, WordKind.NUMBER))
    only = frozenset(limits) - _GENERIC_SUBJECTS - CROWDS - _LINKS - _WHEN - {"be"}
    fits = 0 < len(name) <= _MOST_NAME_WORDS and not any(word.sort is WordKind.NOT for word in name)
    telling = any(word.exact or word.sort is not WordKind.PLAIN or len(word.key) > 3 for word in name)
    return EndedUse(tuple(name), only) if fits and telling else None


def _uses(said: Statement, ended: EndedUse) -> bool:
    """Return whether a statement says that a thing is in use now, and where its end is said to hold."""
    words, keys = said.words, [word.key for word in said.words]
    if any(word.sort is WordKind.NOT or word.form in _PAST - {"used"} for word in words):
        return False
    if (CONDITIONS | _UNTIL) & set(keys) or "?" in keys or not ended.only <= set(keys):
        return False
    size = len(ended.keys)
    at = next((place for place in range(len(keys)) if tuple(keys[place : place + size]) == ended.keys), None)
    if at is None or any(word.key in ended.keys for word in said.against):
        return False
    # A thing may be called like what is done: "Tests run with pytest".
    verb = next((place for place, key in enumerate(keys) if key in _USES and not at <= place < at + size), None)
    if verb is None or (words[verb].form == "used" and "be" not in keys[:verb]):
        return False
    # What follows the name must not make it the name of something else: the feature of "feature store".
    if at > verb:
        return at + size == len(keys) or keys[at + size] in _LINKS
    return keys[verb] in _DOES and verb == at + size
