"""Learn from completed episodes, once from each: what repeats becomes patterns and heuristics."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from tacit.episodes.episodes import steps_of
from tacit.episodes.rules.patterns import PatternSighting, patterns_in
from tacit.model.episode import Episode, EpisodeStep, Heuristic, LearningJob, Pattern
from tacit.model.event import NewEvent
from tacit.model.link import DERIVED_FROM, Link
from tacit.model.record import Draft, Record, payload_of, replace
from tacit.ports.store import Transaction
from tacit.records.connection import Connection
from tacit.records.keep import ensure
from tacit.records.write import retry_lost_write, revised, writing

MOST_ATTEMPTS = 5
BACKOFF_S = (1.0, 5.0, 30.0, 300.0, 3_600.0)
# A pattern that went well this often becomes a heuristic.
ADVISED_FROM = 3
PROPOSED_FROM = 5


@retry_lost_write
def learn(c: Connection, jobs: Sequence[Record], ripe: set[str] | None = None) -> int:
    """Learn from episodes in one transaction. Each episode counts once, even if several processes try.

    `ripe` collects the ids of patterns that succeeded often enough to propose something.
    """
    now = c.clock.now()
    learned = 0
    with writing(c, now) as tx:
        for scope in sorted({job.scope for job in jobs}):
            tx.alone(scope)
        current = tx.get_many([job.id for job in jobs], c.walls)
        sums = _Sums(c, tx, now)
        for job in (current[job.id] for job in jobs if job.id in current):
            if job.status != "open":
                continue  # another worker was quicker
            named = payload_of(job, LearningJob).episode
            episode = tx.get(named, c.walls)
            if tx.once(f"learned:{named}") and episode is not None:
                _add_up(sums, episode, steps_of(tx, episode))
                learned += 1
            tx.put(revised(job, now, status="complete"), expected=job.version)
            tx.append(NewEvent(type="episode.learned", subject=job.key, scope=job.scope))
    if ripe is not None:
        ripe |= sums.ripe
    return learned


def note_failure(c: Connection, job: Record, error: Exception) -> tuple[int, int]:
    """Record a failed attempt; after the last one the job is set aside. Returns what to add to retried and dead."""
    now = c.clock.now()
    with writing(c, now) as tx:
        current = tx.get(job.id, c.walls)
        if current is None or current.status != "open":
            return 0, 0  # another worker did it
        payload = payload_of(current, LearningJob)
        attempts = payload.attempts + 1
        dead = attempts >= MOST_ATTEMPTS
        later = now + timedelta(seconds=BACKOFF_S[min(attempts, len(BACKOFF_S)) - 1])
        fresh = replace(payload, attempts=attempts, not_before=later, problem=c.redact(str(error))[:500])
        status = "archived" if dead else "open"
        tx.put(revised(current, now, payload=fresh, status=status), expected=current.version)
        tx.append(NewEvent(type="episode.not_learned", subject=job.key, scope=job.scope))
    return (0, 1) if dead else (1, 0)


class _Sums:
    """The counts of one transaction: each pattern is looked up once."""

    def __init__(self, c: Connection, tx: Transaction, now: datetime) -> None:
        self.c, self.tx, self.now = c, tx, now
        self._known: dict[tuple[str, str, str], Record] = {}
        self._patterns: dict[tuple[str, str], Record] = {}
        self._good: dict[str, int] = {}
        self.ripe: set[str] = set()

    def ensure(self, draft: Draft) -> Record:
        """Return the record with this draft's key, or create it."""
        name = draft.kind, draft.scope, draft.key
        if name not in self._known:
            self._known[name] = ensure(self.c, self.tx, draft, self.now)
        return self._known[name]

    def pattern(self, scope: str, seen: PatternSighting) -> Record:
        """Return the record of a pattern; it is redacted once per transaction, not once per episode."""
        name = scope, seen.key
        if name not in self._patterns:
            self._patterns[name] = self.ensure(_pattern_draft(self.c, scope, seen))
        return self._patterns[name]

    def good(self, pattern: Record) -> int:
        """Count that a pattern went well once more, and return the new count, which no tally contains yet."""
        if pattern.id not in self._good:
            self._good[pattern.id] = self.tx.tallies([pattern.id]).get(pattern.id, {}).get("good", 0)
        self._good[pattern.id] += 1
        # Again at every multiple: a worker may have been killed between learning and proposing.
        if self._good[pattern.id] % PROPOSED_FROM == 0:
            self.ripe.add(pattern.id)
        return self._good[pattern.id]


def _add_up(sums: _Sums, episode: Record, steps: Sequence[EpisodeStep]) -> None:
    payload = payload_of(episode, Episode)
    if payload.outcome is None or episode.trust == 0:
        return
    tx, now = sums.tx, sums.now
    for seen in patterns_in(steps, payload.context, payload.task_type, payload.outcome):
        pattern = sums.pattern(episode.scope, seen)
        happened = "pattern.succeeded" if seen.ok else "pattern.failed"
        tx.append(NewEvent(type=happened, subject=pattern.id, scope=pattern.scope, payload={"episode": episode.id}))
        tx.link(Link(source=pattern.id, relation=DERIVED_FROM, target=episode.id, scope=pattern.scope, since=now))
        if seen.ok:
            _advise(sums, pattern)


def _pattern_draft(c: Connection, scope: str, seen: PatternSighting) -> Draft:
    pattern = seen.pattern
    title = f"{pattern.condition}: {' → '.join(pattern.what)}" if pattern.condition else " → ".join(pattern.what)
    # Keys and titles are made of observations, which may hold secrets.
    return Draft(
        kind="pattern", scope=scope, key=c.redact(seen.key)[:900], title=c.redact(title)[:300], body=c.redact(title),
        payload=replace(pattern, condition=c.redact(pattern.condition), what=tuple(map(c.redact, pattern.what))),
    )  # fmt: skip


def _advise(sums: _Sums, pattern: Record) -> None:
    """Turn a pattern that went well often enough into a heuristic: if this, then that."""
    payload = payload_of(pattern, Pattern)
    if payload.type == "context":
        return
    good = sums.good(pattern)
    if payload.type == "tool_sequence" or not payload.what or good != ADVISED_FROM:
        return
    condition = f"{payload.condition} fails" if payload.type == "recovery" else payload.condition
    advice = Heuristic(condition=condition, action=payload.what[0], context=payload.context)
    draft = Draft(
        kind="heuristic", scope=pattern.scope, key=pattern.key, title=f"{condition}: {payload.what[0]}"[:300],
        body=f"{condition}\n{payload.what[0]}", payload=advice,
    )  # fmt: skip
    kept = sums.ensure(draft)
    link = Link(source=kept.id, relation=DERIVED_FROM, target=pattern.id, scope=kept.scope, since=sums.now)
    sums.tx.link(link)
