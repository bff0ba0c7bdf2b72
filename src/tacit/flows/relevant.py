"""What is worth knowing before a task: episodes like it, patterns and heuristics, and a playbook made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tacit.errors import Conflict, UsageError
from tacit.flows.asked import text_of, whole_of
from tacit.flows.connection import Connection
from tacit.flows.write import admitted, again, new_record, writing
from tacit.judge.patterns import wilson
from tacit.judge.worthy import THRESHOLD
from tacit.model.episode import COMPLEXITIES, Episode, Heuristic, Pattern, Receipt, TaskContext
from tacit.model.event import Event, Happening
from tacit.model.link import DERIVED_FROM
from tacit.model.record import Draft, Record, payload_of
from tacit.text.tokens import query_tokens

CANDIDATES = 24
NEAREST = 12
PATTERNS = 5
HALF_LIFE_DAYS = 30.0
# Relevance comes first; what surrounds a task, how well it went and how long ago it was move a hit by these shares.
CONTEXT_SHARE, REWARD_SHARE, RECENCY_SHARE = 0.25, 0.15, 0.10
LAMBDA = 0.7
BOOST = 0.25
JUDGED = "episodes.feedback"
VERDICTS = {"helped": "pattern.helped", "no-effect": "pattern.no_effect", "hindered": "pattern.hindered"}


class Likeness(NamedTuple):
    """An episode like the task: how much it is, and what that is made of."""

    record: Record
    score: float
    why: dict[str, float]


class Advice(NamedTuple):
    """A pattern or a heuristic: how far it may be relied on, and on how much that rests."""

    record: Record
    confidence: float
    seen: int
    good: int
    why: str


class Playbook(NamedTuple):
    """What to do, in order; what to beware of; when not to; what to expect; and how sure that is."""

    steps: tuple[str, ...]
    pitfalls: tuple[str, ...]
    not_when: tuple[str, ...]
    expected: str
    confidence: float
    evidence: tuple[str, ...]


class Relevant(NamedTuple):
    """Everything that is worth knowing before a task."""

    task: str
    episodes: tuple[Likeness, ...]
    patterns: tuple[Advice, ...]
    heuristics: tuple[Advice, ...]
    playbook: Playbook | None
    receipt: str = ""


def relevant(
    c: Connection, task: str, context: Mapping[str, Any] | TaskContext | None = None, limit: int = 5
) -> Relevant:
    """Find what is worth knowing before a task. Writes nothing."""
    wanted = context_of(context)
    most = whole_of(limit, "limit")
    ranked = _episodes(c, text_of(task, "task"), wanted, max(CANDIDATES, 3 * most))
    chosen = _diverse(ranked, most)
    patterns = _patterns(c, wanted, [one.record for one in ranked[:NEAREST]])
    heuristics = _heuristics(c, task, wanted, patterns)
    return Relevant(task, tuple(chosen), tuple(patterns), tuple(heuristics), _playbook(chosen, patterns, heuristics))


@again
def recommend(
    c: Connection, task: str, context: Mapping[str, Any] | TaskContext | None = None, limit: int = 5
) -> Relevant:
    """Find it, and keep a receipt by which feedback is attributed to what was shown."""
    found = relevant(c, task, context, limit)
    receipt = Receipt(
        task=task, patterns=tuple(one.record.id for one in found.patterns), session=c.origin.session,
        episodes=tuple(one.record.id for one in found.episodes),
        heuristics=tuple(one.record.id for one in found.heuristics),
    )  # fmt: skip
    now = c.clock.now()
    kept = new_record(c, admitted(c, Draft(kind="receipt", scope=str(c.scope), title=task[:300], payload=receipt)), now)
    with writing(c, now) as tx:
        tx.put(kept)
        tx.append(Happening(type="episodes.recommended", subject=kept.id, scope=kept.scope))
    return found._replace(receipt=kept.id)


@again
def feedback(c: Connection, receipt: str, verdict: str, patterns: Sequence[str] = ()) -> int:
    """Say whether what was recommended helped; once a receipt, and only about what is on it."""
    if verdict not in VERDICTS:
        raise UsageError(f"{str(verdict)[:40]!r} is no feedback", f"use {', '.join(VERDICTS)}")
    record = c.own(c.require(receipt, "receipt"))
    shown = payload_of(record, Receipt).patterns
    if strange := [one for one in patterns if one not in shown]:
        raise UsageError(f"{strange[0][:80]} was not recommended there", "`tacit show` lists what is on a receipt")
    with writing(c, c.clock.now()) as tx:
        # The key keeps two at once apart; the event is there still when old keys are swept away.
        judged = tx.events(subject=record.id, types=(JUDGED,), limit=1)
        if not tx.once(f"feedback:{record.id}") or judged:
            raise Conflict(f"there is feedback about {record.id} already", "each recommendation is judged once")
        for pattern in patterns or shown:
            tx.append(
                Happening(type=VERDICTS[verdict], subject=pattern, scope=str(c.scope), payload={"receipt": record.id})
            )
        tx.append(Happening(type=JUDGED, subject=record.id, scope=record.scope, payload={"said": verdict}))
    return len(patterns or shown)


def context_of(given: Mapping[str, Any] | TaskContext | None) -> TaskContext:
    """Read what surrounds a task."""
    if isinstance(given, TaskContext):
        return given
    values = {
        name: str(value).lower() for name, value in (given or {}).items() if name in TaskContext.__struct_fields__
    }
    if values.get("complexity", "moderate") not in COMPLEXITIES:
        raise UsageError(f"{values['complexity'][:40]!r} is no complexity", f"use {', '.join(COMPLEXITIES)}")
    return TaskContext(**values)  # type: ignore[arg-type]


def _episodes(c: Connection, task: str, wanted: TaskContext, most: int) -> list[Likeness]:
    where = c.filter(kinds=("episode",), statuses=("complete",))
    matches = c.store.match(query_tokens(task), where, most)
    records = c.store.get_many([match.id for match in matches], c.walls)
    best = max((match.score for match in matches), default=1.0) or 1.0
    lexical = {match.id: max(0.0, match.score / best) for match in matches if match.id in records}
    meaning = _meaning(c, task, [records[id] for id in lexical])
    found = []
    for id, words in lexical.items():
        relevance = 0.6 * words + 0.4 * meaning[id] if meaning else words
        found.append(_weighed(c, records[id], relevance, words, meaning.get(id), wanted))
    return sorted(found, key=lambda one: (-one.score, one.record.id))


def _weighed(
    c: Connection, record: Record, relevance: float, words: float, meant: float | None, wanted: TaskContext
) -> Likeness:
    episode = payload_of(record, Episode)
    ended = episode.ended_at or record.updated_at
    age_days = max(0.0, (c.clock.now() - ended).total_seconds() / 86_400)
    context = shared_context(episode.context, wanted)
    reward = episode.reward.total if episode.reward else 0.0
    recency = 0.5 ** (age_days / HALF_LIFE_DAYS)
    factor = 1.0
    for share, value in ((CONTEXT_SHARE, context), (REWARD_SHARE, reward), (RECENCY_SHARE, recency)):
        factor *= 1 - share + share * value
    why = {"words": words, "context": context, "reward": reward, "recency": recency}
    return Likeness(record, relevance * factor, why | ({"meaning": meant} if meant is not None else {}))


def shared_context(one: TaskContext, other: TaskContext) -> float:
    """Say how much of what was asked about a context holds: a soft factor, never a filter."""
    pairs = (
        (one.language, other.language, 1.0), (one.framework, other.framework, 1.0), (one.domain, other.domain, 0.8),
    )  # fmt: skip
    asked = [(mine, theirs, weight) for mine, theirs, weight in pairs if theirs]
    total = sum(weight for _mine, _theirs, weight in asked)
    return sum(weight for mine, theirs, weight in asked if mine == theirs) / total if total else 1.0


def _meaning(c: Connection, task: str, records: Sequence[Record]) -> dict[str, float]:
    asked = c.meaning.of_query(task)
    embedder = c.meaning.embedder()
    if asked is None or embedder is None or not embedder.local or not records:
        return {}
    scores = embedder.embed([record.title for record in records]) @ asked
    return {record.id: max(0.0, score) for record, score in zip(records, scores.tolist(), strict=True)}


def _diverse(ranked: Sequence[Likeness], limit: int) -> list[Likeness]:
    """Choose by maximal marginal relevance: the next best that is not the same again."""
    chosen: list[Likeness] = []
    words = {one.record.id: set(query_tokens(one.record.title)) for one in ranked}
    # How much each is like what was chosen so far: compared with the newest choice only, the others were before.
    same = dict.fromkeys(words, 0.0)
    rest = list(ranked)
    while rest and len(chosen) < limit:
        best = max(rest, key=lambda one: LAMBDA * one.score - (1 - LAMBDA) * same[one.record.id])
        chosen.append(best)
        rest.remove(best)
        for one in rest:
            same[one.record.id] = max(same[one.record.id], _overlap(words[one.record.id], words[best.record.id]))
    return chosen


def _overlap(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0


def _patterns(c: Connection, wanted: TaskContext, episodes: Sequence[Record]) -> list[Advice]:
    """Rank patterns of similar episodes and of this context, by how often they went well and whether they helped."""
    links = (
        c.store.links([record.id for record in episodes], c.walls, relation=DERIVED_FROM, outgoing=False)
        if episodes
        else []
    )
    near: dict[str, int] = {}
    for link in links:
        near[link.source] = near.get(link.source, 0) + 1
    records = [one for one in c.store.get_many(list(near), c.walls).values() if one.kind == "pattern"]
    if not records:
        where = c.filter(kinds=("pattern",), facets=(("domain", wanted.domain),))
        records = list(c.store.find(where, order="updated", limit=100).records)
    tallies = c.store.tallies([record.id for record in records])
    advised = [
        _pattern_advice(c, record, tallies.get(record.id, {}), near.get(record.id, 0), wanted) for record in records
    ]
    return _of_each_type(sorted(advised, key=lambda one: (-one.confidence, one.record.id)))


def _of_each_type(ranked: Sequence[Advice]) -> list[Advice]:
    """Give the best of each type first: sequences are many, and would leave no room for a recovery."""
    turn: dict[str, int] = {}
    placed = []
    for one in ranked:
        type_ = payload_of(one.record, Pattern).type
        turn[type_] = turn.get(type_, 0) + 1
        placed.append((turn[type_], one))
    chosen = [one for _turn, one in sorted(placed, key=lambda pair: pair[0])[:PATTERNS]]
    return sorted(chosen, key=lambda one: (-one.confidence, one.record.id))


def _pattern_advice(c: Connection, record: Record, counts: Mapping[str, int], near: int, wanted: TaskContext) -> Advice:
    seen, good, applied = (counts.get(name, 0) for name in ("seen", "good", "applied"))
    context = shared_context(payload_of(record, Pattern).context, wanted)
    confidence = wilson(good, seen) * (1 - CONTEXT_SHARE + CONTEXT_SHARE * context)
    why = f"{good} of {seen} episodes went well"
    if applied:
        # What it did for those who were shown it says more than that it was there when things went well.
        confidence += BOOST * _effect(c, record)
        why += f"; judged {applied} times, helped {counts.get('helped', 0)}"
    return Advice(record, min(max(confidence, 0.0), 1.0), seen, good, f"{why}; in {near} like this" if near else why)


def _effect(c: Connection, record: Record) -> float:
    """Weigh attributed use, in -1..1: how surely it helped, less how surely it hindered; half as much every 30 days."""
    now = c.clock.now()
    weights = dict.fromkeys(VERDICTS.values(), 0.0)
    events: list[Event] = c.store.events(subject=record.id, types=tuple(weights), newest=True, limit=200)
    for event in events:
        weights[event.type] += 0.5 ** (max(0.0, (now - event.at).total_seconds() / 86_400) / HALF_LIFE_DAYS)
    used = sum(weights.values())
    return wilson(weights[VERDICTS["helped"]], used) - wilson(weights[VERDICTS["hindered"]], used)


def _heuristics(c: Connection, task: str, wanted: TaskContext, near: Sequence[Advice]) -> list[Advice]:
    """Rank advice that came of the patterns found, and the newest: bounded, however much there is."""
    ids = [one.record.id for one in near]
    incoming = c.store.links(ids, c.walls, relation=DERIVED_FROM, outgoing=False) if ids else []
    known = c.store.get_many(list({link.source for link in incoming}), c.walls)
    # The newest besides: a search by words would cost as much as the one for episodes.
    newest = c.store.find(c.filter(kinds=("heuristic",)), limit=CANDIDATES).records
    heard = {one.id: one for one in (*known.values(), *newest) if one.kind == "heuristic"}
    records, asked = list(heard.values()), set(query_tokens(task))
    links = c.store.links([one.id for one in records], c.walls, relation=DERIVED_FROM, incoming=False)
    tallies = c.store.tallies([link.target for link in links])
    counts = {one.id: [tallies.get(link.target, {}) for link in links if link.source == one.id] for one in records}
    found = [_weighed_advice(one, counts[one.id], asked, wanted) for one in records]
    return sorted(found, key=lambda one: (-one.confidence, one.record.id))[:PATTERNS]


def _weighed_advice(
    record: Record, counts: Sequence[Mapping[str, int]], asked: set[str], wanted: TaskContext
) -> Advice:
    advice = payload_of(record, Heuristic)
    seen, good = (sum(count.get(name, 0) for count in counts) for name in ("seen", "good"))
    about = _overlap(asked, set(query_tokens(f"{advice.condition} {advice.action}")))
    fits = 0.5 + 0.25 * shared_context(advice.context, wanted) + 0.25 * min(1.0, 4 * about)
    return Advice(record, wilson(good, seen) * fits, seen, good, f"{good} of {seen} times it went well")


def _playbook(
    episodes: Sequence[Likeness], patterns: Sequence[Advice], heuristics: Sequence[Advice]
) -> Playbook | None:
    """Make a plan of what worked: the steps of the best episode, what went wrong in others, and what to expect."""
    worked = [one for one in episodes if payload_of(one.record, Episode).outcome == "success"]
    usable = [one for one in worked if (payload_of(one.record, Episode).quality or 0) >= THRESHOLD]
    if not usable and not patterns:
        return None
    sequence = next((one for one in patterns if payload_of(one.record, Pattern).type == "tool_sequence"), None)
    best = payload_of(usable[0].record, Episode) if usable else None
    steps = payload_of(sequence.record, Pattern).what if sequence else best.tools if best else ()
    told = [payload_of(one.record, Episode) for one in episodes]
    pitfalls = [
        said for one in told for said in (*one.errors, *(one.reflection.improvements if one.reflection else ()))
    ]
    failed = [
        one.record.title for one in episodes if payload_of(one.record, Episode).outcome in ("failure", "abstained")
    ]
    rate = len(worked) / len(episodes) if episodes else 0.0
    expected = (best.result if best else "") or f"{len(worked)} of {len(episodes)} like it succeeded"
    advice = tuple(one.record.title for one in heuristics if one.confidence >= 0.3)
    confidence = min(
        1.0, 0.5 * rate * min(1.0, len(episodes) / 3) + 0.5 * max((one.confidence for one in patterns), default=0.0)
    )
    return Playbook(
        steps=(*steps, *advice), pitfalls=tuple(dict.fromkeys(" ".join(said.split())[:200] for said in pitfalls))[:5],
        not_when=tuple(failed[:3]), expected=expected,
        confidence=confidence, evidence=(*(one.record.id for one in usable), *(one.record.id for one in patterns))[:10],
    )  # fmt: skip
