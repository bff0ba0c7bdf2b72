"""manifest.*, task.*, skill.*, persona.* and team.*."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from tacit.app.memory import Memory
from tacit.app.verbs.skills_and_teams import KeyedRecords
from tacit.doors.rpc.lessons import ById
from tacit.doors.rpc.method_table import Answer, Params, method
from tacit.doors.rpc.protocol import PARAMS, RpcError
from tacit.doors.rpc.record_shapes import OURS, WIRE, scopes_of
from tacit.model.payload import plain
from tacit.model.record import Record
from tacit.notes.task_phases import Phase

Amount = Annotated[int, msgspec.Meta(ge=0, le=100)]


class Manifest(Params, frozen=True):
    """What a manifest is to hold. `record_applied` is accepted and decides nothing: assembling is not applying."""

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
    """A new skill, persona or team; its other fields as its kind has them."""

    name: str
    body: str = ""
    key: str = ""
    fields: dict[str, Any] = msgspec.field(default_factory=dict)


@method("manifest.assemble", Manifest)
def assemble(m: Memory, p: Manifest) -> Answer:
    """Assemble what a host's model is to see, within a budget, framed as data. Assembling is not applying."""
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
    """Log a phase of a task; logging it again is no news."""
    return {"task_id": p.task_id, "phase": p.phase, "newly_recorded": m.tasks.log_phase(p.task_id, p.phase, p.note)}


@method("task.get_ledger", Ledger)
def get_ledger(m: Memory, p: Ledger) -> Answer:
    """Give the phases a task went through, in order."""
    entries = m.tasks.ledger(p.task_id)
    shown = [{"phase": one.phase, "logged_at": plain(one.at), "actor": one.actor, "note": one.note} for one in entries]
    return {"task_id": p.task_id, "phases_logged": [one.phase for one in entries], "entries": shown}


def _shown(record: Record) -> Answer:
    return {
        "id": record.id, "key": record.key, "name": record.title, "status": record.status, "version": record.version,
        "authored_by": record.origin.actor, "trust": record.trust, "body": record.body, **plain(record.payload),
    }  # fmt: skip


def _rows(kind: str) -> None:
    """Put the verbs of one kind into the table."""

    def records(m: Memory) -> KeyedRecords:
        found: KeyedRecords = {"skill": m.skills, "persona": m.personas, "team": m.teams}[kind]
        return found

    def create(m: Memory, p: NewKeyedRecord) -> Answer:
        if own := sorted({"self", "name", "body", "key", "status", "tags"} & set(p.fields)):
            raise RpcError(PARAMS, f"{own[0]!r} is none of the fields of a {kind}")
        return _shown(records(m).create(p.name, p.body, key=p.key, **p.fields))

    def get(m: Memory, p: ById) -> Answer:
        return _shown(records(m).get(p.id))

    def list_(m: Memory, _p: Params) -> Answer:
        return {f"{kind}s": [_shown(one) for one in records(m).list()]}

    def archive(m: Memory, p: ById) -> Answer:
        return _shown(records(m).archive(p.id))

    create.__doc__ = f"Put in a {kind}; one of that key is never overwritten."
    get.__doc__ = f"Give a {kind} by its id or its key."
    list_.__doc__ = f"List the {kind}s in use."
    archive.__doc__ = f"Put a {kind} aside."
    method(f"{kind}.create", NewKeyedRecord)(create)
    method(f"{kind}.get", ById)(get)
    method(f"{kind}.list", Params)(list_)
    method(f"{kind}.archive", ById)(archive)


for _kind in ("skill", "persona", "team"):
    _rows(_kind)
