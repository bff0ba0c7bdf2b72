"""The JSON shapes of records on the wire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit.doors.rpc.protocol import IMMUNE, PARAMS, RpcError
from tacit.lessons.lessons import GateVerdict
from tacit.model.lesson import Lesson
from tacit.model.payload import plain
from tacit.model.record import Record, payload_of

PREVIEW = 240
# The wire's word for a lesson nobody accepted yet.
WIRE = {"candidate": "pending"}
OURS = {"pending": "candidate"}


def lesson_on_wire(record: Record) -> dict[str, Any]:
    """Return a lesson as JSON values."""
    payload = payload_of(record, Lesson)
    return {
        "kind": "lesson", "id": record.id, "status": WIRE.get(record.status, record.status),
        "description": record.title, "body_preview": payload.body[:PREVIEW], "target_skill": payload.target_skill,
        "created_at": plain(record.created_at), "authored_by": record.origin.actor, "trust": record.trust,
    }  # fmt: skip


def memory_on_wire(record: Record, *, body: bool) -> dict[str, Any]:
    """Return a note or a fact as JSON values, in full or as a preview."""
    content = record.body if body or len(record.body) <= PREVIEW else f"{record.body[:PREVIEW]}…"
    return {
        "kind": "memory", "id": record.id, "description": record.title, "content": content, "scope": record.scope,
        "created_at": plain(record.created_at), "updated_at": plain(record.updated_at), "origin": plain(record.origin),
        "authored_by": record.origin.actor, "trust": record.trust,
    }  # fmt: skip


def verdict_on_wire(verdict: GateVerdict) -> dict[str, Any]:
    """Return the gate's decision as JSON values."""
    facts = verdict.facts
    return {
        **lesson_on_wire(verdict.record), "passes": verdict.passes, "reasons": reasons(verdict),
        "applied_count": facts.applied, "external_signal_sources": list(facts.external), "origins": facts.origins,
    }  # fmt: skip


def reasons(verdict: GateVerdict) -> list[str]:
    """Return the reasons why a lesson is not promoted, starting with the stable labels."""
    return [f"{one.label}: {one.missing}" for one in verdict.blocked]


def claims_of(**claimed: Any) -> dict[str, Any]:
    """Return what a caller claims about the author of a record, without what was not given."""
    return {name: value for name, value in claimed.items() if value not in (None, "", {}, [])}


def no_force(force: bool) -> None:
    """Raise an error if force is requested: only a person may use it, and RPC callers are agents."""
    if force:
        raise RpcError(IMMUNE, "only a person at a terminal may use force", {"code": "person_needed"})


# The names that a scope filter may have together.
_FILTERS = (
    {"exact"}, {"kind"}, {"any_of"}, {"scope"}, {"kind_name"}, {"kind", "scope"}, {"type", "scope"},
    {"kind", "kind_name"}, {"kind", "scopes"},
)  # fmt: skip


def scopes_of(wanted: Any) -> Mapping[str, Any] | None:
    """Parse a scope filter in any of its forms: exact, kind, any_of, or just a scope."""
    if isinstance(wanted, dict) and set(wanted) not in _FILTERS:
        raise RpcError(PARAMS, f"scope_filter must be exact, kind or any_of, not {', '.join(sorted(wanted))[:80]!r}")
    match wanted:
        case None:
            return None
        case str(scope):
            return {"exact": scope} if scope else None
        case {"kind": "exact", "scope": scope} | {"type": "exact", "scope": scope} | {"exact": {"scope": scope}}:
            return {"exact": scope_of(scope)}
        case {"kind": "kind", "kind_name": str(kind)} | {"kind": {"kind_name": str(kind)}} | {"kind_name": str(kind)}:
            return {"kind": kind}
        case {"any_of": {"scopes": [*scopes]}} | {"any_of": [*scopes]} | {"kind": "any_of", "scopes": [*scopes]}:
            return {"any_of": [scope_of(scope) for scope in scopes]}
        case {"exact": scope} | {"scope": scope}:
            return {"exact": scope_of(scope)}
        case {"kind": str(kind)}:
            return {"kind": kind}
    raise RpcError(PARAMS, "scope_filter must be exact, kind or any_of")


def scope_of(wanted: Any) -> str:
    """Parse a scope: a string, or an object with one kind and its id."""
    match wanted:
        case str(scope):
            return scope
        case {**one} if len(one) == 1:
            ((kind, id),) = one.items()
            if isinstance(kind, str) and isinstance(id, str):
                return f"{kind}:{id}"
    raise RpcError(PARAMS, "a scope must be a string such as project:demo")
