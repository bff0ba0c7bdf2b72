"""Runs: what happened when a procedure was replayed, kept as a record with its steps as events; and what follows."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from tacit.admission.admit import cleared
from tacit.errors import NotFound
from tacit.model.event import NewEvent
from tacit.model.link import DERIVED_FROM, Link
from tacit.model.procedure import DisabledReason, Procedure, Run, StepRun
from tacit.model.record import Draft, Record, payload_of, replace
from tacit.model.scope import parse_scope
from tacit.ports.store import StoreReader
from tacit.procedures.find_by_name import find_procedure
from tacit.procedures.rules.health import Health, counts_as, health_of
from tacit.records.connection import Connection
from tacit.records.write import admitted, new_record, retry_lost_write, revised, writing

KIND = "run"
# A record keeps the end of what each step said; the event of the step has all that was kept.
TAIL_CHARS = 2_000


@retry_lost_write
def start(c: Connection, run: Run) -> Record:
    """Keep that a run began, so that one that is cut off is still known."""
    kept = new_record(c, _draft(c, run), c.clock.now())
    with writing(c, kept.created_at) as tx:
        tx.put(kept)
        tx.link(
            Link(source=kept.id, relation=DERIVED_FROM, target=run.procedure, scope=kept.scope, since=kept.created_at)
        )
        tx.append(NewEvent(type="run.started", subject=kept.id, scope=kept.scope, payload={"procedure": run.procedure}))
    return kept


@retry_lost_write
def note_step(c: Connection, run: Record, step: StepRun) -> None:
    """Keep what became of a step."""
    said = cleared(msgspec.to_builtins(step), c.redact)
    with writing(c, c.clock.now()) as tx:
        tx.append(NewEvent(type="run.step", subject=run.id, scope=run.scope, payload=said))


@retry_lost_write
def finish(c: Connection, kept: Record, run: Run, record: Record) -> tuple[Record, Health, DisabledReason | None]:
    """Keep how a run ended; count it; and switch its procedure off, at once, when it fails too often."""
    run = replace(run, steps=tuple(replace(step, output=step.output[-TAIL_CHARS:]) for step in run.steps))
    draft = _draft(c, run)
    now = c.clock.now()
    counts = counts_as(run)
    with writing(c, now) as tx:
        tx.alone(record.scope)
        ended = revised(kept, now, title=draft.title, body=draft.body, payload=draft.payload)
        tx.put(ended, expected=kept.version)
        tx.append(NewEvent(type="run.finished", subject=kept.id, scope=kept.scope, payload={"outcome": run.outcome}))
        health = health_of_record(tx, record)
        disabled = None
        if counts is not None:
            # Counted under the window it ran in, even if another was opened meanwhile.
            window = payload_of(record, Procedure).windows[0]
            happened = "run.succeeded" if counts else "run.failed"
            tx.append(NewEvent(type=happened, subject=window, scope=kept.scope, payload={"run": kept.id}))
            health = health_of([{"runs": health.runs + 1, "successes": health.successes + counts}])
            current = tx.get(record.id, c.walls)
            # A procedure of another scope is only read here: it is that scope's to switch off.
            mine = current is not None and c.scope.holds(parse_scope(current.scope))
            # What was mended while this ran is not what failed.
            same = current is not None and window in payload_of(current, Procedure).windows
            # What a person wrote is not switched off on an agent's word alone; what was seen to fail is.
            heard = run.reported and not c.is_person and record.origin.actor == "user"
            if health.failing and current is not None and mine and same and not heard and current.status == "active":
                disabled = _why(health, payload_of(ended, Run))
                off = replace(payload_of(current, Procedure), disabled=disabled)
                tx.put(revised(current, now, status="disabled", payload=off), expected=current.version)
                tx.append(NewEvent(type="procedure.disabled", subject=record.id, scope=record.scope))
    return ended, health, disabled


def health_of_record(reader: StoreReader, record: Record) -> Health:
    """Judge a procedure by the counts of its window, and those it took over."""
    windows = payload_of(record, Procedure).windows
    return health_of(reader.tallies(windows).values())


def report(
    c: Connection, name: str, *, succeeded: bool, note: str = ""
) -> tuple[Record, Health, DisabledReason | None]:
    """Keep what somebody says became of a procedure they ran by hand. It counts, and is evidence of nothing else."""
    record = find_procedure(c, name)
    now = c.clock.now()
    run = Run(
        procedure=record.id, slug=record.key, procedure_version=record.version, reported=True, reason=note,
        outcome="success" if succeeded else "failed", started_at=now, ended_at=now,
    )  # fmt: skip
    return finish(c, start(c, run), run, record)


def runs_of(c: Connection, record: Record, limit: int = 20) -> Sequence[Record]:
    """Give the runs of a procedure, newest first."""
    return c.store.find(c.filter(kinds=(KIND,), facets=(("procedure", record.id),)), limit=limit).records


def run_of(c: Connection, id: str) -> tuple[Record, list[dict[str, object]]]:
    """Give a run, and what was kept of each of its steps; what was erased is left out."""
    run = c.get(id)
    if run is None or run.kind != KIND:
        raise NotFound(f"no run {str(id)[:80]!r} in {', '.join(c.walls)}", "`tacit procedure runs NAME` lists them")
    events = c.store.events(subject=run.id, scopes=c.walls, types=("run.step",))
    return run, [event.payload for event in events if event.payload is not None]


def _draft(c: Connection, run: Run) -> Draft:
    lines = [f"{run.slug}: {run.outcome}", run.reason, *(step.command for step in run.steps)]
    return admitted(c, Draft(
        kind=KIND, scope=str(c.scope), title=f"{run.slug}: {run.outcome}", payload=run,
        body="\n".join(line for line in lines if line),
    ))  # fmt: skip


def _why(health: Health, run: Run) -> DisabledReason:
    reason = f"{health.runs - health.successes} of its last {health.runs} runs failed"
    step = next((one for one in run.steps if one.state in ("failed", "blocked", "unmet")), None)
    if step is None:
        return DisabledReason(by="tacit", reason=reason)
    return DisabledReason(
        by="tacit", reason=f"{reason}, the last one at step {step.number}: {step.reason}", step=step.number,
        command=step.command, output=step.output[-TAIL_CHARS:],
    )  # fmt: skip
