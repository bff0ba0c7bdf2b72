"""Advice before a task: similar episodes, patterns and heuristics, and a playbook built from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple

from tacit.episodes.episodes import Complexity, Domain, Framework, Language
from tacit.episodes.learned_advice import (
    CONTEXT_SHARE,
    JUDGES,
    VERDICTS,
    Advice,
    rank_heuristics,
    rank_patterns,
    shared_context,
)
from tacit.episodes.rules.quality import THRESHOLD
from tacit.episodes.rules.task_fit import fits_task, share_of, shared_words, words_of
from tacit.errors import Conflict, UsageError
from tacit.model.episode import COMPLEXITIES, Episode, Pattern, Receipt, TaskContext
from tacit.model.event import NewEvent
from tacit.model.record import Draft, Record, payload_of
from tacit.model.verb import arg
from tacit.records.arguments import Limit, text_of, whole_of
from tacit.records.connection import Connection
from tacit.records.read_cache import ReadCache, read_cache
from tacit.records.write import admitted, new_record, retry_lost_write, writing
from tacit.text.decay import age_days, decay
from tacit.text.search_fields import fields_of
from tacit.text.tokens import query_tokens

CANDIDATES = 24
NEAREST = 12
# Relevance comes first; context, reward and recency change a score by at most these shares.
REWARD_SHARE, RECENCY_SHARE = 0.15, 0.10
LAMBDA = 0.7
JUDGED = "episodes.feedback"
Task = Annotated[str, arg("The task, in words.")]
Context = Annotated[
    Mapping[str, Any] | TaskContext | None, arg("The task's context: language, framework, domain.", option="--context")
]
Most = Annotated[int, arg("At most this many episodes.", option="--limit", ge=1, le=10_000)]


class SimilarEpisode(NamedTuple):
    """A similar episode, its score, the parts of the score, and the words of the task that it shares."""

    record: Record
    score: float
    why: dict[str, float]
    shared: tuple[str, ...] = ()


class Playbook(NamedTuple):
    """The steps to take, what to avoid, when not to use the playbook, what to expect, and the confidence."""

    steps: tuple[str, ...]
    pitfalls: tuple[str, ...]
    not_when: tuple[str, ...]
    expected: str
    confidence: float
    evidence: tuple[str, ...]


class FeedbackResult(NamedTuple):
    """How many patterns and heuristics got the feedback."""

    patterns: int
    heuristics: int


class TaskAdvice(NamedTuple):
    """Everything that was found for a task."""

    task: str
    episodes: tuple[SimilarEpisode, ...]
    patterns: tuple[Advice, ...]
    heuristics: tuple[Advice, ...]
    playbook: Playbook | None
    receipt: str = ""


def search(
    c: Connection, task: Task, *, language: Language = "", framework: Framework = "",
    complexity: Complexity = "moderate", domain: Domain = "", limit: Limit = 5,
    receipt: Annotated[bool, arg("Store which advice was shown, so that feedback can be given.")] = False,
) -> TaskAdvice:  # fmt: skip
    """Find advice before a task: similar episodes, patterns, heuristics, and a playbook."""
    context = {"language": language, "framework": framework, "complexity": complexity, "domain": domain}
    return (recommend if receipt else relevant)(c, task, context, limit)


def relevant(c: Connection, task: Task, context: Context = None, limit: Most = 5) -> TaskAdvice:
    """Find advice before a task: similar episodes, patterns, heuristics and a playbook. Writes nothing."""
    wanted = context_of(context)
    most = whole_of(limit, "limit")
    reads = read_cache(c.store).fresh(c.store)
    ranked = _episodes(c, reads, text_of(task, "task"), wanted, max(CANDIDATES, 3 * most))
    chosen = _diverse(ranked, most)
    patterns = rank_patterns(c, reads, wanted, [one.record.id for one in ranked[:NEAREST]])
    heuristics = rank_heuristics(c, reads, task, wanted, [one.record.id for one in patterns])
    return TaskAdvice(task, tuple(chosen), tuple(patterns), tuple(heuristics), _playbook(chosen, patterns, heuristics))


@retry_lost_write
def recommend(c: Connection, task: Task, context: Context = None, limit: Most = 5) -> TaskAdvice:
    """Find advice before a task, and store which advice was shown (a receipt), so that feedback can be given."""
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
        tx.append(NewEvent(type="episodes.recommended", subject=kept.id, scope=kept.scope))
    return found._replace(receipt=kept.id)


@retry_lost_write
def feedback(
    c: Connection, receipt: Annotated[str, arg("The id that `tacit episode search --receipt` printed.", record=True)],
    verdict: Annotated[str, arg("Whether the advice helped.", choices=tuple(VERDICTS))],
    patterns: Annotated[Sequence[str], arg("Only this pattern; repeatable.", option="--pattern", metavar="ID")] = (),
    heuristics: Annotated[Sequence[str], arg(
        "Judge only this heuristic; repeatable.", option="--heuristic", metavar="ID"
    )] = (),
) -> FeedbackResult:  # fmt: skip
    """Record whether the advice on a receipt helped: once per receipt, about all of the advice or about parts."""
    if verdict not in VERDICTS:
        raise UsageError(f"unknown feedback {str(verdict)[:40]!r}", f"use {', '.join(VERDICTS)}")
    record = c.own(c.require(receipt, "receipt"))
    shown = payload_of(record, Receipt)
    for named, on_it in ((patterns, shown.patterns), (heuristics, shown.heuristics)):
        if strange := [one for one in named if one not in on_it]:
            raise UsageError(f"{strange[0][:80]} is not on this receipt", "`tacit show` lists what is on a receipt")
    if not (patterns or heuristics):
        patterns, heuristics = shown.patterns, shown.heuristics
    source = {"receipt": record.id}
    with writing(c, c.clock.now()) as tx:
        # The key keeps two calls at once apart; the event outlives the key.
        judged = tx.events(subject=record.id, types=(JUDGED,), limit=1)
        if not tx.once(f"feedback:{record.id}") or judged:
            raise Conflict(f"{record.id} already has feedback", "each receipt takes feedback once")
        for kind, ids in zip(JUDGES, (patterns, heuristics), strict=True):
            for id in dict.fromkeys(ids):
                happened = f"{kind}.{VERDICTS[verdict]}"
                tx.append(NewEvent(type=happened, subject=id, scope=str(c.scope), payload=source))
        tx.append(NewEvent(type=JUDGED, subject=record.id, scope=record.scope, payload={"said": verdict}))
    return FeedbackResult(len(set(patterns)), len(set(heuristics)))


def context_of(given: Mapping[str, Any] | TaskContext | None) -> TaskContext:
    """Check the context of a task."""
    if isinstance(given, TaskContext):
        return given
    if given is not None and not isinstance(given, Mapping):
        raise UsageError("a context must be a mapping", 'for example {"language": "python", "domain": "web"}')
    known = ((name, value) for name, value in (given or {}).items() if name in TaskContext.__struct_fields__)
    values = {name: text_of(value, name).lower() for name, value in known if value is not None}
    if values.get("complexity", "moderate") not in COMPLEXITIES:
        raise UsageError(f"unknown complexity {values['complexity'][:40]!r}", f"use {', '.join(COMPLEXITIES)}")
    return TaskContext(**values)  # type: ignore[arg-type]


class _Matched(NamedTuple):
    """An episode that shares words with a task: its score by words, and the share of the task's words it has."""

    record: Record
    words: float
    share: float
    held: frozenset[str]


