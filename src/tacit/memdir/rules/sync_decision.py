"""Decide, as a pure function, what a sync does with one topic file and its note.

take      the file is new or changed: the note gets its text
write     the note changed: the file gets its text
merge     both changed, in different places: both get the merged text
conflict  both changed in the same place: the file stays, the note's text goes into a file next to it
again     file deleted, note changed: the file is written again, and reported
revive    note retired, file changed: the note is active again, and reported
retire    the file was deleted: the note is retired
remove    the note was retired: the file is removed, as the note has all of its text
agree     both have the same text already
unwritten the note has no file here, and none was requested
held      the note was retired, but the file contains a secret that is not stored, so it is not removed
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from tacit.text.three_way_merge import merge3

Act = Literal[
    "nothing", "take", "write", "merge", "conflict", "again", "revive", "retire", "remove", "agree", "unwritten", "held"
]
# These change files, so in ask mode a person has to accept them.
WRITES = frozenset({"write", "merge", "again", "remove"})


class FileState(NamedTuple):
    """A topic file: the hash of its bytes, its text, and that text redacted."""

    hash: str
    text: str
    clean: str


class SyncedState(NamedTuple):
    """The state at the last sync: the hash of the file, empty if there was none, and the text of the note."""

    hash: str
    text: str


class NoteState(NamedTuple):
    """The current text of a note, whether it is retired, and its former texts."""

    text: str
    retired: bool
    former: frozenset[str] = frozenset()


class SyncDecision(NamedTuple):
    """What to do, and the new text of the file if it is written."""

    act: Act
    text: str = ""


def decide(file: FileState | None, agreed: SyncedState | None, note: NoteState | None) -> SyncDecision:
    """Decide what to do with one path."""
    if note is None:
        return SyncDecision("take" if file else "nothing")
    if agreed is None:
        return _strangers(file, note)
    if not agreed.hash:
        return _gone(file, note)
    if file is None:
        if note.retired:
            return SyncDecision("agree")
        return SyncDecision("retire") if note.text == agreed.text else SyncDecision("again", note.text)
    return _retired(file, agreed) if note.retired else _both(file, agreed, note)


def _both(file: FileState, agreed: SyncedState, note: NoteState) -> SyncDecision:
    """Decide for a file and a note that were in sync once."""
    file_changed, note_changed = file.hash != agreed.hash, note.text != agreed.text
    if not note_changed:
        return SyncDecision("take" if file_changed else "nothing")
    if file.clean == note.text:
        return SyncDecision("agree")
    # Merged even if only the note changed: a secret in the file, which is never stored, must stay there.
    merged = merge3(agreed.text, note.text, file.text)
    if merged is None:
        return SyncDecision("conflict")
    return SyncDecision("merge" if file_changed else "write", merged)


def _strangers(file: FileState | None, note: NoteState) -> SyncDecision:
    """Decide for a file and a note that were never in sync here."""
    if file is None:
        return SyncDecision("nothing" if note.retired else "unwritten")
    if note.retired:
        return SyncDecision("take")
    if file.clean == note.text:
        return SyncDecision("agree")
    # A file with a former text of the note is an old copy of it.
    if file.clean == file.text and file.clean in note.former:
        return SyncDecision("write", note.text)
    return SyncDecision("conflict")


def _gone(file: FileState | None, note: NoteState) -> SyncDecision:
    """Decide for a note that had no file at the last sync."""
    if file is None:
        return SyncDecision("nothing") if note.retired else SyncDecision("write", note.text)
    return _strangers(file, note)


def _retired(file: FileState, agreed: SyncedState) -> SyncDecision:
    """Decide for the file of a retired note."""
    if file.hash != agreed.hash:
        return SyncDecision("revive")
    return SyncDecision("remove" if file.text == agreed.text else "held")
