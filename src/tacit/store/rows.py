"""Convert records, links and events to rows, and back."""

from __future__ import annotations

import hashlib
import os
from datetime import datetime
from functools import lru_cache
from typing import Any

import msgspec

from tacit.errors import StoreDamaged, UsageError
from tacit.model.event import Event
from tacit.model.kinds import decode_payload
from tacit.model.link import Link
from tacit.model.origin import Origin
from tacit.model.record import Record, encode_origin, encode_payload
from tacit.model.timestamps import moment, stamp

RECORD_COLUMNS = (
    "tenant, id, kind, scope, key, status, title, body, tags, importance, origin, actor, version, "
    "created_at, updated_at, at, trust, payload, payload_v, hash"
)

_origin = msgspec.json.Decoder(Origin)
_tags = msgspec.json.Decoder(tuple[str, ...])
_object = msgspec.json.Decoder(dict[str, Any])
_encoder = msgspec.json.Encoder(order="sorted")
_DAMAGE_HINT = "run `tacit verify`, then restore a backup with `tacit restore BACKUP`"


_TRUSTS = range(4)
_SALT_CHARS = 16


def record_row(record: Record) -> tuple[tuple[Any, ...], str]:
    """Return a record's row, in the order of RECORD_COLUMNS, and its hash.

    The hash is salted, so that the content of a forgotten record cannot be guessed from the event log.
    """
    created = stamp(record.created_at)
    row = (
        record.tenant, record.id, record.kind, record.scope, record.key or None, record.status, record.title,
        record.body, _encoder.encode(record.tags).decode() if record.tags else "[]", record.importance,
        encode_origin(record.origin).decode(), record.origin.actor, record.version, created,
        created if record.updated_at is record.created_at else stamp(record.updated_at),
        stamp(record.at) if record.at else None, record.trust, encode_payload(record.payload).decode(),
        record.payload_v,
    )  # fmt: skip
    digest = salted(_hash(row, record), os.urandom(_SALT_CHARS // 2).hex())
    return (*row, digest), digest


def row_record(row: tuple[Any, ...]) -> Record:
    """Convert a row of RECORD_COLUMNS to a record. A row that does not match its hash raises StoreDamaged."""
    record = read_record(row)
    if not is_sound(row, record):
        raise StoreDamaged(
            f"{printable(record.id)} does not match its hash: it was changed or damaged on disk", _DAMAGE_HINT
        )
    return record


@lru_cache(200)
def looked_up_record(row: tuple[Any, ...]) -> Record:
    """Convert a row that is looked up often: the same row is the same record."""
    return row_record(row)


def salted(digest: str, salt: str) -> str:
    """Return a content hash in its stored form: the salt, then the hash of both."""
    return salt + hashlib.sha256(salt.encode() + digest.encode()).hexdigest()


def is_sound(row: tuple[Any, ...], record: Record) -> bool:
    """Return whether a stored row matches its hash."""
    try:
        return salted(_hash(row, record), row[19][:_SALT_CHARS]) == str(row[19])
    except (TypeError, ValueError, AttributeError, msgspec.MsgspecError):  # bytes in the place of a text
        return False


def _hash(row: tuple[Any, ...], record: Record) -> str:
    """Return what `content_hash` returns, but from the stored texts: formatting every time again would be too slow."""
    parts = [*row[1:4], record.key, *row[5:8], record.tags, repr(float(row[9])), *row[12:16], row[18]]
    digest = hashlib.sha256(_encoder.encode(parts))
    digest.update(row[17].encode())
    return digest.hexdigest()


def read_record(row: tuple[Any, ...]) -> Record:
    """Convert a row of RECORD_COLUMNS without checking its hash, for verification and rescue."""
    try:
        return _read_record(row)
    except (msgspec.MsgspecError, ValueError, TypeError, KeyError, UsageError) as error:
        raise unreadable("record", row[1]) from error


def unreadable(what: str, name: object) -> StoreDamaged:
    """Return the error for a row that cannot be read."""
    return StoreDamaged(f"{what} {printable(str(name)[:80])} cannot be read: it was damaged on disk", _DAMAGE_HINT)


def printable(text: str) -> str:
    """Return a text with question marks for what came from bytes that are no text."""
    return text if text.isascii() else text.encode(errors="replace").decode()


def _read_record(row: tuple[Any, ...]) -> Record:
    (tenant, id, kind, scope, key, status, title, body, tags, importance, origin, _actor, version, created, updated,
     at, trust, payload, payload_v, _hash) = row[:20]  # fmt: skip
    if trust not in _TRUSTS:
        raise ValueError(trust)
    return Record(
        id=id, kind=kind, tenant=tenant, scope=scope, key=key or "", status=status, title=title, body=body,
        tags=_tags.decode(tags), importance=importance, origin=_origin.decode(origin), version=version,
        created_at=moment(created), updated_at=moment(updated), at=moment(at) if at else None, trust=trust,
        payload=decode_payload(kind, payload_v, payload), payload_v=payload_v,
    )  # fmt: skip


def row_time(text: str | None) -> datetime | None:
    """Return a time of a row, or None if there is none that can be read."""
    try:
        return moment(text) if text else None
    except ValueError:
        return None


LINK_COLUMNS = "source, relation, target, scope, since, weight, payload, until"


def link_row(tenant: str, link: Link) -> tuple[Any, ...]:
    """Return a link's row: tenant, then LINK_COLUMNS."""
    return (
        tenant, link.source, link.relation, link.target, link.scope, stamp(link.since), link.weight,
        _encoder.encode(link.payload).decode(), stamp(link.until) if link.until else None,
    )  # fmt: skip


def row_link(row: tuple[Any, ...]) -> Link:
    """Convert a row of LINK_COLUMNS to a link."""
    source, relation, target, scope, since, weight, payload, until = row
    try:
        return Link(
            source=source, relation=relation, target=target, scope=scope, since=moment(since), weight=weight,
            payload=_object.decode(payload), until=moment(until) if until else None,
        )  # fmt: skip
    except (msgspec.MsgspecError, ValueError, TypeError) as error:
        raise unreadable("link of", source) from error


EVENT_COLUMNS = "seq, at, actor, type, subject, scope, session, digest, payload"


def row_event(row: tuple[Any, ...]) -> Event:
    """Convert a row of EVENT_COLUMNS to an event."""
    seq, at, actor, type, subject, scope, session, digest, payload = row
    try:
        return Event(
            seq=seq, at=moment(at), actor=actor, type=type, subject=subject, scope=scope, session=session,
            digest=digest, payload=_object.decode(payload) if payload is not None else None,
        )  # fmt: skip
    except (msgspec.MsgspecError, ValueError, TypeError) as error:
        raise unreadable("event", seq) from error


def moved_pairs(payload: str | None) -> list[tuple[str, str]]:
    """Return which scope moved into which, from the body of an event that tells of a move."""
    try:
        return [(source, target) for source, target in _object.decode(payload or "{}").get("scopes", ())]
    except (msgspec.MsgspecError, ValueError, TypeError) as error:
        raise unreadable("event", "of a moved scope") from error