def _episodes(c: Connection, reads: ReadCache, task: str, wanted: TaskContext, most: int) -> list[SimilarEpisode]:
    """Return the episodes that are about a similar task, best first."""
    asked = tuple(query_tokens(task))
    lexical = reads.read(("episodes", c.walls, asked, most), lambda: _matched(c, asked, most))
    meaning = _meaning(c, task, [one.record for one in lexical])
    asking = words_of(task)
    found = []
    for record, words, share, held in lexical:
        meant = meaning.get(record.id)
        if fits_task(share, meant):
            relevance = 0.6 * words + 0.4 * meant if meant is not None else words
            one = _weighed(c, record, relevance, words, meant, wanted)
            found.append(one._replace(shared=shared_words(asking, held)))
    return sorted(found, key=lambda one: (-one.score, one.record.id))


def _matched(c: Connection, asked: Sequence[str], most: int) -> list[_Matched]:
    """Find episodes by their words; the best scores 1."""
    matches = c.store.match(asked, c.filter(kinds=("episode",), statuses=("complete",)), most)
    records = c.store.get_many([match.id for match in matches], c.walls)
    if any(record.trust == 0 for record in records.values()):
        # Flagged or quarantined episodes are not used. Only filtered here if there are any: the filter is slower.
        matches = c.store.match(asked, c.filter(kinds=("episode",), statuses=("complete",), min_trust=1), most)
        records = c.store.get_many([match.id for match in matches], c.walls)
    best = max((match.score for match in matches), default=1.0) or 1.0
    found = []
    for match in matches:
        if record := records.get(match.id):
            held = frozenset(asked).intersection(" ".join(fields_of(record)).split())
            found.append(_Matched(record, max(0.0, match.score / best), share_of(asked, held), held))
    return found


