"""Memorize a fact: merge duplicates, detect contradictions and link it to its entity, in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, NamedTuple

from tacit.admission.trust import flagged
from tacit.errors import Conflict, UsageError
from tacit.model.event import NewEvent
from tacit.model.kinds import text_digest
from tacit.model.link import ABOUT, CONTRADICTS, SUPERSEDES, Link
from tacit.model.origin import UNATTENDED
from tacit.model.payload import Entity, Fact
from tacit.model.query import Filter
from tacit.model.record import Draft, Record, payload_of, short_id
from tacit.model.results import Memorized
from tacit.model.verb import arg
from tacit.ports.store import StoreReader, Transaction
from tacit.records.arguments import Importance, Namespace, Tags, Time, ValidFrom, ValidTo, text_of
from tacit.records.conflicts import (
    Candidates,
    at_once,
    candidates,
    candidates_now,
    compared,
    link_conflicts,
    missed_facts,
    shares_entity,
)
from tacit.records.connection import Connection
from tacit.records.drafts import entity_key, entity_of, tags_of
from tacit.records.keep import ensure
from tacit.records.write import admitted, keep_vectors, new_record, retry_lost_write, revised, writing
from tacit.text.frame import echoes, framed
from tacit.text.search_fields import embedded_text

_SHOWN_CHARS = 120
SETTLED = ("supersede", "keep", "discard")
"""The ways to settle a conflict."""


@retry_lost_write
def memorize(
    c: Connection, content: Annotated[str, arg("The fact, one sentence.", reads_input=True, words=True)], *,
    entity: Annotated[str | tuple[str, str] | None, arg(
        "The entity the fact is about, for example service/staging-api.", metavar="KIND/NAME"
    )] = None,
    tags: Tags = (), importance: Importance = 0.5, namespace: Namespace = "", valid_from: ValidFrom = None,
    valid_to: ValidTo = None, source: Annotated[str, arg("Where the fact comes from, in words.")] = "",
    at: Annotated[Time | None, arg("When the fact happened.")] = None,
) -> Memorized:  # fmt: skip
    """Store a fact. A duplicate is merged; the facts it contradicts or nearly repeats are listed in the reply.

    The entity is a kind and a name, as a pair or written `kind/name`. A contradiction stays until `tacit consolidate
    resolve` settles it.
    """
    c = c.narrowed(namespace=namespace)
    if not text_of(content, "content").strip():
        raise UsageError("there is nothing to memorize", "give the fact as text")
    if echoes(content):
        raise UsageError("this text was shown by tacit itself", "memorize something new, in your own words")
    draft = admitted(c, Draft(
        kind="fact", scope=str(c.scope), body=content, tags=tags_of(tags), importance=importance, at=c.when(at, "at"),
        payload=Fact(
            valid_from=c.when(valid_from, "valid_from"), valid_to=c.when(valid_to, "valid_to"), source=source
        ),
    ))  # fmt: skip
    thing = admitted(c, entity_draft(c, *entity_of(entity))) if entity is not None else None
    now = c.clock.now()
    fact = new_record(c, draft, now)
    vectors = c.meaning.of_records([fact])
    before = candidates(c, fact)
    early = None if thing else _judge_early(c.store, fact, now, before)
    with writing(c, now) as tx:
        # What is compared below must not change before this is written.
        tx.alone(fact.scope)
        about = ensure(c, tx, thing, now) if thing else None
        known, conflicts, similar = _judge_now(tx, fact, [about.id] if about else [], now, before, early)
        if known is not None:
            fact = _merge(c, tx, known, fact, vectors, now)
        else:
            tx.put(fact)
            keep_vectors(c, tx, vectors)
        if about is not None:
            tx.link(Link(source=fact.id, relation=ABOUT, target=about.id, scope=fact.scope, since=now))
        pairs = link_conflicts(tx, fact, conflicts, now)
        _note_save(c, tx, fact, known)
    return Memorized(
        id=fact.id, record=fact, merged=known is not None, entity=about.id if about else "", conflicts=pairs,
        similar=tuple(one.id for one in similar), notices=(*flagged(fact), *map(_offered, similar)),
    )  # fmt: skip


def _offered(other: Record) -> str:
    """Say that a known fact says nearly the same: nothing is merged, since what differs may matter."""
    said = framed(other.body, _SHOWN_CHARS)
    return f"{short_id(other.id)} says nearly the same: {said} (`tacit undo` takes this one back if it adds nothing)"


def entity_draft(c: Connection, kind: str, name: str, description: str = "") -> Draft:
    """Return the draft of an entity in this connection's scope."""
    if not (isinstance(kind, str) and isinstance(name, str) and kind.strip() and name.strip()):
        raise UsageError("an entity needs a kind and a name", "for example service and staging-api")
    # Taken out before the name is folded into a key: the redactor could not know a folded secret.
    kind, name = c.redact(kind.strip()), c.redact(name.strip())
    return Draft(
        kind="entity", scope=str(c.scope), title=name, body=description, key=entity_key(kind, name),
        payload=Entity(kind=kind, name=name),
    )  # fmt: skip


