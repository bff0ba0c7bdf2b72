"""The state of a memory directory: pending changes, open proposals, and files that could be removed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from tacit.errors import NotFound, UsageError
from tacit.files.safe_paths import SafeFolder
from tacit.memdir.file_notes import drafts, file_note, file_notes, folder_of, read_file, text_of
from tacit.memdir.folder import TopicFolder
from tacit.memdir.folder_lock import locked
from tacit.memdir.planned_files import accept_proposal
from tacit.memdir.rules.size_budget import TopicSize, evictions, over_budget
from tacit.memdir.rules.sync_decision import SyncDecision
from tacit.memdir.rules.topic_file import is_conflict, is_kept
from tacit.memdir.sync import MemdirSync, settle, sync
from tacit.memdir.sync_actions import SyncActions
from tacit.memdir.topic_notes import diff
from tacit.model.event import NewEvent
from tacit.model.memdir_results import FileMessage, MemdirProposal, MemdirState, MemdirSyncReport
from tacit.model.payload import Note
from tacit.model.record import Record, payload_of
from tacit.model.report import Finding
from tacit.model.verb import arg
from tacit.records.connection import Connection
from tacit.records.write import revised, writing
from tacit.text.plural import plural

Proposal = Annotated[str, arg("The path, name or id of a proposal.", record=True)]


def state(c: Connection) -> MemdirState:
    """Return what a sync would do, what waits for a person, which conflicts are open, and what exceeds the budget."""
    folder = folder_of(c)
    leaves = TopicFolder(folder).leaves()
    known = file_notes(c)
    pending = sync(c, dry_run=True)
    by_person = {path for path, one in known.items() if one.record.origin.actor == "user"}
    files = [
        TopicSize(leaf.path, leaf.mtime_ns, (leaf.size_bytes + 3) // 4, leaf.path in by_person)
        for leaf in leaves
        if is_kept(leaf.path)
    ]
    now_ns = int(c.clock.now().timestamp() * 1e9)
    evict = evictions(files, c.memdir_rules, now_ns)
    return MemdirState(
        pending=pending, proposals=tuple(_proposals(c, pending)),
        conflicts=tuple(leaf.path for leaf in leaves if is_conflict(leaf.path)), files=len(files),
        tokens=sum(file.tokens for file in files), over_budget=over_budget(files, c.memdir_rules),
        evict=tuple(FileMessage(path, why) for path, why in evict),
    )  # fmt: skip


def findings(c: Connection) -> list[Finding]:
    """List what waits for a person: open conflicts and proposals."""
    if c.memdir is None or c.memdir_rules.off:
        return []
    found = []
    if unsettled := sum(is_conflict(leaf.path) for leaf in TopicFolder(c.memdir).leaves()):
        message = f"{plural(unsettled, 'unresolved conflict')} between files and store"
        hint = "`tacit memdir status` lists them: compare both versions, then remove the file that is not needed"
        found.append(Finding(level="warning", subject="memory directory", message=message, hint=hint))
    if waiting := len(drafts(c)):
        message = f"{plural(waiting, 'proposal')} of agents to write a topic file"
        hint = "`tacit memdir status` shows them, `tacit memdir accept` writes the file"
        found.append(Finding(level="hint", subject="memory directory", message=message, hint=hint))
    return found


def _proposals(c: Connection, pending: MemdirSyncReport) -> list[MemdirProposal]:
    found = [
        MemdirProposal(path=payload_of(one, Note).path, id=one.id, what="new", diff=text_of(one)) for one in drafts(c)
    ]
    for path in pending.waiting:
        one = file_note(c, path)
        if one is not None:
            what = "removal" if one.record.status == "retired" else "change"
            found.append(MemdirProposal(path=path, id=one.record.id, what=what, diff=diff(c, path)[1]))
    return found


def accept(c: Connection, name: Proposal) -> MemdirSyncReport:
    """Write the file that an agent proposed. Only a person may do this."""
    c.require_person("accept a proposal of an agent")
    folder = folder_of(c)
    c.writable()
    with locked(folder, make=True):
        run = MemdirSync(c, SafeFolder(folder), accepted=True)
        draft = _draft(c, name)
        path = _promoted(c, draft) if draft else _path(c, name)
        settle(run, path, file_note(c, path))
        return run.outcome()


def reject(c: Connection, name: Proposal) -> MemdirSyncReport:
    """Reject a proposal: a new note is retired, a changed note gets the text of its file again.

    Only a person may do this.
    """
    c.require_person("reject a proposal of an agent")
    folder = folder_of(c)
    c.writable()
    inside = SafeFolder(folder)
    with locked(folder, make=True):
        run = MemdirSync(c, inside)
        if draft := _draft(c, name):
            _retired(c, draft)
            run.tell("retired", payload_of(draft, Note).path)
            return run.outcome()
        path = _path(c, name)
        found = file_note(c, path)
        file = read_file(c, inside, path) if inside.status(path) is not None else None
        acts = SyncActions(c, inside, path, file, found)
        run.tell(acts.do(SyncDecision("take" if file else "retire")).what, path)
        return run.outcome()


def _path(c: Connection, name: str) -> str:
    """Return the path of a proposed change."""
    found = {path: one.record for path in sync(c, dry_run=True).waiting if (one := file_note(c, path))}
    meant = _called(list(found.values()), name)
    if meant is None:
        raise NotFound(f"no proposal {name[:80]!r}", "`tacit memdir status` lists them")
    return next(path for path, record in found.items() if record.id == meant.id)


def _draft(c: Connection, name: str) -> Record | None:
    return _called(drafts(c), name)


def _called(records: Sequence[Record], name: str) -> Record | None:
    """Return a proposal by its id or path, else by a name that only one proposal has."""
    for one in records:
        if name in (one.id, payload_of(one, Note).path):
            return one
    found = [one for one in records if name in (one.title, payload_of(one, Note).path.removesuffix(".md"))]
    if len(found) > 1:
        ids = ", ".join(one.id for one in found[:5])
        raise UsageError(f"{len(found)} proposals are called {name[:80]!r}", f"give the id of one of them: {ids}")
    return found[0] if found else None


def _promoted(c: Connection, draft: Record) -> str:
    """Give a proposal its path, or the next path that is free."""
    note, inside, known = payload_of(draft, Note), SafeFolder(folder_of(c)), file_notes(c)
    stem, number, path = note.path.removesuffix(".md"), 1, note.path
    while inside.status(path) is not None or (path in known and known[path].record.status != "retired"):
        number += 1
        path = f"{stem}-{number:02}.md"
    accept_proposal(c, draft, path)
    return path


def _retired(c: Connection, draft: Record) -> None:
    now = c.clock.now()
    with writing(c, now) as tx:
        tx.put(revised(draft, now, status="retired"), expected=draft.version)
        tx.append(NewEvent(type="memdir.rejected", subject=draft.id, scope=draft.scope))
