"""The methods of the wire: lessons, memories (notes), and a few of the façade's other verbs, under their own names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tacit.doors.rpc.protocol import BLOCKED, PARAMS, Method, RpcError
from tacit.errors import NotFound
from tacit.flows.lessons import Verdict
from tacit.memory.memory import Memory
from tacit.model.lesson import Narrative, evidence_of
from tacit.model.payload import plain
from tacit.model.record import Record
from tacit.version import __version__

PREVIEW = 240
# The wire's word for a lesson nobody accepted yet.
WIRE = {"candidate": "pending"}
OURS = {"pending": "candidate"}
_KINDS = ("note", "fact")
_SUPPLIED = "user-supplied"


def methods_of(memory: Memory) -> dict[str, Method]:
    """Give the methods a memory answers."""
    wire = _Wire(memory)
    return {
        "ping": lambda _p: {"ok": True, "version": __version__},
        "lesson.create": wire.lesson_create, "lesson.recall": wire.lesson_recall, "lesson.list": wire.lesson_list,
        "lesson.promote": wire.lesson_promote, "lesson.discard": wire.lesson_discard,
        "lesson.capture_feedback": wire.lesson_feedback, "lesson.supersede": wire.lesson_supersede,
        "lesson.why": wire.lesson_why,
        "memory.create": wire.memory_create, "memory.get": wire.memory_get, "memory.update": wire.memory_update,
        "memory.delete": wire.memory_delete, "memory.list": wire.memory_list, "memory.search": wire.memory_search,
        "fact.memorize": wire.memorize, "recall": wire.recall, "context": wire.context, "status": wire.status,
    }  # fmt: skip


class _Wire:
    """One memory, spoken to over the wire. What a caller claims of itself is accepted and decides nothing."""

    def __init__(self, memory: Memory) -> None:
        self._m = memory

    # -- lessons ------------------------------------------------------------------------------------------------

    def lesson_create(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Keep a lesson as a candidate, whatever it claims."""
        evidence = [evidence_of(text) for text in _texts(params, "evidence")]
        told = (
            Narrative(trigger=_SUPPLIED, failure_mode=_SUPPLIED, correction=_SUPPLIED, evidence=tuple(evidence))
            if evidence
            else None
        )
        record = self._m.lessons.create(_text(params, "description"), body=_text(params, "body", ""), narrative=told)
        notes = ["not-a-person"] if params.get("seed_as_promoted") else []
        return {**_lesson(record), "authored_by": record.origin.actor, "updated": False, "reasons": notes}

    def lesson_recall(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Find lessons by their words."""
        query = _text(params, "query")
        found = self._m.lessons.recall(query, limit=_whole(params, "limit", 5, 100))
        return {"query": query, "returned": len(found), "results": [_lesson(one) for one in found]}

    def lesson_list(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """List lessons, page by page."""
        statuses = [OURS.get(one, one) for one in _texts(params, "statuses")]
        limit, offset = _whole(params, "limit", 50, 500), _whole(params, "offset", 0, 1_000_000)
        found = self._m.lessons.list(**({"statuses": statuses} if statuses else {}), limit=1_000_000)
        page = found[offset : offset + limit]
        return {
            "total": len(found),
            "limit": limit,
            "offset": offset,
            "returned": len(page),
            "results": [_lesson(one) for one in page],
        }

    def lesson_promote(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Promote a lesson if the gate lets it."""
        before = self._m.lessons.get(_text(params, "id")).status
        verdict = self._m.lessons.promote(_text(params, "id"))
        if verdict.record.status != "promoted":
            raise RpcError(BLOCKED, "promotion is blocked", {"reasons": [_reason(one) for one in verdict.blocked]})
        return {"ok": True, "gate": "passed", **_lesson(verdict.record), "from": WIRE.get(before, before)}

    def lesson_why(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Say what the gate says of a lesson."""
        return _verdict(self._m.lessons.why(_text(params, "id")))

    def lesson_discard(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Take a lesson out of use."""
        _no_force(params)
        record = self._m.lessons.discard(_text(params, "id"), _text(params, "reason", ""))
        return {"ok": True, **_lesson(record), "reason": _text(params, "reason", "")}

    def lesson_feedback(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Note a thumbs-up or -down; an agent's counts zero."""
        said = _text(params, "polarity")
        ups, downs = ("thumbs_up", "up", "+"), ("thumbs_down", "down", "-")
        if said not in (*ups, *downs):
            raise RpcError(PARAMS, f"{said[:40]!r} is no polarity: use {', '.join((*ups, *downs))}")
        return _verdict(self._m.lessons.feedback(_text(params, "id"), up=said in ups))

    def lesson_supersede(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Let one lesson take another's place."""
        _no_force(params)
        return {"ok": True, **_lesson(self._m.lessons.supersede(_text(params, "old_id"), _text(params, "new_id")))}

    # -- memories -----------------------------------------------------------------------------------------------

    def memory_create(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Keep a note."""
        content = _text(params, "content")
        (id,) = self._m.add_many(
            [{"kind": "note", "title": _text(params, "description", ""), "body": content, **_scope(params)}]
        )
        return self.memory_get({"id": id})

    def memory_get(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Give a note or a fact."""
        return _memory(self._known(_text(params, "id")), body=True)

    def memory_update(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Change a note; what is not given stays."""
        record = self._known(_text(params, "id"))
        changes = {"title": params.get("description"), "body": params.get("content")}
        return _memory(self._m.revise(record.id, **changes).record, body=True)

    def memory_delete(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Take a note out of use."""
        _no_force(params)
        record = self._m.retire(self._known(_text(params, "id")).id)
        return {"ok": True, "id": record.id, "status": record.status}

    def memory_list(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """List notes, page by page."""
        limit, offset = _whole(params, "limit", 50, 500), _whole(params, "offset", 0, 1_000_000)
        found = self._m.list(kinds=["note"], limit=offset + limit, scope=_asked_scope(params)).records[offset:]
        return {
            "limit": limit,
            "offset": offset,
            "returned": len(found),
            "results": [_memory(one, body=False) for one in found],
        }

    def memory_search(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Find notes and facts; on the wire the default is by meaning."""
        mode = _text(params, "mode", "semantic")
        hits = self._m.recall(
            _text(params, "query"),
            limit=_whole(params, "limit", 5, 100),
            mode=mode,
            kinds=_KINDS,
            scope=_asked_scope(params),
        )
        least = params.get("min_similarity", 0)
        if isinstance(least, bool) or not isinstance(least, int | float):
            raise RpcError(PARAMS, "min_similarity must be a number")
        body = params.get("include_body") is True
        found = [
            {**_memory(hit.record, body=body), "similarity": round(hit.score, 3), "source": hit.source}
            for hit in hits
            if hit.score >= least
        ]
        return {
            "query": _text(params, "query"),
            "mode": hits.mode,
            "returned": len(found),
            "results": found,
            "notices": list(hits.notices),
        }

    def _known(self, id: str) -> Record:
        record = self._m.get(id)
        if record is None or record.kind not in _KINDS or record.status == "retired":
            raise NotFound(f"no memory {id[:80]!r} here", "memory.search finds ids")
        return record

    # -- the façade's other verbs -------------------------------------------------------------------------------

    def memorize(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Keep a fact; what is known is merged, what it contradicts is named."""
        kept = self._m.memorize(_text(params, "content"), tags=_texts(params, "tags"))
        return {"id": kept.id, "merged": kept.merged, "conflicts": plain(kept.conflicts)}

    def recall(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Find what answers a question."""
        hits = self._m.recall(
            _text(params, "query"), limit=_whole(params, "limit", 5, 100), mode=_text(params, "mode", "hybrid")
        )
        return {
            "mode": hits.mode,
            "hits": [{"id": hit.id, "score": round(hit.score, 6), "body": hit.record.body} for hit in hits],
        }

    def context(self, _params: Mapping[str, Any]) -> dict[str, Any]:
        """Give the block of facts for a prompt."""
        return plain(self._m.context())  # type: ignore[no-any-return]

    def status(self, _params: Mapping[str, Any]) -> dict[str, Any]:
        """Tell what this memory is."""
        return plain(self._m.status())  # type: ignore[no-any-return]


def _lesson(record: Record) -> dict[str, Any]:
    return {
        "kind": "lesson", "id": record.id, "status": WIRE.get(record.status, record.status),
        "description": record.title, "body_preview": getattr(record.payload, "body", "")[:PREVIEW],
        "created_at": plain(record.created_at),
    }  # fmt: skip


def _memory(record: Record, *, body: bool) -> dict[str, Any]:
    content = record.body if body or len(record.body) <= PREVIEW else f"{record.body[:PREVIEW]}…"
    return {
        "kind": "memory", "id": record.id, "description": record.title, "content": content, "scope": record.scope,
        "created_at": plain(record.created_at), "updated_at": plain(record.updated_at), "origin": plain(record.origin),
    }  # fmt: skip


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {**_lesson(verdict.record), "passes": verdict.passes, "reasons": [_reason(one) for one in verdict.blocked]}


def _reason(one: Any) -> str:
    return f"{one.label}: {one.missing}"


def _no_force(params: Mapping[str, Any]) -> None:
    if params.get("force"):
        raise RpcError(-32001, "force is a person's, at a terminal", {"code": "person_needed"})


def _scope(params: Mapping[str, Any]) -> dict[str, str]:
    scope = params.get("scope")
    return {"scope": scope} if isinstance(scope, str) and scope else {}


def _asked_scope(params: Mapping[str, Any]) -> str:
    """Read a scope filter: an exact scope narrows; anything wider is not given here."""
    wanted = params.get("scope_filter")
    scope = wanted.get("scope") if isinstance(wanted, dict) else wanted
    if wanted is not None and not isinstance(scope, str):
        raise RpcError(PARAMS, "scope_filter names one scope, as an object with a scope")
    return scope or ""


def _text(params: Mapping[str, Any], name: str, default: str | None = None) -> str:
    value = params.get(name, default)
    if not isinstance(value, str):
        raise RpcError(PARAMS, f"{name} must be text")
    return value


def _texts(params: Mapping[str, Any], name: str) -> Sequence[str]:
    value = params.get(name) or []
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise RpcError(PARAMS, f"{name} must be a list of texts")
    return value


def _whole(params: Mapping[str, Any], name: str, default: int, most: int) -> int:
    value = params.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise RpcError(PARAMS, f"{name} must be a whole number from 0 to {most:,}")
    return value
