"""Runs: the results of replays, stored as records with the steps as events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import msgspec

from tacit.admission.admit import cleared
from tacit.errors import NotFound
from tacit.model.event import NewEvent
from tacit.model.link import DERIVED_FROM, Link
from tacit.model.procedure import DisabledReason, Procedure, Run, StepRun
from tacit.model.record import Draft, Record, payload_of, replace
from tacit.model.scope import parse_scope
from tacit.model.verb import arg
from tacit.ports.store import StoreReader
from tacit.procedures.find_by_name import ExactName, Name, exact_procedure, find_procedure
from tacit.procedures.rules.health import Health, counts_as, health_of
from tacit.procedures.rules.procedure_checks import steps_with_parameters
from tacit.records.arguments import Limit, whole_of
from tacit.records.connection import Connection
from tacit.records.write import admitted, new_record, retry_lost_write, revised, writing

KIND = "run"
# The record has the end of each step's output; the event of the step has all that was stored of it.
TAIL_CHARS = 2_000
Note = Annotated[str, arg("What happened in the run, in words.")]


class RunView(NamedTuple):
    """A run, and the result of each step."""

    record: Record
    steps: list[dict[str, Any]]


class ReportedRun(NamedTuple):
    """A procedure, after a run of it was reported."""

    record: Record
    health: Health


@retry_lost_write
def start(c: Connection, run: Run) -> Record:
    """Store that a run began, so that a killed run is still known."""
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
    """Store the result of a step."""
    body = cleared(msgspec.to_builtins(step), c.redact)
    with writing(c, c.clock.now()) as tx:
        tx.append(NewEvent(type="run.step", subject=run.id, scope=run.scope, payload=body))


@retry_lost_write
def finish(c: Connection, kept: Record, run: Run, record: Record) -> tuple[Record, Health, DisabledReason | None]:
    """Store the result of a run, count it, and disable the procedure if it fails too often."""
    run = replace(run, steps=tuple(replace(step, output=step.output[-TAIL_CHARS:]) for step in run.steps))
    draft = _draft(c, run)
    now = c.clock.now()
    counts = counts_as(run, steps_with_parameters(payload_of(record, Procedure)))
    with writing(c, now) as tx:
        tx.alone(record.scope)
        ended = revised(kept, now, title=draft.title, body=draft.body, payload=draft.payload)
        tx.put(ended, expected=kept.version)
        tx.append(NewEvent(type="run.finished", subject=kept.id, scope=kept.scope, payload={"outcome": run.outcome}))
        health = health_of_record(tx, record)
        disabled = None
        if counts is not None:
            # Counted in the window it ran in, even if another was opened meanwhile.
            window = payload_of(record, Procedure).windows[0]
            happened = "run.succeeded" if counts else "run.failed"
            tx.append(NewEvent(type=happened, subject=window, scope=kept.scope, payload={"run": kept.id}))
            health = health_of([{"runs": health.runs + 1, "successes": health.successes + counts}])
            current = tx.get(record.id, c.walls)
            # A procedure of another scope is only read here; it is not disabled from here.
            mine = current is not None and c.scope.holds(parse_scope(current.scope))
            # If the procedure was changed while this ran, it is not what failed.
            same = current is not None and window in payload_of(current, Procedure).windows
            spared = record.origin.actor == "user" and _is_agents_word(c, run)
            if health.failing and current is not None and mine and same and not spared and current.status == "active":
                disabled = _why(health, payload_of(ended, Run))
                off = replace(payload_of(current, Procedure), disabled=disabled)
                tx.put(revised(current, now, status="disabled", payload=off), expected=current.version)
                tx.append(NewEvent(type="procedure.disabled", subject=record.id, scope=record.scope))
    return ended, health, disabled


def _is_agents_word(c: Connection, run: Run) -> bool:
    """Return whether a run says only what an agent reports or may not do; that does not disable a person's procedure.

    What the guard denies nobody may do, so a blocked run is not of this kind.
    """
    return not c.is_person and (run.reported or (run.refused_ahead and run.outcome != "blocked"))


def health_of_record(reader: StoreReader, record: Record) -> Health:
    """Compute the health of a procedure from its own run counts and those of procedures merged into it."""
    windows = payload_of(record, Procedure).windows
    return health_of(reader.tallies(windows).values())


def report(
    c: Connection, name: ExactName, *, succeeded: Annotated[bool, arg("Whether the procedure worked.")], note: Note = ""
) -> Health:
    """Report the result of a procedure that was run by hand.

    The report counts for the health, but not as evidence for lessons.
    """
    return _reported(c, name, succeeded, note).health


def success(c: Connection, name: ExactName, *, note: Note = "") -> ReportedRun:
    """Report that a procedure worked when it was run by hand."""
    return _reported(c, name, True, note)


def failure(c: Connection, name: ExactName, *, note: Note = "") -> ReportedRun:
    """Report that a procedure failed when it was run by hand."""
    return _reported(c, name, False, note)


def _reported(c: Connection, name: str, succeeded: bool, note: str) -> ReportedRun:
    record = exact_procedure(c, name)
    now = c.clock.now()
    run = Run(
        procedure=record.id, slug=record.key, procedure_version=record.version, reported=True, reason=note,
        outcome="success" if succeeded else "failed", started_at=now, ended_at=now,
    )  # fmt: skip
    _run, health, _disabled = finish(c, start(c, run), run, record)
    return ReportedRun(exact_procedure(c, record.id), health)


def list_runs(c: Connection, name: Name, *, limit: Limit = 20) -> list[Record]:
    """List the runs of a procedure, newest first."""
    return list(runs_of(c, find_procedure(c, name), whole_of(limit, "limit")))


def runs_of(c: Connection, record: Record, limit: int = 20) -> Sequence[Record]:
    """Return the runs of a procedure, newest first."""
    return c.store.find(c.filter(kinds=(KIND,), facets=(("procedure", record.id),)), limit=limit).records


def run_of(c: Connection, id: Annotated[str, arg("The id of a run.", record=True)]) -> RunView:
    """Return one run with the result of each step. Steps whose output was erased are left out."""
    run = c.get(id)
    if run is None or run.kind != KIND:
        raise NotFound(f"no run {str(id)[:80]!r} in {', '.join(c.walls)}", "`tacit procedure runs NAME` lists them")
    events = c.store.events(subject=run.id, scopes=c.walls, types=("run.step",))
    return RunView(run, [event.payload for event in events if event.payload is not None])


def _draft(c: Connection, run: Run) -> Draft:
    lines = [f"{run.slug}: {run.outcome}", run.reason, *(step.command for step in run.steps)]
    return admitted(c, Draft(
        kind=KIND, scope=str(c.scope), title=f"{run.slug}: {run.outcome}", payload=run,
        body="\n".join(line for line in lines if line),
    ))  # fmt: skip


def _why(health: Health, run: Run) -> DisabledReason:
    reason = f"{health.runs - health.successes} of its last {health.runs} runs failed"
    step = next((one for one in run.steps if one.state in ("failed", "blocked", "refused", "unmet")), None)
    if step is None:
        return DisabledReason(by="tacit", reason=reason)
    return DisabledReason(
        by="tacit", reason=f"{reason}; the last one failed at step {step.number}: {step.reason}", step=step.number,
        command=step.command, output=step.output[-TAIL_CHARS:],
    )  # fmt: skip