class _Judged(NamedTuple):
    """The fact that another one repeats, or else those it contradicts, and those that it nearly repeats."""

    known: Record | None
    conflicts: list[tuple[Record, str]]
    similar: list[Record]


class _Early(NamedTuple):
    """What was found before a write, and the facts that it is about, as they were read."""

    found: _Judged
    read: dict[str, Record]


def _judge_early(store: StoreReader, fact: Record, now: datetime, before: Candidates) -> _Early:
    """Compare a fact with its candidates without the lock for which others wait."""
    read = store.get_many(before.ids, [fact.scope])
    found = _judge(store, fact, [], now, before.ids, read)
    return _Early(found, {**read, **({found.known.id: found.known} if found.known else {})})


def _judge_now(
    tx: Transaction, fact: Record, entities: Sequence[str], now: datetime, before: Candidates, early: _Early | None
) -> _Judged:
    """Compare a fact with the known facts as they are now; `early` is what was found before the write."""
    missed = missed_facts(tx, before)
    if early is None or missed is None:
        return _judge(tx, fact, entities, now, candidates_now(tx, fact, before, missed))
    # All at once, and held until the write ends: a revision in progress is waited for.
    found = early.found
    held = tx.get_many([*dict.fromkeys([*before.ids, *early.read, *missed])], [fact.scope])
    if any(id not in held or held[id].version != one.version for id, one in early.read.items()):
        return _judge(tx, fact, entities, now, candidates_now(tx, fact, before, missed))
    if found.known is not None or not missed:
        return found
    late = _judge_among(tx, fact, entities, now, missed, held)
    return late if late.known else _Judged(None, found.conflicts + late.conflicts, found.similar + late.similar)


def _judge(
    store: StoreReader, fact: Record, entities: Sequence[str], now: datetime, others: Sequence[str],
    read: Mapping[str, Record] | None = None,
) -> _Judged:  # fmt: skip
    """Compare a fact with those of its scope that have the same text, and with others."""
    where = Filter(scopes=(fact.scope,), kinds=("fact",), facets=(("text", text_digest(fact.body)),))
    for record in reversed(store.find(where, order="created").records):
        if record.scope == fact.scope and at_once(record, fact, now) and shares_entity(store, record, entities):
            return _Judged(record, [], [])
    return _judge_among(store, fact, entities, now, others, read)


def _judge_among(
    store: StoreReader, fact: Record, entities: Sequence[str], now: datetime, others: Sequence[str],
    read: Mapping[str, Record] | None = None,
) -> _Judged:  # fmt: skip
    """Compare a fact with others; `read` are their records, if they are known."""
    from tacit.records.rules.compare_statements import SameFact, SimilarFact

    judged = _Judged(None, [], [])
    for other, verdict in compared(store, fact, entities, now, others, read):
        if isinstance(verdict, SameFact):
            return _Judged(other, [], [])
        if isinstance(verdict, SimilarFact):
            judged.similar.append(other)
        else:
            judged.conflicts.append((other, verdict.why))
    return judged


