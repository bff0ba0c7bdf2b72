"""The manifest.*, task.*, skill.*, persona.* and team.* methods."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any

import msgspec

from tacit.app.memory import Memory
from tacit.app.verbs.skills_and_teams import KeyedRecords, Personas, Skills, Teams
from tacit.doors.rpc.declared import offer
from tacit.doors.rpc.method_table import Answer, Params, method
from tacit.doors.rpc.protocol import PARAMS, RpcError
from tacit.doors.rpc.record_shapes import OURS, WIRE, scopes_of
from tacit.model.payload import plain
from tacit.model.record import Record
from tacit.notes.task_phases import Phase

Amount = Annotated[int, msgspec.Meta(ge=0, le=100)]


class Manifest(Params, frozen=True):
    """The contents of a manifest. `record_applied` is accepted and ignored, because assembling is not applying."""

    statuses: tuple[str, ...] = ("active", "promoted")
    lesson_limit: Amount = 5
    body_preview_len: Annotated[int, msgspec.Meta(ge=1, le=10_000)] = 200
    annotate_with_gate: bool = True
    record_applied: bool = False
    memory_query: str = ""
    memory_limit: Amount = 5
    memory_scope_filter: Any = None
    active_skill_ids: tuple[str, ...] = ()
    active_persona_ids: tuple[str, ...] = ()
    active_team_ids: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    budget_tokens: Annotated[int, msgspec.Meta(ge=1, le=200_000)] = 2_000


class LogPhase(Params, frozen=True):
    """A phase of a task."""

    task_id: str
    phase: Phase
    note: str = ""


class Ledger(Params, frozen=True):
    """A task."""

    task_id: str


class NewKeyedRecord(Params, frozen=True):
    """A new skill, persona or team, with the other fields of its kind."""

    name: str
    body: str = ""
    key: str = ""
    fields: dict[str, Any] = msgspec.field(default_factory=dict)


@method("manifest.assemble", Manifest)
def assemble(m: Memory, p: Manifest) -> Answer:
    """Assemble what a host's model should see, within a budget, framed as data. Assembling is not applying."""
    told = m.manifest(
        statuses=[OURS.get(one, one) for one in p.statuses], lesson_limit=p.lesson_limit,
        body_preview_len=p.body_preview_len, annotate_with_gate=p.annotate_with_gate, query=p.memory_query,
        note_limit=p.memory_limit, scopes=scopes_of(p.memory_scope_filter), paths=p.paths, skills=p.active_skill_ids,
        personas=p.active_persona_ids, teams=p.active_team_ids, budget_tokens=p.budget_tokens,
    )  # fmt: skip
    for one in told["active_lessons"]:
        one["status"] = WIRE.get(one["status"], one["status"])
    return told


@method("task.log_phase", LogPhase)
def log_phase(m: Memory, p: LogPhase) -> Answer:
    """Log a phase of a task; logging it again changes nothing."""
    return {"task_id": p.task_id, "phase": p.phase, "newly_recorded": m.tasks.log_phase(p.task_id, p.phase, p.note)}


@method("task.get_ledger", Ledger)
def get_ledger(m: Memory, p: Ledger) -> Answer:
    """Return the phases a task went through, in order."""
    entries = m.tasks.ledger(p.task_id)
    shown = [{"phase": one.phase, "logged_at": plain(one.at), "actor": one.actor, "note": one.note} for one in entries]
    return {"task_id": p.task_id, "phases_logged": [one.phase for one in entries], "entries": shown}


def _shown(record: Record) -> Answer:
    return {
        "id": record.id, "key": record.key, "name": record.title, "status": record.status, "version": record.version,
        "authored_by": record.origin.actor, "trust": record.trust, "body": record.body, **plain(record.payload),
    }  # fmt: skip


def _listed(name: str, records: Sequence[Record]) -> Answer:
    return {name: [_shown(record) for record in records]}


def _creating(noun: type[KeyedRecords]) -> Callable[[Memory, NewKeyedRecord], Answer]:
    def create(m: Memory, p: NewKeyedRecord) -> Answer:
        if own := sorted({"self", "name", "body", "key", "status", "tags"} & set(p.fields)):
            raise RpcError(PARAMS, f"{own[0]!r} is not a field of a {noun.KIND}")
        return _shown(noun.create.of(m)(p.name, p.body, key=p.key, **p.fields))

    create.__doc__ = f"Add a {noun.KIND}; an existing one with that key is never overwritten."
    return create


for _noun in (Skills, Personas, Teams):
    method(f"{_noun.KIND}.create", NewKeyedRecord)(_creating(_noun))
    offer(f"{_noun.KIND}.get", _noun.get, _shown)
    offer(f"{_noun.KIND}.list", _noun.list, partial(_listed, f"{_noun.KIND}s"))
    offer(f"{_noun.KIND}.archive", _noun.archive, _shown)
