"""What a sync does about one topic file and its note. Pure: what is there now and what was agreed on come as values.

take      the file is new or was changed: the note takes its text
write     the note was changed: the file gets its text
merge     both were changed, in different places: both get all of it
conflict  both were changed in one place: the file stays, the note's text goes beside it
again     deleted there, changed here: the file is written again, and that is said
revive    retired here, changed there: the note is in use again, and that is said
retire    the file was deleted: so is the note
remove    the note was retired: so is the file, which holds nothing the note does not
agree     both say the same already
unwritten the note has no file here, and nobody asked for one
held      the file says more than the note may hold (a secret), so it is not removed
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from tacit.text.three_way_merge import merge3

Act = Literal[
    "nothing", "take", "write", "merge", "conflict", "again", "revive", "retire", "remove", "agree", "unwritten", "held"
]
# What these do is done to a file, so they are what asking before saving asks about.
WRITES = frozenset({"write", "merge", "again", "remove"})


class FileState(NamedTuple):
    """A topic file as it is: the hash of its bytes, its text, and that text as it may be stored."""

    hash: str
    text: str
    clean: str


class SyncedState(NamedTuple):
    """What both sides last agreed on: the hash of the file, "" when it was to be gone, and the text of the note."""

    hash: str
    text: str


class NoteState(NamedTuple):
    """The note as it is now, and the texts it had before."""

    text: str
    retired: bool
    former: frozenset[str] = frozenset()


class SyncDecision(NamedTuple):
    """What to do, and the text that the file is to have where it is written."""

    act: Act
    text: str = ""


def decide(file: FileState | None, agreed: SyncedState | None, note: NoteState | None) -> SyncDecision:
    """Decide about one path."""
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
    """Decide where file and note are there, and were equal once."""
    file_changed, note_changed = file.hash != agreed.hash, note.text != agreed.text
    if not note_changed:
        return SyncDecision("take" if file_changed else "nothing")
    if file.clean == note.text:
        return SyncDecision("agree")
    # Also where only the note changed: what was never stored of the file, a secret, is a change of the file's own.
    merged = merge3(agreed.text, note.text, file.text)
    if merged is None:
        return SyncDecision("conflict")
    return SyncDecision("merge" if file_changed else "write", merged)


def _strangers(file: FileState | None, note: NoteState) -> SyncDecision:
    """Decide where nothing was ever agreed on here."""
    if file is None:
        return SyncDecision("nothing" if note.retired else "unwritten")
    if note.retired:
        return SyncDecision("take")
    if file.clean == note.text:
        return SyncDecision("agree")
    # A file that says what the note once said is an old copy of it.
    if file.clean == file.text and file.clean in note.former:
        return SyncDecision("write", note.text)
    return SyncDecision("conflict")


def _gone(file: FileState | None, note: NoteState) -> SyncDecision:
    """Decide where it was agreed that there is no file."""
    if file is None:
        return SyncDecision("nothing") if note.retired else SyncDecision("write", note.text)
    return _strangers(file, note)


def _retired(file: FileState, agreed: SyncedState) -> SyncDecision:
    """Decide about the file of a note that was retired here."""
    if file.hash != agreed.hash:
        return SyncDecision("revive")
    return SyncDecision("remove" if file.text == agreed.text else "held")
