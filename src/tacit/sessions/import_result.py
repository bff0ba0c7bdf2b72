"""What came of an import of sessions."""

from __future__ import annotations

from typing import NamedTuple

from tacit.model.record import Record


class TranscriptProblems(NamedTuple):
    """The parts of a transcript that could not be read."""

    path: str
    broken: int
    unknown: dict[str, int]
    notes: tuple[str, ...]


class SessionImport(NamedTuple):
    """The result of an import: new and grown sessions, and counts of those that were skipped."""

    new: tuple[Record, ...] = ()
    grown: tuple[Record, ...] = ()
    unchanged: int = 0
    empty: int = 0
    elsewhere: dict[str, int] = {}  # noqa: RUF012 - a default nobody writes to
    unread: tuple[TranscriptProblems, ...] = ()
    too_old: int = 0
    """How many turns were not kept because of their age."""
    forgotten: int = 0
    """How many were left out because a person has forgotten them."""
    unusable: int = 0
    """How many of those that count as empty are no transcripts."""
    refused: int = 0
    """How many files could not be read, by the system's refusal; they do not count as empty."""
