"""Events, their digests, the seals over ranges of digests, and the tallies counted from events."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime
from typing import Any

import msgspec

from tacit.model.timestamps import stamp

_canonical = msgspec.json.Encoder(order="sorted")

GENESIS = "0" * 64


class RecordChange(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The effect of a write on a record: old version (0 for a new record), new version, and content hash."""

    id: str
    before: int
    after: int
    hash: str


class NewEvent(msgspec.Struct, frozen=True, kw_only=True):
    """An event before the store has given it a number."""

    type: str
    subject: str = ""
    scope: str = ""
    session: str = ""
    payload: dict[str, Any] = {}


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """An event in the store. `payload` is None after its body was erased."""

    seq: int
    at: datetime
    actor: str
    type: str
    subject: str
    scope: str
    session: str
    digest: str
    payload: dict[str, Any] | None


class Seal(msgspec.Struct, frozen=True):
    """One link in the chain of seals; it covers events `first` to `last`."""

    number: int
    first: int
    last: int
    hash: str


def encode_body(payload: dict[str, Any]) -> bytes:
    """Return the canonical bytes of an event's payload."""
    return _canonical.encode(payload)


def event_digest(salt: bytes, header: tuple[int, datetime, str, str, str, str, str], body: bytes) -> str:
    """Digest an event. The salt prevents guessing an erased body from its digest."""
    seq, at, *rest = header
    digest = hashlib.sha256(salt)
    digest.update(_canonical.encode([seq, stamp(at), *rest]))
    digest.update(body)
    return digest.hexdigest()


def seal_hash(previous: str, first: int, last: int, digests: Iterable[str]) -> str:
    """Chain a range of event digests onto the previous seal."""
    digest = hashlib.sha256(f"{previous}:{first}:{last}".encode())
    for item in digests:
        digest.update(item.encode())
    return digest.hexdigest()


SCOPE_MOVED = "scope.moved"
SCOPES = "scopes"
"""The subject of the events that tell of moved scopes; no record has such an id."""

# Which event adds what to which tally of its subject. A caller never sets a count that decides anything.
TALLIES: dict[str, tuple[tuple[str, int], ...]] = {
    "fact.repeated": (("repetitions", 1),),
    "fact.memorized": (("repetitions", 1),),
    # Recall showed it, at most once a day.
    "record.used": (("used", 1),),
    # An agent saved the same in another session.
    "fact.saved_again": (("saved_again", 1),),
    # The subject is a window of the procedure: enabling it opens a new window, so no count is ever reset.
    "run.succeeded": (("runs", 1), ("successes", 1)),
    "run.failed": (("runs", 1),),
    "failure.seen": (("seen", 1),),
    "correction.seen": (("seen", 1),),
    "injected": (("shown", 1),),
    "episode.step": (("steps", 1),),
    "episode.erased": (("erased", 1),),
    "pattern.succeeded": (("seen", 1), ("good", 1)),
    "pattern.failed": (("seen", 1),),
    "pattern.helped": (("applied", 1), ("helped", 1)),
    "pattern.no_effect": (("applied", 1),),
    "pattern.hindered": (("applied", 1),),
    "heuristic.helped": (("applied", 1), ("helped", 1)),
    "heuristic.no_effect": (("applied", 1),),
    "heuristic.hindered": (("applied", 1),),
    "confirmed:signal.positive": (("praised", 1),),
    "lesson.up": (("up", 1),),
    "lesson.down": (("down", 1),),
    "lesson.claimed_up": (("claimed_up", 1),),
    "lesson.claimed_down": (("claimed_down", 1),),
    # What changes the trust of a record, beyond who wrote it.
    "record.quarantined": (("quarantined", 1),),
    "record.released": (("released", 1),),
    "record.approved": (("approved", 1),),
    "record.unapproved": (("unapproved", 1),),
    "record.evidenced": (("evidenced", 1),),
    "record.doubted": (("doubted", 1),),
    "injection.followed": (("followed", 1),),
    "injection.ignored": (("ignored", 1),),
    # It was followed later in the session, which has an event of its own.
    "injection.reconsidered": (("ignored", -1),),
    "stop.overridden": (("overridden", 1),),
}


def tally(events: Iterable[Event]) -> dict[tuple[str, str], int]:
    """Count events into tallies: (subject, name) to count."""
    counts: dict[tuple[str, str], int] = {}
    for event in events:
        for name, step in TALLIES.get(event.type, ()):
            key = (event.subject, name)
            counts[key] = counts.get(key, 0) + step
    return counts
