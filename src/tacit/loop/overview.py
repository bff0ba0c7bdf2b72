"""The overview of a project: what its memory knows, what happened lately, and what waits for a person."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.loop.activity_log import log
from tacit.loop.stats import start_line
from tacit.memdir.status import findings as memdir_findings
from tacit.model.failure import Correction, Failure
from tacit.model.kinds import RULE
from tacit.model.query import Filter
from tacit.model.record import Record, payload_of
from tacit.model.results import Decision, Overview
from tacit.records.conflicts import open_conflicts
from tacit.records.connection import EVERYTHING, Connection
from tacit.search.rules.relevance_cutoff import FIX, is_learned
from tacit.text.frame import STATS_HEAD
from tacit.text.plural import plural

_KNOWN = {
    RULE: ("correction", ("active",)), "fact": ("fact", ("active",)), "lesson": ("lesson", ("promoted", "active")),
    "procedure": ("procedure", ("active",)), "note": ("note", ("active",)), "known failure": ("failure", ("active",)),
    "session": ("session", ("active",)),
}  # fmt: skip
_MOST_HAPPENED = 5


def overview(c: Connection) -> Overview:
    """Return what the memory of this project knows, what happened lately, and which decisions wait."""
    where = {name: Filter(scopes=c.walls, kinds=(kind,), statuses=statuses)
             for name, (kind, statuses) in _KNOWN.items()}  # fmt: skip
    counts = {name: c.store.count(one) for name, one in where.items()}
    # What was learned from commands, nobody stated.
    learned = [one for one in c.store.find(where[RULE], limit=EVERYTHING).records if is_learned(one)]
    counts = {RULE: counts[RULE] - len(learned), FIX: _fixes(c, where["known failure"], learned)} | {
        name: n for name, n in counts.items() if name != RULE
    }
    knows = {name: count for name, count in counts.items() if count}
    week = start_line(c).removeprefix(f"{STATS_HEAD}: ")
    return Overview(
        scope=str(c.scope), knows=knows, week=week, happened=tuple(log(c, limit=_MOST_HAPPENED)),
        waiting=tuple(waiting_decisions(c, len(open_conflicts(c)))), off=c.off,
    )  # fmt: skip


def _fixes(c: Connection, failures: Filter, learned: Sequence[Record]) -> int:
    """Count the failures with a known fix, and what was learned without one of them."""
    found = ((one.id, payload_of(one, Failure)) for one in c.store.find(failures, limit=EVERYTHING).records)
    fixed = {id for id, failure in found if failure.fixed_by or failure.correction}
    return len(fixed) + sum(payload_of(one, Correction).failure not in fixed for one in learned)


def waiting_decisions(c: Connection, conflicts: int) -> list[Decision]:
    """Return what only a person can settle, each with the command that shows it."""
    found = []
    if conflicts:
        found.append(
            Decision(f"{plural(conflicts, 'pair')} of facts contradict each other", "tacit consolidate conflicts")
        )
    if lessons := c.store.count(c.filter(kinds=("lesson",), statuses=("candidate",))):
        found.append(Decision(f"{plural(lessons, 'lesson')} to accept or discard", "tacit lesson review"))
    if drafts := c.store.count(c.filter(kinds=("procedure",), statuses=("draft",))):
        found.append(Decision(f"{plural(drafts, 'draft procedure')} to look at", "tacit procedure list --status draft"))
    if changes := c.waiting_changes(c):
        wait = "waits" if changes == 1 else "wait"
        found.append(Decision(f"{plural(changes, 'change')} by other homes {wait}", "tacit share pull"))
    found += [Decision(one.message, "tacit memdir status") for one in memdir_findings(c)]
    return found
