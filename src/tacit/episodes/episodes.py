"""Start, log and complete episodes. A step is stored as an event; a completed episode gets a score and a reflection."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any, NamedTuple
from weakref import WeakKeyDictionary

from tacit.admission.admit import cleared
from tacit.episodes.queue import enqueue
from tacit.episodes.rules.patterns import patterns_in
from tacit.episodes.rules.quality import quality_of
from tacit.episodes.rules.reflection import reflect
from tacit.episodes.rules.reward import ENOUGH, Baseline, ScoreInput, baseline_of, reward_of
from tacit.errors import Conflict, NotFound, UsageError
from tacit.model.episode import (
    COMPLEXITIES,
    MOST_STEPS,
    OUTCOMES,
    RESULTS,
    TASK_TYPES,
    Checkpoint,
    Episode,
    EpisodeOutcome,
    EpisodeStep,
    TaskContext,
)
from tacit.model.event import NewEvent
from tacit.model.payload import plain, shaped
from tacit.model.record import Draft, Record, payload_of, replace
from tacit.model.verb import arg
from tacit.ports.store import Store, StoreReader
from tacit.records.arguments import text_of, texts_of, whole_of
from tacit.records.connection import Connection, is_text
from tacit.records.write import admitted, new_record, retry_lost_write, revised, writing

KIND = "episode"
STEP = "episode.step"
OPEN, COMPLETE = "open", "complete"
LONG_CHARS = 4_096
MOST_OBSERVATION_CHARS = 1_000_000
MOST_TASK_CHARS = 10_000
MOST_ACTION_CHARS = 10_000
MOST_TOOL_CHARS = 200
MOST_PARAMETER_CHARS = 100_000
MOST_REASON_CHARS = 1_000
MOST_CHECKPOINTS = 100
BASELINE_FROM = 50
FRESH = timedelta(minutes=1)
MOST_DOMAINS = 256
_usual: WeakKeyDictionary[Store, dict[tuple[tuple[str, ...], str], tuple[datetime, Baseline]]] = WeakKeyDictionary()
DIGEST_ERRORS = 10
EpisodeId = Annotated[str, arg("The id of an episode.", record=True)]
Language = Annotated[str, arg("The programming language.")]
Framework = Annotated[str, arg("The framework.")]
Complexity = Annotated[str, arg("How hard the task is.", choices=COMPLEXITIES)]
Domain = Annotated[str, arg("The domain of the task: web, data, …")]


@retry_lost_write
def start(
    c: Connection, task: str, *, task_type: str = "other", language: str = "", framework: str = "",
    complexity: str = "moderate", domain: str = "", tags: Sequence[str] = (), session: str = "", key: str = "",
    at: datetime | None = None,
) -> Record:  # fmt: skip
    """Start an episode. `at` is when it began; the default is now."""
    if not text_of(task, "task").strip():
        raise UsageError("an episode needs a task", 'for example m.episodes.start("Build REST endpoint")')
    if len(task) > MOST_TASK_CHARS:
        raise UsageError(f"a task has at most {MOST_TASK_CHARS:,} characters", "shorten it, and put details into steps")
    payload = Episode(
        task_type=one_of(task_type, TASK_TYPES, "task type"), started_at=at or c.clock.now(), session=session,
        context=TaskContext(
            language=text_of(language, "language").lower(), framework=text_of(framework, "framework").lower(),
            complexity=one_of(complexity, COMPLEXITIES, "complexity"), domain=text_of(domain, "domain").lower(),
        ),
    )  # fmt: skip
    draft = admitted(c, Draft(
        kind=KIND, scope=str(c.scope), title=" ".join(task.split())[:1_000], body=task, status=OPEN, key=key,
        tags=tags_of(tags), payload=payload, at=at,
    ))  # fmt: skip
    record = new_record(c, draft, c.clock.now())
    with writing(c, record.created_at) as tx:
        tx.put(record)
        tx.append(NewEvent(type="episode.started", subject=record.id, scope=record.scope, session=session))
    return record


class LoggedSteps(NamedTuple):
    """The result of writing steps: how many steps the episode has now, and the number of the last event."""

    steps: int
    seq: int


def log(
    c: Connection, id: str, steps: Sequence[EpisodeStep], clean: Callable[[str], str] | None = None,
    after: int | None = None,
) -> LoggedSteps:  # fmt: skip
    """Write steps of an episode in one transaction: either all of them, or none and an error.

    `clean` removes secrets; a caller may pass a function that caches repeated texts. `after` is the number of steps
    that the episode must have before these.
    """
    return _logged(c, id, [_body(clean or c.redact, step) for step in steps], after)


def with_room(id: str, count: int) -> int:
    """Raise an error if an episode would get too many steps, and return the count."""
    if count > MOST_STEPS:
        raise Conflict(
            f"{id} would have {count:,} steps; an episode has at most {MOST_STEPS:,}",
            "complete the episode, and start another that follows it", most=MOST_STEPS,
        )  # fmt: skip
    return count


@retry_lost_write
def _logged(c: Connection, id: str, bodies: list[dict[str, Any]], after: int | None) -> LoggedSteps:
    with writing(c, c.clock.now()) as tx:
        # Nobody else completes it or adds to it between the count and the steps.
        tx.alone(f"episode:{id}")
        record = _open(tx, c, id)
        count = step_count(tx, id)
        if after is not None and count != after:
            raise Conflict(f"{id} now has {count:,} steps, not {after:,}; nothing was written", "read it again")
        count = with_room(id, count + len(bodies))
        seqs = [tx.append(NewEvent(type=STEP, subject=id, scope=record.scope, payload=body)) for body in bodies]
    return LoggedSteps(count, max(seqs, default=0))


def step_of(
    tool: str, action: str = "", *, parameters: dict[str, Any] | None = None, result: str | None = None,
    observation: str = "", latency_ms: float = 0, tokens: int = 0, at: datetime | None = None, outside: bool = False,
) -> EpisodeStep:  # fmt: skip
    """Check the parts of a step. A value out of range is an error."""
    if not text_of(tool, "tool").strip():
        raise UsageError("a step needs a tool", 'for example tool="pytest"')
    for name, text, most in (
        ("a tool", tool, MOST_TOOL_CHARS), ("an action", text_of(action, "action"), MOST_ACTION_CHARS),
        ("an observation", text_of(observation, "observation"), MOST_OBSERVATION_CHARS),
        ("parameters", _encoded(parameters), MOST_PARAMETER_CHARS),
    ):  # fmt: skip
        if name != "an observation" and "\0" in text:
            raise UsageError(f"{name} cannot contain a NUL character", "remove it")
        if not is_text(text):
            raise UsageError(f"{name} contains a lone surrogate, so it is not valid Unicode", "remove it")
        if len(text) > most:
            raise UsageError(f"{name} may have at most {most:,} characters, not {len(text):,}", "shorten it")
    return EpisodeStep(
        tool=tool.strip(), action=text_of(action, "action"), parameters=parameters or {}, observation=observation,
        result=None if result is None else one_of(result, RESULTS, "result"), at=at, outside=outside,
        latency_ms=_count(latency_ms, "latency_ms"), tokens=_count(tokens, "tokens"),
    )  # fmt: skip


def _encoded(parameters: dict[str, Any] | None) -> str:
    """Return parameters as JSON; what JSON cannot hold is refused."""
    if parameters is None:
        return ""
    if not isinstance(parameters, dict):
        raise UsageError("parameters must be a mapping", 'for example parameters={"file": "a.py"}')
    try:
        return json.dumps(parameters, allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        raise UsageError("parameters must be plain JSON values, without NaN", "texts, numbers, lists, maps") from None


def step_count(reader: StoreReader, id: str) -> int:
    """Count the steps of an episode, including erased ones."""
    return reader.tallies([id]).get(id, {}).get("steps", 0)


def last_event(reader: StoreReader, id: str) -> int:
    """Return the number of the last event of an episode."""
    return next((event.seq for event in reader.events(subject=id, newest=True, limit=1)), 0)


def steps_of(reader: StoreReader, record: Record) -> list[EpisodeStep]:
    """Return the steps of an episode in order, without erased ones."""
    events = reader.events(subject=record.id, types=(STEP,), limit=MOST_STEPS)
    return [_step(event.payload, event.at) for event in events if event.payload is not None]


@retry_lost_write
def complete(
    c: Connection, id: str, outcome: str, *, result: str = "", error: str | None = None,
    duration_ms: float | None = None, completed: int = 0, failed: int = 0, verified: bool = False,
    at: datetime | None = None,
) -> Record:  # fmt: skip
    """Complete an episode: score it, reflect on it, write its searchable text, and queue it for learning."""
    end = _End(
        one_of(outcome, OUTCOMES, "outcome"), text_of(result, "result"), text_of(error or "", "error"),
        None if duration_ms is None else _count(duration_ms, "duration_ms"), _parts(completed, "completed"),
        # An outcome that a person gives is verified.
        _parts(failed, "failed"), verified or c.is_person, at,
    )  # fmt: skip
    while True:
        record = _open(c.store, c, id)
        count = step_count(c.store, id)
        now = c.clock.now()
        fresh = _ended(c, record, end, now)
        with writing(c, now) as tx:
            tx.alone(f"episode:{id}")
            if _open(tx, c, id).version != record.version or step_count(tx, id) != count:
                continue  # another process logged a step meanwhile; the score has to include it
            tx.put(fresh, expected=record.version)
            tx.append(
                NewEvent(type="episode.completed", subject=id, scope=record.scope, payload={"outcome": end.outcome})
            )
            enqueue(c, tx, fresh, now)
        return fresh


class _End(NamedTuple):
    """How an episode ended, as the caller gave it."""

    outcome: EpisodeOutcome
    result: str
    error: str
    duration_ms: int | None
    completed: int
    failed: int
    verified: bool
    at: datetime | None


def _ended(c: Connection, record: Record, end: _End, now: datetime) -> Record:
    """Return the completed episode: scored, reflected on, with its searchable text."""
    steps, old = steps_of(c.store, record), payload_of(record, Episode)
    took = end.duration_ms if end.duration_ms is not None else _duration(old.started_at, now)
    trial = ScoreInput(end.outcome, steps, old.context, took, end.completed, end.failed, end.verified)
    usual = baseline(c, old.context.domain)
    reflection = reflect(trial, usual, result=end.result, error=end.error)
    seen = patterns_in(steps, old.context, old.task_type, end.outcome)
    texts = (step.observation[:300] for step in steps if step.result in ("error", "timeout"))
    # Output may contain NUL; a step can hold it, a record cannot.
    errors = tuple(dict.fromkeys(text.replace("\0", "\ufffd") for text in texts))
    payload = replace(
        old, outcome=end.outcome, result=end.result, error=end.error, duration_ms=took, verified=end.verified,
        ended_at=max(end.at or now, old.started_at or now), steps=len(steps), errors=errors[:DIGEST_ERRORS],
        tools=tuple(dict.fromkeys(step.tool for step in steps)), tokens=sum(step.tokens for step in steps),
        reward=reward_of(trial, usual), reflection=reflection, quality=quality_of(steps, reflection, len(seen)),
    )  # fmt: skip
    draft = admitted(c, Draft(
        kind=KIND, scope=record.scope, title=record.title, body=_digest(record, payload), status=COMPLETE,
        tags=record.tags, payload=payload,
    ))  # fmt: skip
    # If an agent completes an episode that a person started, the agent is its author.
    origin = c.origin if record.origin.actor == "user" and not c.is_person else record.origin
    return revised(record, now, body=draft.body, payload=draft.payload, status=COMPLETE, origin=origin)


def baseline(c: Connection, domain: str) -> Baseline:
    """Return the usual duration and number of steps in a domain, computed from its newest episodes."""
    known = _usual.setdefault(c.store, {})
    if len(known) > MOST_DOMAINS:
        known.clear()
    name = c.walls, domain
    if name in known and abs(c.clock.now() - known[name][0]) < FRESH:
        return known[name][1]
    newest = c.store.find(c.filter(kinds=(KIND,), statuses=(COMPLETE,)), limit=BASELINE_FROM).records
    past = [one for one in (payload_of(record, Episode) for record in newest) if one.context.domain == domain]
    many = len(newest) == BASELINE_FROM
    if len(past) < ENOUGH and many:
        where = c.filter(kinds=(KIND,), statuses=(COMPLETE,), facets=(("domain", domain),))
        past = [payload_of(record, Episode) for record in c.store.find(where, limit=BASELINE_FROM).records]
    usual = baseline_of([((one.duration_ms or 0) / 1000, one.steps) for one in past if one.duration_ms is not None])
    if many:
        # Finding the newest of many is the slowest part, and a median of dozens hardly changes in a minute.
        known[name] = c.clock.now(), usual
    return usual


@retry_lost_write
def checkpoint(
    c: Connection, id: EpisodeId, reason: Annotated[str, arg("The reason for the checkpoint.")],
    note: Annotated[str, arg("Details.", option="--note")] = "",
) -> Record:  # fmt: skip
    """Set a checkpoint in an open episode."""
    if not text_of(reason, "reason").strip():
        raise UsageError("a checkpoint needs a reason", "describe what was reached")
    if len(reason) > MOST_REASON_CHARS or len(text_of(note, "note")) > MOST_ACTION_CHARS:
        most = f"{MOST_REASON_CHARS:,} characters, its note {MOST_ACTION_CHARS:,}"
        raise UsageError(f"the reason of a checkpoint has at most {most}", "shorten it, and put details into steps")
    now = c.clock.now()
    mark = Checkpoint(step=0, reason=reason, note=note, at=now)
    draft = admitted(c, Draft(kind=KIND, scope=str(c.scope), status=OPEN, payload=Episode(checkpoints=(mark,))))
    (mark,) = payload_of(draft, Episode).checkpoints
    with writing(c, now) as tx:
        tx.alone(f"episode:{id}")
        record = _open(tx, c, id)
        payload = payload_of(record, Episode)
        if len(payload.checkpoints) >= MOST_CHECKPOINTS:
            raise Conflict(f"{id} has {MOST_CHECKPOINTS} checkpoints, the most it can have", "log a step instead")
        marks = (*payload.checkpoints, replace(mark, step=step_count(tx, id)))
        fresh = revised(record, now, payload=replace(payload, checkpoints=marks))
        tx.put(fresh, expected=record.version)
        tx.append(NewEvent(type="episode.checkpoint", subject=id, scope=record.scope))
    return fresh


def tags_of(tags: Sequence[str]) -> tuple[str, ...]:
    """Check tags: 2 to 100 letters, digits, - and _; they are stored in lower case."""
    found = [tag.strip().lower() for tag in texts_of(tags, "tags")]
    for tag in found:
        if not (2 <= len(tag) <= 100 and all(char.isalnum() or char in "-_" for char in tag)):
            raise UsageError(f"{tag[:60]!r} is not a valid tag", "a tag has 2 to 100 letters, digits, - and _")
    return tuple(dict.fromkeys(found))


def _open(reader: StoreReader, c: Connection, id: str) -> Record:
    record = reader.get(id, c.walls) if isinstance(id, str) else None
    if record is None or record.kind != KIND:
        raise NotFound(
            f"no episode {str(id)[:80]!r} in {', '.join(c.walls)}", "`tacit episode list` shows the episodes"
        )
    c.own(record)
    if record.status != OPEN:
        raise Conflict(f"{id} is {record.status}, so nothing can be added to it", "start another that follows it")
    return record


def _body(clean: Callable[[str], str], step: EpisodeStep) -> dict[str, Any]:
    """Return the payload of a step's event, without secrets; long observations are compressed."""
    body: dict[str, Any] = plain(step)
    for name in ("tool", "action", "observation", "parameters"):
        if name in body:
            body[name] = cleared(body[name], clean)
    text = body.get("observation", "")
    if len(text) > LONG_CHARS:
        body["observation_z"] = base64.b64encode(zlib.compress(text.encode(), 6)).decode()
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
    """Return the searchable text of an episode: its task, how it ended, the tools it used, and its errors."""
    ended = (f"outcome {payload.outcome}", payload.result, payload.error)
    lines = [record.title, *ended, " ".join(payload.tools), *payload.errors]
    return "\n".join(line for line in lines if line)


def _parts(value: int, field: str) -> int:
    return _count(whole_of(value, field), field)


def _duration(started: datetime | None, now: datetime) -> int | None:
    # The clock may have been set back.
    return max(0, round((now - started).total_seconds() * 1000)) if started else None


def _count(value: float, field: str) -> int:
    # NaN is in no range, so it is refused here too.
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**53:
        raise UsageError(f"{field} must be a number of at least 0", "leave it out if it is not known")
    return round(value)


def one_of(value: Any, known: Sequence[Any], what: str) -> Any:
    """Check a value that must be one of a few."""
    if value not in known:
        raise UsageError(f"unknown {what} {str(value)[:40]!r}", f"use {', '.join(known)}")
    return value
