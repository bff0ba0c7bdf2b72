"""The results of the memdir verbs."""

from __future__ import annotations

from datetime import datetime

import msgspec

from tacit.model.record import Record
from tacit.model.report import Forgotten


class FileMessage(msgspec.Struct, frozen=True):
    """A message about a file."""

    path: str
    message: str


class MemdirSyncReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a sync did, by path, or in a dry run what it would do."""

    taken: tuple[str, ...] = ()
    """Files whose text was stored."""
    written: tuple[str, ...] = ()
    """Files that were written with the store's text."""
    merged: tuple[str, ...] = ()
    """Files that were changed on both sides, in different places."""
    moved: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    agreed: tuple[str, ...] = ()
    conflicts: tuple[FileMessage, ...] = ()
    """Files with both versions kept; the message says where."""
    waiting: tuple[str, ...] = ()
    """Changes that a person must accept before they are written."""
    unwritten: tuple[str, ...] = ()
    """Notes without a file here."""
    problems: tuple[FileMessage, ...] = ()
    """Files that could not be read or written; they were not changed."""
    flagged: tuple[FileMessage, ...] = ()
    """Files that were stored although they hide text from readers or contain instructions: trust 0."""
    notices: tuple[str, ...] = ()
    dry_run: bool = False


class Remembered(msgspec.Struct, frozen=True, kw_only=True):
    """A text that was written to memory, or waits for a person to accept it."""

    path: str
    record: Record
    waiting: bool = False
    known: bool = False
    """Whether the same text was already written before."""
    notices: tuple[str, ...] = ()


class MemdirForgotten(msgspec.Struct, frozen=True, kw_only=True):
    """What was deleted for good: files, and records with all their versions."""

    files: tuple[str, ...] = ()
    forgotten: Forgotten | None = None
    notices: tuple[str, ...] = ()


class TopicVersion(msgspec.Struct, frozen=True, kw_only=True):
    """One version of a topic file: the time, the author, and the difference to the previous version."""

    version: int
    at: datetime
    actor: str
    status: str
    path: str
    text: str
    diff: str


class SelectedTopic(msgspec.Struct, frozen=True, kw_only=True):
    """A topic file for a task: its age, its trust, and the names in it that no longer exist."""

    path: str
    name: str
    type: str
    description: str
    wrong: str
    written: datetime
    age: str
    age_days: int
    trust: int
    trust_label: str
    gone: tuple[str, ...]
    score: float
    words: tuple[str, ...]


class MemdirProposal(msgspec.Struct, frozen=True, kw_only=True):
    """A change that waits for a person: a new memory, an edit, or a removal."""

    path: str
    id: str
    what: str
    diff: str = ""


class MemdirState(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a memory directory compared with the store."""

    pending: MemdirSyncReport
    proposals: tuple[MemdirProposal, ...] = ()
    conflicts: tuple[str, ...] = ()
    """Files that keep the other version of a conflict until a person removes them."""
    files: int = 0
    tokens: int = 0
    over_budget: str = ""
    evict: tuple[FileMessage, ...] = ()
    """Files that could be removed to meet the budget; nothing is removed automatically."""
