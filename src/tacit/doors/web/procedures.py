"""Procedures: their health and runs, and what a replay would do."""

from __future__ import annotations

from typing import Any

from tacit.app.memory import Memory
from tacit.doors.web.page import Done, PageRequest, PageView, Values
from tacit.model.procedure import Procedure, Run
from tacit.model.record import Record, payload_of

_MOST_SHOWN = 100
_RUNS = 30
_WORST = ("critical", "degraded", "healthy", "insufficient")
PARAMETER = "param."
"""How the fields of a form begin that hold values of parameters."""


def procedures(memory: Memory, _asked: PageRequest) -> PageView:
    """List procedures, the worst first, with their newest runs."""
    found = memory.procedures.overview(limit=_MOST_SHOWN + 1)
    listed = sorted(found[:_MOST_SHOWN], key=lambda one: _WORST.index(one.health.status) if one.health else len(_WORST))
    return PageView("procedures.html", {
        "procedures": [one for one in listed if one.record.status != "draft"],
        "drafts": [one for one in listed if one.record.status == "draft"], "has_more": len(found) > _MOST_SHOWN,
    })  # fmt: skip


def show(memory: Memory, asked: PageRequest) -> PageView:
    """Show a procedure: its steps, its health and its runs."""
    return PageView("procedure.html", _values(memory, asked.path["id"]) | {"plan": None})


def _values(memory: Memory, name: str) -> dict[str, Any]:
    health = memory.procedures.show(name)
    runs = memory.procedures.runs(health.record.id, limit=_RUNS)
    return {
        "health": health, "record": health.record, "procedure": payload_of(health.record, Procedure),
        "runs": [(one, payload_of(one, Run)) for one in runs],
    }  # fmt: skip


def runs(memory: Memory, asked: PageRequest) -> Values:
    """Return how long the newest runs took, oldest first, for the chart."""
    found = memory.procedures.runs(asked.path["id"], limit=_RUNS)[::-1]
    return Values({"seconds": [_seconds(one) for one in found],
                   "outcomes": [payload_of(one, Run).outcome for one in found]})  # fmt: skip


def _seconds(record: Record) -> float:
    run = payload_of(record, Run)
    return (run.ended_at - run.started_at).total_seconds() if run.started_at and run.ended_at else 0.0


def dry_run(memory: Memory, asked: PageRequest) -> PageView:
    """Show what a replay would do: each command with its values, and the verdict of the guard. Nothing runs."""
    given = {
        name.removeprefix(PARAMETER): value
        for name, value in asked.fields.items()
        if name.startswith(PARAMETER) and value
    }
    values = _values(memory, asked.path["id"])
    plan = memory.procedures.replay(values["record"].id, params=given, dry_run=True).run
    return PageView("procedure.html", values | {"plan": plan})


def enable(memory: Memory, asked: PageRequest) -> Done:
    """Enable a procedure."""
    record = memory.procedures.enable(asked.path["id"])
    return Done(f"/procedure/{record.id}", "Enabled: it is offered again, and its runs count from zero.")


def disable(memory: Memory, asked: PageRequest) -> Done:
    """Disable a procedure."""
    record = memory.procedures.disable(asked.path["id"], asked.text("reason"))
    return Done(f"/procedure/{record.id}", "Disabled: it is no longer offered.")
