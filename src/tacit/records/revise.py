"""Revise a record: new content becomes a new version; fields that are not given keep their values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from tacit.admission.trust import flagged
from tacit.errors import UsageError
from tacit.model.event import NewEvent
from tacit.model.payload import Fact
from tacit.model.record import Draft, Record, replace
from tacit.model.results import Revised
from tacit.model.verb import arg
from tacit.records.arguments import Id, ValidFrom, ValidTo
from tacit.records.conflicts import contradictions, link_conflicts
from tacit.records.connection import Connection
from tacit.records.drafts import OWN_VERBS, tags_of
from tacit.records.write import admitted, keep_vectors, retry_lost_write, revised, searchable, writing

_IDENTITY = ("entity", "term", "namespace")
_MADE = (*OWN_VERBS,)
"""Kinds whose text follows from their parts: changing it here would go round the verbs that look after them."""


@retry_lost_write
def revise(
    c: Connection, id: Id, *, title: Annotated[str | None, arg("The new title.")] = None,
    body: Annotated[str | None, arg("The new text; `-` reads standard input.", reads_input=True)] = None,
    tags: Annotated[Sequence[str] | None, arg("A new tag; repeatable. The new tags replace all old ones.")] = None,
    importance: Annotated[float | None, arg("The new importance, from 0 to 1.", ge=0, le=1)] = None,
    valid_from: ValidFrom = None, valid_to: ValidTo = None,
) -> Revised:  # fmt: skip
    """Change a record. Fields that are not given keep their values, and the old version stays in the history.

    The result lists the facts that the new text contradicts, as `tacit memorize` does. Nothing is merged.
    """
    record = c.own(c.require(id))
    given: dict[str, Any] = {"title": title, "body": body, "importance": importance}
    changes = {name: value for name, value in given.items() if value is not None}
    if tags is not None:
        changes["tags"] = tags_of(tags)
    _check_kind(record.kind, changes)
    times = {
        name: at
        for name, at in (("valid_from", c.when(valid_from, "valid_from")), ("valid_to", c.when(valid_to, "valid_to")))
        if at is not None
    }
    if times and not isinstance(record.payload, Fact):
        raise UsageError(f"a {record.kind} has no {next(iter(times))}", "only facts have times of validity")
    if times:
        changes["payload"] = replace(record.payload, **times)
    if record.kind == "fact" and not changes.get("body", "x").strip():
        raise UsageError("a fact needs a text", "`tacit remove` takes it out of use")
    if not changes:
        raise UsageError("nothing to change", "give a new body, title, tags, importance or validity")
    # What a person wrote, only a person may revise.
    if record.origin.actor == "user":
        c.require_person("revise a record that a person wrote")
    draft = admitted(c, replace(_draft(record), **changes))
    now = c.clock.now()
    fields = {name: getattr(draft, name) for name in ("title", "body", "tags", "importance", "payload")}
    fresh = revised(record, now, **fields, origin=c.origin)
    if fresh.origin.actor == record.origin.actor and fields == {name: getattr(record, name) for name in fields}:
        return Revised(record=record, notices=("nothing changed",))
    vectors = c.meaning.of_records(searchable([fresh]))
    with writing(c, now) as tx:
        tx.put(fresh, expected=record.version)
        keep_vectors(c, tx, vectors)
        anew = fresh.kind == "fact" and fresh.status == "active" and fresh.body != record.body
        conflicts = link_conflicts(tx, fresh, contradictions(tx, fresh, now), now) if anew else ()
        tx.append(NewEvent(type="revised", subject=id, scope=record.scope))
    return Revised(record=fresh, conflicts=conflicts, notices=flagged(fresh))


def _check_kind(kind: str, changes: dict[str, Any]) -> None:
    """Refuse to change the name of kinds that are identified by it, and the text of kinds that is made from parts."""
    if "title" in changes and kind in _IDENTITY:
        raise UsageError(f"the name of a {kind} cannot be changed", "add it under the new name and retire this one")
    if kind in _MADE and {"title", "body"} & set(changes):
        if kind == "correction":
            hint = "say the rule anew with `tacit remember`, and take this one out with `tacit remove`"
            raise UsageError("the text of a rule cannot be changed", hint)
        raise UsageError(f"the text of a {kind} is made from its parts", f"change those: `tacit {kind} --help`")


def _draft(record: Record) -> Draft:
    return Draft(
        kind=record.kind, scope=record.scope, payload=record.payload, title=record.title, body=record.body,
        key=record.key, status=record.status, tags=record.tags, importance=record.importance, at=record.at,
    )  # fmt: skip
