"""Export everything in a stable order, for any database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from tacit.errors import StoreDamaged, StoreError
from tacit.model.event import Event
from tacit.model.link import Link
from tacit.model.record import Record
from tacit.store.rows import EVENT_COLUMNS, LINK_COLUMNS, RECORD_COLUMNS, read_record, row_event, row_link
from tacit.store.verify import Ask

Exported = Iterator[tuple[str, Record | Link | Event | str]]

_RECORDS = f"SELECT {RECORD_COLUMNS} FROM records WHERE tenant = ? ORDER BY id"
_PAST = f"SELECT {RECORD_COLUMNS} FROM versions WHERE tenant = ? ORDER BY id, version"
_LINKS = f"SELECT {LINK_COLUMNS} FROM links WHERE tenant = ? ORDER BY source, relation, target, since, scope"
_EVENTS = f"SELECT {EVENT_COLUMNS} FROM events WHERE tenant = ? ORDER BY seq"

_READERS: tuple[tuple[str, str, Callable[[tuple[Any, ...]], Record | Link | Event]], ...] = (
    ("version", _PAST, read_record),
    ("record", _RECORDS, read_record),
    ("link", _LINKS, row_link),
    ("event", _EVENTS, row_event),
)


def exported(ask: Ask, tenant: str) -> Exported:
    """Yield everything of the tenant from one snapshot. `ask` raises our errors.

    A row that cannot be read is listed as `unreadable` and left out, so that the rest of a damaged store is exported.
    """
    for type, sql, read in _READERS:
        try:
            for row in ask(sql, [tenant]):
                yield _readable(type, row, read)
        except StoreError as error:
            # The rest of this table cannot be read; the next one may be readable.
            yield "unreadable", f"{type}: {error.message}"


def _readable(
    type: str, row: tuple[Any, ...], read: Callable[[tuple[Any, ...]], Record | Link | Event]
) -> tuple[str, Record | Link | Event | str]:
    try:
        # Bytes that are no text came as characters that no text can hold.
        "".join(cell for cell in row if isinstance(cell, str) and not cell.isascii()).encode()
        return type, read(row)
    except (StoreDamaged, ValueError, msgspec.MsgspecError) as error:
        said = error.message if isinstance(error, StoreDamaged) else f"{type} {row[1]} cannot be read"
        return "unreadable", f"{type} {row[1] if type != 'event' else row[0]}: {said}"
