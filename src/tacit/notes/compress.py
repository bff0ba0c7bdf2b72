"""Compressing notes into one, and consolidating them: the old ones go only if the new one answers for each."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec

from tacit.errors import Conflict, NotFound, UsageError
from tacit.model.event import NewEvent
from tacit.model.link import DERIVED_FROM, Link
from tacit.model.payload import Note
from tacit.model.record import Draft, Record, payload_of
from tacit.notes.rules.extractive_summary import CONTENT_CHARS, DESCRIPTION_CHARS, Extract, extract
from tacit.ports.store import Transaction
from tacit.records.arguments import texts_of, whole_of
from tacit.records.ask_model import ask_model
from tacit.records.citation_protection import MOST_DEPTH, protected_by
from tacit.records.connection import Connection
from tacit.records.write import admitted, keep_vectors, new_record, retry_lost_write, revised, searchable, writing
from tacit.text.tokens import query_tokens

KIND = "note"
MOST = 64
ASKED_CHARS = 200
_ASK = (
    "Compress these notes into one. Keep facts, decisions, names, paths, commands and numbers; drop what is said "
    f"twice. Invent nothing, judge nothing. The description has at most {DESCRIPTION_CHARS} characters, the content "
    f"at most {CONTENT_CHARS}. If they have nothing in common worth keeping, say why in error and leave the rest empty."
)


class _CompressReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    description: str
    content: str
    error: str


class Compressed(NamedTuple):
    """The new note, what it was made of, and who worded it: `rules`, or a model."""

    record: Record
    derived_from: tuple[str, ...]
    by: str
    notice: str = ""


class Consolidated(NamedTuple):
    """What became of notes: the one that took their place, those that went, and those that something cites."""

    verified: bool
    record: Record | None = None
    retired: tuple[str, ...] = ()
    kept_immune: tuple[str, ...] = ()
    kept_files: tuple[str, ...] = ()
    """Those that a file holds: the next sync would take the file away with the note."""
    unanswered: tuple[str, ...] = ()
    """Those the new note would not have been found for: then nothing was changed."""
    notice: str = ""


class _Unanswered(Exception):
    def __init__(self, ids: list[str]) -> None:
        super().__init__()
        self.ids = ids


def compress(c: Connection, ids: Sequence[str]) -> Compressed:
    """Make one note of several of one scope. They stay, and the new one says what it was made of."""
    notes = _gathered(c, ids)
    told, by, notice = _worded(c, notes)
    record = _written(c, notes, told, by)
    return Compressed(record, tuple(note.id for note in notes), by, notice)


def consolidate(c: Connection, ids: Sequence[str], recall_k: int = 5) -> Consolidated:
    """Put one note in the place of several, if it answers for each of them; else nothing changes."""
    if whole_of(recall_k, "recall_k") < 1:
        raise UsageError("without looking, nothing is consolidated", "recall_k is at least 1")
    notes = _gathered(c, ids)
    told, by, notice = _worded(c, notes)
    try:
        record, kept = _replaced(c, notes, told, by, recall_k)
    except _Unanswered as found:
        return Consolidated(verified=False, unanswered=tuple(found.ids), notice=notice)
    held = _held(notes)
    gone = tuple(note.id for note in notes if note.id not in kept and note.id not in held)
    files = tuple(id for id in held if id not in kept)
    return Consolidated(True, record, gone, kept_immune=tuple(kept), kept_files=files, notice=notice)


def _held(notes: Sequence[Record]) -> list[str]:
    """Give the notes that are shadows of files; a file is its author's to remove."""
    return [note.id for note in notes if payload_of(note, Note).path]


def newest(c: Connection, id: str) -> Record:
    """Follow a note to the newest one that was made of it, itself if there is none."""
    record = c.require(id, KIND)
    for _ in range(MOST_DEPTH):
        links = c.store.links([record.id], c.walls, relation=DERIVED_FROM, outgoing=False)
        made = [one for one in c.store.get_many([link.source for link in links], c.walls).values() if _lives(one)]
        if not made:
            return record
        record = max(made, key=lambda one: (one.created_at, one.id))
    return record


def _lives(record: Record) -> bool:
    return record.kind == KIND and record.status == "active"


def _gathered(c: Connection, ids: Sequence[str]) -> list[Record]:
    """Give the notes to compress; all have to be there, of one scope, and their chain must have room."""
    wanted = list(dict.fromkeys(texts_of(ids, "ids")))
    if not 2 <= len(wanted) <= MOST:
        raise UsageError(f"{len(wanted)} notes cannot become one", f"name 2 to {MOST} different ones")
    notes = [c.own(c.require(id, KIND)) for id in wanted]
    if idle := [note.id for note in notes if note.status != "active"]:
        raise NotFound(f"{idle[0]} is not in use", "name notes that are")
    if len({note.scope for note in notes}) > 1:
        other = next(note for note in notes if note.scope != notes[0].scope)
        raise Conflict(
            f"{other.id} is of {other.scope}, {notes[0].id} of {notes[0].scope}: they stay apart",
            "compress the notes of one scope",
        )
    if any(_depth(c, note.id) >= MOST_DEPTH for note in notes):
        raise Conflict(
            f"one of these was compressed {MOST_DEPTH} times over, or is made of itself", "leave that one out"
        )
    return notes


