"""Single topic files: add, compare, restore and forget them, and write the daily log."""

from __future__ import annotations

import posixpath
from contextlib import suppress
from typing import Annotated

from tacit.admission.trust import flagged
from tacit.errors import Conflict, NotFound, Refused, TacitError, UsageError
from tacit.files.safe_paths import SafeFolder, parts_inside
from tacit.memdir.file_notes import (
    FileNote,
    difference,
    draft_of,
    file_note,
    file_notes,
    folder_of,
    hash_of,
    last_synced_text,
    notes_at_path,
    read_file,
    text_of,
)
from tacit.memdir.folder import MOST_BYTES, TopicFolder
from tacit.memdir.folder_lock import locked
from tacit.memdir.planned_files import MOST_DESCRIPTION_CHARS, MOST_NAME_CHARS, free_path, headline, plan
from tacit.memdir.rules.front_matter import KNOWN_TYPES
from tacit.memdir.rules.instruction_filter import linked
from tacit.memdir.rules.topic_file import (
    AGENTS,
    LOGS,
    TEAM,
    apart,
    entry,
    index_of,
    is_conflict,
    private_in_team,
    speaks_of_oneself,
    topped,
    unlisted,
)
from tacit.memdir.sync import MemdirSync, settle
from tacit.model.event import NewEvent
from tacit.model.memdir_results import MemdirForgotten, Remembered, TopicVersion
from tacit.model.payload import Note
from tacit.model.record import Record, payload_of
from tacit.model.verb import arg
from tacit.records.arguments import text_of as asked_text
from tacit.records.connection import Connection
from tacit.records.forget import forget as forget_records
from tacit.records.write import admitted, keep_vectors, revised, searchable, writing
from tacit.text.slug import slug_of

_REASONED = ("feedback", "project")
Text = Annotated[str, arg("The text; `-` reads standard input.", reads_input=True)]
TopicPath = Annotated[str, arg("The path of a topic file in the memory directory.")]


def remember(
    c: Connection, text: Text, *, type: Annotated[str, arg("The type of the topic file.", choices=sorted(KNOWN_TYPES))],
    name: Annotated[str, arg("The name of the topic; default: the first words of the text.")] = "",
    description: Annotated[str, arg(
        "One line by which the file is selected; default: the first line of the text."
    )] = "",
    agent: Annotated[str, arg("Write the file to the folder of this agent.")] = "",
    team: Annotated[bool, arg("Write the file to the team's folder. What is private is refused there.")] = False,
) -> Remembered:  # fmt: skip
    """Write a topic file and its line in the index. In ask mode, an agent's text waits for a person instead."""
    folder = folder_of(c)
    c.writable()
    body, kind = _checked(c, text, type)
    first = headline(body)
    name = " ".join(asked_text(name, "name").split()) or first[:MOST_NAME_CHARS].rstrip()
    about = " ".join(asked_text(description, "description").split()) or first[:MOST_DESCRIPTION_CHARS]
    if team and agent:
        raise UsageError("a file is in the folder of the team or in that of an agent", "leave out one of them")
    place = TEAM if team else f"{AGENTS}{_agent(agent)}/" if agent else ""
    whole = topped(c.redact(name), c.redact(about), kind) + body
    if team:
        _refuse_private(whole)
    waiting = c.memdir_rules.ask and not c.is_person
    notices = _unreasoned(kind, body)
    with locked(folder, make=not waiting):
        known = file_notes(c)
        for path, one in known.items():
            here = path.startswith(TEAM) == team
            if here and one.record.status == "active" and one.record.body.strip() == c.redact(body).strip():
                return Remembered(path=path, record=one.record, known=True)
        path = free_path(c, place, name, known)
        record = plan(c, path, whole, draft=waiting)
        notices += (*_elsewhere(c, place, name, path), *flagged(record))
        if waiting:
            return Remembered(path=path, record=record, waiting=True, notices=notices)
        run = MemdirSync(c, SafeFolder(folder), accepted=True)
        settle(run, path, file_note(c, path))
        return Remembered(path=path, record=record, notices=(*notices, *_written(run, path)))


def _checked(c: Connection, text: str, type: str) -> tuple[str, str]:
    if asked_text(type, "type") not in KNOWN_TYPES:
        raise UsageError(f"unknown type {type[:40]!r}", f"use {', '.join(sorted(KNOWN_TYPES))}")
    if type not in c.memdir_rules.types:
        raise Refused(f"topic files of the type {type} are switched off", "see [memdir] types in config.toml")
    body = asked_text(text, "text").strip()
    if not body:
        raise UsageError("the text is empty", "give the text to remember")
    return f"{body}\n", type


