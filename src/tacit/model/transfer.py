"""The results of imports and of exports to files."""

from __future__ import annotations

import msgspec

UNVERIFIED = "they are unverified: found by recall, not told unasked; `tacit approve ID` makes them your own words"


class Skipped(msgspec.Struct, frozen=True):
    """Something that was skipped, and why."""

    what: str
    why: str


class RecognisedSource(msgspec.Struct, frozen=True):
    """What a file or folder is: the form that reads it, the path to read, and how it was recognised."""

    form: str
    path: str
    why: str


class ImportedItem(msgspec.Struct, frozen=True, kw_only=True):
    """One item of an import: its kind, the beginning of its text, where it stands, and whether it is flagged."""

    kind: str
    text: str
    where: str
    changed: bool = False
    flagged: bool = False
    """Whether it has trust 0, until a person approves it: it contains instructions to its reader, or hidden text."""


class ImportReport(msgspec.Struct, frozen=True, kw_only=True):
    """What an import did, or would do: counts of new, changed and unchanged items by kind, and what was skipped."""

    form: str
    source: str
    dry_run: bool = False
    written: dict[str, int] = {}
    changed: dict[str, int] = {}
    unchanged: dict[str, int] = {}
    items: tuple[ImportedItem, ...] = ()
    """The first new and changed items."""
    approved: int = 0
    """How many of them a person approved with the import."""
    skipped: tuple[Skipped, ...] = ()
    skipped_more: int = 0
    """How many more items were skipped than are listed."""
    notices: tuple[str, ...] = ()


class ExportReport(msgspec.Struct, frozen=True, kw_only=True):
    """What an export did to files, or would do. `kept` are files that a person or another program wrote or changed."""

    path: str
    dry_run: bool = False
    written: tuple[str, ...] = ()
    unchanged: int = 0
    removed: tuple[str, ...] = ()
    kept: tuple[Skipped, ...] = ()
    left_out: tuple[Skipped, ...] = ()
    """What was not exported, and why."""
    diff: str = ""
    notices: tuple[str, ...] = ()


class SharedFolder(msgspec.Struct, frozen=True, kw_only=True):
    """A shared folder that a person accepted in this home."""

    id: str
    path: str
    scopes: tuple[str, ...]
    pushes: bool
    """Whether this home also writes to it."""
    writer: str
    """The id under which this home writes to shared folders."""
    records: int = 0
    """How many shared records this home knows from it or gave to it."""
    waiting: int = 0
    """How many changes by other homes of what somebody here relies on wait to be taken."""
    pushed_at: str = ""
    pulled_at: str = ""
    has_others: bool = False
    """Whether other homes had written to it when it was accepted."""
    notices: tuple[str, ...] = ()


class PushReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a push wrote into a shared folder."""

    path: str
    written: int = 0
    removed: int = 0
    unchanged: int = 0
    held_back: tuple[Skipped, ...] = ()
    """What was not shared although its scope is: the redactor would change it."""
    private: dict[str, int] = {}
    """How many other records stay here, by the reason."""
    skipped: tuple[Skipped, ...] = ()
    notices: tuple[str, ...] = ()


class RemovedRecord(msgspec.Struct, frozen=True):
    """A record that a pull removed, with the first words of its text."""

    kind: str
    id: str
    text: str


class PullReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a pull took from a shared folder."""

    path: str
    written: dict[str, int] = {}
    changed: dict[str, int] = {}
    removed: int = 0
    removed_records: tuple[RemovedRecord, ...] = ()
    """What was removed because its author removed it."""
    unchanged: int = 0
    left: tuple[Skipped, ...] = ()
    """What was not taken because somebody here relies on the version here, or may not take it."""
    skipped: tuple[Skipped, ...] = ()
    notices: tuple[str, ...] = ()


class ShareKeyReport(msgspec.Struct, frozen=True, kw_only=True):
    """A share key that was written to a file or taken from one; never the key itself."""

    id: str
    path: str
    signs: bool
    """Whether this home signs with it."""
