"""The queue of completed episodes to learn from: records in the store, so that nothing is lost."""

from __future__ import annotations

from datetime import datetime

from tacit.episodes.rules.quality import THRESHOLD
from tacit.errors import Conflict
from tacit.model.episode import Episode, LearningJob
from tacit.model.query import Filter
from tacit.model.record import Draft, Record, payload_of
from tacit.ports.store import Transaction
from tacit.records.connection import Connection
from tacit.records.write import new_record

JOB = "job"
MOST_WAITING = 10_000
PAGE = 500


def enqueue(c: Connection, tx: Transaction, episode: Record, now: datetime) -> None:
    """Queue an episode for learning, in the transaction that completes it."""
    payload = payload_of(episode, Episode)
    if (payload.quality or 0.0) < THRESHOLD or payload.outcome is None:
        return
    own = c.narrowed(scope=str(c.scope))
    if tx.count(own.filter(kinds=(JOB,), statuses=("open",))) >= MOST_WAITING:
        raise Conflict(
            f"{MOST_WAITING:,} episodes are already queued for learning; nothing was written",
            "`tacit maintain` processes them",
        )
    draft = Draft(kind=JOB, scope=episode.scope, key=episode.id, status="open", payload=LearningJob(episode=episode.id))
    tx.put(new_record(c, draft, now))


def scopes_due(c: Connection) -> list[str]:
    """List the scopes in which queued episodes are due, without those of other users."""
    now, mine = c.clock.now(), {str(scope) for scope in c.reads if scope.kind == "user"}
    scopes = tuple(name for name in c.store.scopes() if name in mine or not name.startswith("user:"))
    due: set[str] = set()
    page = c.store.find(Filter(scopes=scopes, kinds=(JOB,), statuses=("open",)), limit=PAGE)
    while True:
        due |= {job.scope for job in page.records if (payload_of(job, LearningJob).not_before or now) <= now}
        if not page.next:
            return sorted(due)
        page = c.store.find(Filter(scopes=scopes, kinds=(JOB,), statuses=("open",)), limit=PAGE, after=page.next)


def waiting(c: Connection) -> int:
    """Count the queued episodes."""
    return c.store.count(c.filter(kinds=(JOB,), statuses=("open",)))


def queue(c: Connection) -> dict[str, int]:
    """Count the queued episodes of this scope, and those that were set aside."""
    own = c.narrowed(scope=str(c.scope))
    return {"waiting": waiting(own), "set_aside": own.store.count(own.filter(kinds=(JOB,), statuses=("archived",)))}


def due(c: Connection, limit: int) -> list[Record]:
    """Return the oldest jobs that are due. Jobs that must wait do not block later ones."""
    now = c.clock.now()
    ids = sorted(c.store.ids(c.filter(kinds=(JOB,), statuses=("open",))))
    found: list[Record] = []
    for start in range(0, len(ids), PAGE):
        page = c.store.get_many(ids[start : start + PAGE], c.walls)
        jobs = (page[id] for id in ids[start : start + PAGE] if id in page)
        found += [job for job in jobs if (payload_of(job, LearningJob).not_before or now) <= now]
        if len(found) >= limit:
            break
    return found[:limit]
