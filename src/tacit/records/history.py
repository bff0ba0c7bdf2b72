"""History: versions, rollback as a new version, and undo of the last write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from tacit.errors import Conflict, NotFound, UsageError
from tacit.model.event import Event, NewEvent
from tacit.model.link import SUPERSEDES, Link
from tacit.model.origin import Origin
from tacit.model.record import Record
from tacit.model.results import Undone
from tacit.model.verb import arg
from tacit.ports.store import Transaction
from tacit.records.arguments import Id
from tacit.records.connection import EVERYTHING, Connection
from tacit.records.forget import FORGOTTEN, guard_ties
from tacit.records.permissions import may_bring_back, may_enable, protect_refusal
from tacit.records.quarantine import OPPOSITE, changes
from tacit.records.write import keep_vectors, retry_lost_write, revised, searchable, writing

LOOK_BACK = 1_000
BROUGHT_IN = "brought_in"
_PULLED = "share.pulled"
_FINAL = {
    "imported": "was an import", "run.started": "was a run of a procedure", "run.finished": "was a run of a procedure",
}  # fmt: skip
_SINGLE = "`tacit rollback` and `tacit remove` change single records"
_CAPTURED_BY_COMMAND = {
    "session.": (
        "was an import of sessions", "`tacit forget --session ID` deletes one of them, `tacit sessions list` lists them"
    ),
    "share.": ("was a pull from a shared folder", _SINGLE),
}  # fmt: skip
"""Captured by a command that a person ran, not by a hook: what it was, and which command changes it."""
# What hooks and readers of transcripts note; nobody wrote it, so nobody takes it back.
_CAPTURED = (
    "failure.seen", "failure.passed", "failure.fixed", "injected", "injection.", "signal.", "session.", "confirmed:",
    "receipt.", "episodes.recommended", "llm.asked", "share.",
)  # fmt: skip
# Where a record is, is no content: its history moves with it.
_CONTENT = ("kind", "key", "status", "title", "body", "tags", "importance", "at", "payload")


def history(c: Connection, id: Id) -> list[Record]:
    """Show every version of a record, oldest first."""
    return c.store.history(c.require(id).id, c.walls)


@retry_lost_write
def rollback(c: Connection, id: Id, version: Annotated[int, arg("The version to bring back.")]) -> Record:
    """Restore the content of an older version, as a new version."""
    versions = {record.version: record for record in history(c, id)}
    current = c.own(versions[max(versions)])
    if version not in versions:
        raise NotFound(f"{id} has no version {version}", f"it has versions 1 to {current.version}")
    if version == current.version:
        raise UsageError(f"{id} is at version {version} already", "`tacit history` lists its versions")
    if current.origin.actor == "user":
        c.require_person("roll back a record that a person wrote")
    if current.kind == "procedure" and versions[version].status == "active":
        may_enable(c, current)
    may_bring_back(c, versions[version])
    protect_refusal(c, c.store, [current], "roll back")
    now = c.clock.now()
    # An agent that brings a person's words back says them itself: only a person speaks for a person.
    origin = versions[version].origin if c.is_person else c.origin
    restored = _restored(current, versions[version], now, origin)
    vectors = c.meaning.of_records(searchable([restored]))
    with writing(c, now) as tx:
        if restored.status == "retired":
            guard_ties(c, tx, [id], "retire")
        tx.put(restored, expected=current.version)
        if restored.status == "active":
            _replaced_no_more(tx, restored, now)
        keep_vectors(c, tx, vectors)
        tx.append(NewEvent(type="rolled_back", subject=id, scope=restored.scope, payload={"to": version}))
        tx.retrust([id])
    return restored


def _replaced_no_more(tx: Transaction, record: Record, now: datetime) -> None:
    """End the links by which another record replaced a record that is now in use again."""
    for link in tx.links([record.id], [record.scope], relation=SUPERSEDES, outgoing=False):
        tx.unlink(link.source, SUPERSEDES, record.id, link.scope, now)


def _restored(current: Record, wanted: Record, now: datetime, origin: Origin) -> Record:
    """Make the next version of a record with an older version's content."""
    content = {name: getattr(wanted, name) for name in _CONTENT}
    return revised(current, now, **content, origin=origin)


