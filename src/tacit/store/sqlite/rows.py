"""Records and links as rows, and back."""

from __future__ import annotations

import sqlite3
from typing import Any

import msgspec

from tacit.model.event import Event
from tacit.model.kinds import decode_payload
from tacit.model.link import Link
from tacit.model.origin import Origin
from tacit.model.record import Record, content_hash, encode_origin, encode_payload
from tacit.model.times import moment, stamp

_origin = msgspec.json.Decoder(Origin)
_tags = msgspec.json.Decoder(tuple[str, ...])
_object = msgspec.json.Decoder(dict[str, Any])
_encoder = msgspec.json.Encoder(order="sorted")


def record_row(record: Record) -> tuple[tuple[Any, ...], str]:
    """Give a record's row, in the order of RECORD_COLUMNS, and its content hash."""
    payload = encode_payload(record.payload)
    digest = content_hash(record, payload)
    row = (
        record.tenant, record.id, record.kind, record.scope, record.key or None, record.status, record.title,
        record.body, _encoder.encode(record.tags).decode(), record.importance, encode_origin(record.origin).decode(),
        record.origin.actor, record.version, stamp(record.created_at), stamp(record.updated_at),
        stamp(record.at) if record.at else None, record.trust, payload.decode(), record.payload_v, digest,
    )  # fmt: skip
    return row, digest


def row_record(row: tuple[Any, ...] | sqlite3.Row) -> Record:
    """Read a row of RECORD_COLUMNS."""
    (tenant, id, kind, scope, key, status, title, body, tags, importance, origin, _actor, version, created, updated,
     at, trust, payload, payload_v, _hash) = row[:20]  # fmt: skip
    return Record(
        id=id, kind=kind, tenant=tenant, scope=scope, key=key or "", status=status, title=title, body=body,
        tags=_tags.decode(tags), importance=importance, origin=_origin.decode(origin), version=version,
        created_at=moment(created), updated_at=moment(updated), at=moment(at) if at else None, trust=trust,
        payload=decode_payload(kind, payload_v, payload), payload_v=payload_v,
    )  # fmt: skip


LINK_COLUMNS = "source, relation, target, scope, since, weight, payload, until"


def link_row(tenant: str, link: Link) -> tuple[Any, ...]:
    """Give a link's row: tenant, then LINK_COLUMNS."""
    return (
        tenant, link.source, link.relation, link.target, link.scope, stamp(link.since), link.weight,
        _encoder.encode(link.payload).decode(), stamp(link.until) if link.until else None,
    )  # fmt: skip


def row_link(row: tuple[Any, ...]) -> Link:
    """Read a row of LINK_COLUMNS."""
    source, relation, target, scope, since, weight, payload, until = row
    return Link(
        source=source, relation=relation, target=target, scope=scope, since=moment(since), weight=weight,
        payload=_object.decode(payload), until=moment(until) if until else None,
    )  # fmt: skip


EVENT_COLUMNS = "e.seq, e.at, e.actor, e.type, e.subject, e.scope, e.session, e.digest, b.payload"


def row_event(row: tuple[Any, ...]) -> Event:
    """Read a row of EVENT_COLUMNS."""
    seq, at, actor, type, subject, scope, session, digest, payload = row
    return Event(
        seq=seq, at=moment(at), actor=actor, type=type, subject=subject, scope=scope, session=session, digest=digest,
        payload=_object.decode(payload) if payload is not None else None,
    )  # fmt: skip
