"""What a lesson cites: each record is cited in the version of that time, whatever becomes of the record later."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from tacit.errors import NotFound
from tacit.model.lesson import Evidence, Lesson
from tacit.model.link import CITES, Link
from tacit.model.record import Record, payload_of, replace
from tacit.ports.store import StoreReader, Transaction
from tacit.records.connection import Connection

_RECORDS = ("note", "run", "episode")
"""The kinds of evidence that are records."""


class CitedEvidence(NamedTuple):
    """A citation of a lesson, and what it says: of a record, the text of the version that was cited."""

    kind: str
    ref: str
    text: str
    version: int = 0
    """The version that was cited; 0 for what is no record."""
    current: int = 0
    """The present version of the record; 0 if it no longer exists."""


def named_in(payload: Lesson) -> tuple[Evidence, ...]:
    """Return the evidence that a lesson's narrative cites."""
    return payload.narrative.evidence if payload.narrative else ()


def pinned(c: Connection, payload: Lesson) -> Lesson:
    """Return a lesson in which each cited record has its version: the one that is named, or the present one.

    Raises NotFound for a record or a version that is not there.
    """
    if payload.narrative is None:
        return payload
    evidence = tuple(_pinned(c, one) for one in payload.narrative.evidence)
    return replace(payload, narrative=replace(payload.narrative, evidence=evidence))


def _pinned(c: Connection, one: Evidence) -> Evidence:
    if one.kind not in _RECORDS:
        return replace(one, version=0)
    if (record := c.get(one.ref)) is None:
        raise NotFound(
            f"no record {one.ref[:80]!r} to cite as evidence",
            "give the id of a record that this scope can read, or quote the evidence",
        )
    if one.version and one.version not in [known.version for known in c.store.history(record.id, c.walls)]:
        raise NotFound(f"{record.id} has no version {one.version}", f"it has versions 1 to {record.version}")
    return replace(one, version=one.version or record.version)


def cite(tx: Transaction, record: Record, now: datetime) -> None:
    """Make the links equal to what a lesson cites now; a record that it no longer cites loses its protection."""
    cited = {one.ref for one in named_in(payload_of(record, Lesson)) if one.kind in _RECORDS}
    for link in tx.links([record.id], [record.scope], relation=CITES, incoming=False):
        if link.target not in cited:
            tx.unlink(record.id, CITES, link.target, link.scope, now)
    for one in sorted(cited):
        tx.link(Link(source=record.id, relation=CITES, target=one, scope=record.scope, since=now))


def cited_version(c: Connection, reader: StoreReader, record: Record, one: Evidence) -> Record | None:
    """Return the version of a record that a lesson cites, or None if it no longer exists.

    A citation of before versions were kept means the version of the time when it was made.
    """
    versions = reader.history(one.ref, c.walls)
    if one.version:
        return next((known for known in versions if known.version == one.version), None)
    links = reader.links([record.id], c.walls, relation=CITES, incoming=False)
    since = next((link.since for link in links if link.target == one.ref), record.updated_at)
    return next((known for known in reversed(versions) if known.updated_at <= since), versions[0] if versions else None)


def cited_evidence(c: Connection, record: Record) -> list[CitedEvidence]:
    """Return what a lesson cites, each with its text."""
    return [_told(c, record, one) for one in named_in(payload_of(record, Lesson))]


def _told(c: Connection, record: Record, one: Evidence) -> CitedEvidence:
    if one.kind not in _RECORDS:
        return CitedEvidence(one.kind, one.ref, one.ref)
    cited, now = cited_version(c, c.store, record, one), c.get(one.ref)
    text = "\n".join(part for part in (cited.title, cited.body) if part) if cited else ""
    return CitedEvidence(one.kind, one.ref, text, cited.version if cited else one.version, now.version if now else 0)


def in_words(evidence: Sequence[CitedEvidence], most_chars: int) -> list[str]:
    """Return one line for each citation: what was cited, and whether the record changed since."""
    return [_in_words(one, most_chars) for one in evidence]


def _in_words(one: CitedEvidence, most_chars: int) -> str:
    line = " ".join(one.text.split())
    text = line if len(line) <= most_chars else line[: most_chars - 1] + "…"
    if one.kind not in _RECORDS:
        return f"{one.kind} {text}"
    if not one.current:
        return f"{one.kind} {one.ref}, which no longer exists"
    changed = f", now version {one.current}" if one.current != one.version else ""
    return f"{one.kind} {one.ref} (version {one.version}{changed}): {text}"