def _note_save(c: Connection, tx: Transaction, fact: Record, known: Record | None) -> None:
    """Record which text was saved; an agent that saves what another session saved may confirm that text."""
    types = ["fact.repeated" if known else "fact.memorized"]
    if known and c.origin.actor == "agent" and c.origin.session not in ("", UNATTENDED, known.origin.session):
        types.append("fact.saved_again")
    for type in types:
        said = {"text": text_digest(fact.body)}
        tx.append(NewEvent(type=type, subject=fact.id, scope=fact.scope, payload=said))


def _merge(
    c: Connection, tx: Transaction, known: Record, fresh: Record, vectors: dict[str, bytes], now: datetime
) -> Record:
    """Let a known fact take over what its repetition adds. An agent adds nothing to a person's fact."""
    if known.origin.actor == "user" and not c.is_person:
        return known
    seen = {tag.casefold() for tag in known.tags}
    tags = (*known.tags, *(tag for tag in fresh.tags if tag.casefold() not in seen))
    importance = max(known.importance, fresh.importance)
    origin = c.origin if c.is_person else known.origin
    # A person vouches for their own words, not for those an agent had found for them.
    body = fresh.body if c.is_person and known.origin.actor != "user" else known.body
    old, new = payload_of(known, Fact), payload_of(fresh, Fact)
    payload = Fact(
        valid_from=new.valid_from or old.valid_from, valid_to=new.valid_to or old.valid_to,
        source=old.source or new.source,
    )  # fmt: skip
    if (tags, importance, origin.actor, payload) == (known.tags, known.importance, known.origin.actor, old):
        return known
    merged = revised(known, now, body=body, tags=tags, importance=importance, origin=origin, payload=payload)
    tx.put(merged, expected=known.version)
    if fresh.id in vectors and embedded_text(known) != embedded_text(merged) == embedded_text(fresh):
        keep_vectors(c, tx, {merged.id: vectors[fresh.id]})
    return merged


@retry_lost_write
def resolve(
    c: Connection, id: Annotated[str, arg("The id of a fact.", record=True)],
    other: Annotated[str, arg("The id of the fact that ID contradicts.", record=True)],
    how: Annotated[str, arg(
        "supersede: ID replaces OTHER; keep: both are true; discard: ID was wrong.", option="--how", choices=SETTLED
    )],
) -> None:  # fmt: skip
    """Settle a conflict: ID supersedes OTHER, both are kept, or ID is discarded."""
    if how not in SETTLED:
        raise UsageError(f"{str(how)[:40]!r} is not a way to settle a conflict", "use supersede, keep or discard")
    if c.own(c.require(id, "fact")).id == c.own(c.require(other, "fact")).id:
        raise UsageError("a fact cannot contradict itself", "give the ids of two different facts")
    now = c.clock.now()
    with writing(c, now) as tx:
        winner, loser = (_standing(c, tx, fact) for fact in ((other, id) if how == "discard" else (id, other)))
        ends = [tx.unlink(*pair, winner.scope, now) for pair in ((id, CONTRADICTS, other), (other, CONTRADICTS, id))]
        if not any(ends):
            raise Conflict(
                f"{id} and {other} do not contradict each other; nothing was written",
                "`tacit recall` lists contradictions; `tacit edit` and `tacit remove` change a single fact",
            )
        if how == "supersede":
            tx.put(revised(loser, now, status="superseded"), expected=loser.version)
            tx.link(Link(source=winner.id, relation=SUPERSEDES, target=loser.id, scope=winner.scope, since=now))
        elif how == "discard":
            tx.put(revised(loser, now, status="archived"), expected=loser.version)
        payload = {"other": other, "how": how}
        tx.append(NewEvent(type="fact.resolved", subject=id, scope=winner.scope, payload=payload))


def _standing(c: Connection, tx: Transaction, id: str) -> Record:
    """Return the current version of a fact whose conflict is settled; a fact that is out of use has no conflict."""
    fact = tx.get(id, c.walls)
    if fact is None or fact.status != "active":
        state = fact.status if fact else "gone"
        raise Conflict(
            f"{id} is {state}, so there is no conflict left to settle; nothing was written",
            "`tacit show` shows the status of both",
        )
    if fact.origin.actor == "user":
        c.require_person("settle a conflict with a fact a person wrote")
    return fact
