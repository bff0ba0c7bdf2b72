"""Reflect on a completed episode with a language model, if one is configured; else the reflection by rules stays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from tacit.episodes.episodes import COMPLETE, KIND, EpisodeId, steps_of
from tacit.episodes.rules.reflection import MOST
from tacit.errors import Conflict
from tacit.model.episode import Episode, EpisodeStep, Reflection
from tacit.model.event import NewEvent
from tacit.model.record import Record, payload_of, replace
from tacit.records.ask_model import ask_model
from tacit.records.connection import Connection
from tacit.records.write import retry_lost_write, revised, writing

NO_MODEL = "no language model is configured; the reflection was made by rules ([llm] in config.toml)"
_LINE_CHARS = 300
_STEP_CHARS = 400
_ASK = (
    "You look back on one attempt of a coding agent. Name what went well, what could be better, and what to take along "
    f"to similar tasks: at most {MOST} of each, one sentence each, specific: name the steps, tools, errors and costs. "
    "Invent nothing; an empty list is a good answer."
)


class _ReflectionReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    successes: list[str]
    improvements: list[str]
    insights: list[str]


class ReflectedEpisode(NamedTuple):
    """An episode after reflection, and the reason if no model reflected on it."""

    record: Record
    notice: str


def reflect_with_model(c: Connection, id: EpisodeId) -> ReflectedEpisode:
    """Let the configured language model reflect on a completed episode."""
    # Checked first: asking costs, and would be for nothing.
    record = c.own(c.require(id, KIND))
    if record.status != COMPLETE:
        first = f"`tacit episode archive {id} --restore` brings it back" if record.status == "archived" else ""
        raise Conflict(
            f"{id} is {record.status}; only a completed episode can be reflected on", first or "complete it first"
        )
    thought = ask_model(c, "reflection", _ASK, _text(record, steps_of(c.store, record)), _ReflectionReply)
    if thought.value is None:
        return ReflectedEpisode(record, thought.problem or NO_MODEL)
    drafts = (thought.value.successes, thought.value.improvements, thought.value.insights)
    if not any(map(_lines, drafts)):
        return ReflectedEpisode(record, f"{thought.by} returned an empty reflection")
    successes, improvements, insights = (_cleaned(c, lines) for lines in drafts)
    reflection = Reflection(successes=successes, improvements=improvements, insights=insights, by=thought.by)
    return ReflectedEpisode(_written(c, id, reflection), "")


@retry_lost_write
def _written(c: Connection, id: str, reflection: Reflection) -> Record:
    now = c.clock.now()
    with writing(c, now) as tx:
        record = tx.get(id, c.walls)
        if record is None or record.status != COMPLETE:
            raise Conflict(f"{id} changed during the reflection; nothing was written", "try again")
        c.own(record)
        payload = replace(payload_of(record, Episode), reflection=reflection)
        fresh = revised(record, now, payload=payload)
        tx.put(fresh, expected=record.version)
        tx.append(NewEvent(type="episode.reflected", subject=id, scope=record.scope, payload={"by": reflection.by}))
    return fresh


def _text(record: Record, steps: Sequence[EpisodeStep]) -> str:
    payload = payload_of(record, Episode)
    lines = [f"Task: {record.title}", f"Outcome: {payload.outcome}"]
    lines += [f"{name}: {text}" for name, text in (("Result", payload.result), ("Error", payload.error)) if text]
    for number, step in enumerate(steps, 1):
        cost = f"{step.latency_ms} ms, {step.tokens} tokens"
        seen = " ".join(step.observation.split())[:_STEP_CHARS]
        lines.append(f"{number}. {step.tool} {step.action}: {step.result or 'unknown'} ({cost}) {seen}".rstrip())
    return "\n".join(lines)


def _lines(lines: Sequence[str]) -> list[str]:
    return [line for line in (" ".join(line.replace("\0", " ").split()) for line in lines) if line][:MOST]


def _cleaned(c: Connection, lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(c.redact(line)[:_LINE_CHARS] for line in _lines(lines))
