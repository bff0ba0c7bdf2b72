"""Health of procedures: their success rate, the step that fails most often, and what changed since they last worked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from tacit.model.procedure import DisabledReason, Procedure, Run
from tacit.model.record import Record, payload_of
from tacit.procedures.find_by_name import LIVE, Name, Statuses, find_procedure, list_procedures, procedures
from tacit.procedures.rules.health import Health
from tacit.procedures.runs import runs_of
from tacit.procedures.search import COUNTED, RECENT, alike, counted, healths
from tacit.records.arguments import Limit, whole_of
from tacit.records.connection import Connection

MOST_EVENTS = 5_000


class ProcedureHealth(NamedTuple):
    """The health of one procedure."""

    record: Record
    health: Health
    recent: tuple[bool, ...]
    """The results of its newest runs that count, oldest first: True for a success."""
    failing_step: int = 0
    failing_command: str = ""
    changed: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    disabled: DisabledReason | None = None


class ListedProcedure(NamedTuple):
    """A procedure in a list, with its health. A retired procedure has no health."""

    record: Record
    health: Health | None
    recent: tuple[bool, ...] = ()
    """The results of its newest runs that count, oldest first."""


def show_procedure(c: Connection, name: Name) -> ProcedureHealth:
    """Show a procedure: its steps, its health, and procedures with nearly the same steps."""
    # An empty name would mean all of them.
    return checkup(c, find_procedure(c, name).id)[0]


def overview(c: Connection, *, statuses: Statuses = (), limit: Limit = 10_000) -> list[ListedProcedure]:
    """List procedures with their health, newest first."""
    records = list_procedures(c, statuses=statuses)[: whole_of(limit, "limit")]
    judged, recent = healths(c, records), _recent(c, records)
    return [
        ListedProcedure(one, judged[one.id] if one.status in LIVE else None, recent.get(one.id, ())) for one in records
    ]


def checkup(c: Connection, name: Name = "") -> list[ProcedureHealth]:
    """Show the health of procedures, worst first: runs, the failing step, and what changed since the last success."""
    records = [find_procedure(c, name)] if name else procedures(c)
    judged = healths(c, records)
    recent = _recent(c, records)
    found = [_one(c, record, judged[record.id], recent[record.id], closely=bool(name)) for record in records]
    worst = {"critical": 0, "degraded": 1, "healthy": 2, "insufficient": 3}
    return sorted(found, key=lambda one: (worst[one.health.status], one.record.key))


def _recent(c: Connection, records: Sequence[Record]) -> dict[str, tuple[bool, ...]]:
    if len(records) == 1:
        one = records[0]
        return {one.id: tuple(event.type == COUNTED[0] for event in reversed(counted(c, one)))}
    owners = {window: record.id for record in records for window in payload_of(record, Procedure).windows}
    outcomes: dict[str, list[bool]] = {record.id: [] for record in records}
    if not owners:
        return {}
    for event in c.store.events(scopes=c.walls, types=COUNTED, newest=True, limit=MOST_EVENTS):
        kept = outcomes.get(owners.get(event.subject, ""))
        if kept is not None and len(kept) < RECENT:
            kept.append(event.type == COUNTED[0])
    return {id: tuple(reversed(kept)) for id, kept in outcomes.items()}


def _one(c: Connection, record: Record, health: Health, recent: tuple[bool, ...], *, closely: bool) -> ProcedureHealth:
    payload = payload_of(record, Procedure)
    similar = tuple(other.key for other, _share in alike(c, record)) if closely else ()
    basic = ProcedureHealth(record, health, recent, alike=similar, disabled=payload.disabled)
    # There is more to look up only where something is wrong.
    wrong = health.successes < health.runs if closely else health.status in ("degraded", "critical")
    if not wrong:
        return basic
    runs = runs_of(c, record, RECENT)
    step, command = _failing(runs)
    return basic._replace(failing_step=step, failing_command=command, changed=_changed(runs))


def _failing(runs: Sequence[Record]) -> tuple[int, str]:
    """Return the step at which most runs stopped, and the command it ran last."""
    stopped = [
        (step.number, step.command)
        for run in runs
        for step in payload_of(run, Run).steps
        if step.state in ("failed", "blocked", "unmet")
        or (step.state == "refused" and payload_of(run, Run).refused_ahead)
    ]
    if not stopped:
        return 0, ""
    number, _count = Counter(number for number, _command in stopped).most_common(1)[0]
    return number, next(command for at, command in stopped if at == number)


def _changed(runs: Sequence[Record]) -> tuple[str, ...]:
    """List what was different in the first run that failed after the last one that succeeded."""
    worked = next((n for n, run in enumerate(runs) if payload_of(run, Run).outcome == "success"), len(runs))
    if not 0 < worked < len(runs):
        return ()
    before, after = runs[worked], runs[worked - 1]
    old, new = payload_of(before, Run), payload_of(after, Run)
    pairs = (
        ("the procedure", f"version {old.procedure_version}", f"version {new.procedure_version}"),
        ("the commit", old.commit[:12], new.commit[:12]),
        ("the machine", before.origin.host, after.origin.host),
        ("the directory", old.cwd, new.cwd),
        ("the shell", old.shell, new.shell),
        ("the parameters", _spelt(old.parameters), _spelt(new.parameters)),
    )
    return tuple(f"{what}: {was} → {now}" for what, was, now in pairs if was and now and was != now)


def _spelt(values: dict[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in sorted(values.items()))
