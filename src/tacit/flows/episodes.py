"""Episodes: started, stepped, completed. A step is an event, written at once; completing scores and reflects."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from datetime import datetime
from math import isfinite
from typing import Any

from tacit.errors import Conflict, NotFound, UsageError
from tacit.flows.asked import text_of, texts_of, whole_of
from tacit.flows.connection import EVERYTHING, Connection
from tacit.flows.learning import enqueue
from tacit.flows.write import admitted, again, new_record, revised, writing
from tacit.judge.admit import cleared
from tacit.judge.patterns import patterns_in
from tacit.judge.reflect import reflect
from tacit.judge.reward import Baseline, Trial, baseline_of, reward_of
from tacit.judge.worthy import quality_of
from tacit.model.episode import (
    COMPLEXITIES,
    MOST_STEPS,
    OUTCOMES,
    RESULTS,
    TASK_TYPES,
    Checkpoint,
    Episode,
    EpisodeStep,
    TaskContext,
)
from tacit.model.event import Happening
from tacit.model.link import Link
from tacit.model.payload import plain, shaped
from tacit.model.record import Draft, Record, payload_of, replace
from tacit.ports.store import Reader

KIND = "episode"
STEP = "episode.step"
OPEN, COMPLETE = "open", "complete"
RELATIONS = ("parent", "follows", "references")
LONG_CHARS = 4_096
MOST_OBSERVATION_CHARS = 1_000_000
MOST_TASK_CHARS = 10_000
BASELINE_FROM = 50
DIGEST_ERRORS = 10


@again
def start(
    c: Connection, task: str, *, task_type: str = "other", language: str = "", framework: str = "",
    complexity: str = "moderate", domain: str = "", tags: Sequence[str] = (), session: str = "",
) -> Record:  # fmt: skip
    """Begin an episode."""
    if not text_of(task, "task").strip():
        raise UsageError("an episode needs a task", 'for example m.episodes.start("Build REST endpoint")')
    if len(task) > MOST_TASK_CHARS:
        raise UsageError(f"a task has at most {MOST_TASK_CHARS:,} characters", "say it shorter; steps hold the rest")
    payload = Episode(
        task_type=_one_of(task_type, TASK_TYPES, "task type"), started_at=c.clock.now(), session=session,
        context=TaskContext(
            language=text_of(language, "language").lower(), framework=text_of(framework, "framework").lower(),
            complexity=_one_of(complexity, COMPLEXITIES, "complexity"), domain=text_of(domain, "domain").lower(),
        ),
    )  # fmt: skip
    draft = admitted(c, Draft(
        kind=KIND, scope=str(c.scope), title=" ".join(task.split())[:1_000], body=task, status=OPEN,
        tags=tags_of(tags), payload=payload,
    ))  # fmt: skip
    record = new_record(c, draft, c.clock.now())
    with writing(c, record.created_at) as tx:
        tx.put(record)
        tx.append(Happening(type="episode.started", subject=record.id, scope=record.scope, session=session))
    return record


def log(c: Connection, id: str, steps: Sequence[EpisodeStep]) -> int:
    """Write steps of an episode, in one go; gives how many it has now. Either all are there, or none and an error."""
    bodies = [_body(c, step) for step in steps]
    return _logged(c, id, bodies)


@again
def _logged(c: Connection, id: str, bodies: list[dict[str, Any]]) -> int:
    with writing(c, c.clock.now()) as tx:
        record = _open(tx, c, id)
        count = tx.tallies([id]).get(id, {}).get("steps", 0) + len(bodies)
        if count > MOST_STEPS:
            raise Conflict(
                f"{id} would have {count:,} steps; an episode has at most {MOST_STEPS:,}",
                "complete it, and start another that follows it",
            )
        for body in bodies:
            tx.append(Happening(type=STEP, subject=id, scope=record.scope, payload=body))
    return count


def step_of(
    tool: str, action: str = "", *, parameters: dict[str, Any] | None = None, result: str | None = None,
    observation: str = "", latency_ms: float = 0, tokens: int = 0, at: datetime | None = None, outside: bool = False,
) -> EpisodeStep:  # fmt: skip
    """Read a step; what is out of range is an error, never dropped."""
    if not text_of(tool, "tool").strip():
        raise UsageError("a step needs a tool", 'for example tool="pytest"')
    if len(text_of(observation, "observation")) > MOST_OBSERVATION_CHARS:
        raise UsageError(f"an observation has at most {MOST_OBSERVATION_CHARS:,} characters", "keep what matters of it")
    return EpisodeStep(
        tool=tool.strip(), action=text_of(action, "action"), parameters=parameters or {}, observation=observation,
        result=None if result is None else _one_of(result, RESULTS, "result"), at=at, outside=outside,
        latency_ms=_count(latency_ms, "latency_ms"), tokens=_count(tokens, "tokens"),
    )  # fmt: skip


def steps_of(reader: Reader, record: Record) -> list[EpisodeStep]:
    """Give the steps of an episode in the order they were written; one whose body was erased is left out."""
    events = reader.events(subject=record.id, types=(STEP,), limit=MOST_STEPS)
    return [_step(event.payload, event.at) for event in events if event.payload is not None]


@again
def complete(
    c: Connection, id: str, outcome: str, *, result: str = "", error: str | None = None,
    duration_ms: float | None = None, completed: int = 0, failed: int = 0, verified: bool = False,
) -> Record:  # fmt: skip
    """End an episode: score it, reflect on it, write what it is found by, and leave it to be learned from."""
    how = _one_of(outcome, OUTCOMES, "outcome")
    record = _open(c.store, c, id)
    steps = steps_of(c.store, record)
    old = payload_of(record, Episode)
    now = c.clock.now()
    took = _duration(duration_ms, old.started_at, now)
    trial = Trial(how, steps, old.context, took, whole_of(completed, "completed"), whole_of(failed, "failed"), verified)
    usual = baseline(c, old.context.domain)
    said = text_of(result, "result"), text_of(error or "", "error")
    reflection = reflect(trial, usual, result=said[0], error=said[1])
    seen = patterns_in(steps, old.context, old.task_type, how)
    errors = tuple(dict.fromkeys(step.observation[:300] for step in steps if step.result in ("error", "timeout")))
    payload = replace(
        old, outcome=how, result=said[0], error=said[1], ended_at=max(now, old.started_at or now), duration_ms=took,
        steps=len(steps), tools=tuple(dict.fromkeys(step.tool for step in steps)), errors=errors[:DIGEST_ERRORS],
        tokens=sum(step.tokens for step in steps), reward=reward_of(trial, usual), reflection=reflection,
        quality=quality_of(steps, reflection, len(seen)), verified=verified,
    )  # fmt: skip
    draft = admitted(c, Draft(
        kind=KIND, scope=record.scope, title=record.title, body=_digest(record, payload), status=COMPLETE,
        tags=record.tags, payload=payload,
    ))  # fmt: skip
    with writing(c, now) as tx:
        fresh = revised(record, now, body=draft.body, payload=draft.payload, status=COMPLETE)
        tx.put(fresh, expected=_open(tx, c, id).version)
        tx.append(Happening(type="episode.completed", subject=id, scope=record.scope, payload={"outcome": how}))
        enqueue(c, tx, fresh, now)
    return fresh


def baseline(c: Connection, domain: str) -> Baseline:
    """Give what is usual for the episodes of a domain, from the newest of them."""
    where = c.filter(kinds=(KIND,), statuses=(COMPLETE,), facets=(("domain", domain),))
    past = [payload_of(record, Episode) for record in c.store.find(where, limit=BASELINE_FROM).records]
    return baseline_of([((one.duration_ms or 0) / 1000, one.steps) for one in past if one.duration_ms is not None])


@again
def checkpoint(c: Connection, id: str, reason: str, note: str = "") -> Record:
    """Mark a place on the way."""
    if not text_of(reason, "reason").strip():
        raise UsageError("a checkpoint needs a reason", "say why it is one")
    now = c.clock.now()
    with writing(c, now) as tx:
        record = _open(tx, c, id)
        step = tx.tallies([id]).get(id, {}).get("steps", 0)
        mark = Checkpoint(step=step, reason=c.redact(reason), note=c.redact(text_of(note, "note")), at=now)
        payload = payload_of(record, Episode)
        fresh = revised(record, now, payload=replace(payload, checkpoints=(*payload.checkpoints, mark)))
        tx.put(fresh, expected=record.version)
        tx.append(Happening(type="episode.checkpoint", subject=id, scope=record.scope))
    return fresh


@again
def relate(c: Connection, id: str, relation: str, other: str) -> Link:
    """Tie an episode to another: its parent, what it follows, what it refers to. No episode comes before itself."""
    kind = _one_of(relation, RELATIONS, "relation")
    one, two = c.own(c.require(id, KIND)), c.require(other, KIND)
    if one.id == two.id:
        raise UsageError("an episode is not related to itself", "name two")
    now = c.clock.now()
    with writing(c, now) as tx:
        tx.alone(one.scope)
        if kind != "references" and _leads(tx, c, two.id, one.id, kind):
            raise Conflict(f"{two.id} comes after {one.id} already: that would be a circle", "turn it round")
        link = Link(source=one.id, relation=kind, target=two.id, scope=one.scope, since=now)
        tx.link(link)
        tx.append(Happening(type="episode.related", subject=one.id, scope=one.scope))
    return link


def _leads(reader: Reader, c: Connection, start: str, goal: str, relation: str) -> bool:
    seen, edge = {start}, [start]
    while edge:
        links = reader.links(edge, c.walls, relation=relation, incoming=False)
        edge = [link.target for link in links if link.target not in seen]
        if goal in edge:
            return True
        seen |= set(edge)
    return False


def list_episodes(
    c: Connection, *, statuses: Sequence[str] = (OPEN, COMPLETE), outcome: str = "", domain: str = "",
    tags: Sequence[str] = (), limit: int = 20,
) -> list[Record]:  # fmt: skip
    """List episodes, the newest first."""
    facets = [("outcome", outcome)] if outcome else []
    facets += [("domain", domain.lower())] if domain else []
    where = c.filter(kinds=(KIND,), statuses=tuple(statuses), facets=tuple(facets), tags=texts_of(tags, "tags"))
    return list(c.store.find(where, limit=whole_of(limit, "limit")).records)


@again
def archive(c: Connection, id: str, *, restore: bool = False) -> Record:
    """Put an episode aside, or take it out again; what it taught stays."""
    record = c.own(c.require(id, KIND))
    now = c.clock.now()
    back = COMPLETE if payload_of(record, Episode).outcome else OPEN
    with writing(c, now) as tx:
        fresh = revised(record, now, status=back if restore else "archived")
        tx.put(fresh, expected=record.version)
        tx.append(Happening(type="episode.restored" if restore else "episode.archived", subject=id, scope=record.scope))
    return fresh


@again
def retag(c: Connection, id: str, tags: Sequence[str], *, keep: bool | None = None) -> Record:
    """Give an episode other tags, and say whether it is to be kept whatever its age."""
    record = c.own(c.require(id, KIND))
    now = c.clock.now()
    payload = payload_of(record, Episode)
    fresh = revised(
        record, now, tags=tuple(map(c.redact, tags_of(tags))),
        payload=payload if keep is None else replace(payload, kept=keep),
    )  # fmt: skip
    with writing(c, now) as tx:
        tx.put(fresh, expected=record.version)
        tx.append(Happening(type="episode.tagged", subject=id, scope=record.scope))
    return fresh


def tag_counts(c: Connection) -> dict[str, int]:
    """Count the tags of episodes, the commonest first."""
    counts: dict[str, int] = {}
    for record in c.store.find(c.filter(kinds=(KIND,), statuses=(OPEN, COMPLETE)), limit=EVERYTHING).records:
        for tag in record.tags:
            counts[tag] = counts.get(tag, 0) + 1
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def tags_of(tags: Sequence[str]) -> tuple[str, ...]:
    """Read tags as episodes have them: small letters, digits, dashes; others are refused by name."""
    found = [tag.strip().lower() for tag in texts_of(tags, "tags")]
    for tag in found:
        if not (2 <= len(tag) <= 100 and all(char.isalnum() or char in "-_" for char in tag)):
            raise UsageError(f"{tag[:60]!r} cannot be a tag", "2 to 100 letters, digits, - and _")
    return tuple(dict.fromkeys(found))


def _open(reader: Reader, c: Connection, id: str) -> Record:
    record = reader.get(id, c.walls) if isinstance(id, str) else None
    if record is None or record.kind != KIND:
        raise NotFound(f"no episode {str(id)[:80]!r} in {', '.join(c.walls)}", "`tacit episode list` shows them")
    c.own(record)
    if record.status != OPEN:
        raise Conflict(f"{id} is {record.status}, so nothing can be added to it", "start another that follows it")
    return record


def _body(c: Connection, step: EpisodeStep) -> dict[str, Any]:
    body: dict[str, Any] = cleared(plain(step), c.redact)
    said = body.get("observation", "")
    if len(said) > LONG_CHARS:
        body["observation_z"] = base64.b64encode(zlib.compress(said.encode(errors="replace"), 6)).decode()
        del body["observation"]
    return body


def _step(body: dict[str, Any], at: datetime) -> EpisodeStep:
    packed = body.get("observation_z")
    if packed:
        body = {name: value for name, value in body.items() if name != "observation_z"}
        body["observation"] = zlib.decompress(base64.b64decode(packed)).decode()
    step: EpisodeStep = shaped(body, EpisodeStep)
    return step if step.at else replace(step, at=at)


def _digest(record: Record, payload: Episode) -> str:
    """Give what an episode is found by: its task, how it ended, the tools it used, and its errors."""
    lines = [
        record.title,
        f"outcome {payload.outcome}",
        payload.result,
        payload.error,
        " ".join(payload.tools),
        *payload.errors,
    ]
    return "\n".join(line for line in lines if line)


def _duration(given: float | None, started: datetime | None, now: datetime) -> int | None:
    if given is not None:
        return _count(given, "duration_ms")
    # A clock that was set back says nothing.
    return max(0, round((now - started).total_seconds() * 1000)) if started else None


def _count(value: float, field: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) or not 0 <= value < 2**53:
        raise UsageError(f"{field} must be a number from 0 on", "leave it out if it is not known")
    return round(value)


def _one_of(value: Any, known: Sequence[Any], what: str) -> Any:
    if value not in known:
        raise UsageError(f"{str(value)[:40]!r} is no {what}", f"use {', '.join(known)}")
    return value
