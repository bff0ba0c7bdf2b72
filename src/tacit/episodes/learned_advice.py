"""Rank what was learned from episodes, patterns and heuristics, for a task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from tacit.episodes.rules.patterns import wilson
from tacit.episodes.rules.task_fit import shared_words, telling_tokens_of, words_of
from tacit.model.episode import Heuristic, Pattern, TaskContext
from tacit.model.link import DERIVED_FROM
from tacit.model.record import Record, payload_of
from tacit.records.connection import Connection
from tacit.records.read_cache import ReadCache
from tacit.text.decay import age_days, decay
from tacit.text.plural import plural

MOST = 5
CONTEXT_SHARE = 0.25
BOOST = 0.25
NEWEST = 24
VERDICTS = {"helped": "helped", "no-effect": "no_effect", "hindered": "hindered"}
JUDGES = ("pattern", "heuristic")
# What a domain is about as a whole; a recovery is about one error, so it is told only for similar tasks.
_OF_DOMAIN = ("tool_sequence", "context")


class Advice(NamedTuple):
    """A pattern or a heuristic: its confidence, how often it was seen, and how often it went well."""

    record: Record
    confidence: float
    seen: int
    good: int
    why: str


class _Known(NamedTuple):
    """A pattern or heuristic: its counts, the feedback about it, and how many similar episodes had it."""

    record: Record
    counts: Mapping[str, int]
    judged: Sequence[tuple[str, datetime]]
    near: int = 0
    about: frozenset[str] = frozenset()
    """The telling words of a heuristic, as tokens."""


def rank_patterns(c: Connection, reads: ReadCache, wanted: TaskContext, episodes: Sequence[str]) -> list[Advice]:
    """Rank patterns of similar episodes, else of the domain, by how often they went well and whether they helped."""
    name = "patterns", c.walls, tuple(episodes), wanted.domain
    known = reads.read(name, lambda: _patterns_of(c, episodes, wanted.domain))
    advised = [_pattern_advice(c, one, wanted) for one in known]
    return _of_each_type(sorted(advised, key=lambda one: (-one.confidence, one.record.id)))


def _patterns_of(c: Connection, episodes: Sequence[str], domain: str) -> list[_Known]:
    links = c.store.links(episodes, c.walls, relation=DERIVED_FROM, outgoing=False) if episodes else []
    near: dict[str, int] = {}
    for link in links:
        near[link.source] = near.get(link.source, 0) + 1
    linked = c.store.get_many(list(near), c.walls).values()
    records = [one for one in linked if one.kind == "pattern" and one.trust > 0]
    if not records and domain:
        where = c.filter(kinds=("pattern",), facets=(("domain", domain),), min_trust=1)
        found = c.store.find(where, order="updated", limit=100).records
        records = [one for one in found if payload_of(one, Pattern).type in _OF_DOMAIN]
    tallies = c.store.tallies([record.id for record in records])
    return [
        _Known(one, counts, _judged(c, one.id, counts), near.get(one.id, 0))
        for one in records
        for counts in [tallies.get(one.id, {})]
    ]


def _judged(c: Connection, id: str, counts: Mapping[str, int]) -> list[tuple[str, datetime]]:
    """Return the feedback about a pattern or heuristic, with times; events are read only if the tally is not zero."""
    if not counts.get("applied", 0):
        return []
    types = tuple(f"{kind}.{verdict}" for kind in JUDGES for verdict in VERDICTS.values())
    events = c.store.events(subject=id, types=types, newest=True, limit=200)
    return [(event.type.partition(".")[2], event.at) for event in events]


def _of_each_type(ranked: Sequence[Advice]) -> list[Advice]:
    """Return the best of each type first: sequences are many, and would crowd out the rest."""
    turn: dict[str, int] = {}
    placed = []
    for one in ranked:
        type_ = payload_of(one.record, Pattern).type
        turn[type_] = turn.get(type_, 0) + 1
        placed.append((turn[type_], one))
    chosen = [one for _turn, one in sorted(placed, key=lambda pair: pair[0])[:MOST]]
    return sorted(chosen, key=lambda one: (-one.confidence, one.record.id))


def _pattern_advice(c: Connection, known: _Known, wanted: TaskContext) -> Advice:
    seen, good = (known.counts.get(name, 0) for name in ("seen", "good"))
    context = shared_context(payload_of(known.record, Pattern).context, wanted)
    fits = 1 - CONTEXT_SHARE + CONTEXT_SHARE * context
    why = f"{good} of {seen} episodes went well"
    confidence, why = _proven(c, known, wilson(good, seen) * fits, why)
    why += f"; in {plural(known.near, 'similar episode')}" if known.near else f"; of the domain {wanted.domain}"
    return Advice(known.record, confidence, seen, good, why)


def _proven(c: Connection, known: _Known, confidence: float, why: str) -> tuple[float, str]:
    """Add the effect of feedback to a confidence: feedback says more than how often a pattern was seen."""
    if known.judged:
        confidence += BOOST * _effect(c.clock.now(), known.judged)
        helped = known.counts.get("helped", 0)
        why += f"; rated {known.counts.get('applied', 0)} times, helped {helped} times"
    return min(max(confidence, 0.0), 1.0), why


def _effect(now: datetime, judged: Sequence[tuple[str, datetime]]) -> float:
    """Return the effect of feedback, from -1 to 1: helped minus hindered, as lower bounds, weighted by age."""
    weights = dict.fromkeys(VERDICTS.values(), 0.0)
    for verdict, at in judged:
        weights[verdict] += decay(age_days(at, now))
    used = sum(weights.values())
    return wilson(weights["helped"], used) - wilson(weights["hindered"], used)


def rank_heuristics(
    c: Connection, reads: ReadCache, task: str, wanted: TaskContext, near: Sequence[str]
) -> list[Advice]:
    """Rank the heuristics of the patterns that were found, and the newest ones that are about words of the task."""
    known = reads.read(("heuristics", c.walls, tuple(near)), lambda: _heuristics_of(c, near))
    asking = words_of(task)
    found = [_heuristic_advice(c, one, shared_words(asking, one.about), wanted) for one in known]
    return sorted((one for one in found if one), key=lambda one: (-one.confidence, one.record.id))[:MOST]


def _heuristics_of(c: Connection, patterns: Sequence[str]) -> list[_Known]:
    incoming = c.store.links(patterns, c.walls, relation=DERIVED_FROM, outgoing=False) if patterns else []
    known = c.store.get_many(list({link.source for link in incoming}), c.walls)
    # The newest too: a search by words would cost as much as the one for episodes.
    newest = c.store.find(c.filter(kinds=("heuristic",), min_trust=1), limit=NEWEST).records
    records = {one.id: one for one in (*known.values(), *newest) if one.kind == "heuristic" and one.trust > 0}
    links = c.store.links(list(records), c.walls, relation=DERIVED_FROM, incoming=False)
    # How often it went well is counted on its patterns; feedback is counted on the heuristic.
    tallies = c.store.tallies([*records, *(link.target for link in links)])
    found = []
    for record in records.values():
        counts = dict(tallies.get(record.id, {}))
        for link in links:
            if link.source == record.id:
                for name in ("seen", "good"):
                    counts[name] = counts.get(name, 0) + tallies.get(link.target, {}).get(name, 0)
        about = telling_tokens_of(record.body)
        found.append(_Known(record, counts, _judged(c, record.id, counts), int(record.id in known), about))
    return found


def _heuristic_advice(c: Connection, known: _Known, words: Sequence[str], wanted: TaskContext) -> Advice | None:
    """Return a heuristic as advice; None if neither a similar episode nor one of the task's `words` leads to it."""
    advice = payload_of(known.record, Heuristic)
    seen, good = (known.counts.get(name, 0) for name in ("seen", "good"))
    if not (known.near or words):
        return None
    fits = 0.5 + 0.25 * shared_context(advice.context, wanted) + (0.25 if words else 0.0)
    confidence, why = _proven(c, known, wilson(good, seen) * fits, f"{good} of {seen} times it went well")
    why += f"; shares {', '.join(words)} with the task" if words else "; from similar episodes"
    return Advice(known.record, confidence, seen, good, why)


def shared_context(one: TaskContext, other: TaskContext) -> float:
    """Return the share of the wanted context that matches, which affects the score but never filters."""
    pairs = (
        (one.language, other.language, 1.0), (one.framework, other.framework, 1.0), (one.domain, other.domain, 0.8),
    )  # fmt: skip
    asked = [(mine, theirs, weight) for mine, theirs, weight in pairs if theirs]
    total = sum(weight for _mine, _theirs, weight in asked)
    return sum(weight for mine, theirs, weight in asked if mine == theirs) / total if total else 1.0
