"""Drafts of imported items: each becomes a record of its kind, with at most the trust and status of an import."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from tacit.errors import UsageError
from tacit.exchange.readers.import_batch import ForeignItem
from tacit.facts.memorize import entity_draft
from tacit.failures import corrections, failures
from tacit.failures.rules.causes import cause_of
from tacit.failures.rules.person_rules import anchors
from tacit.lessons import lesson_text
from tacit.model.failure import Correction, Failure
from tacit.model.kinds import fold, kind_of
from tacit.model.lesson import Narrative
from tacit.model.payload import Fact, Note, Payload, Term, shaped
from tacit.model.procedure import Procedure
from tacit.model.record import Draft, P, payload_of, replace
from tacit.procedures.rules.procedure_checks import body_of, checked
from tacit.records.connection import Connection
from tacit.text.slug import slug_of

CLAIMED_CONFIDENCE = 0.5
_MOST_KEY = 300


def draft_of(c: Connection, form: str, item: ForeignItem) -> Draft:
    """Make the draft of an item in its scope. An error says why it cannot be stored."""
    where = c if not item.namespace else replace(c, scope=c.scope.within(slug_of(item.namespace)))
    draft = _MAKERS[item.kind](where, form, item)
    return replace(draft, tags=(*draft.tags, *item.tags), importance=item.importance, at=item.at or item.written)


def key_of(form: str, item: ForeignItem) -> str:
    """Return the key of an item without a name: its place in the source."""
    key = f"import/{form}/{item.id}"
    return key if len(key) <= _MOST_KEY else f"import/{form}/{hashlib.sha256(item.id.encode()).hexdigest()[:32]}"


def mark_of(form: str, item: ForeignItem) -> str:
    """Return a short hash of an item's place in the source, to tell items with the same name apart."""
    return hashlib.sha256(f"{form}/{item.id}".encode()).hexdigest()[:6]


def _note(c: Connection, form: str, item: ForeignItem) -> Draft:
    payload = Note(source=str(item.fields.get("source") or form), description=str(item.fields.get("description", "")))
    return _keyed(c, form, item, payload)


def _fact(c: Connection, form: str, item: ForeignItem) -> Draft:
    return _keyed(c, form, item, Fact(source=str(item.fields.get("source") or form)))


def _lesson(c: Connection, form: str, item: ForeignItem) -> Draft:
    given = item.fields.get("narrative")
    try:
        narrative = lesson_text.checked(shaped(given, Narrative)) if given else None
    except (UsageError, ValueError):
        narrative = None  # too long or incomplete; its text goes into the body
    body = str(item.fields.get("body", ""))
    if given and narrative is None:
        body = "\n\n".join(
            part for part in (body, *(str(one) for one in given.values() if isinstance(one, str))) if part
        )
    draft = lesson_text.draft_of(
        c, item.title, body=body, narrative=narrative, key=key_of(form, item),
        target_skill=str(item.fields.get("target_skill", "")),
    )  # fmt: skip
    return replace(draft, status=item.status or "candidate")


def _entity(c: Connection, _form: str, item: ForeignItem) -> Draft:
    return entity_draft(c, str(item.fields.get("kind", "thing")), str(item.fields.get("name", "")), item.body)


def _term(c: Connection, _form: str, item: ForeignItem) -> Draft:
    term = c.redact(item.title)
    payload = Term(term=term, category=str(item.fields.get("category", "general")))
    return Draft(kind="term", scope=str(c.scope), title=term, body=item.body, key=fold(term), payload=payload)


def _failure(c: Connection, _form: str, item: ForeignItem) -> Draft:
    # Redacted before the cause is found: the key is made of words of the command.
    command, error = (c.redact(str(item.fields.get(name, ""))) for name in ("command", "error"))
    cause = cause_of(command, error)
    if cause is None:
        raise UsageError("it contains no command", "look at it in the source")
    draft = failures.draft_of(c, command, cause, error, None, "")
    own = payload_of(draft, Failure)
    kept = {"signature": own.signature, "failing": str(item.fields.get("failing") or own.failing)}
    found = {name: getattr(own, name) for name in ("cause", "named", "subject", "line", "program")}
    return replace(draft, payload=_shaped({**item.fields, **kept, **found}, Failure))


def _correction(c: Connection, _form: str, item: ForeignItem) -> Draft:
    certainty = CLAIMED_CONFIDENCE if item.certainty is None else item.certainty
    payload = _shaped({**item.fields, "confidence": certainty, "source": "import"}, Correction)
    original, corrected = c.redact(payload.original), c.redact(payload.corrected)
    payload = replace(payload, about=anchors(corrected))
    return Draft(
        kind="correction", scope=str(c.scope), title=corrections.title_of(original, corrected), payload=payload,
        body="\n".join(text for text in (original, corrected, payload.context) if text),
        key=corrections.key_of(original, corrected), tags=("correction", f"type:{payload.type}"),
    )  # fmt: skip


def _procedure(c: Connection, _form: str, item: ForeignItem) -> Draft:
    payload = checked(_shaped({**item.fields, "windows": (), "disabled": None}, Procedure))
    title = c.redact(" ".join(item.title.split()))[:300]
    # Whatever its state elsewhere, nobody here has allowed it to run yet.
    return Draft(
        kind="procedure", scope=str(c.scope), title=title, body=body_of(payload), key=slug_of(title), payload=payload,
        status="draft",
    )  # fmt: skip


def _by_id(c: Connection, _form: str, item: ForeignItem) -> Draft:
    payload = _shaped(item.fields, kind_of(item.kind).payload)
    return Draft(
        kind=item.kind, scope=str(c.scope), title=item.title, body=item.body, key=item.id, payload=payload,
        status=item.status or "active",
    )  # fmt: skip


def _episodic(c: Connection, form: str, item: ForeignItem) -> Draft:
    payload = _shaped(item.fields, kind_of(item.kind).payload)
    status = "active" if item.kind != "episode" else "complete" if item.status == "complete" else "archived"
    return replace(_keyed(c, form, item, payload), status=status)


def _keyed(c: Connection, form: str, item: ForeignItem, payload: Payload) -> Draft:
    return Draft(
        kind=item.kind, scope=str(c.scope), title=item.title, body=item.body, key=key_of(form, item), payload=payload
    )


def _shaped(fields: dict[str, Any], shape: type[P]) -> P:
    try:
        payload: P = shaped(fields, shape)
    except ValueError as error:
        raise UsageError(f"its fields are not as expected: {error}", "look at it in the source") from None
    return payload


_MAKERS: dict[str, Callable[[Connection, str, ForeignItem], Draft]] = {
    "note": _note, "fact": _fact, "lesson": _lesson, "entity": _entity, "term": _term, "failure": _failure,
    "correction": _correction, "procedure": _procedure, "skill": _by_id, "persona": _by_id, "team": _by_id,
    "episode": _episodic, "pattern": _episodic, "heuristic": _episodic,
}  # fmt: skip
KEPT = tuple(_MAKERS)
"""The kinds that become records. Relations and phases become links and events."""
