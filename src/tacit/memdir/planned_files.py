"""Notes that will get a file. Their path is stored first, so that a sync after a crash still writes the file."""

from __future__ import annotations

from collections.abc import Mapping

from tacit.files.safe_paths import SafeFolder
from tacit.memdir.file_notes import PLANNED, FileNote, draft_of, folder_of, place_of
from tacit.memdir.rules.topic_file import topped
from tacit.model.event import NewEvent
from tacit.model.payload import Note
from tacit.model.record import Record, payload_of, replace
from tacit.records.connection import EVERYTHING, Connection
from tacit.records.write import admitted, keep_vectors, new_record, revised, searchable, writing
from tacit.text.slug import free_slug

MOST_NAME_CHARS = 60
MOST_DESCRIPTION_CHARS = 150


def headline(body: str) -> str:
    """Return the first line of a text, without leading Markdown marks."""
    return " ".join(body.strip().split("\n", 1)[0].lstrip("#->* ").split())


def free_path(c: Connection, place: str, name: str, known: Mapping[str, FileNote]) -> str:
    """Return a path in a folder that no file and no active note uses."""
    inside = SafeFolder(folder_of(c))

    def taken(slug: str) -> bool:
        path = f"{place}{slug}.md"
        one = known.get(path)
        return inside.status(path) is not None or (one is not None and one.record.status != "retired")

    return f"{place}{free_slug(c.redact(name), taken)}.md"


def plan(c: Connection, path: str, text: str, *, draft: bool) -> Record:
    """Store a new note whose file will be written."""
    made = admitted(c, draft_of(c, path, text, status="draft" if draft else "active"))
    now = c.clock.now()
    # A proposal has no key yet: several may be made for one path.
    record = new_record(c, replace(made, key="") if draft else made, now)
    _keep(c, record, 0, path)
    return record


def plan_all(c: Connection, known: dict[str, FileNote]) -> dict[str, FileNote]:
    """Assign a path to every active note without a file, and return all notes with a path."""
    where = replace(c.filter(kinds=("note",)), scopes=(str(c.scope),))
    for record in reversed(c.store.find(where, limit=EVERYTHING).records):
        note = payload_of(record, Note)
        if note.path or record.scope != str(c.scope):
            continue
        first = headline(record.body)
        name = " ".join(record.title.split()) or first[:MOST_NAME_CHARS].rstrip()
        path = free_path(c, "", name, known)
        top = topped(name, note.description or first[:MOST_DESCRIPTION_CHARS], note.type)
        draft = admitted(c, draft_of(c, path, top + record.body, like=record))
        fields = {field: getattr(draft, field) for field in ("key", "title", "body", "payload")}
        fresh = revised(record, c.clock.now(), **fields)
        _keep(c, fresh, record.version, path)
        known = known | {path: FileNote(fresh, None)}
    return known


def accept_proposal(c: Connection, draft: Record, path: str) -> None:
    """Turn a proposal into an active note whose file will be written."""
    note = replace(payload_of(draft, Note), path=path)
    _keep(c, revised(draft, c.clock.now(), status="active", key=path, payload=note), draft.version, path)


def _keep(c: Connection, record: Record, expected: int, path: str) -> None:
    payload = {"path": path, "hash": "", "version": record.version, "place": place_of(c)}
    vectors = c.meaning.of_records(searchable([record]))
    with writing(c, c.clock.now()) as tx:
        tx.put(record, expected=expected)
        keep_vectors(c, tx, vectors)
        tx.append(NewEvent(type=PLANNED, subject=record.id, scope=record.scope, payload=payload))
