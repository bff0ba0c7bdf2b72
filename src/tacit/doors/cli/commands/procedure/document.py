"""Procedures and their runs as JSON documents, and as lines for people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tacit.doors.cli.verb_commands import Given, View, sentence
from tacit.model.payload import plain
from tacit.model.procedure import DisabledReason, Procedure, ProcedureStep, Run
from tacit.model.record import Record, payload_of
from tacit.procedures.procedures import warnings
from tacit.procedures.rules.health import Health
from tacit.text.plural import plural

_TICKS = "▁█"


def document(record: Record, health: Health | None = None) -> dict[str, Any]:
    """Return a procedure as a document."""
    payload = payload_of(record, Procedure)
    shown: dict[str, Any] = {
        "id": record.id, "slug": record.key, "title": record.title, "description": payload.description,
        "status": record.status, "scope": record.scope, "tags": list(record.tags), "triggers": list(payload.triggers),
        "parameters": plain(payload.parameters),
        "steps": [{"number": number, **plain(step)} for number, step in enumerate(payload.steps, 1)],
        "disabled": plain(payload.disabled), "source_session": payload.source_session, "trust": record.trust,
        "version": record.version, "created_at": plain(record.created_at), "updated_at": plain(record.updated_at),
    }  # fmt: skip
    return shown | ({"health": health_document(health)} if health else {})


def health_document(health: Health) -> dict[str, Any]:
    """Return the health of a procedure as a document."""
    return {
        "status": health.status, "runs": health.runs, "successes": health.successes,
        "success_rate": round(health.ratio, 4),
    }  # fmt: skip


def written_document(record: Record, given: Given) -> dict[str, Any]:
    """Return a procedure that was just written as a document, and print its warnings to stderr."""
    notices = list(warnings(record))
    for notice in notices:
        given.call.tell(notice)
    return document(record) | {"notices": notices}


def written(line: Callable[[Record, Given], str]) -> View:
    """Show one sentence about a procedure that was just written."""
    return sentence("procedure", line, written_document)


def step_notes(step: ProcedureStep) -> list[str]:
    """Return the fields of a step besides its command, one per line."""
    return [
        *([f"before: {step.precondition}"] if step.precondition else []),
        *([f"after: {step.postcondition}"] if step.postcondition else []),
        *([f"in: {step.cwd}"] if step.cwd else []),
        *(
            [f"sees: {', '.join(name if v is None else f'{name}={v}' for name, v in step.env.items())}"]
            if step.env
            else []
        ),
        *([f"at most {step.timeout_s:g} s"] if step.timeout_s else []),
        *(["privileged"] if step.privileged else []),
        *(["may fail"] if step.tolerate_failure else []),
        *([step.notes] if step.notes else []),
    ]


def disabled_lines(disabled: DisabledReason) -> list[str]:
    """Return why a procedure is disabled, with the end of the failing step's output."""
    tail = [f"  | {line}" for line in disabled.output.strip().splitlines()[-5:]]
    return [
        f"disabled by {disabled.by}: {disabled.reason}",
        *([f"  {disabled.command}"] if disabled.command else []),
        *tail,
    ]


def health_line(health: Health) -> str:
    """Return the health of a procedure on one line."""
    if not health.runs:
        return "not run yet"
    return f"{health.status}: {health.successes} of {plural(health.runs, 'run')} succeeded"


def spark(recent: Sequence[bool]) -> str:
    """Draw runs as bars, oldest first: a tall bar is a success."""
    return "".join(_TICKS[succeeded] for succeeded in recent)


def run_document(record: Record) -> dict[str, Any]:
    """Return a run as a document."""
    return {"id": record.id, **plain(payload_of(record, Run))}
