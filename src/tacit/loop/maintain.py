"""Maintenance: one bounded pass over a store, its status, and the doctor's checks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from tacit.episodes.queue import queue
from tacit.errors import EmbedderFailed
from tacit.facts.consolidate import prune
from tacit.lessons.candidates import propose
from tacit.lessons.transitions import apply_transitions
from tacit.model.event import NewEvent
from tacit.model.kinds import ALL_STATUSES
from tacit.model.query import Filter
from tacit.model.record import Record
from tacit.model.report import Finding
from tacit.model.results import DrainReport, Maintained, SyncReceipt
from tacit.model.verb import arg
from tacit.records.arguments import Progress
from tacit.records.ask_model import thinking_status
from tacit.records.connection import Connection
from tacit.records.read_cache import read_cache
from tacit.records.renamed_project import old_id_notice, records_under_old_id
from tacit.records.write import writing
from tacit.text.plural import plural
from tacit.text.search_fields import embedded_text

RETRUSTED_TOGETHER = 1_000


def maintain(
    c: Connection, *, rebuild: Annotated[bool, arg("Build the search index anew, from the records.")] = False,
    progress: Progress | None = None,
) -> Maintained:  # fmt: skip
    """Do one bounded pass of maintenance: archive, embed, compact, update lessons, finish deletions."""
    c.writable()
    pruned = prune(c, decayed=True)
    rebuilt = _rebuilt(c) if rebuild else 0
    proposed = propose(c)
    tended = apply_transitions(c)
    embedded, waiting, notices = embed_missing(c, progress)
    files = c.meaning.save(c.store.scopes())
    forgotten = c.store.finish_forgetting()
    c.store.optimise()
    return Maintained(
        pruned=len(pruned.ids), embedded=embedded, waiting=waiting, vector_files=files, rebuilt=rebuilt,
        erasure_pending=forgotten.pending, notices=tuple(notices),
        lessons_proposed=len(proposed), lessons_on_trial=len(tended.activated), lessons_demoted=len(tended.demoted),
    )  # fmt: skip


def sync(c: Connection, drain: Callable[[], DrainReport]) -> SyncReceipt:
    """Process queued hook data, drop cached reads, and give the store's position."""
    drained = drain()
    dropped = read_cache(c.store).drop()
    c.store.refresh()
    last = c.store.events(newest=True, limit=1)
    return SyncReceipt(store=c.store.location, seq=last[0].seq if last else 0, drained=drained, dropped=dropped)


def _rebuilt(c: Connection) -> int:
    """Make everything anew that is worked out from records and events: the index, the facets, the trust."""
    count = c.store.rebuild()
    ids = sorted(c.store.ids(Filter(scopes=tuple(c.store.scopes()), statuses=ALL_STATUSES)))
    for start in range(0, len(ids), RETRUSTED_TOGETHER):
        with writing(c, c.clock.now()) as tx:
            tx.retrust(ids[start : start + RETRUSTED_TOGETHER])
            tx.append(NewEvent(type="trust.settled", payload={"records": len(ids[start : start + RETRUSTED_TOGETHER])}))
    return count


def embed_missing(c: Connection, progress: Progress | None = None) -> tuple[int, int, list[str]]:
    """Embed records that have no vector of the current model, at most `embed_most` in one pass."""
    embedder = c.meaning.embedder()
    if embedder is None:
        return 0, 0, [f"nothing was embedded: {c.meaning.off}"] if c.meaning.off else []
    done, after = 0, ""
    covered = c.store.coverage(embedder.model, c.store.scopes())
    total = covered.total - covered.embedded
    while done < c.upkeep.embed_most:
        batch = c.store.missing_vectors(embedder.model, min(c.upkeep.embed_batch, c.upkeep.embed_most - done), after)
        if not batch:
            break
        try:
            vectors = c.meaning.embed(embedder, batch)
        except EmbedderFailed as failure:
            c.meaning.degraded = failure.message
            return done, total - done, [f"embedding stopped: {failure.message}"]
        done, after = done + _keep_unchanged(c, embedder.model, batch, vectors), batch[-1].id
        if progress:
            progress(done, total)
    return done, max(0, total - done), []


def _keep_unchanged(c: Connection, model: str, batch: Sequence[Record], vectors: dict[str, bytes]) -> int:
    """Store the vectors of records that still say what was embedded; gives how many. The others wait."""
    with writing(c, c.clock.now()) as tx:
        today = tx.get_many(list(vectors), tx.scopes())
        same = [
            record.id
            for record in batch
            if record.id in today and embedded_text(today[record.id]) == embedded_text(record)
        ]
        for id in same:
            tx.embed(id, model, vectors[id])
        if same:
            tx.append(NewEvent(type="embedded", payload={"count": len(same), "model": model}))
    return len(same)