@retry_lost_write
def undo(c: Connection) -> Undone:
    """Undo the caller's last write in this scope that is not undone yet. Captures by hooks are not undone.

    What was forgotten is gone for good: undo steps over it to the write before. If a person has no own write left to
    undo, the last write of an agent is undone. On a server, only writes of the caller's own role are.
    """
    event, left = _last_write(c)
    if _writer(event) != c.origin.actor:
        article = "an" if event.actor[:1] in "aeiou" else "a"
        c.require_person(f"undo a write of {article} {event.actor}")
    if event.type in OPPOSITE:
        return _take_back(c, event, left)
    now = c.clock.now()
    body = event.payload or {}
    with writing(c, now) as tx:
        kept = set(tx.get_many([effect[0] for effect in _changes(body)], tx.scopes()))
        restored = [
            _revert(c, tx, id, before, after, now) for id, before, after, _ in reversed(_changes(body)) if id in kept
        ]
        _relink(c, tx, event, now)
        if event.type == BROUGHT_IN:
            _say_opposite(tx, _said_with(c, event, "record.approved"))
        vectors = c.meaning.of_records(searchable(restored))
        keep_vectors(c, tx, vectors)
        tx.append(NewEvent(type="undone", subject=event.subject, scope=str(c.scope), payload={"event": event.seq}))
        # An older version brings back its origin, and what was approved since still counts.
        tx.retrust([record.id for record in restored])
        concerned = restored or _ends(c, tx, event)
    ids = tuple(record.id for record in restored)
    return Undone(event=event.seq, type=event.type, ids=ids, records=tuple(concerned), left=tuple(left))


def _take_back(c: Connection, event: Event, left: list[str]) -> Undone:
    """Take back what was said of records in one call, for example an approval."""
    c.require_person("undo that")
    said = _said_with(c, event, event.type)
    ids = tuple(dict.fromkeys(one.subject for one in said))
    with writing(c, c.clock.now()) as tx:
        _say_opposite(tx, said)
        for one in said:
            tx.append(NewEvent(type="undone", subject=one.subject, scope=one.scope, payload={"event": one.seq}))
        found = tx.get_many(ids, c.walls)
    return Undone(event=event.seq, type=event.type, ids=ids, records=tuple(found.values()), left=tuple(left))


def _said_with(c: Connection, event: Event, type: str) -> list[Event]:
    """Return the events of a type that were written with an event, however many."""
    found = c.store.events(scopes=[str(c.scope)], types=(type,), newest=True, limit=EVERYTHING)
    return [one for one in found if _write_of(one) == _write_of(event)]


def _write_of(event: Event) -> tuple[datetime, str, str]:
    return event.at, event.actor, (event.payload or {}).get("role", "")


def _say_opposite(tx: Transaction, said: Sequence[Event]) -> None:
    """Take back what was said of records where that still holds: an approval, for example, may have lapsed since."""
    last = {one.subject: one for one in said}
    standing = tx.tallies(list(last))
    for id, one in last.items():
        if changes(standing.get(id, {}), OPPOSITE[one.type]):
            undoes = {"undoes": one.seq}
            tx.append(NewEvent(type=OPPOSITE[one.type], subject=id, scope=one.scope, payload=undoes))
    tx.retrust(list(last))


def _recent(c: Connection) -> list[Event]:
    """Return the last events of the scope, newest first. A write is not cut, however many events it has."""
    limit = LOOK_BACK + 1
    while True:
        events = c.store.events(scopes=[str(c.scope)], newest=True, limit=limit)
        oldest = events[:LOOK_BACK][-1].at if events else None
        if len(events) < limit or events[-1].at != oldest:
            return events[:LOOK_BACK] + [event for event in events[LOOK_BACK:] if event.at == oldest]
        limit *= 2


def _last_write(c: Connection) -> tuple[Event, list[str]]:
    """Return the caller's own last write, and the types of newer events, which stay."""
    undone: set[int] = set()
    others: list[Event] = []
    newer: list[str] = []
    events = _recent(c)
    # A word about a record that a write said along with its change is taken back with the change.
    changed = {event.at for event in events if _has_effects(event)}
    for event in events:
        body = event.payload or {}
        said = event.type in OPPOSITE and "undoes" not in body and event.at not in changed
        final = event.type in _FINAL and (event.type != "imported" or _has_effects(event))
        if event.type == "undone":
            undone.add(body.get("event", 0))
        elif event.type == FORGOTTEN:
            newer.append(event.type)
        elif not final and (event.seq in undone or not (said or _has_effects(event))):
            continue
        elif _is_of_another_role(c, body):
            newer.append(event.type)
        elif _is_capture(c, event):
            if _is_by_command(c, event) and not _is_forgotten(c, event):
                raise _is_final(c, event)
            newer.append(event.type)
        elif _writer(event) != c.origin.actor:
            others.append(event)
            newer.append(event.type)
        elif final:
            raise _is_final(c, event)
        elif said or not _is_forgotten(c, event):
            return event, newer
    for event in others:
        # Only a person may take that back, and only when there is nothing of their own.
        if event.type in _FINAL:
            raise _is_final(c, event)
        if event.type in OPPOSITE or not _is_forgotten(c, event):
            return event, [type for type in newer if type == FORGOTTEN]
    raise NotFound(
        f"nothing to undo in the last {LOOK_BACK:,} events of {c.scope}",
        "`tacit history` shows the versions of a record",
    )


