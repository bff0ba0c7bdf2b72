"""Secrets as they are reported: kind and place, never the secret itself."""

from __future__ import annotations

from typing import NamedTuple

import msgspec


class Secret(NamedTuple):
    """A secret in a text: its kind, and where it is, in code points."""

    kind: str
    start: int
    end: int


class Leak(msgspec.Struct, frozen=True, kw_only=True):
    """A secret found where it should not be: in a field of a record, a link or an event, or on a line of a file."""

    kind: str
    where: str
    """The id of a record, the ends of a link, the number of an event, or the path of a file."""
    field: str = ""
    version: int = 0
    line: int = 0
