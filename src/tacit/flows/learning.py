"""Learning from episodes: a queue in the store, worked once per episode, adding up into patterns and heuristics."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from tacit.errors import Conflict, StoreError, TacitError
from tacit.flows.connection import Connection
from tacit.flows.memorize import ensure
from tacit.flows.write import new_record, revised, writing
from tacit.judge.patterns import Seen, patterns_in
from tacit.judge.worthy import THRESHOLD
from tacit.model.episode import Episode, EpisodeStep, Heuristic, LearningJob, Pattern
from tacit.model.event import Happening
from tacit.model.link import DERIVED_FROM, Link
from tacit.model.record import Draft, Record, payload_of, replace
from tacit.ports.store import Transaction

JOB = "job"
MOST_WAITING = 10_000
MOST_ATTEMPTS = 5
BACKOFF_S = (1.0, 5.0, 30.0, 300.0, 3_600.0)
# Seen well so often, in so many episodes, a pattern becomes advice.
ADVISED_FROM = 3


class Worked(NamedTuple):
    """What one pass over the queue did."""

    learned: int
    retried: int
    dead: int
    waiting: int


def enqueue(c: Connection, tx: Transaction, episode: Record, now: datetime) -> None:
    """Leave an episode to be learned from, in the write that completes it."""
    payload = payload_of(episode, Episode)
    if (payload.quality or 0.0) < THRESHOLD or payload.outcome is None:
        return
    if tx.count(c.filter(kinds=(JOB,), statuses=("open",))) >= MOST_WAITING:
        raise Conflict(
            f"{MOST_WAITING:,} episodes wait to be learned from; nothing was written", "`tacit maintain` works them off"
        )
    draft = Draft(kind=JOB, scope=episode.scope, key=episode.id, status="open", payload=LearningJob(episode=episode.id))
    tx.put(new_record(c, draft, now))


def work(c: Connection, limit: int = 100) -> Worked:
    """Work off what is due, oldest first. What fails is tried again later, and in the end set aside, visibly."""
    now = c.clock.now()
    due = [
        job
        for job in reversed(c.store.find(c.filter(kinds=(JOB,), statuses=("open",)), limit=limit).records)
        if (payload_of(job, LearningJob).not_before or now) <= now
    ]
    learned = retried = dead = 0
    for job in due:
        try:
            learned += learn(c, job)
        except StoreError:
            raise  # the store is the queue: when it is gone there is nothing to note a failure in
        except (TacitError, ValueError, TypeError) as error:
            gone = _failed(c, job, error)
            dead, retried = dead + gone, retried + (not gone)
    return Worked(learned, retried, dead, c.store.count(c.filter(kinds=(JOB,), statuses=("open",))))


def learn(c: Connection, job: Record) -> bool:
    """Learn one episode; its effect happens once, whoever works and however often."""
    from tacit.flows.episodes import steps_of

    now = c.clock.now()
    with writing(c, now) as tx:
        current = tx.get(job.id, c.walls)
        if current is None or current.status != "open":
            return False
        episode = tx.get(payload_of(job, LearningJob).episode, c.walls)
        first = tx.once(f"learned:{payload_of(job, LearningJob).episode}")
        if episode is not None and first:
            tx.alone(episode.scope)
            _add_up(c, tx, episode, steps_of(tx, episode), now)
        tx.put(revised(current, now, status="complete"), expected=current.version)
        tx.append(Happening(type="episode.learned", subject=job.key, scope=job.scope))
    return first


def _failed(c: Connection, job: Record, error: Exception) -> bool:
    """Note a failure; after the last attempt the job is set aside. Says whether it was."""
    now = c.clock.now()
    payload = payload_of(job, LearningJob)
    attempts = payload.attempts + 1
    dead = attempts >= MOST_ATTEMPTS
    later = now + timedelta(seconds=BACKOFF_S[min(attempts, len(BACKOFF_S)) - 1])
    fresh = replace(payload, attempts=attempts, not_before=later, problem=c.redact(str(error))[:500])
    with writing(c, now) as tx:
        tx.put(revised(job, now, payload=fresh, status="archived" if dead else "open"), expected=job.version)
        tx.append(Happening(type="episode.not_learned", subject=job.key, scope=job.scope))
    return dead


def _add_up(c: Connection, tx: Transaction, episode: Record, steps: list[EpisodeStep], now: datetime) -> None:
    payload = payload_of(episode, Episode)
    if payload.outcome is None:
        return
    for seen in patterns_in(steps, payload.context, payload.task_type, payload.outcome):
        pattern = ensure(c, tx, _pattern_draft(c, episode.scope, seen), now)
        happened = "pattern.succeeded" if seen.ok else "pattern.failed"
        tx.append(Happening(type=happened, subject=pattern.id, scope=pattern.scope, payload={"episode": episode.id}))
        tx.link(Link(source=pattern.id, relation=DERIVED_FROM, target=episode.id, scope=pattern.scope, since=now))
        if seen.ok:
            _advise(c, tx, pattern, now)


def _pattern_draft(c: Connection, scope: str, seen: Seen) -> Draft:
    pattern = seen.pattern
    title = f"{pattern.condition}: {' → '.join(pattern.what)}" if pattern.condition else " → ".join(pattern.what)
    # An observation may hold what no record should; keys and titles are made of it.
    return Draft(
        kind="pattern", scope=scope, key=c.redact(seen.key)[:900], title=c.redact(title)[:300], body=c.redact(title),
        payload=replace(pattern, condition=c.redact(pattern.condition), what=tuple(map(c.redact, pattern.what))),
    )  # fmt: skip


def _advise(c: Connection, tx: Transaction, pattern: Record, now: datetime) -> None:
    """Turn a pattern that went well often enough into a heuristic: if this, then that."""
    payload = payload_of(pattern, Pattern)
    good = tx.tallies([pattern.id]).get(pattern.id, {}).get("good", 0) + 1
    if good < ADVISED_FROM or payload.type not in ("recovery", "decision") or not payload.what:
        return
    condition = f"{payload.condition} fails" if payload.type == "recovery" else payload.condition
    advice = Heuristic(condition=condition, action=payload.what[0], context=payload.context)
    draft = Draft(
        kind="heuristic", scope=pattern.scope, key=pattern.key, title=f"{condition}: {payload.what[0]}"[:300],
        body=f"{condition}\n{payload.what[0]}", payload=advice,
    )  # fmt: skip
    kept = ensure(c, tx, draft, now)
    tx.link(Link(source=kept.id, relation=DERIVED_FROM, target=pattern.id, scope=kept.scope, since=now))
