"""Compress several notes into one, worded by a model or by rules. The old notes stay."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, NamedTuple

import msgspec

from tacit.errors import Conflict, NotFound, UsageError
from tacit.model.event import NewEvent
from tacit.model.link import DERIVED_FROM, Link
from tacit.model.payload import Note
from tacit.model.record import Draft, Record, payload_of
from tacit.model.verb import arg
from tacit.notes.rules.extractive_summary import CONTENT_CHARS, DESCRIPTION_CHARS, Extract, extract
from tacit.notes.rules.whole_content import NoteText, left_out
from tacit.ports.store import Transaction
from tacit.records.arguments import texts_of
from tacit.records.ask_model import ask_model
from tacit.records.citation_protection import MOST_DEPTH
from tacit.records.connection import Connection
from tacit.records.write import admitted, keep_vectors, new_record, retry_lost_write, searchable, writing
from tacit.text.plural import plural

KIND = "note"
MOST = 64
NoteIds = Annotated[Sequence[str], arg("The ids of two or more notes.", record=True)]
_ASK = (
    "Compress these notes into one. Keep facts, decisions, names, paths, commands and numbers; drop what is said "
    f"twice. Invent nothing, judge nothing. The description has at most {DESCRIPTION_CHARS} characters, the content "
    f"at most {CONTENT_CHARS}. If they have nothing in common worth keeping, say why in error and leave the rest empty."
)


class _CompressReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    description: str
    content: str
    error: str


class LeftOut(NamedTuple):
    """A sentence of a note that the new note does not hold."""

    id: str
    text: str


class Compressed(NamedTuple):
    """The new note, the notes it was derived from, who worded it (`rules`, or a model), and what it left out."""

    record: Record
    derived_from: tuple[str, ...]
    by: str
    left_out: tuple[LeftOut, ...]
    notice: str = ""


def compress(c: Connection, ids: NoteIds) -> Compressed:
    """Compress several notes of one scope into one. The old notes stay, and the new one is linked to them."""
    notes = sources(c, ids)
    text, by, notice = worded(c, notes)
    record = _written(c, notes, text, by)
    return Compressed(record, tuple(note.id for note in notes), by, left_out_of(notes, record), notice)


def left_out_of(notes: Sequence[Record], record: Record) -> tuple[LeftOut, ...]:
    """Return the sentences of notes that a new note does not hold, compared one by one."""
    text = f"{record.title}\n{record.body}"
    return tuple(LeftOut(note.id, one) for note in notes for one in left_out(text_of_note(note), text))


def text_of_note(note: Record) -> NoteText:
    """Return everything that a note says."""
    return NoteText(note.title, payload_of(note, Note).description, note.body)


def newest_note(c: Connection, id: str) -> Record:
    """Return the newest note derived from a note, or the note itself if there is none."""
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


def sources(c: Connection, ids: Sequence[str]) -> list[Record]:
    """Return the notes to compress: active, of one scope, and not compressed too many times over."""
    wanted = list(dict.fromkeys(texts_of(ids, "ids")))
    if not 2 <= len(wanted) <= MOST:
        raise UsageError(
            f"cannot compress {plural(len(wanted), 'note')}", f"give the ids of 2 to {MOST} different notes"
        )
    notes = [c.own(c.require(id, KIND)) for id in wanted]
    if idle := [note.id for note in notes if note.status != "active"]:
        raise NotFound(f"{idle[0]} is not active", "give the ids of active notes")
    if len({note.scope for note in notes}) > 1:
        other = next(note for note in notes if note.scope != notes[0].scope)
        raise Conflict(
            f"the notes are in different scopes: {other.id} in {other.scope}, {notes[0].id} in {notes[0].scope}",
            "choose notes of one scope",
        )
    if any(_depth(c, note.id) >= MOST_DEPTH for note in notes):
        raise Conflict(
            f"one of these was already compressed {MOST_DEPTH} times, or is derived from itself", "leave it out"
        )
    return notes


def _depth(c: Connection, id: str) -> int:
    """Count the steps over which a note was derived from others; a circle has the greatest depth."""
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


def worded(c: Connection, notes: Sequence[Record]) -> tuple[Extract, str, str]:
    """Write the text of the new note with the configured language model, or else by rules."""
    text = "\n\n".join(f"# {note.title}\n{note.body}" for note in notes)
    answer = ask_model(c, "compression", _ASK, text, _CompressReply)
    reply = answer.value
    if reply and not reply.error and _fits(reply):
        return Extract(reply.description.strip(), reply.content.strip()), answer.by, ""
    notice = answer.problem
    if reply is not None:
        notice = reply.error or f"{answer.by} exceeded the length limits"
    return extract([(note.title, note.body) for note in notes]), "rules", notice


def _fits(reply: _CompressReply) -> bool:
    sized = len(reply.description) <= DESCRIPTION_CHARS and len(reply.content) <= CONTENT_CHARS
    return sized and bool(reply.description.strip() and reply.content.strip()) and "\0" not in reply.content


@retry_lost_write
def _written(c: Connection, notes: Sequence[Record], text: Extract, by: str) -> Record:
    now = c.clock.now()
    record = made(c, notes, text, by, now)
    vectors = c.meaning.of_records(searchable([record]))
    with writing(c, now) as tx:
        put(c, tx, record, notes, now)
        keep_vectors(c, tx, vectors)
        tx.append(NewEvent(type="note.compressed", subject=record.id, scope=record.scope, payload={"of": len(notes)}))
    return c.get(record.id) or record


def made(c: Connection, notes: Sequence[Record], text: Extract, by: str, now: datetime) -> Record:
    tags = tuple(dict.fromkeys(tag for note in notes for tag in note.tags))
    draft = admitted(c, Draft(
        kind=KIND, scope=notes[0].scope, title=text.description, body=text.content, tags=tags,
        importance=max(note.importance for note in notes), payload=Note(source=f"compressed by {by}"),
    ))  # fmt: skip
    return new_record(c, draft, now)


def put(c: Connection, tx: Transaction, record: Record, notes: Sequence[Record], now: datetime) -> None:
    current = tx.get_many([note.id for note in notes], c.walls)
    if changed := [note.id for note in notes if note.id not in current or current[note.id].version != note.version]:
        raise Conflict(f"{changed[0]} was changed by somebody else; nothing was written", "try again")
    tx.put(record)
    for note in notes:
        tx.link(Link(source=record.id, relation=DERIVED_FROM, target=note.id, scope=record.scope, since=now))
