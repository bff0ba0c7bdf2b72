"""Corrections: "use this instead of that". Stating a correction again does not create a second record."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Annotated

from tacit.errors import UsageError
from tacit.model.event import NewEvent
from tacit.model.failure import CORRECTION_TYPES, Correction, CorrectionSource, CorrectionType
from tacit.model.kinds import fold, text_digest
from tacit.model.link import SUPERSEDES, Link
from tacit.model.query import Filter
from tacit.model.record import Draft, Record, payload_of, replace
from tacit.model.verb import arg
from tacit.ports.store import StoreReader, Transaction
from tacit.records.arguments import Importance, text_of
from tacit.records.connection import EVERYTHING, Connection
from tacit.records.keep import HOLDING
from tacit.records.write import admitted, claim_keys, keep_vectors, new_record, retry_lost_write, revised, writing
from tacit.text.tokens import tokens

KIND = "correction"
SEEN = "correction.seen"
# Rules of a scope that a new one is compared with, the newest first.
_COMPARED = 500
# Rules are told in the order of their importance; what is said again matters more.
_IMPORTANCE = {"person": 0.7, "prompt": 0.6, "agent": 0.5, "import": 0.5, "fix": 0.3}
_SAID_AGAIN = 0.1


def add_correction(
    c: Connection, original: Annotated[str, arg("What was done.", option="--original")],
    corrected: Annotated[str, arg("What to do instead.", option="--corrected")], *,
    type: Annotated[CorrectionType, arg("The type of correction.", choices=CORRECTION_TYPES)] = "tool-preference",
    context: Annotated[str, arg("Why or when the correction applies.")] = "", importance: Importance = 0.7,
) -> Record:  # fmt: skip
    """Add a correction: what to do instead of something. The most important ones are told first."""
    correction = Correction(type=type, original=original, corrected=corrected, context=context, source=said_by(c))
    return keep_or_reinforce(c, correction, importance=importance)[0]


def said_by(c: Connection) -> CorrectionSource:
    """Return the source of a correction that is given by a verb."""
    return "person" if c.is_person else "agent"


def keep_correction(
    c: Connection, correction: Correction, *, session: str = "", once: str = "", also: Sequence[str] = (),
    at: datetime | None = None,
) -> Record:  # fmt: skip
    """Store a correction, or return the existing one that says the same."""
    return keep_or_reinforce(c, correction, session=session, once=once, also=also, at=at)[0]


@retry_lost_write
def keep_or_reinforce(
    c: Connection, correction: Correction, *, session: str = "", once: str = "", also: Sequence[str] = (),
    importance: float | None = None, at: datetime | None = None,
) -> tuple[Record, bool]:  # fmt: skip
    """Store a correction. An existing one that says the same gains confidence, most if a person states it.

    Returns the record, and whether this call stated the correction anew. A statement is counted once per key: a call
    whose key `once`, or one of the keys `also`, was used before changes nothing and returns False. `at` is when it was
    stated, if that was not now.
    """
    if not text_of(correction.corrected, "corrected").strip():
        raise UsageError("a correction must say what to do instead", "give it as `corrected`")
    if correction.type not in CORRECTION_TYPES:
        raise UsageError(
            f"{str(correction.type)[:40]!r} is not a type of correction", f"use {', '.join(CORRECTION_TYPES)}"
        )
    now = c.clock.now()
    # A clock that was wrong must not make a rule newer than any other.
    draft = replace(_draft(c, correction, importance), at=at if at is not None and at <= now else None)
    correction = payload_of(draft, Correction)
    fresh = new_record(c, draft, now)
    vectors = c.meaning.of_records([fresh])
    with writing(c, now) as tx:
        tx.alone(draft.scope)
        where = Filter(scopes=(draft.scope,), kinds=(KIND,), statuses=HOLDING, key=draft.key)
        known = next((one for one in tx.find(where).records if one.scope == draft.scope), None)
        if once and not claim_keys(tx, once, *also) and known is not None:
            return known, False
        record = known or fresh
        if known is None:
            tx.put(record)
            keep_vectors(c, tx, vectors)
        elif (record := _reinforced(c, known, draft, importance, now)) is not known:
            _put_again(c, tx, record)
        tx.append(_seen(record, correction, session, is_new=known is None))
        # A fix that was observed is no rule: each holds for the command that it mended.
        if correction.source != "fix" and (known is None or known.status == "superseded" or record is not known):
            record = supersede_contrary(tx, _hold_again(tx, record, now), now)
    return record, True


def _draft(c: Connection, correction: Correction, importance: float | None) -> Draft:
    from tacit.failures.rules.corrections.topics import tool_jobs
    from tacit.failures.rules.person_rules import anchors

    # Redacted before it becomes a key: a secret inside a digest could not be found any more.
    original, corrected = c.redact(correction.original), c.redact(correction.corrected)
    # A fix is about one command, whatever ran it.
    jobs = tool_jobs(corrected) if correction.source != "fix" else ()
    return admitted(c, Draft(
        kind=KIND, scope=str(c.scope), title=title_of(original, corrected),
        payload=replace(correction, about=anchors(corrected)),
        body="\n".join(text for text in (original, corrected, correction.context) if text),
        key=key_of(original, corrected), tags=("correction", f"type:{correction.type}", *jobs),
        importance=_IMPORTANCE[correction.source] if importance is None else importance,
    ))  # fmt: skip


def _put_again(c: Connection, tx: Transaction, record: Record) -> None:
    """Store a rule that is said again; a person who says it stands behind it."""
    tx.put(record, expected=record.version - 1)
    if c.is_person:
        tx.append(NewEvent(type="record.approved", subject=record.id, scope=record.scope))
        tx.retrust([record.id])


def is_persons(record: Record) -> bool:
    """Return whether a person wrote or approved a record at a terminal."""
    return record.origin.actor == "user" or record.trust == 3


def _reinforced(c: Connection, known: Record, draft: Draft, importance: float | None, now: datetime) -> Record:
    """Return a rule that is said again: surer, and more important unless its importance is given.

    A person's rule is not changed by anybody else. A person who says a rule takes it over, whoever said it first.
    """
    if c.is_person and not is_persons(known):
        mine = replace(payload_of(draft, Correction), failure=payload_of(known, Correction).failure)
        more = max(known.importance, draft.importance)
        taken = revised(known, now, payload=mine, importance=more, body=draft.body)
        return replace(taken, origin=c.origin, trust=3, at=draft.at)
    if is_persons(known) and not c.is_person:
        return known
    surer = _surer(payload_of(known, Correction), payload_of(draft, Correction))
    more = (
        draft.importance if importance is not None else max(known.importance, min(0.95, known.importance + _SAID_AGAIN))
    )
    last = draft.at or now
    is_later = known.at is not None and last > known.at
    changed = is_later or (surer, more) != (known.payload, known.importance)
    again = revised(known, now, payload=surer, importance=more) if changed else known
    # From now on it counts as stated then.
    return replace(again, at=last) if is_later else again


def _seen(record: Record, correction: Correction, session: str, *, is_new: bool) -> NewEvent:
    said = {"source": correction.source, "new": is_new}
    return NewEvent(type=SEEN, subject=record.id, scope=record.scope, session=session, payload=said)


def _hold_again(tx: Transaction, record: Record, now: datetime) -> Record:
    """Return a rule as it stands; one that was superseded and is said again holds again, if it is trusted enough."""
    if record.status != "superseded" or any(one.trust > record.trust for one in contrary_rules(tx, record)):
        return record
    record = revised(record, now, status="active")
    tx.put(record, expected=record.version - 1)
    return record


def replace_contrary(c: Connection, ids: Iterable[str]) -> None:
    """Let rules that are evidenced by now take the place of older ones that ask for something else."""
    found = [one for one in c.store.get_many(list(ids), c.walls).values() if one.kind == KIND]
    rules = [one for one in found if one.status == "active" and payload_of(one, Correction).source != "fix"]
    fresh = sorted((one for one in rules if contrary_rules(c.store, one)), key=_stated_at)
    if not fresh:
        return
    now = c.clock.now()
    with writing(c, now) as tx:
        for record in fresh:
            tx.alone(record.scope)
            supersede_contrary(tx, tx.get(record.id, c.walls) or record, now)
        tx.append(NewEvent(type="correction.settled", scope=str(c.scope), payload={"rules": len(fresh)}))


def supersede_contrary(tx: Transaction, record: Record, now: datetime) -> Record:
    """Supersede the rules that cannot hold beside one that was stated later, unless they are trusted more.

    Returns the record, which may itself be the older one.
    """
    for other in contrary_rules(tx, record) if record.status == "active" else ():
        # What is learned late may have been said long ago.
        older, newer = (record, other) if _stated_at(record) < _stated_at(other) else (other, record)
        said = payload_of(newer, Correction).source in ("prompt", "person")
        # The user's own words, once the transcript holds them, are as good as those at a terminal: the newest hold.
        if newer.trust >= older.trust or (newer.trust >= 2 and said):
            stored = tx.get(older.id, [older.scope]) or older
            gone = revised(stored, now, status="superseded")
            tx.put(gone, expected=stored.version)
            tx.link(Link(source=newer.id, relation=SUPERSEDES, target=older.id, scope=record.scope, since=now))
            if older is record:
                return gone
    return record


def _stated_at(rule: Record) -> datetime:
    """Return when a rule was stated last: in a session that was read later, or when it was written."""
    return rule.at or rule.updated_at


def contrary_rules(reader: StoreReader, record: Record) -> list[Record]:
    """Return the active rules of the scope that cannot hold beside a rule."""
    from tacit.failures.rules.contrary_rules import are_contrary

    rule = payload_of(record, Correction)
    found = reader.find(Filter(scopes=(record.scope,), kinds=(KIND,)), limit=_COMPARED).records
    others = [(one, payload_of(one, Correction)) for one in found if one.id != record.id and one.scope == record.scope]
    return [one for one, other in others if other.source != "fix" and are_contrary(rule, other)]


@retry_lost_write
def supersede_fix(c: Connection, correction: Correction) -> None:
    """Take what an earlier fix taught out of use, unless somebody else said it, too."""
    key = key_of(c.redact(correction.original), c.redact(correction.corrected))
    now = c.clock.now()
    with writing(c, now) as tx:
        where = Filter(scopes=(str(c.scope),), kinds=(KIND,), statuses=("active",), key=key)
        for record in tx.find(where).records:
            said = payload_of(record, Correction)
            if record.scope == str(c.scope) and said.source == "fix" and said.failure == correction.failure:
                tx.put(revised(record, now, status="superseded"), expected=record.version)
                tx.append(NewEvent(type="correction.settled", subject=record.id, scope=record.scope))


def corrections(c: Connection, program: str = "") -> list[Record]:
    """Return the corrections this connection reads, newest first; only those of `program` if given."""
    facets = (("instead", program),) if program else ()
    return list(c.store.find(c.filter(kinds=(KIND,), facets=facets), limit=EVERYTHING).records)


def was_rejected(c: Connection, correction: Correction, scopes: Sequence[str] = ()) -> bool:
    """Return whether a correction was rejected in this scope, or in one of `scopes`. It is not learned again."""
    key = key_of(c.redact(correction.original), c.redact(correction.corrected))
    where = Filter(scopes=tuple(scopes) or (str(c.scope),), kinds=(KIND,), statuses=("archived",), key=key)
    return bool(c.store.find(where, limit=1).records)


def _surer(old: Correction, new: Correction) -> Correction:
    ranks = {"fix": 0, "import": 0, "agent": 1, "prompt": 2, "person": 3}
    source = max(old.source, new.source, key=lambda one: ranks[one])
    return replace(
        old, confidence=max(old.confidence, new.confidence), source=source, context=old.context or new.context,
        failure=old.failure or new.failure, about=new.about or old.about,
    )  # fmt: skip


def key_of(original: str, corrected: str) -> str:
    """Return the key of a correction, made from the base forms of its words, so that near-duplicates are one record."""
    one, other = (" ".join(tokens(text)) or fold(text) for text in (original, corrected))
    return text_digest(f"{one}\n{other}")


def title_of(original: str, corrected: str) -> str:
    """Return the title of a correction, on one line."""
    line = f"{original} → {corrected}" if original else corrected
    return " ".join(line.split())[:300]
