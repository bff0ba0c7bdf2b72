"""The memory.* methods: notes, and for reading also facts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec

from tacit.admission.trust import flagged
from tacit.app.memory import Memory
from tacit.doors.rpc.lessons import ById, Few, Offset, Page
from tacit.doors.rpc.method_table import Answer, Nothing, Params, method
from tacit.doors.rpc.protocol import PARAMS, RpcError
from tacit.doors.rpc.record_shapes import claims_of, memory_on_wire, no_force, scope_of, scopes_of
from tacit.errors import NotFound
from tacit.model.record import Record
from tacit.notes.compress import LeftOut

KINDS = ("note", "fact")


class MemoryCreate(Params, frozen=True):
    """A new note. Author and origin are claims: they are kept under `claimed` of the origin that the door sets."""

    content: str
    description: str = ""
    scope: Any = None
    origin: Any = None
    authored_by: Any = None


class MemoryUpdate(Params, frozen=True):
    """A note, and the fields to change."""

    id: str
    description: str | None = None
    content: str | None = None
    scope: Any = None


class MemoryDelete(Params, frozen=True):
    """A note to remove."""

    id: str
    force: bool = False


class MemoryList(Params, frozen=True):
    """A page of notes."""

    scope_filter: Any = None
    limit: Page = 50
    offset: Offset = 0


class MemorySearch(Params, frozen=True):
    """A question, searched by meaning unless another mode is given."""

    query: str
    limit: Few = 5
    mode: Literal["semantic", "text", "lexical", "hybrid"] = "semantic"
    min_similarity: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.0
    include_body: bool = False
    scope_filter: Any = None


class Several(Params, frozen=True):
    """Notes to compress into one. The settings decide who words it; other parameters are accepted and ignored."""

    ids: list[str]
    max_tokens: int = 2_048
    temperature: float = 0.0


class Consolidate(Several, frozen=True):
    """Notes to replace by one, if a search for each old note finds the new one among the first `recall_k` hits."""

    recall_k: Annotated[int, msgspec.Meta(ge=0, le=100)] = 5


@method("memory.create", MemoryCreate)
def create(m: Memory, p: MemoryCreate) -> Answer:
    """Add a note."""
    scope = scope_of(p.scope) if p.scope else ""
    own = m.claiming(claims_of(origin=p.origin, authored_by=p.authored_by))
    record = own.notes.create(p.content, title=p.description, scope=scope)
    return {**memory_on_wire(record, body=True), "notices": list(flagged(record))}


@method("memory.get", ById)
def get(m: Memory, p: ById) -> Answer:
    """Return a note or a fact, with the records that protect it and the note it was last compressed into."""
    record = _known(m, p.id)
    more: Answer = {}
    if record.kind == "note":
        more = {"cited_by": m.notes.cited_by(record.id), "newest": m.notes.get(record.id, newest=True).id}
    return {**memory_on_wire(record, body=True), **more}


@method("memory.update", MemoryUpdate)
def update(m: Memory, p: MemoryUpdate) -> Answer:
    """Change a note; fields that are not given keep their values."""
    record = _known(m, p.id)
    if p.scope is not None and scope_of(p.scope) != record.scope:
        raise RpcError(PARAMS, "a memory stays in its scope: create it in the other one")
    if p.description is None and p.content is None:
        raise RpcError(PARAMS, "give a description or a content")
    return memory_on_wire(m.revise(record.id, title=p.description, body=p.content).record, body=True)


@method("memory.delete", MemoryDelete)
def delete(m: Memory, p: MemoryDelete) -> Answer:
    """Retire a note. A note that a person's lesson cites cannot be retired."""
    no_force(p.force)
    record = m.retire(_known(m, p.id).id)
    return {"ok": True, "id": record.id, "status": record.status}


@method("memory.list", MemoryList)
def list_(m: Memory, p: MemoryList) -> Answer:
    """List notes, page by page."""
    found = m.notes.list(limit=p.limit, offset=p.offset, scopes=scopes_of(p.scope_filter))
    return {
        "limit": p.limit, "offset": p.offset, "returned": len(found),
        "results": [memory_on_wire(one, body=False) for one in found],
    }  # fmt: skip


@method("memory.search", MemorySearch)
def search(m: Memory, p: MemorySearch) -> Answer:
    """Find notes and facts. The filter applies before the limit."""
    mode = "lexical" if p.mode == "text" else p.mode
    hits = m.notes.search(p.query, limit=p.limit, mode=mode, scopes=scopes_of(p.scope_filter), kinds=KINDS)
    found = [
        {**memory_on_wire(hit.record, body=p.include_body), "similarity": round(hit.score, 3), "source": hit.source}
        for hit in hits
        if hit.score >= p.min_similarity
    ]
    return {
        "query": p.query, "mode": hits.mode, "returned": len(found), "results": found, "notices": list(hits.notices),
    }  # fmt: skip


@method("memory.compress", Several)
def compress(m: Memory, p: Several) -> Answer:
    """Compress several notes of one scope into one. The old notes stay."""
    done = m.notes.compress(p.ids)
    return {
        **memory_on_wire(done.record, body=True), "derived_from": list(done.derived_from), "by": done.by,
        "counter": len(m.notes.cited_by(done.record.id)), "left_out": _named(done.left_out), "notice": done.notice,
    }  # fmt: skip


@method("memory.consolidate", Consolidate)
def consolidate(m: Memory, p: Consolidate) -> Answer:
    """Replace several notes by one that says all they say, if searches find it; otherwise nothing changes."""
    done = m.notes.consolidate(p.ids, recall_k=p.recall_k)
    return {
        "mc_id": done.record.id if done.record else None, "verified": done.verified, "deleted": list(done.retired),
        "kept_immune": list(done.kept_immune), "kept_files": list(done.kept_files),
        "kept_incomplete": list(done.kept_incomplete), "left_out": _named(done.left_out),
        "unanswered": list(done.unanswered), "notice": done.notice,
    }  # fmt: skip


def _named(sentences: Sequence[LeftOut]) -> list[Answer]:
    return [one._asdict() for one in sentences]


@method("memory.recompute_citations", Nothing)
def recompute(m: Memory, _p: Nothing) -> Answer:
    """Count protected records. Protection is computed from links each time, so nothing needs repair."""
    return m.notes.citations()


def _known(m: Memory, id: str) -> Record:
    record = m.get(id)
    if record is None or record.kind not in KINDS or record.status == "retired":
        raise NotFound(f"no memory {id[:80]!r} here", "memory.search finds ids")
    return record
