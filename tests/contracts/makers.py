"""Records, links and writes for tests of any store: small factories over the port alone."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from tacit.admission.trust import trust_of
from tacit.clock import crockford
from tacit.model.event import NewEvent
from tacit.model.link import Link
from tacit.model.origin import Origin
from tacit.model.payload import Entity, Fact, KeptTurn, Namespace, Note, Payload, Term
from tacit.model.query import Filter
from tacit.model.record import Record
from tacit.model.report import Verification
from tacit.ports.store import Store, Transaction
from tacit.text.tokens import query_tokens

HERE = "project:here"
ROOM = "project:here/namespace:room"
ELSEWHERE = "project:elsewhere"
NOWHERE = "project:nowhere"
START = datetime(2026, 3, 1, 10, tzinfo=UTC)
AGENT = Origin(actor="agent", session="s1", host="h", cwd="/w")
PERSON = Origin(actor="user", session="s2")


def at(minutes: float) -> datetime:
    """Give a time, in minutes after the start."""
    return START + timedelta(minutes=minutes)


def id_of(number: int, kind: str = "fact") -> str:
    """Give the id of the record with this number; ids sort as numbers do."""
    return f"{kind}_{crockford(number)}"


def payload_of(kind: str, title: str) -> Payload:
    """Give a payload a record of this kind may have."""
    match kind:
        case "entity":
            return Entity(kind="service", name=title or "nameless")
        case "term":
            return Term(term=title)
        case "namespace":
            return Namespace(name=title)
        case "note":
            return Note()
        case _:
            return Fact()


def record(number: int, body: str = "", *, kind: str = "fact", tenant: str = "local", **fields: Any) -> Record:
    """Make the first version of a record; `fields` are those of the record that matter to the test."""
    title = fields.pop("title", "")
    values = {
        "scope": HERE, "key": "", "status": "active", "tags": (), "importance": 0.5, "origin": AGENT, "version": 1,
        "created_at": at(number), "at": None, "payload": payload_of(kind, title), "payload_v": 1,
    } | fields  # fmt: skip
    values.setdefault("updated_at", values["created_at"])
    made = Record(
        id=id_of(number, kind), kind=kind, tenant=tenant, title=title, body=body or f"body {number}", trust=0, **values
    )
    return msgspec.structs.replace(made, trust=trust_of(made))


def revised(old: Record, **changes: Any) -> Record:
    """Make the next version of a record, a minute later unless said otherwise."""
    later = {"version": old.version + 1, "updated_at": old.updated_at + timedelta(minutes=1)} | changes
    made = msgspec.structs.replace(old, **later)
    return msgspec.structs.replace(made, trust=trust_of(made))


def link(source: Record, target: Record, relation: str = "about", **fields: Any) -> Link:
    """Make a link."""
    values = {"scope": HERE, "since": START} | fields
    return Link(source=source.id, relation=relation, target=target.id, **values)


def happened(tx: Transaction, type: str = "noted", subject: str = "", scope: str = HERE, **payload: Any) -> int:
    """Say what happened."""
    return tx.append(NewEvent(type=type, subject=subject, scope=scope, payload=payload))


def write(store: Store, *records: Record, links: Sequence[Link] = (), origin: Origin = AGENT) -> None:
    """Put records (revisions replace the version before them) and links, in one write."""
    moment = max((one.updated_at for one in records), default=START)
    with store.transaction(origin, moment) as tx:
        for one in records:
            tx.put(one, expected=one.version - 1)
        for one in links:
            tx.link(one)
        happened(tx, subject=records[0].id if records else "")


def all_sealed(store: Store) -> Verification:
    """Verify until nothing is left to seal: on a server, others may have a transaction open for a moment."""
    until = time.monotonic() + 600
    while (report := store.verify()).unsealed:
        assert time.monotonic() < until, f"{report.unsealed} events are never sealed"
    return report


def embed(store: Store, vectors: dict[str, bytes], model: str = "m") -> None:
    """Keep vectors, in one write."""
    with store.transaction(AGENT, START) as tx:
        tx.embed(model, vectors)
        happened(tx, "embedded")


def forget(store: Store, *ids: str) -> None:
    """Forget records, in one write."""
    with store.transaction(PERSON, at(1000)) as tx:
        tx.forget(ids)


def here(**narrower: Any) -> Filter:
    """Filter for the scope most tests write to."""
    return Filter(**{"scopes": (HERE,), **narrower})


def matched(store: Store, query: str, where: Filter | None = None, limit: int = 10) -> list[str]:
    """Give the ids a text query finds, best first."""
    return [match.id for match in store.match(query_tokens(query), where or here(), limit)]


def found(store: Store, where: Filter | None = None, **how: Any) -> list[str]:
    """Give the ids `find` lists on one page."""
    return [one.id for one in store.find(where or here(), **how).records]


def said(number: int, thread: str, *, kind: str = "turn", **fields: Any) -> Record:
    """Make a record of a conversation."""
    payload = KeptTurn(thread=thread) if kind == "turn" else Note(thread=thread)
    return record(number, kind=kind, payload=payload, **fields)