def _weighed(
    c: Connection, record: Record, relevance: float, words: float, meant: float | None, wanted: TaskContext
) -> SimilarEpisode:
    episode = payload_of(record, Episode)
    ended = episode.ended_at or record.updated_at
    context = shared_context(episode.context, wanted)
    reward = episode.reward.total if episode.reward else 0.0
    recency = decay(age_days(ended, c.clock.now()))
    factor = 1.0
    for share, value in ((CONTEXT_SHARE, context), (REWARD_SHARE, reward), (RECENCY_SHARE, recency)):
        factor *= 1 - share + share * value
    why = {"words": words, "context": context, "reward": reward, "recency": recency}
    return SimilarEpisode(record, relevance * factor, why | ({"meaning": meant} if meant is not None else {}))


def _meaning(c: Connection, task: str, records: Sequence[Record]) -> dict[str, float]:
    asked = c.meaning.of_query(task)
    embedder = c.meaning.embedder()
    if asked is None or embedder is None or not embedder.local or not records:
        return {}
    scores = embedder.embed([record.title for record in records]) @ asked
    return {record.id: max(0.0, score) for record, score in zip(records, scores.tolist(), strict=True)}


def _diverse(ranked: Sequence[SimilarEpisode], limit: int) -> list[SimilarEpisode]:
    """Choose episodes by maximal marginal relevance: each time the best that is not similar to those already chosen."""
    chosen: list[SimilarEpisode] = []
    words = {one.record.id: set(query_tokens(one.record.title)) for one in ranked}
    # How much each is like those chosen so far; each round compares with the newest choice only.
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


def _playbook(
    episodes: Sequence[SimilarEpisode], patterns: Sequence[Advice], heuristics: Sequence[Advice]
) -> Playbook | None:
    """Make a playbook: the steps of the best episode, what went wrong in others, and what to expect."""
    worked = [one for one in episodes if payload_of(one.record, Episode).outcome == "success"]
    usable = [one for one in worked if (payload_of(one.record, Episode).quality or 0) >= THRESHOLD]
    if not usable and not patterns:
        return None
    sequence = next((one for one in patterns if payload_of(one.record, Pattern).type == "tool_sequence"), None)
    best = payload_of(usable[0].record, Episode) if usable else None
    steps = payload_of(sequence.record, Pattern).what if sequence else best.tools if best else ()
    payloads = [payload_of(one.record, Episode) for one in episodes]
    pitfalls = [
        text for one in payloads for text in (*one.errors, *(one.reflection.improvements if one.reflection else ()))
    ]
    failed = [
        one.record.title for one in episodes if payload_of(one.record, Episode).outcome in ("failure", "abstained")
    ]
    rate = len(worked) / len(episodes) if episodes else 0.0
    expected = (best.result if best else "") or f"{len(worked)} of {len(episodes)} similar episodes succeeded"
    advice = tuple(one.record.title for one in heuristics if one.confidence >= 0.3)
    confidence = min(
        1.0, 0.5 * rate * min(1.0, len(episodes) / 3) + 0.5 * max((one.confidence for one in patterns), default=0.0)
    )
    return Playbook(
        steps=(*steps, *advice), pitfalls=tuple(dict.fromkeys(" ".join(text.split())[:200] for text in pitfalls))[:5],
        not_when=tuple(failed[:3]), expected=expected,
        confidence=confidence, evidence=(*(one.record.id for one in usable), *(one.record.id for one in patterns))[:10],
    )  # fmt: skip