def status(c: Connection) -> dict[str, Any]:
    """Say what this memory is, what is in it, and what is off or behind."""
    facts = c.store.engine()
    found: dict[str, Any] = {
        "store": c.store.location, "tenant": c.store.tenant, "scope": str(c.scope), "reads": list(c.walls),
        "actor": c.origin.actor, "engine": facts, "records": c.store.stats(c.walls).records, "off": c.off,
        "semantic": _semantic(c), "learning": queue(c), "llm": thinking_status(c), "warnings": [],
    }  # fmt: skip
    warnings: list[str] = found["warnings"]
    if c.off:
        warnings.append(f"tacit is off here: {c.off}")
    if facts.get("erasure_pending"):
        warnings.append(
            "erasure pending: forgotten bytes stay in the log until the last reader leaves; run `tacit maintain`"
        )
    if facts.get("bypasses_walls"):
        warnings.append(_no_walls(facts))
    if c.store.size_bytes() > c.upkeep.max_store_bytes:
        warnings.append(f"the store has {c.store.size_bytes():,} bytes, over its cap of {c.upkeep.max_store_bytes:,}")
    if found["semantic"]["waiting"]:
        waiting = plural(found["semantic"]["waiting"], "record")
        warnings.append(f"{waiting} still to be embedded; run `tacit maintain`")
    if found["llm"]["problem"]:
        warnings.append(f"the language model was of no use lately: {found['llm']['problem']}; rules did its work")
    if found["learning"]["set_aside"]:
        count = plural(found["learning"]["set_aside"], "episode")
        warnings.append(f"{count} could not be learned from; `tacit list --kind job --status archived` says why")
    warnings += old_id_notice(c)
    return found


def _semantic(c: Connection) -> dict[str, Any]:
    embedder = c.meaning.embedder()
    if embedder is None:
        return {"on": False, "why": c.meaning.off, "model": "", "embedded": 0, "waiting": 0}
    covered = c.store.coverage(embedder.model, c.store.scopes())
    return {
        "on": not c.meaning.degraded, "why": c.meaning.degraded, "model": embedder.model, "dim": embedder.dim,
        "embedded": covered.embedded, "waiting": covered.total - covered.embedded,
    }  # fmt: skip


def doctor(c: Connection, head: tuple[int, str] | None) -> list[Finding]:
    """Examine a store that opened; says what is wrong and what to do."""
    facts = c.store.engine()
    by = f", vectors searched by {facts['vectors']}" if facts.get("vectors") else ""
    message = f"{c.store.location}: {facts['engine']}, format {facts['format']}{by}"
    found = [Finding(level="ok", subject="store", message=message)]
    outcome = c.store.verify(head)
    found += outcome.findings
    if outcome.ok:
        message = f"{outcome.events} events under {outcome.seals} seals, {outcome.records} record versions: all sound"
        found.append(Finding(level="ok", subject="integrity", message=message))
    semantic = _semantic(c)
    if not semantic["on"]:
        found.append(Finding(level="hint", subject="semantic", message=f"search by meaning is off: {semantic['why']}"))
    elif semantic["waiting"]:
        message = f"{plural(semantic['waiting'], 'record')} without a vector of {semantic['model']}"
        found.append(Finding(level="warning", subject="semantic", message=message, hint="run `tacit maintain`"))
    else:
        message = f"{plural(semantic['embedded'], 'record')}, {semantic['model']}"
        found.append(Finding(level="ok", subject="semantic", message=message))
    if facts.get("bypasses_walls"):
        hint = "connect as a role without SUPERUSER and BYPASSRLS that the owner let in; docs/postgresql.md says how"
        found.append(Finding(level="warning", subject="walls", message=_no_walls(facts), hint=hint))
    if facts.get("lock_holder"):
        message = f"process {facts['lock_holder']} is writing at this moment"
        found.append(Finding(level="hint", subject="lock", message=message))
    if facts.get("erasure_pending"):
        message = "forgotten bytes are still in the log, because a reader holds it"
        found.append(Finding(level="warning", subject="erasure", message=message, hint="run `tacit maintain` later"))
    if c.off:
        found.append(Finding(level="warning", subject="switch", message=f"tacit is off here: {c.off}"))
    if former := records_under_old_id(c):
        found.append(former)
    return found


def _no_walls(facts: dict[str, str | int | bool]) -> str:
    return f"the role {facts['user']} passes row-level security: the server keeps no tenant from it"
