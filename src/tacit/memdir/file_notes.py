"""Notes that follow topic files: their text, their last sync with the file, and the changes since."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from difflib import unified_diff
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from tacit.errors import SwitchedOff, UsageError
from tacit.files.safe_paths import SafeFolder
from tacit.memdir.folder import MOST_BYTES
from tacit.memdir.rules.sync_decision import FileState, SyncedState
from tacit.memdir.rules.topic_file import apart, named, renamed
from tacit.model.event import Event
from tacit.model.origin import Origin
from tacit.model.payload import Note
from tacit.model.query import Filter
from tacit.model.record import Draft, Record, payload_of, replace
from tacit.records.connection import Connection
from tacit.records.drafts import tags_of

TAKEN, WRITTEN, AGREED, CONFLICT = "memdir.taken", "memdir.written", "memdir.agreed", "memdir.conflict"
RETIRED, REMOVED, PLANNED = "memdir.retired", "memdir.removed", "memdir.planned"
AGREEMENTS = (TAKEN, WRITTEN, AGREED, CONFLICT, RETIRED, REMOVED, PLANNED)
MOST_DIFF_CHARS = 20_000
_PAGE = 1_000


class LastSync(NamedTuple):
    """The last sync of a note in this directory: the hash of the file, empty if there was none, and its version."""

    hash: str
    version: int


class FileNote(NamedTuple):
    """A note with its last sync."""

    record: Record
    agreement: LastSync | None


def folder_of(c: Connection) -> Path:
    """Return the memory directory of a connection.

    Raises:
        TacitError: there is no memory directory, or it is switched off.
    """
    if c.memdir is None:
        raise UsageError("there is no memory directory here", "run it in a project, or set TACIT_MEMDIR")
    if c.memdir_rules.off:
        raise SwitchedOff(
            "the memory directory is switched off", "unset TACIT_MEMDIR_OFF, or change [memdir] in config.toml"
        )
    if c.scope.namespace:
        raise UsageError("the memory directory belongs to the whole scope, not to a namespace", f"open {c.scope.base}")
    return c.memdir


def place_of(c: Connection) -> str:
    """Return the id of the directory in events, because several directories may sync with one store."""
    return _mark(c.store.location if "://" in c.store.location else "", c.origin.host, str(folder_of(c)))


@lru_cache(64)
def _mark(server: str, host: str, folder: str) -> str:
    # Only with a server several machines share a store, and their folders may have the same path.
    seen = f"{host}:{Path(folder).resolve()}" if server else str(Path(folder).resolve())
    return hashlib.sha256(seen.encode(errors="surrogateescape")).hexdigest()[:16]


def as_file_actor(c: Connection) -> Connection:
    """Return the connection with the actor `file`, because the caller of a sync did not write the file."""
    origin = c.origin
    return replace(
        c, origin=Origin(actor="file", session=origin.session, host=origin.host, cwd=origin.cwd, role=origin.role)
    )


def text_of(record: Record) -> str:
    """Return the text of a note in the form of its file."""
    note = payload_of(record, Note)
    top = note.top
    if record.title != named(top, note.path):
        top = renamed(top, record.title)
    return top + record.body


def draft_of(c: Connection, path: str, text: str, *, status: str = "active", like: Record | None = None) -> Draft:
    """Make the draft of a note from the text of a file. Fields that files do not have stay as they were."""
    found = apart(text)
    before = payload_of(like, Note) if like else Note()
    payload = Note(
        author=before.author, source=before.source, path=path, type=found.said.type,
        description=found.said.description, top=found.top,
    )  # fmt: skip
    return Draft(
        kind="note", scope=like.scope if like else str(c.scope), payload=payload, title=named(found.top, path),
        body=found.body, key=_key(like, path), status=status, tags=tags_of(like.tags if like else ()),
        importance=like.importance if like else 0.5, at=like.at if like else None,
    )  # fmt: skip


def _key(like: Record | None, path: str) -> str:
    """Return the key of a note: its path, unless the note already had another key."""
    return like.key if like and like.key not in ("", payload_of(like, Note).path) else path


def read_file(c: Connection, inside: SafeFolder, path: str) -> FileState:
    """Read a topic file.

    Raises:
        TacitError: the file does not exist, is not a regular UTF-8 file, is too large, or is behind a link.
    """
    return file_of(c, path, inside.read(path, MOST_BYTES))


def file_of(c: Connection, path: str, content: bytes) -> FileState:
    """Decode the bytes of a topic file, and redact the text."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8 text", "check the file; it was not read") from None
    if "\0" in text:
        raise UsageError(f"{path} is binary", "check the file; it was not read")
    found = apart(text)
    return FileState(hash_of(content), text, c.redact(found.top) + c.redact(found.body))


