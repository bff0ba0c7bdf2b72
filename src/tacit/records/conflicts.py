"""Conflicts between facts: detected on writing, shown to every reader until resolved."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from tacit.model.link import ABOUT, CONTRADICTS, Link
from tacit.model.payload import Fact
from tacit.model.query import Filter
from tacit.model.record import Record, payload_of
from tacit.model.results import ConflictPair, OpenConflict
from tacit.ports.store import StoreReader, Transaction
from tacit.records.arguments import Limit
from tacit.records.connection import Connection
from tacit.records.rules.validity import ended, together
from tacit.text.patterns import lazy_pattern
from tacit.text.tokens import telling_tokens, tokens

if TYPE_CHECKING:
    from tacit.records.rules.compare_statements import Contradiction, SameFact, SimilarFact

CANDIDATES = 12
WORTH_COMPARING = 0.4
# Entities are found again by the facts about them; a well-known one may have many, and the newest matter most.
ABOUT_SAME = 50
# More events than these since the candidates were found: they are searched again.
_WRITTEN_SINCE = 100
# Contradictions that are looked at for open conflicts, the newest first.
_EXAMINED = 2_000
_RECORD_ID = lazy_pattern(r"[a-z]+_[0-9A-Z]{26}")


def contradicted(c: Connection, ids: Sequence[str], as_of: datetime | None = None) -> dict[str, list[str]]:
    """Return for each of these facts the facts that contradict it. Both must be active and readable."""
    links = c.store.links(ids, c.walls, relation=CONTRADICTS, as_of=as_of) if ids else []
    ends = list(dict.fromkeys(end for link in links for end in (link.source, link.target)))
    if as_of is None:
        records = c.store.get_many(ends, c.walls)
    else:
        records = {id: record for id in ends if (record := c.store.get(id, c.walls, as_of))}
    standing = {id for id, record in records.items() if record.status == "active"}
    against: dict[str, list[str]] = {}
    for link in links:
        if link.source in standing and link.target in standing:
            against.setdefault(link.source, []).append(link.target)
            against.setdefault(link.target, []).append(link.source)
    return against


def open_conflicts(c: Connection, *, limit: Limit = 50) -> list[OpenConflict]:
    """List the pairs of facts that contradict each other and wait for a decision, newest first."""
    linked = c.store.linked(CONTRADICTS, c.walls, _EXAMINED)
    pairs = dict.fromkeys(tuple(sorted((link.source, link.target))) for link in linked)
    records = c.store.get_many(list(dict.fromkeys(id for pair in pairs for id in pair)), c.walls)
    standing = {id: record for id, record in records.items() if record.status == "active"}
    both = [sorted((standing[id] for id in pair), key=_created) for pair in pairs if all(id in standing for id in pair)]
    both.sort(key=lambda two: _created(two[1]), reverse=True)
    return [_open(older, newer) for older, newer in both[:limit]]


def _created(record: Record) -> datetime:
    return record.created_at


def _open(older: Record, newer: Record) -> OpenConflict:
    by_person = "user" in (older.origin.actor, newer.origin.actor)
    return OpenConflict(
        id=newer.id, text=newer.body, other=older.id, other_text=older.body, by_person=by_person
    )  # fmt: skip


class Candidates(NamedTuple):
    """The facts with the same words as another one, searched before the write.

    Of the events after `settled` the search may have missed all but those in `seen`.
    """

    ids: tuple[str, ...]
    settled: int
    seen: frozenset[int]


def candidates(c: Connection, fact: Record) -> Candidates:
    """Search the facts that may say the same or the contrary: without the writer's lock, which others wait for."""
    # On a busy server many events wait for their seal; what these wrote is found by the search that follows.
    settled, seen = c.store.subjects(_WRITTEN_SINCE)
    matches = c.store.match(telling_tokens(fact.body), _among(fact), CANDIDATES)
    return Candidates(tuple(match.id for match in matches), settled, frozenset(seen))


def _among(fact: Record) -> Filter:
    return Filter(scopes=(fact.scope,), kinds=("fact",))


def missed_facts(tx: Transaction, before: Candidates) -> list[str] | None:
    """Return the facts that were written since the candidates were searched; None if they are many, or not all known.

    An event of many records at once names none of them.
    """
    most = len(before.seen) + _WRITTEN_SINCE
    _settled, since = tx.subjects(most + 1, after=before.settled)
    if len(since) > most:
        return None
    missed = dict.fromkeys(subject for number, subject in since.items() if number not in before.seen)
    if not all(map(_RECORD_ID.fullmatch, missed)):
        return None
    return [subject for subject in missed if subject.startswith("fact_")]


