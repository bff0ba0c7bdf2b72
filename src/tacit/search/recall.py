"""Recall: rank by words and meaning, and explain each score. If even the best hit is not relevant, return nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import msgspec

from tacit.errors import UsageError
from tacit.model.kinds import RECALLED, SECOND
from tacit.model.query import Filter, Hit, Recall, TextMatch
from tacit.model.record import Record
from tacit.model.verb import arg
from tacit.records.arguments import (
    AsOf,
    Kinds,
    Limit,
    Namespace,
    Since,
    Tags,
    Time,
    Until,
    kinds_of,
    number_of,
    text_of,
    texts_of,
    whole_of,
)
from tacit.records.connection import Connection
from tacit.records.rules.validity import holds
from tacit.records.scopes import left_behind_notice
from tacit.records.uses import note_shown
from tacit.search.conversation import BY_FORMULA, depth_factor, with_conversation
from tacit.search.equivalent_matches import equivalent_matches
from tacit.search.hit_labels import around, hit_of, labelled_hits
from tacit.search.parted_hits import has_cutoff, parted_hits
from tacit.search.recall_as_of import recall_past
from tacit.search.recall_query import RecallQuery
from tacit.search.recent_recaps import last_session, sessions_of
from tacit.search.rules.equivalents import equivalents_of
from tacit.search.rules.relevance_cutoff import is_learned, named
from tacit.search.rules.repeated_turns import commands_first, distinct_turns
from tacit.search.rules.session_questions import (
    asked_command,
    asked_time,
    asks_for_last_session,
    session_topic,
    topical_words,
)
from tacit.search.search_words import SearchWords, asked_names, other_words
from tacit.search.weigh import Ranked, Suits, weigh
from tacit.search.worked_next import with_what_worked
from tacit.text.rank_fusion import METHODS, fuse
from tacit.text.search_fields import fields_of
from tacit.text.tokens import only_common, query_tokens

MODES = {"lexical": "lexical", "text": "lexical", "semantic": "semantic", "hybrid": "hybrid"}
MOST = 1_000
MOST_QUERY_CHARS = 20_000
TOO_COMMON = "every word of the query is too common; add a more specific word"
NOT_RELEVANT, NOTHING = "nothing relevant enough was found", "nothing was found"
NEAREST = "nothing matches closely; these are the nearest"
MOST_SECOND = 5
MOST_WEAK = 10
"""How many hits from sessions are shown if the weaker ones are asked for."""
_COMPARED = 40
"""How many of the best turns are compared with each other."""


def recall(
    c: Connection, query: Annotated[str, arg("A question, or words.", reads_input=True, words=True)], *,
    limit: Limit = 5, mode: Annotated[str, arg(
        "Search by words, by meaning, or by both.", choices=("hybrid", "lexical", "text", "semantic")
    )] = "hybrid",
    min_score: Annotated[float | None, arg(
        "Leave out hits below this score, from 0 to 1; the relevance cutoff then does not apply.", ge=0, le=1
    )] = None,
    fusion: Annotated[str, arg(
        "How to combine the rankings by words and by meaning.", choices=("weighted", "rrf")
    )] = "weighted",
    kinds: Kinds = (), tags: Tags = (), namespace: Namespace = "",
    scope: Annotated[str, arg("One of the scopes this memory reads.", option="--in")] = "",
    min_trust: Annotated[int, arg("Only records with at least this trust.", ge=0, le=3)] = 0, since: Since = None,
    until: Until = None, as_of: AsOf = None,
    valid_at: Annotated[Time | None, arg("Only facts that were true at this time.")] = None,
    graph: Annotated[bool, arg("Show the entities that a hit is about, and their relations.")] = False,
    every: Annotated[bool, arg(
        "Show weaker hits too: those far below the best, and those that are hardly relevant.", option="--all"
    )] = False,
) -> Recall:  # fmt: skip
    """Find the records that answer a question, best first, with reasons.

    What sessions say comes after everything else: at most five hits, not counted by the limit; `--kind turn` searches
    it alone. A question such as "what did we do in May" gives the recaps of that time. If nothing is relevant, there
    are no results. Being shown counts as a use of a record, at most once a day.
    """
    begun, ended = c.between(since, until)
    question = RecallQuery(
        query=query, limit=limit, mode=mode, min_score=min_score, fusion=fusion, kinds=kinds_of(kinds),
        tags=texts_of(tags, "tags"), min_trust=min_trust, since=begun, until=ended,
        as_of=c.when(as_of), valid_at=c.when(valid_at, "valid_at"), graph=graph, second=True,
        every=every,
    )  # fmt: skip
    found = answer_query(c.narrowed(scope=scope, namespace=namespace), question)
    note_shown(c, found.first)
    return found


def answer_query(c: Connection, question: RecallQuery) -> Recall:
    """Answer a parsed query."""
    if question.kinds and set(question.kinds) <= set(SECOND):
        c = c.for_turns
    mode = _checked(question)
    question, cut = _bounded(c, question)
    if c.off:
        return Recall((), mode, [f"tacit is off here: {c.off}"])
    where = c.filter(
        kinds=question.kinds or RECALLED, statuses=("active", "promoted"), tags=question.tags,
        min_trust=question.min_trust, since=question.since, until=question.until, as_of=question.as_of,
    )  # fmt: skip
    common = has_cutoff(c, question) and only_common(question.query)
    suits = _suiting(question, common)
    if question.as_of is not None:
        found = recall_past(c, question.query, where, question.limit, min_score=question.min_score, suits=suits)
    else:
        found = _recall(c, question, where, mode, suits)
    sessions, last = _from_sessions(c, question, mode, alone=all(is_learned(hit.record) for hit in found.hits))
    more = sessions.hits
    if last:
        # The words of such a question are about no command, and near to anything that was ever done.
        stated = [hit for hit in found.hits if not is_learned(hit.record) and _has_words(hit)]
        found = Recall(stated, found.mode, found.notices, weaker=found.weaker)
    cut += [notice for notice in sessions.notices if notice.startswith((BY_FORMULA, NEAREST))]
    empty = () if found.hits or more or last else (*((TOO_COMMON,) if common else ()), *left_behind_notice(c))
    said = [notice for notice in found.notices if not ((more or last) and notice in (NOT_RELEVANT, NOTHING))]
    if sessions.weaker and NOTHING in said:
        said[said.index(NOTHING)] = NOT_RELEVANT
    return Recall(
        (*found.hits, *more), found.mode, [*cut, *said, *last, *empty], second=len(more), weaker=found.weaker,
        weaker_said=sessions.weaker,
    )  # fmt: skip


def _has_words(hit: Hit) -> bool:
    """Return whether a hit was found by words."""
    return any(one.name == "lexical" for one in hit.why.signals)


def _from_sessions(c: Connection, question: RecallQuery, mode: str, *, alone: bool) -> tuple[Recall, list[str]]:
    """Return the turns and recaps of sessions that answer a plain query, after everything else and not counted.

    Beside them stands what is said of the last session, or of those of some days, if a query asks for them.
    """
    if not question.second or question.kinds or question.as_of is not None or question.valid_at is not None:
        return Recall((), mode, []), []
    c = c.for_turns
    asked = msgspec.structs.replace(
        question, kinds=SECOND, limit=_COMPARED, distinct=MOST_SECOND, notices=False, graph=False, alone=alone
    )
    where = c.filter(
        kinds=SECOND, statuses=("active",), tags=asked.tags, min_trust=asked.min_trust, since=asked.since,
        until=asked.until,
    )  # fmt: skip
    if asks_for_last_session(question.query):
        hits, notice = last_session(c, where)
        return Recall(hits, mode, []), [notice]
    if days := asked_time(question.query, c.clock.now().astimezone().date()):
        hits, notice = sessions_of(c, where, days, MOST_SECOND)
        return Recall(hits, mode, []), [notice]
    if what := asked_command(question.query):
        asked = msgspec.structs.replace(asked, query=what, commands=True)
    elif topic := session_topic(question.query):
        asked = msgspec.structs.replace(asked, query=topic)
    asked = msgspec.structs.replace(asked, query=topical_words(asked.query))
    common = has_cutoff(c, asked) and only_common(asked.query)
    return _recall(c, asked, where, mode, _suiting(asked, common)), []


def _suiting(question: RecallQuery, common: bool) -> Suits:
    """Return the check beyond the store's filter: truth at a time, and an exact title or text for common words."""

    def suits(record: Record) -> bool:
        true = question.valid_at is None or holds(record.payload, question.valid_at)
        return true and (not common or named(record, question.query))

    return suits


