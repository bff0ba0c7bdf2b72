"""What the verbs give back."""

from __future__ import annotations

from typing import Any

import msgspec

from tacit.model.link import Link
from tacit.model.record import Record


class ConflictPair(msgspec.Struct, frozen=True):
    """Two facts that cannot both hold, and why."""

    id: str
    other: str
    why: str


class Memorized(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a memorized text: a new fact, or one it was merged into; what it contradicts, and what is odd."""

    id: str
    record: Record
    merged: bool = False
    entity: str = ""
    conflicts: tuple[ConflictPair, ...] = ()
    notices: tuple[str, ...] = ()


class Revised(msgspec.Struct, frozen=True, kw_only=True):
    """A record in its new version, what it contradicts now that it is worded otherwise, and what is odd."""

    record: Record
    conflicts: tuple[ConflictPair, ...] = ()
    notices: tuple[str, ...] = ()


class Pruned(msgspec.Struct, frozen=True, kw_only=True):
    """What prune archived, or would archive."""

    ids: tuple[str, ...]
    examined: int
    kept_user_authored: int
    dry_run: bool


class Merged(msgspec.Struct, frozen=True, kw_only=True):
    """What merge brought together, or would: the fact kept, and those that became part of it."""

    groups: tuple[tuple[str, tuple[str, ...]], ...]
    examined: int
    dry_run: bool


class Undone(msgspec.Struct, frozen=True, kw_only=True):
    """Which write was taken back, and what it touched.

    `ids` are the records that have a new version now; `records` are these, or what is at the ends of the links
    where the write changed only links.
    """

    event: int
    type: str
    ids: tuple[str, ...]
    records: tuple[Record, ...] = ()
    left: tuple[str, ...] = ()
    """What is newer and stays: captures, and what others wrote; by their types."""


class GraphStep(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a walk over the graph: the link taken and the entity reached, `depth` links from the start."""

    depth: int
    link: Link
    entity: Record


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """What an import brought in."""

    records: int
    versions: int
    links: int
    skipped: int
    events_ignored: int
    lowered: int = 0
    """Records that claim to be a person's, or trusted: they came in trusted as an import."""
    candidates: int = 0
    """Lessons that were accepted there: they came in as candidates."""


class Maintained(msgspec.Struct, frozen=True, kw_only=True):
    """What one pass of upkeep did."""

    pruned: int
    embedded: int
    waiting: int
    vector_files: int
    rebuilt: int
    erasure_pending: bool
    lessons_proposed: int = 0
    lessons_on_trial: int = 0
    lessons_demoted: int = 0
    notices: tuple[str, ...] = ()


class DrainReport(msgspec.Struct, frozen=True, kw_only=True):
    """What became of things that hooks left behind: taken in, still waiting, or set aside as nothing can take them."""

    calls: int = 0
    sessions: int = 0
    waiting: int = 0
    sessions_waiting: int = 0
    set_aside: int = 0
    problems: tuple[str, ...] = ()


class SyncReceipt(msgspec.Struct, frozen=True, kw_only=True):
    """A receipt: which store, the number of its last event, what was taken in, and how many reads were forgotten."""

    store: str
    seq: int
    drained: DrainReport
    dropped: int


class ContextBlock(msgspec.Struct, frozen=True, kw_only=True):
    """A block for a prompt: its text, the facts in it, its estimated tokens, and why it may be empty."""

    text: str
    ids: tuple[str, ...]
    tokens: int
    details: dict[str, Any] = {}
    notices: tuple[str, ...] = ()


class Migrated(msgspec.Struct, frozen=True, kw_only=True):
    """What `migrate` copied: rows by table, and the hash both stores agree on."""

    source: str
    target: str
    rows: dict[str, int]
    hash: str
    dry_run: bool
