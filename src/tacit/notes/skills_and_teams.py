"""Skills, personas and teams: records with a key that can be added, edited, archived and removed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Annotated, Any

from tacit.errors import KeyTaken, NotFound, UsageError, VersionConflict
from tacit.model.event import NewEvent
from tacit.model.kinds import kind_of
from tacit.model.link import CITES, MEMBER_OF, Link
from tacit.model.payload import Payload, shaped
from tacit.model.record import Draft, Record, payload_of
from tacit.model.skills_and_teams import CREW, Member, Skill, Team
from tacit.model.verb import arg
from tacit.ports.store import Transaction
from tacit.records.arguments import text_of, texts_of
from tacit.records.connection import Connection
from tacit.records.forget import retire_record
from tacit.records.write import admitted, new_record, retry_lost_write, revised, writing
from tacit.text.slug import slug_of

STATUSES = ("draft", "active", "archived")
MOST = 10_000
# Older names of two activations.
_ACTIVATIONS = {"path_triggered": "path", "user_triggered": "user"}


@retry_lost_write
def create(
    c: Connection, kind: str, name: str, body: str = "", *, key: str = "", status: str = "active",
    tags: Sequence[str] = (), fields: Mapping[str, Any] | None = None,
) -> Record:  # fmt: skip
    """Add a skill, a persona or a team. An existing one with the same key is never overwritten."""
    title = _title(kind, name)
    payload = _payload(kind, fields or {})
    draft = admitted(c, Draft(
        kind=_kind(kind), scope=str(c.scope), key=key or slug_of(name), title=title,
        body=text_of(body, "body"), tags=texts_of(list(tags), "tags"), status=status, payload=payload,
    ))  # fmt: skip
    now = c.clock.now()
    record = new_record(c, draft, now)
    try:
        with writing(c, now) as tx:
            tx.put(record)
            _link_all(c, tx, record, now)
            tx.append(NewEvent(type=f"{kind}.created", subject=record.id, scope=record.scope))
    except KeyTaken:
        raise KeyTaken(
            f"a {kind} {draft.key!r} already exists", f"`tacit {kind} edit` changes it; or choose another --key"
        ) from None
    return record


@retry_lost_write
def update(
    c: Connection, kind: str, id: str, *, expected: int | None = None, name: str | None = None, body: str | None = None,
    status: str | None = None, fields: Mapping[str, Any] | None = None,
) -> Record:  # fmt: skip
    """Change a record if it still has the `expected` version. Fields that are not given keep their values."""
    record = c.own(member(c, kind, id))
    if expected is not None and record.version != expected:
        raise VersionConflict(f"{record.key} is at version {record.version}, not {expected}", "read it again and retry")
    if record.origin.actor == "user":
        c.require_person(f"change a {kind} that a person wrote")
    given = {name: getattr(record.payload, name) for name in record.payload.__struct_fields__} | dict(fields or {})
    payload = _payload(kind, given)
    draft = admitted(c, Draft(
        kind=kind, scope=record.scope, key=record.key, title=record.title if name is None else _title(kind, name),
        body=record.body if body is None else text_of(body, "body"), tags=record.tags, payload=payload,
        status=record.status if status is None else text_of(status, "status"),
    ))  # fmt: skip
    now = c.clock.now()
    with writing(c, now) as tx:
        content = {"title": draft.title, "body": draft.body, "payload": draft.payload, "status": draft.status}
        fresh = revised(record, now, **content)
        tx.put(fresh, expected=record.version)
        _link_all(c, tx, fresh, now)
        tx.append(NewEvent(type=f"{kind}.updated", subject=record.id, scope=record.scope))
    return fresh


def archive(c: Connection, kind: str, id: str) -> Record:
    """Archive a record: it is no longer active and no longer protects what it cites."""
    record = member(c, kind, id)
    return record if record.status == "archived" else update(c, kind, id, status="archived")


def delete(c: Connection, kind: str, id: str, *, force: bool = False) -> Record:
    """Retire a record; `tacit undo` brings it back."""
    return retire_record(c, member(c, kind, id), force=force)


def member(c: Connection, kind: str, id: str) -> Record:
    """Return a record by its id or key. The connection's own scope comes first."""
    record = c.get(text_of(id, "id"))
    if record is not None and record.kind == _kind(kind):
        return record
    found = c.store.find(c.filter(kinds=(kind,), statuses=STATUSES, key=id), limit=10).records
    near = sorted(found, key=lambda one: c.walls.index(one.scope) if one.scope in c.walls else len(c.walls))
    if not near:
        raise NotFound(f"no {kind} {id[:80]!r} in {', '.join(c.walls)}", f"`tacit {kind} list` shows them")
    return near[0]