def _has_effects(event: Event) -> bool:
    body = event.payload or {}
    return "effects" in body or "links" in body


def _changes(body: Mapping[str, Any]) -> list[list[Any]]:
    """Return what a write changed. What a forgetting attests anew, it did not change."""
    return [effect for effect in body.get("effects", []) if effect[1] != effect[2]]


def _is_forgotten(c: Connection, event: Event) -> bool:
    """Return whether a forgetting deleted everything that a write left behind, so that nothing is left to undo."""
    body = event.payload or {}
    changed = {effect[0] for effect in _changes(body)}
    ends = [(source, target) for _sign, source, _relation, target, _scope in body.get("links", [])]
    kept = c.store.get_many(sorted(changed.union(*ends)), c.store.scopes())
    return not (changed & kept.keys()) and not any(one in kept and other in kept for one, other in ends)


def _writer(event: Event) -> str:
    """Return who made a write: for an import or a pull, who ran it. Events of older versions do not contain this."""
    by = (event.payload or {}).get("by") if event.type in (BROUGHT_IN, _PULLED) else None
    return by if isinstance(by, str) else event.actor


def _is_of_another_role(c: Connection, body: Mapping[str, Any]) -> bool:
    """Return whether somebody else on the server made a write. Events of older versions do not contain the role."""
    return bool(c.origin.role) and body.get("role", c.origin.role) != c.origin.role


def _is_final(c: Connection, event: Event) -> Conflict:
    # Whoever says "take that back" means this write, not one before it.
    was, instead = _CAPTURED_BY_COMMAND.get(_family(event), (_FINAL.get(event.type, ""), _SINGLE))
    return Conflict(f"the last write in {c.scope} {was}, which cannot be undone; nothing was changed", instead)


def _family(event: Event) -> str:
    return event.type.partition(".")[0] + "."


def _is_by_command(c: Connection, event: Event) -> bool:
    """Return whether a person's own command captured something, such as an import of sessions, and not a hook."""
    return c.is_person and _writer(event) == c.origin.actor and _family(event) in _CAPTURED_BY_COMMAND


def _is_capture(c: Connection, event: Event) -> bool:
    """Return whether an event records an observation, such as a captured failure, and not a write by someone."""
    # What a hook or a transcript brought is of the session it was said in; what is said by a verb is of the caller's.
    heard = event.type == "correction.seen" and event.session not in ("", c.origin.session)
    return heard or event.type.startswith(_CAPTURED)


def _revert(c: Connection, tx: Transaction, id: str, before: int, after: int, now: datetime) -> Record:
    versions = {record.version: record for record in tx.history(id, c.walls)}
    if not versions:
        raise Conflict(
            f"{id} is deleted or in another scope, so the write cannot be undone", "`tacit history` shows what is left"
        )
    current, written = versions[max(versions)], versions.get(after)
    if written is None or any(getattr(current, name) != getattr(written, name) for name in _CONTENT):
        raise Conflict(f"{id} was changed after that write; undoing it would lose the change", "use `tacit rollback`")
    if before == 0:
        back = revised(current, now, status="retired")
    else:
        back = _restored(current, versions[before], now, versions[before].origin)
    may_bring_back(c, back)
    tx.put(back, expected=current.version)
    return back


def _relink(c: Connection, tx: Transaction, event: Event, now: datetime) -> None:
    for sign, source, relation, target, scope in reversed((event.payload or {}).get("links", [])):
        if sign == "+":
            # The scope may have been moved since.
            _ = tx.unlink(source, relation, target, scope, now) or tx.unlink(source, relation, target, event.scope, now)
            continue
        old = [
            link
            for link in tx.links([source], c.walls, relation=relation, incoming=False, as_of=_just_before(event.at))
            if link.target == target and link.scope in (scope, event.scope)
        ]
        for link in old:
            tx.link(Link(source=source, relation=relation, target=target, scope=link.scope, since=now,
                         weight=link.weight, payload=link.payload))  # fmt: skip


def _ends(c: Connection, tx: Transaction, event: Event) -> list[Record]:
    """Return the records between which an event made or ended links."""
    links = (event.payload or {}).get("links", [])
    ids = dict.fromkeys(end for _sign, source, _relation, target, _scope in links for end in (source, target))
    found = tx.get_many(list(ids), c.walls)
    return [found[id] for id in ids if id in found]


def _just_before(at: datetime) -> datetime:
    from datetime import timedelta

    return at - timedelta(microseconds=1)