def hash_of(content: bytes) -> str:
    """Hash the bytes of a file."""
    return hashlib.sha256(content).hexdigest()


def file_notes(c: Connection) -> dict[str, FileNote]:
    """Return the notes that have a path, each with its last sync.

    Of several notes with the same path, the active one is returned.
    """
    place = place_of(c)
    where = c.filter(kinds=("note",), statuses=(), facets=(("kept", "file"),))
    records: dict[str, Record] = {}
    for record in _all(c, where):
        path = payload_of(record, Note).path
        if record.scope == str(c.scope) and record.status != "draft" and _before(records.get(path), record):
            records[path] = record
    found = _agreements(c, place, {record.id: path for path, record in records.items()})
    return {path: FileNote(record, found.get(record.id)) for path, record in records.items()}


def notes_at_path(c: Connection, path: str) -> list[Record]:
    """Return the notes with a path, active or not, except proposals."""
    where = c.filter(kinds=("note",), statuses=(), facets=(("path", path),))
    return [record for record in _all(c, where) if record.scope == str(c.scope) and record.status != "draft"]


def drafts(c: Connection) -> list[Record]:
    """Return the proposals that wait for a person, oldest first."""
    where = c.filter(kinds=("note",), statuses=("draft",), facets=(("kept", "file"),))
    return sorted((one for one in _all(c, where) if one.scope == str(c.scope)), key=lambda one: one.id)


def file_note(c: Connection, path: str) -> FileNote | None:
    """Return the note of a path from the store."""
    chosen: Record | None = None
    for record in notes_at_path(c, path):
        if _before(chosen, record):
            chosen = record
    if chosen is None:
        return None
    return FileNote(chosen, _agreement(c, place_of(c), chosen.id, path))


def _before(known: Record | None, record: Record) -> bool:
    """Return whether a record is preferred for its path: the active one, else the one changed last."""
    if known is None:
        return True
    one, other = ((r.status != "retired", r.updated_at, r.id) for r in (known, record))
    return other > one


def _all(c: Connection, where: Filter) -> Iterator[Record]:
    after = ""
    while True:
        page = c.store.find(where, limit=_PAGE, after=after)
        yield from page.records
        after = page.next
        if not after:
            return


def _agreements(c: Connection, place: str, paths: Mapping[str, str]) -> dict[str, LastSync | None]:
    """Return the last sync of each note: the newest events contain most of them, the rest are read one by one."""
    if not paths:
        return {}
    found: dict[str, LastSync | None] = {}
    events = c.store.events(scopes=[str(c.scope)], types=AGREEMENTS, newest=True, limit=2 * len(paths) + 100)
    for event in events:
        if event.subject in paths and event.subject not in found and _is_here(event, place):
            found[event.subject] = _read(event, paths[event.subject])
    for id in paths.keys() - found.keys():
        found[id] = _agreement(c, place, id, paths[id])
    return found


def _agreement(c: Connection, place: str, id: str, path: str) -> LastSync | None:
    events = c.store.events(subject=id, types=AGREEMENTS, newest=True, limit=_PAGE)
    return next((_read(event, path) for event in events if _is_here(event, place)), None)


def _is_here(event: Event, place: str) -> bool:
    return (event.payload or {}).get("place") == place


def _read(event: Event, path: str) -> LastSync | None:
    """Read the last sync from an event; None if it was about another path."""
    found = event.payload or {}
    if found.get("path") != path or not isinstance(found.get("hash"), str) or not isinstance(found.get("version"), int):
        return None
    return LastSync(found["hash"], found["version"])


def last_synced_text(c: Connection, found: FileNote) -> SyncedState | None:
    """Return the last sync with the text the note had then, or None if that version is not available."""
    if found.agreement is None:
        return None
    if not found.agreement.hash:
        return SyncedState("", "")
    if found.record.version == found.agreement.version:
        return SyncedState(found.agreement.hash, text_of(found.record))
    versions = {one.version: one for one in c.store.history(found.record.id, c.walls)}
    base = versions.get(found.agreement.version)
    return SyncedState(found.agreement.hash, text_of(base)) if base else None


def difference(before: str, after: str, path: str) -> str:
    """Return the unified diff of two texts, shortened if it is long."""
    lines = unified_diff(before.splitlines(), after.splitlines(), path, path, lineterm="", n=1)
    text = "\n".join(lines)
    return text if len(text) <= MOST_DIFF_CHARS else f"{text[:MOST_DIFF_CHARS]}\n[… cut here …]"
