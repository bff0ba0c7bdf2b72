"""Maintenance: one bounded pass over a store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Annotated

from tacit.errors import EmbedderFailed
from tacit.facts.consolidate import prune
from tacit.failures.relearn import relearn_failures
from tacit.lessons.candidates import propose
from tacit.lessons.transitions import apply_transitions
from tacit.model.event import NewEvent
from tacit.model.kinds import ALL_STATUSES
from tacit.model.query import Filter
from tacit.model.record import Record, short_id
from tacit.model.results import DrainReport, Maintained, Pruned, SyncReceipt
from tacit.model.verb import arg
from tacit.records.arguments import Progress
from tacit.records.connection import Connection
from tacit.records.read_cache import read_cache
from tacit.records.uses import store_uses
from tacit.records.write import writing
from tacit.sessions.dropping import drop_old_turns
from tacit.text.plural import plural
from tacit.text.search_fields import embedded_text

RETRUSTED_TOGETHER = 1_000
MOST_NAMED = 20
TOO_OLD = "older than [sessions] keep_days, or over max_mb"


def maintain(
    c: Connection, *, rebuild: Annotated[bool, arg("Rebuild the search index from the records.")] = False,
    progress: Progress | None = None,
) -> Maintained:  # fmt: skip
    """Do one bounded pass of maintenance: archive, embed, compact, update lessons, finish deletions."""
    c.writable()
    store_uses(c)
    pruned = prune(c, decayed=True)
    rebuilt = _rebuilt(c) if rebuild else 0
    relearned = relearn_failures(c)
    proposed = propose(c)
    tended = apply_transitions(c)
    dropped = drop_old_turns(c)
    embedded, waiting, notices = embed_missing(c, progress)
    notices[:0] = _archived(pruned)
    if dropped.turns:
        notices.append(f"dropped {plural(dropped.turns, 'turn')} of {plural(dropped.sessions, 'session')}: {TOO_OLD}")
    if mended := mend_vectors(c):
        notices.append(f"made {plural(mended, 'damaged vector')} again")
    files = c.meaning.save(c.store.scopes())
    forgotten = c.store.finish_forgetting()
    c.store.optimise()
    # A home that cannot be written costs the time of this pass: the next one is due at once.
    with suppress(OSError):
        c.maintained.note(c.clock.now())
    return Maintained(
        pruned=len(pruned.ids), archived=pruned.ids, embedded=embedded, waiting=waiting, vector_files=files,
        rebuilt=rebuilt, erasure_pending=forgotten.pending, notices=tuple(notices), failures_relearned=relearned,
        lessons_proposed=len(proposed.added), lessons_refused=proposed.refused,
        lessons_on_trial=len(tended.activated), lessons_demoted=len(tended.demoted),
    )  # fmt: skip


def _archived(pruned: Pruned) -> list[str]:
    """Say which facts were archived, and how to bring each back."""
    named = [f"archived {short_id(id)}, which nobody used for long: `{back}` brings it back"
             for id, back in zip(pruned.ids, pruned.back, strict=True)]  # fmt: skip
    rest = len(named) - MOST_NAMED
    more = [f"archived {rest} more: `tacit list --kind fact --status archived`"] if rest > 0 else []
    return [*named[:MOST_NAMED], *more]


def maintain_is_due(c: Connection) -> bool:
    """Return whether the last maintenance of the store is `[maintain] every_hours` ago, unknown, or in the future."""
    last, now = c.maintained.last(), c.clock.now()
    return last is None or not last <= now < last + timedelta(hours=c.upkeep.every_hours)


def sync(c: Connection, drain: Callable[[], DrainReport]) -> SyncReceipt:
    """Process queued hook data, drop cached reads, and return the store's position."""
    drained = drain()
    if not c.off:
        store_uses(c)
    dropped = read_cache(c.store).drop()
    c.store.refresh()
    last = c.store.events(newest=True, limit=1)
    return SyncReceipt(store=c.store.location, seq=last[0].seq if last else 0, drained=drained, dropped=dropped)


def _rebuilt(c: Connection) -> int:
    """Rebuild everything that is computed from records and events: the index, the facets, the trust."""
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


def mend_vectors(c: Connection) -> int:
    """Embed the records again whose vectors are damaged, at most `embed_most`, and return how many."""
    embedder = c.meaning.embedder()
    ids = sorted(c.meaning.unsound(c.store.scopes()))[: c.upkeep.embed_most] if embedder else []
    batch = list(c.store.get_many(ids, c.store.scopes()).values()) if ids else []
    if embedder is None or not batch:
        return 0
    try:
        vectors = c.meaning.embed(embedder, batch)
    except EmbedderFailed as failure:
        c.meaning.degraded = failure.message
        return 0
    return _keep_unchanged(c, embedder.model, batch, vectors)


def _keep_unchanged(c: Connection, model: str, batch: Sequence[Record], vectors: dict[str, bytes]) -> int:
    """Store the vectors of records that have not changed since they were embedded, and return how many."""
    with writing(c, c.clock.now()) as tx:
        today = tx.get_many(list(vectors), tx.scopes())
        same = [
            record.id
            for record in batch
            if record.id in today and embedded_text(today[record.id]) == embedded_text(record)
        ]
        tx.embed(model, {id: vectors[id] for id in same})
        if same:
            tx.append(NewEvent(type="embedded", payload={"count": len(same), "model": model}))
    return len(same)
