"""Corrections: "use this instead of that". Stating a correction again does not create a second record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from tacit.errors import UsageError
from tacit.model.event import NewEvent
from tacit.model.failure import CORRECTION_TYPES, Correction, CorrectionType
from tacit.model.kinds import fold, text_digest
from tacit.model.query import Filter
from tacit.model.record import Draft, Record, payload_of, replace
from tacit.model.verb import arg
from tacit.records.arguments import text_of
from tacit.records.connection import EVERYTHING, Connection
from tacit.records.keep import HOLDING
from tacit.records.write import admitted, claim_keys, new_record, retry_lost_write, revised, writing
from tacit.text.tokens import tokens

KIND = "correction"


def add_correction(
    c: Connection, original: Annotated[str, arg("What was done.", option="--original")],
    corrected: Annotated[str, arg("What to do instead.", option="--corrected")], *,
    type: Annotated[CorrectionType, arg("The type of correction.", choices=CORRECTION_TYPES)] = "tool-preference",
    context: Annotated[str, arg("Why or when the correction applies.")] = "",
) -> Record:  # fmt: skip
    """Add a correction: what to do instead of something."""
    correction = Correction(type=type, original=original, corrected=corrected, context=context, source="person")
    return keep_correction(c, correction)


def keep_correction(
    c: Connection, correction: Correction, *, session: str = "", once: str = "", also: Sequence[str] = ()
) -> Record:
    """Store a correction, or return the existing one that says the same."""
    return keep_or_reinforce(c, correction, session=session, once=once, also=also)[0]


@retry_lost_write
def keep_or_reinforce(
    c: Connection, correction: Correction, *, session: str = "", once: str = "", also: Sequence[str] = ()
) -> tuple[Record, bool]:
    """Store a correction. An existing one that says the same gains confidence, most if a person states it.

    Returns the record, and whether this call stated the correction anew. A statement is counted once per key: a call
    whose key `once`, or one of the keys `also`, was used before changes nothing and returns False.
    """
    if not text_of(correction.corrected, "corrected").strip():
        raise UsageError("a correction must say what to do instead", "give it as `corrected`")
    if correction.type not in CORRECTION_TYPES:
        raise UsageError(
            f"{str(correction.type)[:40]!r} is not a type of correction", f"use {', '.join(CORRECTION_TYPES)}"
        )
    from tacit.failures.rules.person_rules import anchors

    # Redacted before it becomes a key: a secret inside a digest could not be found any more.
    original, corrected = c.redact(correction.original), c.redact(correction.corrected)
    correction = replace(correction, about=anchors(corrected))
    draft = admitted(c, Draft(
        kind=KIND, scope=str(c.scope), title=title_of(original, corrected), payload=correction,
        body="\n".join(text for text in (original, corrected, correction.context) if text),
        key=key_of(original, corrected), tags=("correction", f"type:{correction.type}"),
    ))  # fmt: skip
    now = c.clock.now()
    with writing(c, now) as tx:
        tx.alone(draft.scope)
        where = Filter(scopes=(draft.scope,), kinds=(KIND,), statuses=HOLDING, key=draft.key)
        known = next((one for one in tx.find(where).records if one.scope == draft.scope), None)
        if once and not claim_keys(tx, once, *also) and known is not None:
            return known, False
        record = known or new_record(c, draft, now)
        if known is None:
            tx.put(record)
        elif (surer := _surer(payload_of(known, Correction), payload_of(draft, Correction))) != known.payload:
            record = revised(known, now, payload=surer)
            tx.put(record, expected=known.version)
        tx.append(NewEvent(type="correction.seen", subject=record.id, scope=record.scope, session=session))
    return record, True


def corrections(c: Connection, program: str = "") -> list[Record]:
    """Return the corrections this connection reads, newest first; only those of `program` if given."""
    facets = (("instead", program),) if program else ()
    return list(c.store.find(c.filter(kinds=(KIND,), facets=facets), limit=EVERYTHING).records)


def was_rejected(c: Connection, correction: Correction) -> bool:
    """Return whether a correction was rejected. A rejected correction is not learned again."""
    key = key_of(c.redact(correction.original), c.redact(correction.corrected))
    found = c.store.find(Filter(scopes=(str(c.scope),), kinds=(KIND,), statuses=("archived",), key=key), limit=1)
    return bool(found.records)


def _surer(old: Correction, new: Correction) -> Correction:
    ranks = {"fix": 0, "import": 0, "prompt": 1, "person": 2}
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
