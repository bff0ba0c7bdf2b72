"""Reports about the memory itself: stats, findings of a check, findings of the doctor."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Literal

import msgspec

Progress = Callable[[int, int], None]
"""Told how much of a long work is done, and how much there is; 0 if that is not known."""


class Stats(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of the records that a reader may see."""

    records: dict[str, int]
    statuses: dict[str, int]
    links: int
    events: int
    versions: int
    average_importance: float | None
    oldest: datetime | None
    newest: datetime | None


class Coverage(msgspec.Struct, frozen=True, kw_only=True):
    """How many of the searchable records have a vector of an embedding model."""

    model: str
    embedded: int
    total: int

    @property
    def complete(self) -> bool:
        """Whether no record waits to be embedded."""
        return self.embedded >= self.total


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """A finding of a check or the doctor, and what to do about it."""

    level: Literal["ok", "hint", "warning", "error"]
    subject: str
    message: str
    hint: str = ""


class Verification(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of `verify`: what was checked, and the first problem, if any."""

    ok: bool
    events: int
    seals: int
    records: int
    unsealed: int
    erased: int
    head: str
    findings: tuple[Finding, ...] = ()
    skipped: str = ""
    """What was not checked again, because an earlier verification found it sound."""


class Forgotten(msgspec.Struct, frozen=True, kw_only=True):
    """The records that `forget` removed, and where traces of them remain."""

    ids: tuple[str, ...]
    pending: bool
    backups: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()
    """Records that were only taken out of use, because no person asked; `undo` brings them back."""


class ForgetPreview(msgspec.Struct, frozen=True, kw_only=True):
    """One record that `forget` would delete for good, and what hangs on it."""

    id: str
    kind: str
    text: str
    versions: int
    author: str = ""
    """Who wrote it, if that was another person or another machine."""
    is_others: bool = False
    """Whether another person of the server wrote a version of it."""
    derived: tuple[str, ...] = ()
    """Records made from it. They stay unless `derived` is asked for."""
    cited_by: tuple[str, ...] = ()
    about_it: tuple[str, ...] = ()
    """Facts about this entity."""
    file: str = ""
    """The topic file that goes with it."""
    refused: str = ""
    """Why this caller may not forget it, if somebody else of the server wrote it."""


class Leak(msgspec.Struct, frozen=True, kw_only=True):
    """A secret found where it should not be: in a field of a record, a link or an event, or on a line of a file."""

    kind: str
    where: str
    """The id of a record, the ends of a link, the number of an event, or the path of a file."""
    field: str = ""
    version: int = 0
    line: int = 0
    why: str = ""
    """Why it looks like a secret, in a sentence about "it"."""
