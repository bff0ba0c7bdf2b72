"""What arrives from a shared folder: admitted like any import, never in use by itself, never more trusted than one."""

from __future__ import annotations

from datetime import datetime
from typing import get_args

from tacit.admission.admit import admit
from tacit.errors import Refused
from tacit.exchange.rules.shareable import shared_payload
from tacit.exchange.rules.shared_versions import SharedStatement
from tacit.exchange.share.home import AcceptedFolder
from tacit.lessons import lesson_text
from tacit.loop.remember import UNSAFE_ADVICE
from tacit.model.failure import Correction
from tacit.model.kinds import IN_USE, text_digest
from tacit.model.lesson import Lesson
from tacit.model.origin import Actor
from tacit.model.payload import Fact, Payload
from tacit.model.procedure import DisabledReason, Procedure
from tacit.model.query import Filter
from tacit.model.record import Draft, Record, replace
from tacit.ports.store import StoreReader
from tacit.procedures.rules.procedure_checks import body_of, checked
from tacit.records.connection import Connection
from tacit.records.export_import import foreign_record
from tacit.records.write import revised

FORM = "share"
_WHY_DISABLED = "it came from a shared folder; read its steps, then `tacit procedure enable` it"


def arriving_record(c: Connection, told: SharedStatement, folder: AcceptedFolder) -> Record:
    """Return the record that a statement brings. An error says why it is not taken."""
    line = dict(told.line or {})
    said = line["origin"].get("actor") if isinstance(line["origin"], dict) else None
    # All of it was checked or is our own, so it need not be redacted once more for each record.
    claims = {
        "form": FORM, "folder": folder.id, "author": told.author, "writer": told.version.writer,
        "version": told.version.number, "at": told.version.at, "signed": told.signed,
        "actor": said if said in get_args(Actor) else "",
    }  # fmt: skip
    line["origin"] = {}
    if line["kind"] == "procedure":
        line["status"] = "disabled"
    record = foreign_record(c, line, _admitted)
    payload = _arriving_payload(record)
    if advice := _advice(payload):
        _check_advice(c, advice)
    body = body_of(payload) if isinstance(payload, Procedure) else record.body
    return replace(record, payload=payload, body=body, origin=replace(record.origin, claimed=claims))


def _admitted(c: Connection, draft: Draft) -> Draft:
    """Admit a draft. A refusal is named in the report, not recorded: a hostile folder would fill the log."""
    return admit(draft, c.limits, c.redact)


def _check_advice(c: Connection, advice: str) -> None:
    if not c.is_safe_advice(advice):
        raise Refused(UNSAFE_ADVICE, "leave it out")


def _advice(payload: Payload) -> str:
    """Return what a record advises to do, if it is one that advises."""
    if isinstance(payload, Correction):
        return payload.corrected
    if isinstance(payload, Lesson):
        return "\n".join(
            part for part in (payload.body, payload.narrative.correction if payload.narrative else "") if part
        )
    return ""


def _arriving_payload(record: Record) -> Payload:
    """Return the payload without what belongs to one home, checked as if it were made here."""
    payload = shared_payload(record.payload)
    if isinstance(payload, Procedure):
        why = DisabledReason(by="import", reason=_WHY_DISABLED)
        return replace(checked(payload), windows=(f"{record.id}#1",), disabled=why)
    if isinstance(payload, Lesson) and payload.narrative is not None:
        return replace(payload, narrative=lesson_text.checked(payload.narrative))
    return payload


def changed_record(held: Record, fresh: Record, now: datetime) -> Record:
    """Return the next version of a record that is here, with the content that arrived."""
    status = fresh.status
    if held.kind == "lesson":
        # A new text has to prove itself anew; what was decided against the old one stays.
        status = "candidate" if held.status in ("active", "promoted", "retired") else held.status
    return revised(
        held, now, title=fresh.title, body=fresh.body, tags=fresh.tags, importance=fresh.importance, at=fresh.at,
        payload=_kept_parts(held.payload, fresh.payload), origin=fresh.origin, status=status,
    )  # fmt: skip


def _kept_parts(held: Payload, fresh: Payload) -> Payload:
    """Return the new payload with what belongs to this home."""
    match held, fresh:
        case Procedure(), Procedure():
            return replace(fresh, windows=held.windows, source_session=held.source_session)
        case Correction(), Correction():
            return replace(fresh, failure=held.failure)
        case Fact(), Fact():
            return replace(fresh, thread=held.thread)
    return fresh


def claimed_trust(told: SharedStatement) -> int:
    """Return the trust that a record has where it comes from; it counts only if a carried key confirms it."""
    trust = (told.line or {}).get("trust")
    return trust if told.signed and isinstance(trust, int) and not isinstance(trust, bool) and trust in (2, 3) else 1


def twin_of(reader: StoreReader, fresh: Record) -> Record | None:
    """Return another record here that has the key of a new one, or a fact that says the same."""
    where = Filter(scopes=(fresh.scope,), kinds=(fresh.kind,), statuses=IN_USE)
    if fresh.key:
        asked = replace(where, key=fresh.key)
    elif fresh.kind == "fact":
        asked = replace(where, facets=(("text", text_digest(fresh.body)),))
    else:
        return None
    return next((one for one in reader.find(asked, limit=20).records if one.scope == fresh.scope), None)
