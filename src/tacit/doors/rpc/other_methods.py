"""Methods that are made from declared verbs but have their own names and results, and two that are not verbs."""

from __future__ import annotations

from typing import Any

import msgspec

from tacit.app.memory import Memory
from tacit.app.verbs.episodes import Episodes
from tacit.app.verbs.failures import FailuresAndCorrections
from tacit.doors.rpc.declared import offer
from tacit.doors.rpc.lessons import Few
from tacit.doors.rpc.method_table import Answer, Nothing, Params, method
from tacit.model.payload import plain
from tacit.model.query import Recall
from tacit.model.record import Record
from tacit.version import __version__


class EpisodeRelevant(Params, frozen=True):
    """A task to find advice for."""

    task: str
    context: dict[str, str] = msgspec.field(default_factory=dict)
    limit: Few = 5


class Limited(Params, frozen=True):
    """The largest number of results."""

    limit: Few = 20


@method("ping", Nothing)
def ping(_m: Memory, _p: Nothing) -> Answer:
    """Answer that the server is alive."""
    return {"ok": True, "version": __version__}


@method("episode.relevant", EpisodeRelevant)
def episode_relevant(m: Memory, p: EpisodeRelevant) -> Answer:
    """Find advice before a task, with a receipt for feedback."""
    found = m.episodes.recommend(p.task, p.context, p.limit)
    return {
        "task": found.task, "receipt": found.receipt, "episodes": [_parts(one) for one in found.episodes],
        "patterns": [_parts(one) for one in found.patterns], "heuristics": [_parts(one) for one in found.heuristics],
        "playbook": plain(found.playbook._asdict()) if found.playbook else None,
    }  # fmt: skip


@method("procedure.list", Limited)
def procedure_list(m: Memory, p: Limited) -> Answer:
    """List procedures."""
    return {"procedures": [_record(one) for one in m.list(kinds=["procedure"], limit=p.limit).records]}


def _recalled(hits: Recall) -> Answer:
    found = [
        {
            "id": hit.id, "kind": hit.record.kind, "score": round(hit.score, 6), "title": hit.record.title,
            "body": hit.record.body, "trust": hit.record.trust, "source": hit.source, "why": plain(hit.why),
        }
        for hit in hits
    ]  # fmt: skip
    return {"mode": hits.mode, "hits": found, "notices": list(hits.notices)}


def _parts(one: Any) -> Answer:
    values = one._asdict()
    return {name: _record(value) if isinstance(value, Record) else plain(value) for name, value in values.items()}


def _record(record: Record) -> Answer:
    return dict(plain(record))


offer("fact.memorize", Memory.memorize, lambda kept: {
    "id": kept.id, "merged": kept.merged, "conflicts": plain(kept.conflicts), "similar": list(kept.similar),
    "notices": list(kept.notices),
})  # fmt: skip
offer("recall", Memory.recall, _recalled)
offer("record.get", Memory.get, lambda record: {"record": record and _record(record)})
offer("record.history", Memory.history, lambda versions: {"versions": [_record(one) for one in versions]})
offer("episode.start", Episodes.start, lambda episode: {"id": episode.id})
offer("episode.step", Episodes.step, lambda logged: {"id": logged.id, "steps": logged.steps})
offer("episode.complete", Episodes.complete, lambda done: {
    "id": done.record.id, "episode": plain(done.record.payload), "notice": done.notice
})  # fmt: skip
offer("episode.feedback", Episodes.feedback, lambda judged: dict(judged._asdict()))
offer("learn.capture", FailuresAndCorrections.capture, lambda kept: {"id": kept and kept.id})
offer("learn.correction", FailuresAndCorrections.correction, lambda kept: {"id": kept.id})
