"""Compress several notes into one. Consolidating also retires the old notes, if a search for each finds the new."""

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
from tacit.ports.store import Transaction
from tacit.records.arguments import texts_of, whole_of
from tacit.records.ask_model import ask_model
from tacit.records.citation_protection import MOST_DEPTH, protected_by
from tacit.records.connection import Connection
from tacit.records.write import admitted, keep_vectors, new_record, retry_lost_write, revised, searchable, writing
from tacit.text.plural import plural
from tacit.text.tokens import query_tokens

KIND = "note"
MOST = 64
NoteIds = Annotated[Sequence[str], arg("The ids of two or more notes.", record=True)]
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
    """The new note, the notes it was derived from, and who worded it: `rules`, or a model."""

    record: Record
    derived_from: tuple[str, ...]
    by: str
    notice: str = ""


class Consolidated(NamedTuple):
    """The new note, the notes it replaced, and the notes that were kept because something cites them."""

    verified: bool
    record: Record | None = None
    retired: tuple[str, ...] = ()
    kept_immune: tuple[str, ...] = ()
    kept_files: tuple[str, ...] = ()
    """Notes that were kept because they follow a file: the next sync would remove the file with the note."""
    unanswered: tuple[str, ...] = ()
    """Notes for which a search would not find the new note; in that case nothing was changed."""
    notice: str = ""


class _Unanswered(Exception):
    def __init__(self, ids: list[str]) -> None:
        super().__init__()
        self.ids = ids


def compress(c: Connection, ids: NoteIds) -> Compressed:
    """Compress several notes of one scope into one. The old notes stay, and the new one is linked to them."""
    notes = _sources(c, ids)
    text, by, notice = _worded(c, notes)
    record = _written(c, notes, text, by)
    return Compressed(record, tuple(note.id for note in notes), by, notice)


def consolidate(
    c: Connection, ids: NoteIds, *,
    recall_k: Annotated[int, arg(
        "A search for each old note must find the new one among this many results.", ge=1, le=100
    )] = 5,
) -> Consolidated:  # fmt: skip
    """Replace several notes by one, if a search for each of them finds the new one; otherwise nothing changes."""
    if whole_of(recall_k, "recall_k") < 1:
        raise UsageError(f"recall_k must be at least 1, not {recall_k}", "5 is the default")
    notes = _sources(c, ids)
    text, by, notice = _worded(c, notes)
    try:
        record, kept = _replaced(c, notes, text, by, recall_k)
    except _Unanswered as found:
        return Consolidated(verified=False, unanswered=tuple(found.ids), notice=notice)
    held = _held(notes)
    gone = tuple(note.id for note in notes if note.id not in kept and note.id not in held)
    files = tuple(id for id in held if id not in kept)
    return Consolidated(True, record, gone, kept_immune=tuple(kept), kept_files=files, notice=notice)


def _held(notes: Sequence[Record]) -> list[str]:
    """Return the notes that follow a file; only its author removes a file."""
    return [note.id for note in notes if payload_of(note, Note).path]


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


def _sources(c: Connection, ids: Sequence[str]) -> list[Record]:
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


def _worded(c: Connection, notes: Sequence[Record]) -> tuple[Extract, str, str]:
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
    record = _made(c, notes, text, by, now)
    vectors = c.meaning.of_records(searchable([record]))
    with writing(c, now) as tx:
        _put(c, tx, record, notes, now)
        keep_vectors(c, tx, vectors)
        tx.append(NewEvent(type="note.compressed", subject=record.id, scope=record.scope, payload={"of": len(notes)}))
    return c.get(record.id) or record


@retry_lost_write
def _replaced(
    c: Connection, notes: Sequence[Record], text: Extract, by: str, recall_k: int
) -> tuple[Record, list[str]]:
    """Write the new note and retire the old notes if searches find it. Return it and the ids of kept notes."""
    now = c.clock.now()
    record = _made(c, notes, text, by, now)
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
        payload = {"of": len(notes), "kept": len({*kept, *held})}
        tx.append(NewEvent(type="note.consolidated", subject=record.id, scope=record.scope, payload=payload))
    return c.get(record.id) or record, kept


def _made(c: Connection, notes: Sequence[Record], text: Extract, by: str, now: datetime) -> Record:
    tags = tuple(dict.fromkeys(tag for note in notes for tag in note.tags))
    draft = admitted(c, Draft(
        kind=KIND, scope=notes[0].scope, title=text.description, body=text.content, tags=tags,
        importance=max(note.importance for note in notes), payload=Note(source=f"compressed by {by}"),
    ))  # fmt: skip
    return new_record(c, draft, now)


def _put(c: Connection, tx: Transaction, record: Record, notes: Sequence[Record], now: datetime) -> None:
    current = tx.get_many([note.id for note in notes], c.walls)
    if changed := [note.id for note in notes if note.id not in current or current[note.id].version != note.version]:
        raise Conflict(f"{changed[0]} was changed by somebody else; nothing was written", "try again")
    tx.put(record)
    for note in notes:
        tx.link(Link(source=record.id, relation=DERIVED_FROM, target=note.id, scope=record.scope, since=now))


def _answers(c: Connection, tx: Transaction, record: Record, note: Record, recall_k: int) -> bool:
    """Return whether a search for the text of a note finds the new one."""
    asked = note.title.strip() or note.body[:ASKED_CHARS]
    matches = tx.match(query_tokens(asked), c.filter(kinds=(KIND,)), recall_k)
    return record.id in [match.id for match in matches]
