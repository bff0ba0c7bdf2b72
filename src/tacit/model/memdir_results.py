"""What the verbs of written memory give back."""

from __future__ import annotations

from datetime import datetime

import msgspec

from tacit.model.record import Record
from tacit.model.report import Forgotten


class FileMessage(msgspec.Struct, frozen=True):
    """Something to tell about a file."""

    path: str
    message: str


class MemdirSyncReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a sync did, by path; in a dry run, what it would do."""

    taken: tuple[str, ...] = ()
    """Files whose text the store took in."""
    written: tuple[str, ...] = ()
    """Files that got the store's text."""
    merged: tuple[str, ...] = ()
    """Files that were changed on both sides, in different places."""
    moved: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    agreed: tuple[str, ...] = ()
    conflicts: tuple[FileMessage, ...] = ()
    """Both versions were kept; the message says where."""
    waiting: tuple[str, ...] = ()
    """What a person has to accept before it is written."""
    unwritten: tuple[str, ...] = ()
    """Notes that no file here holds."""
    problems: tuple[FileMessage, ...] = ()
    """Files that could not be read or written; nothing was changed about them."""
    flagged: tuple[FileMessage, ...] = ()
    """Files that were taken in and hide something from their readers or order them about: trust 0."""
    notices: tuple[str, ...] = ()
    dry_run: bool = False


class Remembered(msgspec.Struct, frozen=True, kw_only=True):
    """A text that was written down, or waits for a person to accept it."""

    path: str
    record: Record
    waiting: bool = False
    known: bool = False
    """Whether it was written down before, in the same words."""
    notices: tuple[str, ...] = ()


class MemdirForgotten(msgspec.Struct, frozen=True, kw_only=True):
    """What was deleted for good: files, and records with all their versions."""

    files: tuple[str, ...] = ()
    forgotten: Forgotten | None = None
    notices: tuple[str, ...] = ()


class TopicVersion(msgspec.Struct, frozen=True, kw_only=True):
    """One version of a topic file: when, by whom, and how it differs from the one before."""

    version: int
    at: datetime
    actor: str
    status: str
    path: str
    text: str
    diff: str


class SelectedTopic(msgspec.Struct, frozen=True, kw_only=True):
    """A topic file that fits a task: how old it is, how far to rely on it, and what it names that is gone."""

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
    """Something that waits for a person: a new memory, a change, or a removal."""

    path: str
    id: str
    what: str
    diff: str = ""


class MemdirState(msgspec.Struct, frozen=True, kw_only=True):
    """How a memory directory stands to the store."""

    pending: MemdirSyncReport
    proposals: tuple[MemdirProposal, ...] = ()
    conflicts: tuple[str, ...] = ()
    """Files that keep the other version of a conflict, until a person removes them."""
    files: int = 0
    tokens: int = 0
    over_budget: str = ""
    evict: tuple[FileMessage, ...] = ()
    """What could go to be within the budget again; nothing goes by itself."""