def _refuse_private(text: str) -> None:
    """Raise an error if a text may not be written into the team's folder."""
    why = private_in_team(TEAM, text)
    if not why and speaks_of_oneself(apart(text).body):
        why = f"it speaks of whoever says it, and {TEAM} is for everybody"
    if why:
        raise Refused(
            f"{why}; nothing was written", "leave out --team; or say it of the project, as project or reference"
        )


def _agent(name: str) -> str:
    parts = parts_inside(asked_text(name, "agent"))
    if len(parts) != 1:
        raise UsageError(f"{name[:80]!r} is not the name of an agent", "give one plain name, without a slash")
    return parts[0]


def _unreasoned(type: str, body: str) -> tuple[str, ...]:
    if type in _REASONED and not ("**Why:**" in body and "**How to apply:**" in body):
        return (f"a {type} memory is more useful with a line `**Why:**` and one `**How to apply:**`",)
    return ()


def _elsewhere(c: Connection, place: str, name: str, path: str) -> tuple[str, ...]:
    """Return a message that the file got another name because the first name was taken; empty if it was not."""
    meant = f"{place}{slug_of(c.redact(name))}.md"
    return () if meant == path else (f"{meant} already exists, so this is {path}",)


def _written(run: MemdirSync, path: str) -> tuple[str, ...]:
    """Return the problems with the index; a file that was not written is an error."""
    found = run.outcome()
    if path not in (*found.written, *found.agreed, *found.merged, *found.taken, *found.removed, *found.retired):
        why = next((one.message for one in found.problems), "it changed meanwhile")
        raise Conflict(f"{path} was not written: {why}", "its note is in the store; `tacit memdir sync` tries again")
    return tuple(one.message for one in (*found.problems, *found.conflicts))


def versions(c: Connection, path: TopicPath) -> list[TopicVersion]:
    """List the stored versions of a topic file, oldest first."""
    found = _require(c, path)
    listed, before = [], ""
    for one in c.store.history(found.record.id, c.walls):
        text = text_of(one)
        listed.append(TopicVersion(
            version=one.version, at=one.updated_at, actor=one.origin.actor, status=one.status, path=one.key or path,
            text=text, diff=difference(before, text, path),
        ))  # fmt: skip
        before = text
    return listed


def diff(c: Connection, path: TopicPath) -> tuple[str, str]:
    """Show the changes of a topic file and of its note since their last sync. Secrets are left out."""
    inside = SafeFolder(folder_of(c))
    parts_inside(asked_text(path, "path"))
    found = file_note(c, path)
    there = read_file(c, inside, path).clean if inside.status(path) is not None else ""
    if found is None:
        if not there:
            raise NotFound(f"no {path} in the memory directory", "`tacit memdir list` shows the files")
        return difference("", there, path), ""
    here = "" if found.record.status == "retired" else text_of(found.record)
    agreed = last_synced_text(c, found)
    base = agreed.text if agreed else here
    return difference(base, there, path), difference(base, here, path)


def restore(
    c: Connection, path: TopicPath,
    version: Annotated[int, arg("A version number from `tacit memdir history`.", option="--version", ge=1)],
) -> Record:  # fmt: skip
    """Restore an older version of a topic file, as a new version, in the store and in the file."""
    folder = folder_of(c)
    c.writable()
    parts_inside(asked_text(path, "path"))
    with locked(folder, make=True):
        run = MemdirSync(c, SafeFolder(folder))
        # A change of the file is read in first, so that it is in the history.
        settle(run, path, file_note(c, path))
        found = _require(c, path)
        wanted = {one.version: one for one in c.store.history(found.record.id, c.walls)}.get(version)
        if wanted is None:
            raise NotFound(f"{path} has no version {version}", f"it has versions 1 to {found.record.version}")
        if found.record.origin.actor == "user":
            c.require_person("restore an older version of a file that a person wrote")
        record = reworded(c, found.record, path, text_of(wanted), "memdir.restored", to=version)
        run = MemdirSync(c, SafeFolder(folder))
        settle(run, path, file_note(c, path))
        if not run.outcome().waiting:
            _written(run, path)
    return record


def reworded(c: Connection, record: Record, path: str, text: str, type: str, **more: object) -> Record:
    """Write the next version of a note with the text of a file."""
    draft = admitted(c, draft_of(c, path, text, like=record))
    now = c.clock.now()
    fields = {name: getattr(draft, name) for name in ("key", "title", "body", "payload", "status")}
    fresh = revised(record, now, **fields, origin=c.origin)
    vectors = c.meaning.of_records(searchable([fresh]))
    with writing(c, now) as tx:
        tx.put(fresh, expected=record.version)
        keep_vectors(c, tx, vectors)
        tx.append(NewEvent(type=type, subject=record.id, scope=record.scope, payload=dict(more)))
    return fresh


