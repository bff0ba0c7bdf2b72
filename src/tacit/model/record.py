"""Record: anything remembered; Draft: a record not yet admitted; their canonical bytes."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any, TypeVar

import msgspec

from tacit.model.origin import Origin
from tacit.model.payload import KeptTurn, Payload, Recap
from tacit.model.session import Session
from tacit.model.timestamps import stamp

_canonical = msgspec.json.Encoder(order="sorted")


class Draft(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A record before it is admitted: without id, version and trust."""

    kind: str
    scope: str
    payload: Payload
    title: str = ""
    body: str = ""
    key: str = ""
    status: str = "active"
    tags: tuple[str, ...] = ()
    importance: float = 0.5
    at: datetime | None = None


class Record(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Anything remembered."""

    id: str
    kind: str
    tenant: str
    scope: str
    key: str
    status: str
    title: str
    body: str
    tags: tuple[str, ...]
    importance: float
    origin: Origin
    version: int
    created_at: datetime
    updated_at: datetime
    at: datetime | None
    trust: int
    payload: Payload
    payload_v: int


SHORT_ID = 8
"""How many letters of an id people and agents are shown; they can type them, and longer endings of ids."""
_LEAST, _WHOLE = 6, 26
_LETTERS = frozenset("0123456789ABCDEFGHJKMNPQRSTVWXYZ")


def short_id(id: str) -> str:
    """Return the letters of an id that are shown."""
    return id[-SHORT_ID:]


def short_letters(id: str) -> str:
    """Return the letters of an id as a person types them; empty for a whole id and for any other text."""
    # As it is written in an injected line: [tacit ABCD1234].
    letters = id.strip().strip("[]").removeprefix("tacit").strip().upper()
    # A word in small letters without a digit is a name: "database".
    is_word = not any(char.isdigit() for char in letters) and letters not in id
    return letters if _LEAST <= len(letters) <= _WHOLE and not is_word and _LETTERS.issuperset(letters) else ""


def id_mark(record: Record) -> str:
    """Return what an injected line ends with: the letters by which `tacit why` and `tacit mute` know its record."""
    return f" [{short_id(record.id)}]"


P = TypeVar("P", bound=Payload)


def payload_of(record: Record | Draft, shape: type[P]) -> P:
    """Return a record's payload with the type of its kind."""
    if not isinstance(record.payload, shape):
        raise TypeError(f"this {record.kind} has a {type(record.payload).__name__}, not a {shape.__name__}")
    return record.payload


BY_USER = ("", "user")
"""The authors of a turn that mean whoever wrote it down, and the user."""


def origin_of(record: Record) -> Origin:
    """Return who said what a record holds: an agent's words stay its own, whoever had its session imported."""
    match record.payload:
        case KeptTurn(author=author, thread=thread, number=number) if author not in BY_USER:
            actor, agent, session = "agent" if number else "import", author, thread.rpartition(":")[2]
        case Recap(agent=agent, session=session) | Session(agent=agent, external=session):
            actor, session = "agent", session.rpartition(":")[2]
        case _:
            return record.origin
    if record.origin.actor != "user":
        return record.origin
    return replace(record.origin, actor=actor, agent=agent, session=session)


class RecordPage(msgspec.Struct, frozen=True):
    """One page of records, the cursor of the next page (empty on the last), and the reason if it is empty."""

    records: tuple[Record, ...]
    next: str = ""
    notices: tuple[str, ...] = ()


V = TypeVar("V", bound=msgspec.Struct)


def replace(value: V, /, **changes: Any) -> V:
    """Return a copy of a value with some fields changed."""
    return msgspec.structs.replace(value, **changes)


def encode_payload(payload: Payload) -> bytes:
    """Return the canonical bytes of a payload: JSON with sorted keys and UTC times, so one value has one form."""
    return _canonical.encode(payload)


def encode_origin(origin: Origin) -> bytes:
    """Return the canonical bytes of an origin."""
    return _canonical.encode(origin)


def content_hash(record: Record) -> str:
    """Hash everything a reader of the record relies on, except tenant, origin and trust.

    The event that wrote the record attests its origin, and an import changes it; trust is computed.
    """
    parts: list[Any] = [
        record.id, record.kind, record.scope, record.key, record.status, record.title, record.body, record.tags,
        repr(float(record.importance)), record.version, stamp(record.created_at), stamp(record.updated_at),
        stamp(record.at) if record.at else None, record.payload_v,
    ]  # fmt: skip
    digest = hashlib.sha256(_canonical.encode(parts))
    digest.update(encode_payload(record.payload))
    return digest.hexdigest()


def attestation(hash: str, origin: bytes) -> str:
    """Combine a content hash with its author into the value that the event log attests."""
    return hashlib.sha256(hash.encode() + origin).hexdigest()
