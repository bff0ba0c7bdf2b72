"""Lesson: what was learned, stated as cause and correction, with the evidence its promotion needs."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from tacit.model.payload import Payload

Confidence = Literal["observed", "inferred", "speculative"]
Enforcement = Literal["inform", "warn", "deny"]
EvidenceKind = Literal["note", "run", "episode", "event", "commit", "quote"]
ENFORCEMENTS: tuple[Enforcement, ...] = ("inform", "warn", "deny")
CONFIDENCES: tuple[Confidence, ...] = ("observed", "inferred", "speculative")
STATES = frozenset({"candidate", "active", "promoted", "demoted", "discarded", "superseded", "archived", "retired"})
TRIGGER_CHARS, FAILURE_CHARS, CORRECTION_CHARS, QUOTE_CHARS = 140, 200, 200, 80


class Evidence(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The basis of a lesson: a record by its id, a commit, or a short quote."""

    kind: EvidenceKind
    ref: str
    version: int = 0
    """The version of a record that is cited; 0 in older lessons: the version of the time when it was cited."""


_KINDS: dict[str, EvidenceKind] = {"run": "run", "episode": "episode", "note": "note", "fact": "note"}


def evidence_of(text: str) -> Evidence:
    """Parse a reference: the id of a run, an episode, a note or a fact; anything else is a quote."""
    kind, mark, _rest = text.partition("_")
    return Evidence(kind=_KINDS[kind], ref=text) if mark and kind in _KINDS else Evidence(kind="quote", ref=text)


class Narrative(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The narrative of a lesson: what triggers the failure, how it fails, what to do instead, and how certain it is."""

    trigger: str
    failure_mode: str
    correction: str
    confidence: Confidence = "inferred"
    evidence: tuple[Evidence, ...] = ()
    by: str = "user"


class Lesson(Payload, frozen=True):
    """A lesson; its description is the record's title. Counts come from events, never from fields."""

    body: str = ""
    narrative: Narrative | None = None
    enforcement: Enforcement = "warn"
    trigger_signature: str = ""
    """The command it warns of, if there is one."""
    correction_signature: str = ""
    target_skill: str = ""
    why: str = ""
    """The reason for its last change of status, and who made it."""
    since: datetime | None = None
