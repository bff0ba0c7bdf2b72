"""Decide which version of a shared record holds, from what every writer last said about it.

The answer depends on what was said alone, not on the order in which it was read, so that all homes agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple


class SharedVersion(NamedTuple):
    """The version of a shared record. Of two, the greater one holds: by number, then time, then writer."""

    number: int
    at: str
    writer: str


class SharedStatement(NamedTuple):
    """What one writer last said about a record: its content, or that it is removed."""

    version: SharedVersion
    author: str
    """The writer who shared the record first."""
    line: Mapping[str, Any] | None
    """The record as a line of an export; None if it is removed."""
    removed: str = ""
    """How it was removed: `retired` or `forgotten`; empty if it was not."""
    signed: bool = False
    """Whether a key that a person carried to this home confirms it."""


class SharedRecord(NamedTuple):
    """What holds for a shared record."""

    author: str
    holds: SharedStatement | None
    """The version that holds; None if nothing is left."""
    removed: str
    """How its author removed it; empty if they did not."""
    foreign: tuple[str, ...]
    """Writers who name another author; what they say is not used."""
    signed: bool = False
    """Whether a key that a person carried to this home confirms the removal."""


def later(one: SharedStatement | None, other: SharedStatement) -> SharedStatement:
    """Return the later of two statements of one writer. A removal and a content never have the same version."""
    return other if one is None or other.version >= one.version else one


def settle(statements: Iterable[SharedStatement], author: str = "") -> SharedRecord:
    """Return what holds, given the last statement of each writer. `author` is who is known to have shared it first.

    A removal by the author removes the record. A removal by anybody else takes back only what they said themselves.
    """
    said = sorted(statements, key=lambda one: one.version)
    first = author or said[0].author
    fitting = [one for one in said if one.author == first]
    foreign = tuple(one.version.writer for one in said if one.author != first)
    own = next((one for one in fitting if one.version.writer == first), None)
    if own is not None and own.removed:
        return SharedRecord(first, None, own.removed, foreign, own.signed)
    live = [one for one in fitting if one.line is not None]
    return SharedRecord(first, live[-1] if live else None, "", foreign)