def _recall(c: Connection, question: RecallQuery, where: Filter, mode: str, suits: Suits) -> Recall:
    """Rank the current versions of records."""
    tokens = query_tokens(question.query)
    # By meaning, a name such as `c++` is like anything; a search for meaning alone is what was asked for.
    if mode == "hybrid" and asked_names(question.query):
        mode = "lexical"
    # What is told unasked must be about the very words of a prompt.
    is_widened = mode != "semantic" and (question.notices or question.distinct > 0)
    asked = equivalents_of(question.query, tokens) if is_widened else ()
    held = equivalent_matches(c, asked, where) if asked else {}
    words = SearchWords(tokens, equivalents=asked, equivalent=held)
    found = _ranked(c, question, words, where, mode, suits)
    if mode != "semantic" and question.notices and (more := _more_words(c, question, tokens, where, found.ranked)):
        words = more._replace(equivalents=asked, equivalent=held)
        found = _ranked(c, question, words, where, mode, suits)
    kept, weaker, only_near = parted_hits(c, question, words, found.ranked, found.beyond)
    notices = [*found.notices, NEAREST] if only_near else found.notices
    hits, others = ([hit_of(record, score, one, how) for score, one, record, how in part] for part in (kept, weaker))
    if question.min_score is not None:
        hits = [hit for hit in hits if hit.score >= question.min_score]
    shown, left_out = _shown(question, hits, others)
    shown = with_what_worked(c, labelled_hits(c, shown, found.partial, words.equivalents))
    if question.graph:
        shown = [msgspec.structs.replace(hit, graph=around(c, hit.record)) for hit in shown]
    if not shown:
        notices = [*notices, NOT_RELEVANT if found.ranked and not kept else NOTHING]
    return Recall(shown, mode, notices, weaker=left_out)


