"""Scan the store for secrets that were stored before a rule recognised them.

The result gives the places, never the secrets.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from tacit.model.event import Event
from tacit.model.link import Link
from tacit.model.record import Record
from tacit.model.report import Leak
from tacit.records.connection import Connection
from tacit.records.export_import import HOLD_TEXT
from tacit.redact import why


def scan(c: Connection) -> list[Leak]:
    """Scan the whole tenant: all versions of all records, links and events."""
    return [leak for _type, value in c.store.export() for leak in _leaks(c, value)]


def _leaks(c: Connection, value: Record | Link | Event | str) -> Iterator[Leak]:
    if isinstance(value, str):
        return
    version = value.version if isinstance(value, Record) else 0
    plain = msgspec.to_builtins(value)
    for field in HOLD_TEXT:
        found = {secret.kind: secret.rule for text in _texts(plain.get(field)) for secret in c.find(text)}
        for kind, rule in sorted(found.items()):
            yield Leak(kind=kind, where=_place(value), field=field, version=version, why=why(rule))


def _place(value: Record | Link | Event) -> str:
    match value:
        case Record():
            return value.id
        case Link():
            return f"{value.source} -> {value.target}"
        case _:
            return f"event {value.seq}"


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _texts(name)
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)
