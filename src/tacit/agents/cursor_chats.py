"""Chats of Cursor's command line: a database of blobs addressed by hash; the newest root lists the rest in order."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tacit.agents.cursor import CursorMessages
from tacit.agents.reading.json_lines import document, parsed
from tacit.agents.reading.readonly_sqlite import opened, row
from tacit.model.session import Role, Turn
from tacit.sessions.transcript import SessionBuilder, Transcript
from tacit.text.loose_fields import Fields, folder_at, mapping, text

TABLES = frozenset({"blobs", "meta"})
_META = "SELECT value FROM meta WHERE key = '0'"
_BLOB = "SELECT data FROM blobs WHERE id = ?"
_HASH_BYTES = 32
_MESSAGES, _WORKSPACE = 1, 9
_MOST_BLOB = 32 * 1024 * 1024
_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}


def chat(path: Path) -> Iterator[Transcript]:
    """Return the only session of a chat database."""
    yield Transcript("cursor", path, partial(read, path))


def read(path: Path, builder: SessionBuilder) -> Iterator[Turn]:
    """Read the turns of a chat."""
    with opened(path, builder) as connection:
        if connection is None:
            return
        meta = _meta(row(connection, _META), builder)
        beside = document(path.parent / "meta.json", SessionBuilder("", ""))
        builder.fill(
            id=text(meta, "agentId") or (path.parent.name if path.stem == "store" else path.stem),
            title=text(meta, "name") or text(beside, "title"), model=text(meta, "lastUsedModel"),
            cwd=text(beside, "cwd"),
        )  # fmt: skip
        builder.at(meta.get("createdAt"))
        root = row(connection, _BLOB, text(meta, "latestRootBlobId"))
        if not isinstance(root, bytes):
            builder.note(f"{path.name} has no messages: its root is missing")
            return
        yield from _turns(connection, root, builder)


def _turns(connection: sqlite3.Connection, root: bytes, builder: SessionBuilder) -> Iterator[Turn]:
    reader = CursorMessages(builder)
    for number, value in wire(root):
        if number == _WORKSPACE and value:
            builder.fill(cwd=folder_at(value.decode("utf-8", "replace")))
        if number != _MESSAGES or len(value) != _HASH_BYTES:
            continue
        blob = row(connection, _BLOB, value.hex())
        if not isinstance(blob, bytes) or len(blob) > _MOST_BLOB:
            builder.broken += 1
        elif blob.lstrip()[:1] != b"{":
            builder.strange("blob")
        else:
            message = parsed(blob, builder, "a message")
            role = _ROLES.get(text(message, "role"))
            if role is None:
                builder.strange(text(message, "role") or "blob")
            else:
                reader.take(role, message.get("content"))
            yield from reader.joiner.ready()
    yield from reader.joiner.rest()


def _meta(value: object, builder: SessionBuilder) -> Fields:
    """Read the chat's metadata: JSON, written in hexadecimal."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if not isinstance(value, str):
        return {}
    try:
        plain: bytes | str = bytes.fromhex(value)
    except ValueError:
        plain = value
    return mapping({"": parsed(plain, builder, "meta")}, "")


def wire(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the length-delimited fields of a protobuf message with their numbers. Stops at invalid data."""
    place, end = 0, len(data)
    while place < end:
        key, place = _varint(data, place)
        number, kind = key >> 3, key & 7
        if kind == 2:
            length, place = _varint(data, place)
            if length > end - place:
                return
            yield number, data[place : place + length]
            place += length
        elif kind == 0:
            _value, place = _varint(data, place)
        elif kind in (1, 5):
            place += 8 if kind == 1 else 4
        else:
            return


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while place < len(data) and shift < 64:
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
        shift += 7
    # Cut off in the middle: nothing follows it.
    return value, len(data)