def _depth(c: Connection, id: str) -> int:
    """Say over how many steps a note was made of others; a circle is as deep as there is."""
    edge, seen, depth = [id], {id}, 0
    while depth < MOST_DEPTH:
        links = c.store.links(edge, c.walls, relation=DERIVED_FROM, incoming=False)
        edge = sorted({link.target for link in links})
        if not edge:
            return depth
        if seen & set(edge) == set(edge) or id in edge:
            return MOST_DEPTH
        seen |= set(edge)
        depth += 1
    return depth


def _worded(c: Connection, notes: Sequence[Record]) -> tuple[Extract, str, str]:
    """Word the new note: by the language model of the settings, else by rules."""
    text = "\n\n".join(f"# {note.title}\n{note.body}" for note in notes)
    thought = ask_model(c, "compression", _ASK, text, _CompressReply)
    said = thought.value
    if said and not said.error and _fits(said):
        return Extract(said.description.strip(), said.content.strip()), thought.by, ""
    notice = thought.problem
    if said is not None:
        notice = said.error or f"{thought.by} did not keep to the limits"
    return extract([(note.title, note.body) for note in notes]), "rules", notice


def _fits(said: _CompressReply) -> bool:
    sized = len(said.description) <= DESCRIPTION_CHARS and len(said.content) <= CONTENT_CHARS
    return sized and bool(said.description.strip() and said.content.strip()) and "\0" not in said.content


@retry_lost_write
def _written(c: Connection, notes: Sequence[Record], told: Extract, by: str) -> Record:
    now = c.clock.now()
    record = _made(c, notes, told, by, now)
    vectors = c.meaning.of_records(searchable([record]))
    with writing(c, now) as tx:
        _put(c, tx, record, notes, now)
        keep_vectors(c, tx, vectors)
        tx.append(NewEvent(type="note.compressed", subject=record.id, scope=record.scope, payload={"of": len(notes)}))
    return c.get(record.id) or record


@retry_lost_write
def _replaced(
    c: Connection, notes: Sequence[Record], told: Extract, by: str, recall_k: int
) -> tuple[Record, list[str]]:
    """Write the new note and retire the old ones, if it is found for each; gives it, and those that had to stay."""
    now = c.clock.now()
    record = _made(c, notes, told, by, now)
    vectors = c.meaning.of_records(searchable([record]))
    held = _held(notes)
    with writing(c, now) as tx:
        kept = sorted(protected_by(tx, [note.id for note in notes]))
        kept += [note.id for note in notes if note.origin.actor == "user" and not c.is_person and note.id not in kept]
        _put(c, tx, record, notes, now)
        for note in notes:
            if note.id not in kept and note.id not in held:
                tx.put(revised(note, now, status="retired"), expected=note.version)
        if missed := [note.id for note in notes if not _answers(c, tx, record, note, recall_k)]:
            raise _Unanswered(missed)
        keep_vectors(c, tx, vectors)
        said = {"of": len(notes), "kept": len({*kept, *held})}
        tx.append(NewEvent(type="note.consolidated", subject=record.id, scope=record.scope, payload=said))
    return c.get(record.id) or record, kept


def _made(c: Connection, notes: Sequence[Record], told: Extract, by: str, now: datetime) -> Record:
    tags = tuple(dict.fromkeys(tag for note in notes for tag in note.tags))
    draft = admitted(c, Draft(
        kind=KIND, scope=notes[0].scope, title=told.description, body=told.content, tags=tags,
        importance=max(note.importance for note in notes), payload=Note(source=f"compressed by {by}"),
    ))  # fmt: skip
    return new_record(c, draft, now)


def _put(c: Connection, tx: Transaction, record: Record, notes: Sequence[Record], now: datetime) -> None:
    current = tx.get_many([note.id for note in notes], c.walls)
    if changed := [note.id for note in notes if note.id not in current or current[note.id].version != note.version]:
        raise Conflict(f"{changed[0]} was changed meanwhile; nothing was written", "try again")
    tx.put(record)
    for note in notes:
        tx.link(Link(source=record.id, relation=DERIVED_FROM, target=note.id, scope=record.scope, since=now))


def _answers(c: Connection, tx: Transaction, record: Record, note: Record, recall_k: int) -> bool:
    """Say whether who asks for a note by what it says finds the new one."""
    asked = note.title.strip() or note.body[:ASKED_CHARS]
    matches = tx.match(query_tokens(asked), c.filter(kinds=(KIND,)), recall_k)
    return record.id in [match.id for match in matches]