def members(c: Connection, kind: str, statuses: Sequence[str] = ("active",), limit: int = MOST) -> list[Record]:
    """List the records of a kind, sorted by key."""
    found = c.store.find(c.filter(kinds=(_kind(kind),), statuses=tuple(statuses)), limit=limit).records
    return sorted(found, key=lambda one: (one.key, one.id))


def active_skills(
    c: Connection, paths: Annotated[Sequence[str], arg("A file in use; repeatable.", option="--path")] = (),
    named: Annotated[Sequence[str], arg("A skill that was asked for; repeatable.", option="--name")] = (),
) -> list[Record]:  # fmt: skip
    """List the skills that apply now: always, by the files in use, or by name."""
    return [one for one in members(c, "skill") if _applies(one, payload_of(one, Skill), paths, named)]


def _applies(record: Record, skill: Skill, paths: Sequence[str], named: Sequence[str]) -> bool:
    if skill.activation == "auto" or record.key in named or record.id in named:
        return True
    return skill.activation == "path" and any(fnmatchcase(path, one) for path in paths for one in skill.paths)


def _kind(kind: str) -> str:
    if kind not in CREW:
        raise UsageError(f"unknown kind {str(kind)[:40]!r}", f"use {', '.join(CREW)}")
    return kind


def _title(kind: str, name: str) -> str:
    if not text_of(name, "name").strip():
        raise UsageError(f"the name of a {_kind(kind)} is empty", "give it a name")
    return " ".join(name.split())[:200]


def _payload(kind: str, fields: Mapping[str, Any]) -> Payload:
    shape = kind_of(_kind(kind)).payload
    if unknown := sorted(set(fields) - set(shape.__struct_fields__)):
        raise UsageError(f"a {kind} has no field {unknown[0]!r}", f"fields: {', '.join(shape.__struct_fields__)}")
    given = dict(fields)
    if isinstance(asked := given.get("activation"), str):
        given["activation"] = _ACTIVATIONS.get(asked, asked)
    if isinstance(members := given.get("members"), list | tuple):
        given["members"] = [_member(one) for one in members]
    try:
        payload: Payload = shaped(given, shape)
    except ValueError as error:
        raise UsageError(f"not a valid {kind}: {error}", "docs/formats.md lists its fields") from None
    return payload


def _member(value: Any) -> Any:
    """Read a member: a kind and an id, as an object or written `persona:ann`; a bare word is a user."""
    if isinstance(value, Member):
        return value
    if isinstance(value, str):
        kind, mark, id = value.partition(":")
        return {"kind": kind, "id": id} if mark else {"kind": "user", "id": value}
    return value


def _link_all(c: Connection, tx: Transaction, record: Record, now: datetime) -> None:
    """Make the links equal to what a record cites and, for a team, who belongs to it."""
    cited = set(getattr(record.payload, "evidence", ()))
    if missing := sorted(one for one in cited if c.get(one) is None):
        raise NotFound(
            f"no record {missing[0][:80]!r} to cite as evidence", "give the id of a record that this scope can read"
        )
    for link in tx.links([record.id], [record.scope], relation=CITES, incoming=False):
        if link.target not in cited:
            tx.unlink(record.id, CITES, link.target, link.scope, now)
    for one in sorted(cited):
        tx.link(Link(source=record.id, relation=CITES, target=one, scope=record.scope, since=now))
    if isinstance(record.payload, Team):
        _link_members(c, tx, record, now)


def _link_members(c: Connection, tx: Transaction, record: Record, now: datetime) -> None:
    wanted = {
        found[0].id
        for one in payload_of(record, Team).members
        if one.kind != "user"
        and (found := tx.find(c.filter(kinds=(one.kind,), statuses=STATUSES, key=one.id), limit=1).records)
    }
    for link in tx.links([record.id], [record.scope], relation=MEMBER_OF, outgoing=False):
        if link.source not in wanted:
            tx.unlink(link.source, MEMBER_OF, record.id, link.scope, now)
    for one in sorted(wanted):
        tx.link(Link(source=one, relation=MEMBER_OF, target=record.id, scope=record.scope, since=now))
