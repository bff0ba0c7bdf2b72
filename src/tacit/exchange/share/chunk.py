"""A chunk of a shared folder: a header and lines of JSON, compressed, named by the hash of its bytes.

Nothing in a chunk is trusted: sizes are limited before and while it is unpacked.
"""

from __future__ import annotations

import hashlib
import hmac
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from tacit.errors import UsageError
from tacit.exchange.rules.shared_versions import SharedStatement, SharedVersion
from tacit.model.timestamps import parse_time, stamp
from tacit.text.patterns import lazy_pattern

SCHEMA = "tacit.share/1"
MOST_PACKED_BYTES = 8_000_000
MOST_UNPACKED_BYTES = 32_000_000
MOST_LINES = 20_000
MOST_VERSION = 2**31
REMOVAL = "removal"
NAME = lazy_pattern(r"[0-9a-f]{64}\.chunk")
WRITER = lazy_pattern(r"[0-9a-f]{32}")
_RECORD = lazy_pattern(r"[a-z]+_[0-9A-Za-z_-]{4,74}")
_encoder = msgspec.json.Encoder(order="sorted")


class ChunkHeader(msgspec.Struct, frozen=True, kw_only=True):
    """The first line of a chunk: whose it is, its place in the chain of that writer's chunks, and who confirms it."""

    schema: str
    folder: str
    writer: str
    number: int
    before: str = ""
    """The name of the writer's chunk before this one; empty for the first."""
    key: str = ""
    """The id of the key it is signed with; empty if it is not signed."""
    signature: str = ""


class Chunk(msgspec.Struct, frozen=True):
    """A chunk that was read: its header, and a statement for each record that it tells of."""

    name: str
    header: ChunkHeader
    statements: dict[str, SharedStatement]


def packed(header: ChunkHeader, lines: Sequence[Mapping[str, Any]], secret: bytes = b"") -> tuple[str, bytes]:
    """Return the name and the bytes of a new chunk. With a secret it is signed."""
    body = b"\n".join(_encoder.encode(line) for line in lines)
    if secret:
        header = msgspec.structs.replace(header, signature=_signature(header, body, secret))
    content = zlib.compress(_encoder.encode(header) + b"\n" + body, 6)
    return f"{hashlib.sha256(content).hexdigest()}.chunk", content


def unpacked(name: str, content: bytes, folder: str, writer: str, keys: Mapping[str, bytes]) -> Chunk:
    """Read a chunk that lies in the folder of a writer. An error says why it is not one of theirs.

    Raises:
        UsageError: it is damaged, too large, or belongs to another folder or writer.
    """
    if name != f"{hashlib.sha256(content).hexdigest()}.chunk":
        raise _unfit("its content does not have the hash in its name")
    header_line, _, body = _inflated(content).partition(b"\n")
    try:
        header = msgspec.json.decode(header_line, type=ChunkHeader)
    except (msgspec.MsgspecError, RecursionError):
        raise _unfit("its first line is not the header of a chunk") from None
    if header.schema != SCHEMA:
        raise _unfit(f"its schema {header.schema[:40]!r} is not known here; update tacit")
    if (header.folder, header.writer) != (folder, writer):
        raise _unfit("it was written for another folder or by another writer")
    lines = [line for line in body.split(b"\n") if line] if body.count(b"\n") < MOST_LINES else []
    if body and not lines:
        raise _unfit(f"it has over {MOST_LINES:,} lines")
    signed = _is_signed(header, body, keys.get(header.key, b""))
    statements: dict[str, SharedStatement] = {}
    for line in lines:
        try:
            id, told = _statement(msgspec.json.decode(line), writer, signed)
        except (msgspec.MsgspecError, KeyError, TypeError, AttributeError, ValueError, RecursionError, UsageError):
            raise _unfit("one of its lines is not a shared record") from None
        statements[id] = told
    return Chunk(name, header, statements)


def line_of(id: str, told: SharedStatement) -> dict[str, Any]:
    """Return the line that says a statement about a record."""
    if told.line is not None:
        return dict(told.line) | {"version": told.version.number, "updated_at": told.version.at, "author": told.author}
    return {
        "type": REMOVAL, "id": id, "version": told.version.number, "updated_at": told.version.at,
        "author": told.author, "removed": told.removed,
    }  # fmt: skip


def _statement(line: dict[str, Any], writer: str, signed: bool) -> tuple[str, SharedStatement]:
    id, number, author = line["id"], line["version"], line["author"]
    whole = isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= MOST_VERSION
    if not (whole and _RECORD.fullmatch(id) and WRITER.fullmatch(author)):
        raise ValueError(id)
    version = SharedVersion(number, stamp(parse_time(line["updated_at"])), writer)
    if line["type"] == "record":
        return id, SharedStatement(version, author, line, signed=signed)
    if line["type"] != REMOVAL or line["removed"] not in ("retired", "forgotten"):
        raise ValueError(id)
    return id, SharedStatement(version, author, None, line["removed"], signed)


def _inflated(content: bytes) -> bytes:
    """Unpack bytes, and stop at the limit: a few bytes may unpack to any number."""
    unpacking = zlib.decompressobj()
    try:
        text = unpacking.decompress(content, MOST_UNPACKED_BYTES)
    except zlib.error:
        raise _unfit("it cannot be unpacked") from None
    if not unpacking.eof or unpacking.unused_data:
        raise _unfit(f"it is incomplete, or over {MOST_UNPACKED_BYTES:,} bytes when unpacked")
    return text


def _signature(header: ChunkHeader, body: bytes, secret: bytes) -> str:
    said = _encoder.encode(msgspec.structs.replace(header, signature=""))
    return hmac.new(secret, said + b"\n" + body, hashlib.sha256).hexdigest()


def _is_signed(header: ChunkHeader, body: bytes, secret: bytes) -> bool:
    return bool(secret) and hmac.compare_digest(_signature(header, body, secret), header.signature)


def _unfit(why: str) -> UsageError:
    return UsageError(why, "ask whoever wrote it to push again")
