"""The actions of a sync on one topic file and its note."""

from __future__ import annotations

import posixpath
from functools import partial
from typing import Any, NamedTuple

from tacit.admission.trust import flagged
from tacit.errors import CitationProtected, Conflict, NotFound, Refused, TacitError, UsageError
from tacit.files.safe_paths import SafeFolder
from tacit.memdir.file_notes import (
    AGREED,
    CONFLICT,
    REMOVED,
    RETIRED,
    TAKEN,
    WRITTEN,
    FileNote,
    as_file_actor,
    difference,
    draft_of,
    hash_of,
    place_of,
    text_of,
)
from tacit.memdir.folder import MOST_BYTES
from tacit.memdir.rules.sync_decision import FileState, SyncDecision
from tacit.memdir.rules.topic_file import (
    conflict_name,
    entry,
    index_of,
    lines_of,
    listed,
    private_in_team,
    relinked,
    unlisted,
)
from tacit.model.event import NewEvent
from tacit.model.record import Record
from tacit.records.citation_protection import refuse_if_cited
from tacit.records.connection import Connection
from tacit.records.write import admitted, keep_vectors, new_record, revised, searchable, writing

_MOST_ASIDES = 100


class SyncActionResult(NamedTuple):
    """The result of an action: its list in the report, and messages as (list, sentence)."""

    what: str
    said: tuple[tuple[str, str], ...] = ()


