"""The results of the verbs."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from tacit.model.link import Link
from tacit.model.record import Record


class ConflictPair(msgspec.Struct, frozen=True):
    """Two facts that cannot both be true, and why."""

    id: str
    other: str
    why: str


class OpenConflict(msgspec.Struct, frozen=True, kw_only=True):
    """Two facts that cannot both be true and wait for a decision: the newer one, and the older one."""

    id: str
    text: str
    other: str
    other_text: str
    by_person: bool = False
    """Whether a person wrote one of them, so that only a person may settle it."""


class Memorized(msgspec.Struct, frozen=True, kw_only=True):
    """The result of memorizing a text: a new fact, or the one it was merged into; contradictions; warnings."""

    id: str
    record: Record
    merged: bool = False
    entity: str = ""
    conflicts: tuple[ConflictPair, ...] = ()
    similar: tuple[str, ...] = ()
    """Facts that say nearly the same in other words; nothing was merged."""
    notices: tuple[str, ...] = ()


class RememberedText(msgspec.Struct, frozen=True, kw_only=True):
    """The result of `remember`: the fact or note that was kept, and a sentence about it."""

    id: str
    record: Record
    said: str
    merged: bool = False
    conflicts: tuple[ConflictPair, ...] = ()
    notices: tuple[str, ...] = ()


class Decision(msgspec.Struct, frozen=True):
    """Something that waits for a person, and the command that shows it."""

    what: str
    command: str


class Overview(msgspec.Struct, frozen=True, kw_only=True):
    """What the memory of a project knows, what happened lately, and what waits for a person."""

    scope: str
    knows: dict[str, int]
    week: str
    """The last seven days in one sentence; empty if there is nothing to say."""
    happened: tuple[LogEntry, ...]
    waiting: tuple[Decision, ...]
    off: str = ""


class LogEntry(msgspec.Struct, frozen=True, kw_only=True):
    """Something that the memory did: when, what, with which record, in which session."""

    at: datetime
    what: str
    id: str
    """The short id of the record."""
    kind: str
    text: str
    session: str = ""


class StatsRow(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one week and project; in a total both are empty. docs/stats.md has the formulas."""

    week: str
    """The ISO week, as `2026-W08`."""
    scope: str
    sessions: int = 0
    told: int = 0
    stops: int = 0
    stops_paid: int = 0
    stops_repeated: int = 0
    followed: int = 0
    ignored: int = 0
    muted: int = 0
    muted_by_agents: int = 0
    rules_kept: int = 0
    tokens: int = 0


class WeeklyStats(msgspec.Struct, frozen=True, kw_only=True):
    """What the memory was worth since a time: a row per week and project, newest first, and their sums."""

    since: datetime
    rows: tuple[StatsRow, ...]
    total: StatsRow
    sentence: str
    """The figures that matter most, in words; empty if there are none."""


class RecapEntry(msgspec.Struct, frozen=True, kw_only=True):
    """What was done in one session, in words."""

    session: str
    id: str
    agent: str
    at: datetime
    """When it began."""
    ended_at: datetime
    title: str
    text: str
    dated: bool = True
    """Whether these times are known; else they are those of the import."""


class SessionPart(msgspec.Struct, frozen=True, kw_only=True):
    """Some of the kept turns of a session."""

    session: Record | None = None
    turns: tuple[Record, ...] = ()
    next: int = 0
    """Where the next turns begin; 0 if there are no more."""


class RecapReport(msgspec.Struct, frozen=True, kw_only=True):
    """The recaps of sessions, the latest first."""

    since: datetime | None
    recaps: tuple[RecapEntry, ...]
    notices: tuple[str, ...] = ()


class TimelineEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One session in a list by time."""

    session: str
    id: str
    agent: str
    at: datetime
    """When it began."""
    ended_at: datetime
    title: str
    prompts: int
    commands: int
    failures: int
    files: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    dated: bool = True
    """Whether these times are known; else they are those of the import."""


class Timeline(msgspec.Struct, frozen=True, kw_only=True):
    """Sessions, the latest first."""

    since: datetime | None
    entries: tuple[TimelineEntry, ...]
    notices: tuple[str, ...] = ()


class Revised(msgspec.Struct, frozen=True, kw_only=True):
    """A record in its new version, the facts that its new text contradicts, and warnings."""

    record: Record
    conflicts: tuple[ConflictPair, ...] = ()
    notices: tuple[str, ...] = ()


class Pruned(msgspec.Struct, frozen=True, kw_only=True):
    """The facts that prune archived, or would archive."""

    ids: tuple[str, ...]
    examined: int
    kept_user_authored: int
    dry_run: bool
    back: tuple[str, ...] = ()
    """The commands that bring them back, one for each."""


class Merged(msgspec.Struct, frozen=True, kw_only=True):
    """The facts that merge combined, or would combine: the one kept, and those merged into it."""

    groups: tuple[tuple[str, tuple[str, ...]], ...]
    examined: int
    dry_run: bool


class Undone(msgspec.Struct, frozen=True, kw_only=True):
    """The write that was undone, and what that changed.

    `ids` are the records that now have a new version; `records` are the same records, or, if the write changed only
    links, the records that the links connect.
    """

    event: int
    type: str
    ids: tuple[str, ...]
    records: tuple[Record, ...] = ()
    left: tuple[str, ...] = ()
    """Newer writes that were left alone, by type: captures, and writes of others."""


class ScopeSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A scope of the store: how much it holds, when it was last written, and where its project is."""

    scope: str
    records: int
    """Without retired ones."""
    last: datetime | None
    place: str = ""
    """The folder of a project that is named after its git remote; empty if it was not seen on this machine."""
    is_here: bool = False
    """Whether this memory writes it."""


class ScopeMove(msgspec.Struct, frozen=True, kw_only=True):
    """One scope whose records moved into another."""

    source: str
    target: str
    records: int
    already_there: int = 0
    """How many records the target had before."""
    retired: tuple[str, ...] = ()
    """Records that had the key of a record of the target: they moved and are retired."""
    back: str = ""
    """The command that moves everything back; empty after a merge."""


class GraphStep(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a walk over the graph: the link followed and the entity reached, `depth` links from the start."""

    depth: int
    link: Link
    entity: Record


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """What an import added."""

    records: int
    versions: int
    links: int
    skipped: int
    events_ignored: int
    lowered: int = 0
    """Records that claim to be a person's, or trusted: they are only trusted as an import."""
    candidates: int = 0
    """Lessons that were accepted in the other memory: they are imported as candidates."""


class Maintained(msgspec.Struct, frozen=True, kw_only=True):
    """What one `maintain` pass did."""

    pruned: int
    archived: tuple[str, ...] = ()
    """The ids of the facts that were archived because nobody used them for long."""
    embedded: int
    waiting: int
    vector_files: int
    rebuilt: int
    erasure_pending: bool
    lessons_proposed: int = 0
    lessons_refused: int = 0
    """How many were not proposed because a person discarded the same lesson or voted it down."""
    lessons_on_trial: int = 0
    lessons_demoted: int = 0
    failures_relearned: int = 0
    notices: tuple[str, ...] = ()


class DrainReport(msgspec.Struct, frozen=True, kw_only=True):
    """The result of draining the spool: entries stored, still waiting, or set aside because they are invalid."""

    calls: int = 0
    sessions: int = 0
    waiting: int = 0
    sessions_waiting: int = 0
    set_aside: int = 0
    problems: tuple[str, ...] = ()


class SyncReceipt(msgspec.Struct, frozen=True, kw_only=True):
    """A receipt: which store, the number of its last event, what was stored, and how many cached reads were dropped."""

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
    """The result of `migrate`: rows by table, and the hash of both stores."""

    source: str
    target: str
    rows: dict[str, int]
    hash: str
    dry_run: bool


class RelatedRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A record behind or beside another one, and how the two are connected, in words."""

    how: str
    id: str
    title: str


class Telling(msgspec.Struct, frozen=True, kw_only=True):
    """One time a record was told to an agent: when, in which session, at which moment, and what the agent did then."""

    at: datetime
    session: str
    moment: str
    then: str = ""
    """`followed`, `ignored` or `overridden`; empty if nothing is known."""


class Stop(msgspec.Struct, frozen=True, kw_only=True):
    """One command that was stopped because of a record: when, in which session, and what came of it."""

    at: datetime
    session: str
    command: str
    """The command, redacted; empty for a stop of an earlier version."""
    then: str = ""
    """`another command worked`, `run again`; empty if nothing is known."""


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """Why a record is here: what it says, who said it, what it rests on, and when it was told to agents."""

    record: Record
    short: str
    trust: str
    first_event: str
    """The type of the event that stored it; empty if it was imported."""
    related: tuple[RelatedRecord, ...]
    counts: dict[str, int]
    """How often it was seen, told, followed, approved and so on."""
    told: tuple[Telling, ...]
    """The newest first."""
    stopped: tuple[Stop, ...]
    """The commands that it stopped, the newest first."""
    sentences: tuple[str, ...]
    """The same for people."""