def _shown(question: RecallQuery, hits: Sequence[Hit], weaker: Sequence[Hit]) -> tuple[Sequence[Hit], int]:
    """Return the hits to show, and how many more there are if the weaker ones are asked for."""
    everything = [*hits, *weaker]
    if question.commands:
        hits = commands_first(hits)
    if question.distinct:
        shown, everything = distinct_turns(hits, question.distinct), distinct_turns(everything, MOST_WEAK)
    else:
        shown, everything = list(hits[: question.limit]), everything[: question.limit]
    return (everything, 0) if question.every else (shown, len(everything) - len(shown))


class RankedHits(NamedTuple):
    """The records in order, notices, the records that are only partly indexed, and what others mean at most."""

    ranked: list[Ranked]
    notices: list[str]
    partial: set[str]
    beyond: float | None
    """See `RecallCandidates.beyond`."""


def _ranked(
    c: Connection, question: RecallQuery, words: SearchWords, where: Filter, mode: str, suits: Suits
) -> RankedHits:
    """Search, add up the scores, and weigh what was found."""
    depth = _depth(c, question, where)
    lists, tops, notices, partial, beyond = _ask(c, question.query, words, where, mode, depth, counted=question.notices)
    weights = {"lexical": c.recall.lexical_weight, "semantic": c.recall.semantic_weight}
    fused = fuse(lists, weights, method=question.fusion, tops=tops)
    if question.fusion == "weighted":
        fused = with_conversation(c, fused, question.query, words.tokens, notices, words.equivalents)
    # What was learned may turn out not to be relevant by itself, and must not take the place of what is.
    learned = sum(one.id.startswith("correction_") for one in fused) if question.plain else 0
    return RankedHits(weigh(c, fused, question.limit + learned, suits), notices, partial, beyond)


