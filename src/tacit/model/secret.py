"""Secrets as they are reported: what kind, and where; never the secret itself."""

from __future__ import annotations

from typing import NamedTuple

import msgspec


class Secret(NamedTuple):
    """A secret in a text: what kind, and where, in code points."""

    kind: str
    start: int
    end: int


class Leak(msgspec.Struct, frozen=True, kw_only=True):
    """A secret that lies where it should not: in a field of a record, a link or an event, or on a line of a file."""

    kind: str
    where: str
    """The id of a record, the ends of a link, the number of an event, or the path of a file."""
    field: str = ""
    version: int = 0
    line: int = 0
