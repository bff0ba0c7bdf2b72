"""Decide what of a memory may be shared, and which parts of a record are shared content."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from tacit.memdir.rules.prompt import PRIVATE
from tacit.memdir.rules.topic_file import TEAM, speaks_of_oneself
from tacit.model.failure import Correction
from tacit.model.lesson import Lesson
from tacit.model.payload import Fact, Note, Payload
from tacit.model.procedure import Procedure
from tacit.model.record import Record, encode_payload, replace
from tacit.model.timestamps import stamp

SHARED_KINDS = ("fact", "correction", "lesson", "note", "procedure")
CLAIMED_CONFIDENCE = 0.5
DECIDED_HERE = ("lesson", "procedure")
"""Kinds whose status each home decides for itself: whether a lesson is promoted, and a procedure enabled."""
_IN_USE = ("active", "promoted", "disabled")
_OUT_OF_USE = ("archived", "superseded")
_canonical = msgspec.json.Encoder(order="sorted")


def why_private(record: Record) -> str:
    """Return why a record is not shared; empty if it may be."""
    if record.kind not in SHARED_KINDS:
        return f"a {record.kind} is never shared"
    if record.scope.partition(":")[0] == "user":
        return "the scope of a user is never shared"
    if record.trust == 0:
        return "it is flagged or quarantined"
    if isinstance(record.payload, Note):
        return _why_private_note(record.payload, record.body)
    return ""


def _why_private_note(note: Note, body: str) -> str:
    if note.type in PRIVATE:
        return f"a note of the type {note.type} is private"
    if not note.path.startswith(TEAM) and note.type not in ("project", "reference"):
        return "it is not a note for the team (type project or reference, or a file of the team's folder)"
    return "it is about whoever wrote it" if speaks_of_oneself(body) else ""


def is_in_use(record: Record) -> bool:
    """Return whether a record is shared for the first time: not a draft, a candidate, or what is out of use."""
    return record.status in _IN_USE


def shared_status(record: Record) -> str:
    """Return the status as it is shared: `archived` or `superseded`, else `active`."""
    return record.status if record.status in _OUT_OF_USE and record.kind not in DECIDED_HERE else "active"


def shared_payload(payload: Payload) -> Payload:
    """Return a payload without what belongs to one home: files, runs, evidence, and why a status changed."""
    match payload:
        case Fact():
            return replace(payload, thread="")
        case Note():
            return replace(payload, thread="", path="", top="")
        case Correction():
            return replace(payload, failure="", source="import", confidence=CLAIMED_CONFIDENCE)
        case Lesson():
            told = payload.narrative
            if told is not None:
                evidence = tuple(one for one in told.evidence if one.kind in ("commit", "quote"))
                told = replace(told, evidence=evidence)
            return replace(payload, narrative=told, why="", since=None)
        case Procedure():
            return replace(payload, windows=(), disabled=None, source_session="")
    raise TypeError(f"a {type(payload).__name__} is never shared")


def shared_digest(record: Record) -> str:
    """Hash the shared content of a record: what a home writes for itself (scope, key, trust, author) does not count."""
    parts: list[Any] = [
        record.kind, shared_status(record), record.title, record.body, record.tags, repr(float(record.importance)),
        stamp(record.at) if record.at else None,
    ]  # fmt: skip
    digest = hashlib.sha256(_canonical.encode(parts))
    digest.update(encode_payload(shared_payload(record.payload)))
    return digest.hexdigest()[:32]
