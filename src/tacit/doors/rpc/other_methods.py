"""Hand-written methods for facts, episodes, procedures, failures, status."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from tacit.app.memory import Memory
from tacit.doors.rpc.lessons import ById, Few
from tacit.doors.rpc.method_table import Answer, Nothing, Params, method
from tacit.model.payload import plain
from tacit.model.record import Record
from tacit.version import __version__

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class Memorize(Params, frozen=True):
    """A fact."""

    content: str
    entity: str | None = None
    tags: tuple[str, ...] = ()
    importance: Share = 0.5


class Ask(Params, frozen=True):
    """A question to everything plain recall sees."""

    query: str
    limit: Few = 5
    mode: Literal["hybrid", "lexical", "semantic"] = "hybrid"
    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


class EpisodeStart(Params, frozen=True):
    """A task that is begun."""

    task: str
    task_type: str = "other"
    language: str = ""
    framework: str = ""
    complexity: Literal["simple", "moderate", "complex"] = "moderate"
    domain: str = ""
    tags: tuple[str, ...] = ()


class EpisodeLogStep(Params, frozen=True):
    """Something that was done in an episode."""

    id: str
    tool: str
    action: str = ""
    result: Literal["success", "error", "timeout"] | None = None
    observation: str = ""
    latency_ms: float = 0
    tokens: int = 0
    parameters: dict[str, Any] = msgspec.field(default_factory=dict)


class EpisodeComplete(Params, frozen=True):
    """How an episode ended."""

    id: str
    outcome: Literal["success", "partial", "failure", "abstained"]
    result: str = ""
    error: str | None = None
    duration_ms: float | None = None


class EpisodeRelevant(Params, frozen=True):
    """A task to look back for."""

    task: str
    context: dict[str, str] = msgspec.field(default_factory=dict)
    limit: Few = 5


class EpisodeFeedback(Params, frozen=True):
    """Whether what was recommended helped."""

    receipt: str
    verdict: Literal["helped", "no-effect", "hindered"]


class Capture(Params, frozen=True):
    """A command that failed."""

    command: str
    error: str = ""
    exit_code: int | None = None


class Correct(Params, frozen=True):
    """What to use instead of what."""

    original: str
    corrected: str
    context: str = ""


class Limited(Params, frozen=True):
    """How many."""

    limit: Few = 20


@method("ping", Nothing)
def ping(_m: Memory, _p: Nothing) -> Answer:
    """Say that the server is alive."""
    return {"ok": True, "version": __version__}


@method("fact.memorize", Memorize)
def memorize(m: Memory, p: Memorize) -> Answer:
    """Keep a fact; what is known is merged, what it contradicts is named."""
    kept = m.memorize(p.content, entity=p.entity, tags=p.tags, importance=p.importance)
    return {
        "id": kept.id, "merged": kept.merged, "conflicts": plain(kept.conflicts), "notices": list(kept.notices),
    }  # fmt: skip


@method("recall", Ask)
def recall(m: Memory, p: Ask) -> Answer:
    """Find what answers a question, with the reasons."""
    hits = m.recall(p.query, limit=p.limit, mode=p.mode, kinds=p.kinds, tags=p.tags)
    found = [
        {
            "id": hit.id, "kind": hit.record.kind, "score": round(hit.score, 6), "title": hit.record.title,
            "body": hit.record.body, "trust": hit.record.trust, "source": hit.source, "why": plain(hit.why),
        }
        for hit in hits
    ]  # fmt: skip
    return {"mode": hits.mode, "hits": found, "notices": list(hits.notices)}


@method("context", Nothing)
def context(m: Memory, _p: Nothing) -> Answer:
    """Give the block of lessons and facts for a prompt."""
    return dict(plain(m.context()))


@method("status", Nothing)
def status(m: Memory, _p: Nothing) -> Answer:
    """Say what this memory is, what it holds, and what is off."""
    return dict(plain(m.status()))


@method("record.get", ById)
def record_get(m: Memory, p: ById) -> Answer:
    """Give any record by its id; null if it is not readable here."""
    record = m.get(p.id)
    return {"record": None if record is None else _record(record)}


@method("record.history", ById)
def record_history(m: Memory, p: ById) -> Answer:
    """Give every version of a record, oldest first."""
    return {"versions": [_record(one) for one in m.history(p.id)]}


@method("episode.start", EpisodeStart)
def episode_start(m: Memory, p: EpisodeStart) -> Answer:
    """Begin an episode."""
    values = msgspec.structs.asdict(p)
    return {"id": m.episodes.start(values.pop("task"), **values).id}


@method("episode.step", EpisodeLogStep)
def episode_step(m: Memory, p: EpisodeLogStep) -> Answer:
    """Log a step; it is durable when this answers."""
    values = msgspec.structs.asdict(p)
    trying = m.episodes.resume(values.pop("id"))
    trying.step(**values)
    return {"id": trying.id, "steps": m.episodes.step_count(trying.id)}


@method("episode.complete", EpisodeComplete)
def episode_complete(m: Memory, p: EpisodeComplete) -> Answer:
    """End an episode: it is scored, reflected on, and left to be learned from."""
    trying = m.episodes.resume(p.id)
    record = trying.complete(p.outcome, result=p.result, error=p.error, duration_ms=p.duration_ms)
    return {"id": record.id, "episode": plain(record.payload), "notice": trying.notice}


@method("episode.relevant", EpisodeRelevant)
def episode_relevant(m: Memory, p: EpisodeRelevant) -> Answer:
    """Find what is worth knowing before a task, with a receipt for feedback."""
    found = m.episodes.recommend(p.task, p.context, p.limit)
    return {
        "task": found.task, "receipt": found.receipt, "episodes": [_likely(one) for one in found.episodes],
        "patterns": [_likely(one) for one in found.patterns], "heuristics": [_likely(one) for one in found.heuristics],
        "playbook": plain(found.playbook._asdict()) if found.playbook else None,
    }  # fmt: skip


@method("episode.feedback", EpisodeFeedback)
def episode_feedback(m: Memory, p: EpisodeFeedback) -> Answer:
    """Say whether what was recommended helped."""
    return dict(m.episodes.feedback(p.receipt, p.verdict)._asdict())


@method("procedure.list", Limited)
def procedure_list(m: Memory, p: Limited) -> Answer:
    """List procedures."""
    return {"procedures": [_record(one) for one in m.list(kinds=["procedure"], limit=p.limit).records]}


@method("learn.capture", Capture)
def learn_capture(m: Memory, p: Capture) -> Answer:
    """Record a command that failed; null if it fails by design."""
    kept = m.learned.capture(p.command, error=p.error, exit_code=p.exit_code)
    return {"id": kept.id if kept else None}


@method("learn.correction", Correct)
def learn_correction(m: Memory, p: Correct) -> Answer:
    """Keep what to use instead of what."""
    return {"id": m.learned.correction(p.original, p.corrected, context=p.context).id}


def _likely(one: Any) -> Answer:
    values = one._asdict()
    return {name: _record(value) if isinstance(value, Record) else plain(value) for name, value in values.items()}


def _record(record: Record) -> Answer:
    return dict(plain(record))