def candidates_now(tx: Transaction, fact: Record, before: Candidates, missed: Sequence[str] | None) -> list[str]:
    """Return the candidates as they are now: those found before, and what was written since, if that is known."""
    return _matched(tx, fact) if missed is None else [*before.ids, *missed]


def _matched(tx: Transaction, fact: Record) -> list[str]:
    return [match.id for match in tx.match(telling_tokens(fact.body), _among(fact), CANDIDATES)]


def compared(
    store: StoreReader,
    fact: Record,
    entities: Collection[str],
    now: datetime,
    candidates: Sequence[str],
    read: Mapping[str, Record] | None = None,
) -> Iterator[tuple[Record, SameFact | Contradiction | SimilarFact]]:
    """Return the candidates, and facts about the same entities, that repeat, contradict or nearly repeat a fact."""
    # Imported on use: a cold recall has no need of this judge.
    from tacit.records.rules.compare_statements import Contradiction, SameFact, SimilarFact, compare, may_claim

    links = store.links(list(entities), [fact.scope], relation=ABOUT, outgoing=False) if entities else []
    ids = dict.fromkeys([*candidates, *(link.source for link in links[:ABOUT_SAME])])
    others = store.get_many(list(ids), [fact.scope]) if read is None or links else read
    words = set(tokens(fact.body))
    claims = may_claim(fact.body)
    for other in (others[id] for id in ids if id in others and id != fact.id):
        if other.kind != "fact" or other.status != "active" or other.scope != fact.scope:
            continue
        if not _alike(words, other.body) and not claims and not may_claim(other.body):
            continue
        match compare(other.body, fact.body):
            case SameFact() as verdict if at_once(other, fact, now) and shares_entity(store, other, entities):
                yield other, verdict
            case SimilarFact() as verdict if _both_stand(other, fact, now) and shares_entity(store, other, entities):
                yield other, verdict
            case Contradiction() as verdict if _both_stand(other, fact, now) and shares_entity(store, other, entities):
                yield other, verdict


def contradictions(tx: Transaction, fact: Record, now: datetime) -> list[tuple[Record, str]]:
    """Return the facts that a revised fact contradicts, and why."""
    from tacit.records.rules.compare_statements import Contradiction

    found = compared(tx, fact, _about(tx, fact), now, _matched(tx, fact))
    return [(other, verdict.why) for other, verdict in found if isinstance(verdict, Contradiction)]


def link_conflicts(
    tx: Transaction, fact: Record, conflicts: Sequence[tuple[Record, str]], now: datetime
) -> tuple[ConflictPair, ...]:
    """Link a fact to the facts it contradicts, and return the pairs. An existing conflict is not linked again."""
    pairs = tuple(ConflictPair(fact.id, other.id, why) for other, why in conflicts)
    known = tx.links([fact.id], [fact.scope], relation=CONTRADICTS) if pairs else []
    ends = {end for link in known for end in (link.source, link.target)}
    for pair in pairs:
        if pair.other not in ends:
            tx.link(Link(source=pair.id, relation=CONTRADICTS, target=pair.other, scope=fact.scope, since=now,
                         payload={"why": pair.why.split(":")[0]}))  # fmt: skip
    return pairs


def _about(store: StoreReader, fact: Record) -> set[str]:
    return {link.target for link in store.links([fact.id], [fact.scope], relation=ABOUT, incoming=False)}


def at_once(a: Record, b: Record, now: datetime) -> bool:
    """Return whether the validity times of two facts overlap."""
    return together(payload_of(a, Fact), payload_of(b, Fact), now)


def shares_entity(store: StoreReader, other: Record, entities: Collection[str]) -> bool:
    """Return whether a fact is about one of these entities. Without entities, only the texts are compared."""
    theirs = _about(store, other)
    return not theirs or not entities or not theirs.isdisjoint(entities)


def _alike(words: set[str], text: str) -> bool:
    """Return whether two texts share enough words for the full comparison, which is slow and requires 0.6 of them."""
    others = set(tokens(text))
    return 2 * len(words & others) >= WORTH_COMPARING * (len(words) + len(others))


def _both_stand(a: Record, b: Record, now: datetime) -> bool:
    """Return whether two facts hold at the same time and neither has ended: an ended fact contradicts nothing."""
    return at_once(a, b, now) and not ended(payload_of(a, Fact), now)