def forget(c: Connection, path: TopicPath) -> MemdirForgotten:
    """Delete a topic file for good, with its note, all versions, and its conflict files. There is no undo."""
    folder = folder_of(c)
    parts_inside(asked_text(path, "path"))
    c.writable()
    inside = SafeFolder(folder)
    with locked(folder):
        there = inside.status(path) is not None
        if there:
            # A change that was not read in yet belongs to the note as well.
            settle(MemdirSync(c, inside), path, file_note(c, path))
        records = notes_at_path(c, path)
        if not there and not records:
            raise NotFound(f"no {path} in the memory directory", "`tacit memdir list` shows the files")
        forgotten = forget_records(c, [record.id for record in records]) if records else None
        if there and not records:
            inside.remove(path, over=read_file(c, inside, path).hash)
        removed = [path] if there and inside.status(path) is None else []
        stem = path.removesuffix(".md")
        for leaf in TopicFolder(folder).leaves():
            if is_conflict(leaf.path) and leaf.path.startswith(f"{stem}.conflict-"):
                inside.remove(leaf.path)
                removed.append(leaf.path)
    return MemdirForgotten(files=tuple(removed), forgotten=forgotten, notices=_mentioned(inside, path))


def remove_file(c: Connection, record: Record) -> bool:
    """Remove the file of a note that is being forgotten. Returns False if the file has changes that were not read."""
    path = payload_of(record, Note).path
    inside = SafeFolder(folder_of(c))
    found = file_note(c, path)
    if inside.status(path) is None or found is None or found.record.id != record.id:
        return True
    text = text_of(record)
    try:
        inside.remove(path, over=found.agreement.hash if found.agreement and found.agreement.hash else "never")
    except Conflict:
        return False
    _unlist(inside, path, text)
    return True


def _unlist(inside: SafeFolder, path: str, text: str) -> None:
    name = index_of(path)
    # The file is gone by now, so the note must go too; a line that stays is reported by _mentioned.
    with suppress(TacitError):
        if inside.status(name) is None:
            return
        content = inside.read(name, MOST_BYTES)
        after = unlisted(content.decode(errors="surrogateescape"), entry(path, text)).encode(errors="surrogateescape")
        if after != content:
            inside.write(name, after, over=hash_of(content))


def _mentioned(inside: SafeFolder, path: str) -> tuple[str, ...]:
    name = index_of(path)
    try:
        if inside.status(name) is None:
            return ()
        text = inside.read(name, MOST_BYTES).decode(errors="replace")
    except TacitError as error:
        return (f"cannot check whether {name} still lists it: {error.message}",)
    still = path in linked(text, posixpath.dirname(name))
    return (f"{name} still lists it, in a line written by hand; `tacit memdir fix` removes it",) if still else ()


def log(c: Connection, text: Text) -> str:
    """Add a line to today's log, logs/YYYY/MM/YYYY-MM-DD.md."""
    folder, now = folder_of(c), c.clock.now()
    c.writable()
    if c.memdir_rules.ask and not c.is_person:
        raise Refused("a person must accept what an agent writes here", "`tacit memdir add` proposes it")
    line = " ".join(c.redact(asked_text(text, "text")).split())
    if not line:
        raise UsageError("the text is empty", "give the text to log")
    path = f"{LOGS}{now:%Y/%m/%Y-%m-%d}.md"
    inside = SafeFolder(folder)
    with locked(folder, make=True):
        there = inside.status(path) is not None
        content = inside.read(path, MOST_BYTES) if there else f"# {now:%Y-%m-%d}\n\n".encode()
        ended = content if content.endswith(b"\n") or not content else content + b"\n"
        longer = ended + f"- {now:%H:%M} {line}\n".encode(errors="replace")
        if len(longer) > MOST_BYTES:
            raise Refused(f"{path} would be over {MOST_BYTES:,} bytes", "shorten the text, or wait for tomorrow's log")
        inside.write(path, longer, new=not there, over=hash_of(content) if there else "")
    return path


def _require(c: Connection, path: str) -> FileNote:
    parts_inside(asked_text(path, "path"))
    found = file_note(c, path)
    if found is None:
        raise NotFound(f"the store has no {path}", "`tacit memdir sync` reads files in")
    return found
