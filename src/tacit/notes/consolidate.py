"""Consolidate notes: replace several by one that says everything they say, if a search for each finds the new one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

from tacit.errors import UsageError
from tacit.model.event import NewEvent
from tacit.model.payload import Note
from tacit.model.record import Record, payload_of
from tacit.model.verb import arg
from tacit.notes.compress import KIND, LeftOut, NoteIds, left_out_of, made, put, sources, text_of_note, worded
from tacit.notes.rules.extractive_summary import Extract
from tacit.notes.rules.whole_content import joined_text
from tacit.ports.store import Transaction
from tacit.records.arguments import whole_of
from tacit.records.citation_protection import protected_by
from tacit.records.connection import Connection
from tacit.records.write import keep_vectors, retry_lost_write, revised, searchable, writing
from tacit.text.tokens import query_tokens

ASKED_CHARS = 200


class Consolidated(NamedTuple):
    """The new note, the notes it replaced, and the notes that were kept, by why."""

    verified: bool
    record: Record | None = None
    retired: tuple[str, ...] = ()
    kept_immune: tuple[str, ...] = ()
    """Notes that were kept because something cites them."""
    kept_files: tuple[str, ...] = ()
    """Notes that were kept because they follow a file: the next sync would remove the file with the note."""
    kept_incomplete: tuple[str, ...] = ()
    """Notes that were kept because the new note does not say everything they say; `left_out` is the rest."""
    left_out: tuple[LeftOut, ...] = ()
    """The sentences that the new note does not hold."""
    unanswered: tuple[str, ...] = ()
    """Notes for which a search would not find the new note; in that case nothing was changed."""
    notice: str = ""


class _Unanswered(Exception):
    def __init__(self, ids: list[str]) -> None:
        super().__init__()
        self.ids = ids


def consolidate(
    c: Connection, ids: NoteIds, *,
    recall_k: Annotated[int, arg(
        "A search for each old note must find the new one among this many results.", ge=1, le=100
    )] = 5,
) -> Consolidated:  # fmt: skip
    """Replace several notes by one that says everything they say, each sentence once.

    A note of which a sentence would be lost stays, and the sentence is named. If a search for one of the notes would
    not find the new one, nothing changes.
    """
    if whole_of(recall_k, "recall_k") < 1:
        raise UsageError(f"recall_k must be at least 1, not {recall_k}", "5 is the default")
    notes = sources(c, ids)
    text, by, notice = worded(c, notes)
    texts = [text_of_note(note) for note in notes]
    # The rules' own words are sentences of the notes; a model's words are kept, and what they lack is added.
    whole = joined_text(texts, c.limits.body_bytes, begin="" if by == "rules" else text.content)
    try:
        done = _replaced(c, notes, Extract(text.description, whole), by, recall_k)
    except _Unanswered as found:
        return Consolidated(verified=False, unanswered=tuple(found.ids), notice=notice)
    return done._replace(notice=notice)


@retry_lost_write
def _replaced(c: Connection, notes: Sequence[Record], text: Extract, by: str, recall_k: int) -> Consolidated:
    """Write the new note and retire the old notes that it holds completely, if searches find it."""
    now = c.clock.now()
    record = made(c, notes, text, by, now)
    vectors = c.meaning.of_records(searchable([record]))
    # Judged on what is stored, not on what was meant to be.
    lost = left_out_of(notes, record)
    with writing(c, now) as tx:
        cited = sorted(protected_by(tx, [note.id for note in notes]))
        cited += [note.id for note in notes if note.origin.actor == "user" and not c.is_person and note.id not in cited]
        files = [id for id in _held(notes) if id not in cited]
        incomplete = [id for id in dict.fromkeys(one.id for one in lost) if id not in (*cited, *files)]
        gone = [note for note in notes if note.id not in (*cited, *files, *incomplete)]
        put(c, tx, record, notes, now)
        for note in gone:
            tx.put(revised(note, now, status="retired"), expected=note.version)
        if missed := [note.id for note in notes if not _answers(c, tx, record, note, recall_k)]:
            raise _Unanswered(missed)
        keep_vectors(c, tx, vectors)
        payload = {"of": len(notes), "kept": len(notes) - len(gone)}
        tx.append(NewEvent(type="note.consolidated", subject=record.id, scope=record.scope, payload=payload))
    return Consolidated(
        True, c.get(record.id) or record, tuple(note.id for note in gone), kept_immune=tuple(cited),
        kept_files=tuple(files), kept_incomplete=tuple(incomplete), left_out=lost,
    )  # fmt: skip


def _held(notes: Sequence[Record]) -> list[str]:
    """Return the notes that follow a file; only its author removes a file."""
    return [note.id for note in notes if payload_of(note, Note).path]


def _answers(c: Connection, tx: Transaction, record: Record, note: Record, recall_k: int) -> bool:
    """Return whether a search for the text of a note finds the new one."""
    asked = note.title.strip() or note.body[:ASKED_CHARS]
    matches = tx.match(query_tokens(asked), c.filter(kinds=(KIND,)), recall_k)
    return record.id in [match.id for match in matches]