def _more_words(
    c: Connection, question: RecallQuery, tokens: list[str], where: Filter, ranked: Sequence[Ranked]
) -> SearchWords | None:
    """Return what else a query may mean, judged by the best hit by words: its words need no look into the index."""
    by_words = [one for one in ranked if any(signal.name == "lexical" for signal in one[1].signals)]
    held = set(" ".join(fields_of(by_words[0][2])).split()) if by_words else set()
    return other_words(c, question.query, tokens, where, held, few=len(by_words) < question.limit)


def _checked(question: RecallQuery) -> str:
    text_of(question.query, "query")
    whole_of(question.limit, "limit")
    whole_of(question.min_trust, "min_trust")
    if question.min_score is not None:
        number_of(question.min_score, "min_score")
    if text_of(question.mode, "mode") not in MODES:
        raise UsageError(f"{question.mode[:40]!r} is not a mode", "use hybrid, lexical (text) or semantic")
    if text_of(question.fusion, "fusion") not in METHODS:
        raise UsageError(f"{question.fusion[:40]!r} is not a fusion", f"use {' or '.join(METHODS)}")
    if not 1 <= question.limit <= MOST:
        raise UsageError(f"limit must be from 1 to {MOST}, not {question.limit}", "5 is a good start")
    kinds_of(question.kinds)
    return MODES[question.mode]


def _bounded(c: Connection, question: RecallQuery) -> tuple[RecallQuery, list[str]]:
    """Apply the limits to a query, and return notices about what was cut."""
    limit = min(question.limit, c.most_hits or question.limit)
    notices = []
    if len(question.query) > MOST_QUERY_CHARS:
        notices = [f"only the first {MOST_QUERY_CHARS:,} characters of the query were used"]
    return msgspec.structs.replace(question, query=question.query[:MOST_QUERY_CHARS], limit=limit), notices


def _depth(c: Connection, question: RecallQuery, where: Filter) -> int:
    """Return how many candidates to fetch by words and by meaning, so that enough remain after filtering."""
    if question.valid_at is not None:
        return c.store.count(where)
    return max(c.recall.depth * depth_factor(c, where.kinds), question.limit)


class RecallCandidates(NamedTuple):
    """The candidates by words and by meaning, the scores to measure them by, notices, and partly indexed records."""

    lists: dict[str, list[tuple[str, float]]]
    tops: dict[str, float]
    notices: list[str]
    partial: set[str]
    beyond: float | None
    """How near in meaning a record is at most that is not among them; None if that was not looked for everywhere."""


def _ask(
    c: Connection, query: str, words: SearchWords, where: Filter, mode: str, depth: int, *, counted: bool
) -> RecallCandidates:  # fmt: skip
    """Search by words, by meaning or by both, as the mode says. If a search is not possible, a notice says so.

    `counted` adds a notice of the records that search by meaning does not cover yet.
    """
    lists: dict[str, list[tuple[str, float]]] = {}
    tops: dict[str, float] = {}
    notices: list[str] = []
    matches: list[TextMatch] = []
    beyond: float | None = None
    if mode != "semantic":
        matches, tops["lexical"] = words.matches(c, where, depth)
        lists["lexical"] = [(match.id, match.score) for match in matches]
    if mode != "lexical":
        vector = c.meaning.of_query(query)
        if vector is not None:
            found = c.meaning.vectors().nearest(vector, c.meaning.model, where, depth)
            lists["semantic"] = [(near.id, near.cosine) for near in found if near.cosine > 0]
            covered = c.meaning.coverage(c.store, c.walls, c.meaning.model) if counted else None
            if covered is not None and not covered.complete:
                share = f"{covered.embedded} of {covered.total} records"
                notices.append(f"search by meaning covers {share}; `tacit maintain` embeds the rest")
            elif covered is not None:
                beyond = max(0.0, found[-1].cosine) if len(found) >= depth else 0.0
        elif why := c.meaning.degraded or c.meaning.off:
            notices.append(f"{'searched by words only' if lists else 'search by meaning is not possible'}: {why}")
    return RecallCandidates(lists, tops, notices, {match.id for match in matches if match.partial}, beyond)