class SyncActions:
    """The actions on one path. Each is completed, or leaves file and note unchanged."""

    def __init__(
        self, c: Connection, inside: SafeFolder, path: str, file: FileState | None, found: FileNote | None
    ) -> None:
        self._c, self._inside, self._path = c, inside, path
        self._file = file
        self._note = found.record if found else None
        self._new_here = found is None or found.agreement is None or not found.agreement.hash

    def do(self, decision: SyncDecision) -> SyncActionResult:
        """Carry out a decision."""
        match decision.act:
            case "write" | "merge" | "again":
                return self._write(decision)
            case "conflict":
                return self._conflict()
            case "retire" | "remove":
                return self._end(decision.act)
            case "agree":
                return self._agree()
            case "revive":
                flags = self._taken()
                return SyncActionResult(
                    "taken", (("conflicts", "note was retired, file was changed: the note is active again"), *flags)
                )
            case _:
                return SyncActionResult("taken", self._taken())

    def _taken(self) -> tuple[tuple[str, str], ...]:
        return tuple(("flagged", why) for why in flagged(self.take()))

    def take(self, type: str = TAKEN, text: str | None = None, **more: Any) -> Record:
        """Copy the text of the file to the note. The old text stays in its history, the diff in the event."""
        text = text if text is not None else self._there().text
        digest = hash_of(text.encode())
        if why := private_in_team(self._path, text):
            raise Refused(why, "move the file out of the team's folder; it was not read in")
        c = as_file_actor(self._c)
        draft = admitted(c, draft_of(c, self._path, text, like=self._note))
        if c.redact(self._path) != self._path:
            raise UsageError("its name contains a secret", "rename the file; it was not read in")
        now = c.clock.now()
        if self._note is None:
            record, before = new_record(c, draft, now), ""
        else:
            fields = {name: getattr(draft, name) for name in ("key", "title", "body", "payload", "status")}
            record, before = revised(self._note, now, **fields, origin=c.origin), text_of(self._note)
        vectors = c.meaning.of_records(searchable([record]))
        with writing(c, now) as tx:
            tx.put(record, expected=self._note.version if self._note else 0)
            keep_vectors(c, tx, vectors)
            diff = difference(before, text_of(record), self._path)
            tx.append(self._event(type, record, digest, diff=diff, **more))
        return record

    def move(self, old: str) -> tuple[tuple[str, str], ...]:
        """Give the note of a moved file its new path, and lead the lines that list it there; return the problems."""
        self.take()
        here, there = index_of(old), index_of(self._path)
        if here == there:
            place = posixpath.dirname(here)
            return self._index(lambda index: relinked(index, place, old, self._path))
        return self._relist(old, here, there)

    def _relist(self, old: str, here: str, there: str) -> tuple[tuple[str, str], ...]:
        """Move the lines that list a file to another index, as they are except for the path."""
        before, after = posixpath.dirname(here), posixpath.dirname(there)
        lines: list[str] = []

        def without(index: str) -> str:
            lines.extend(lines_of(index, before, old))
            for line in lines:
                index = unlisted(index, line)
            # What is more than an item of a list stays where it is.
            return relinked(index, before, old, self._path)

        said = self._index(without, here)
        for line in lines:
            moved = relinked(line, before, old, self._path, into=after)
            said = (*said, *self._index(partial(listed, path=self._path, line=moved), there))
        return said

    def _event(self, type: str, record: Record, digest: str, **more: Any) -> NewEvent:
        agreed = {"path": self._path, "hash": digest, "version": record.version, "place": place_of(self._c)}
        return NewEvent(type=type, subject=record.id, scope=record.scope, payload={**agreed, **more})

    def _write(self, decision: SyncDecision) -> SyncActionResult:
        note = self._known()
        content = decision.text.encode()
        if len(content) > MOST_BYTES:
            raise UsageError(f"{self._path} would be over {MOST_BYTES:,} bytes", "split the note; nothing was written")
        if why := private_in_team(self._path, decision.text):
            raise Refused(why, "change its type; nothing was written")
        before = self._file.text if self._file else ""
        if before.encode() != content or self._file is None:
            self._inside.write(self._path, content, new=self._file is None, over=self._file.hash if self._file else "")
        if decision.act == "merge":
            self.take(text=decision.text)
        else:
            diff = difference(self._c.redact(before), text_of(note), self._path)
            self._append(WRITTEN, note, hash_of(content), diff=diff)
        said = self._list(decision.text) if self._file is None or self._new_here else ()
        if decision.act == "again":
            said = (*said, ("conflicts", "file was deleted, note was changed: the file is written again"))
        return SyncActionResult("merged" if decision.act == "merge" else "written", said)

    def _conflict(self) -> SyncActionResult:
        aside = self._aside(text_of(self._known()))
        self.take(CONFLICT, aside=aside)
        return SyncActionResult("taken", (("conflicts", f"changed on both sides: the text of the note is in {aside}"),))

    def _aside(self, text: str) -> str:
        """Write a text into a file beside this one; the same text is written once."""
        note = self._known()
        for number in range(_MOST_ASIDES):
            digest = hash_of((text if number == 0 else f"{number}\n{text}").encode())
            name = conflict_name(self._path, f"{note.updated_at:%Y-%m-%d}", digest)
            try:
                if self._inside.read(name, MOST_BYTES) == text.encode():
                    return name
            except NotFound:
                self._inside.write(name, text.encode(), new=True)
                return name
        raise Conflict(f"{self._path} has too many conflict files", "resolve them first; nothing was changed")

    def _end(self, act: str) -> SyncActionResult:
        """Retire the note of a deleted file, or remove the file of a retired note."""
        note = self._known()
        if act == "remove":
            file = self._there()
            self._inside.remove(self._path, over=file.hash)
            self._append(REMOVED, note, "")
            return SyncActionResult("removed", self._unlist(file.text))
        c = as_file_actor(self._c)
        now = c.clock.now()
        retired = revised(note, now, status="retired", origin=c.origin)
        try:
            with writing(c, now) as tx:
                refuse_if_cited(c, tx, [note.id], "retire")
                tx.put(retired, expected=note.version)
                tx.append(self._event(RETIRED, retired, ""))
        except CitationProtected as cited:
            self._write(SyncDecision("again", text_of(note)))
            return SyncActionResult(
                "written", (("conflicts", f"file was deleted, and is written again: {cited.message}"),)
            )
        return SyncActionResult("retired", self._unlist(text_of(note)))

    def _agree(self) -> SyncActionResult:
        note = self._known()
        self._append(AGREED, note, self._file.hash if self._file else "")
        # A crash may have come between writing the file and its line.
        ours = self._file is not None and self._new_here and note.origin.actor != "file"
        return SyncActionResult("agreed", self._list(self._file.text) if ours and self._file else ())

    def _known(self) -> Record:
        if self._note is None:
            raise NotFound(f"the store has no {self._path}", "`tacit memdir sync` reads files in")
        return self._note

    def _there(self) -> FileState:
        if self._file is None:
            raise NotFound(f"no {self._path} in the memory directory", "`tacit memdir list` shows the files")
        return self._file

    def _append(self, type: str, record: Record, digest: str, **more: Any) -> None:
        with writing(self._c, self._c.clock.now()) as tx:
            tx.append(self._event(type, record, digest, **more))

    def _list(self, text: str) -> tuple[tuple[str, str], ...]:
        if self._note is not None and self._note.trust == 0:
            # The index goes into prompts; flagged files do not.
            why = f"it is flagged, so {index_of(self._path)} omits it; `tacit approve {self._note.id}` allows it"
            return (("problems", why),)
        return self._index(lambda index: listed(index, self._path, entry(self._path, text)))

    def _unlist(self, text: str) -> tuple[tuple[str, str], ...]:
        return self._index(lambda index: unlisted(index, entry(self._path, text)))

    def _index(self, change: Any, name: str = "") -> tuple[tuple[str, str], ...]:
        """Change the index that lists the file; a problem with the index is reported, and the sync continues."""
        name = name or index_of(self._path)
        try:
            there = self._inside.status(name) is not None
            content = self._inside.read(name, MOST_BYTES) if there else b""
            after = change(content.decode()).encode()
            if after != content:
                self._inside.write(name, after, new=not there, over=hash_of(content) if there else "")
        except UnicodeDecodeError:
            return (("problems", f"{name} is not UTF-8 text, so it was not changed"),)
        except TacitError as error:
            return (("problems", f"its line in {name} was not changed: {error.message}"),)
        return ()
