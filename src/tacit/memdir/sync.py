"""Sync topic files and notes: changed files are read into notes, changed notes are written to files, nothing is lost.

A file is written before the store. After a crash between the two writes, the texts are equal, and the next sync only
records this. A file is never replaced unless it was read just before.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from typing import Annotated, Any

from tacit.errors import Conflict, NotFound, Refused, StoreFull, StoreReadOnly, SwitchedOff, TacitError, UsageError
from tacit.files.safe_paths import SafeFolder
from tacit.memdir.file_notes import (
    FileNote,
    file_note,
    file_notes,
    file_of,
    folder_of,
    hash_of,
    last_synced_text,
    text_of,
)
from tacit.memdir.folder import MOST_BYTES, TopicFolder
from tacit.memdir.folder_lock import locked
from tacit.memdir.planned_files import plan_all
from tacit.memdir.rules.front_matter import read_front_matter
from tacit.memdir.rules.moved_files import SyncedFile, moved_files
from tacit.memdir.rules.sync_decision import WRITES, FileState, NoteState, SyncDecision, decide
from tacit.memdir.rules.topic_file import is_kept
from tacit.memdir.sync_actions import SyncActionResult, SyncActions
from tacit.model.memdir_results import FileMessage, MemdirSyncReport
from tacit.model.verb import arg
from tacit.records.arguments import DryRun
from tacit.records.connection import Connection
from tacit.text.plural import plural

_TRIES = 3
# A single deleted file is nothing unusual.
_MANY = 2
_ABOUT_ONE = (UsageError, NotFound, Conflict, Refused, StoreFull, StoreReadOnly)


@dataclass
class MemdirSync:
    """A running sync: its options, and its results so far."""

    c: Connection
    inside: SafeFolder
    dry_run: bool = False
    notes: bool = False
    """Whether notes without a file are written as well."""
    accepted: bool = False
    """Whether a person accepted the changes that would otherwise wait for them."""
    done: dict[str, list[Any]] = field(default_factory=dict)

    def tell(self, what: str, path: str) -> None:
        """Record what was done with a path."""
        self.done.setdefault(what, []).append(path)

    def say(self, what: str, path: str, message: str) -> None:
        """Record a message about a path."""
        self.done.setdefault(what, []).append(FileMessage(path, message))

    def outcome(self, notices: Iterable[str] = ()) -> MemdirSyncReport:
        """Return the results."""
        lists = {name: tuple(found) for name, found in self.done.items() if name != "off"}
        off = len(self.done.get("off", ()))
        skipped = [f"skipped {plural(off, 'file')} of a type that is switched off"] if off else []
        return MemdirSyncReport(**lists, notices=(*notices, *skipped), dry_run=self.dry_run)


def sync(
    c: Connection, *, dry_run: DryRun = False,
    notes: Annotated[bool, arg("Also write files for notes that have none.")] = False,
    deletions: Annotated[bool, arg("If all files were deleted, retire their notes.")] = False,
) -> MemdirSyncReport:  # fmt: skip
    """Read changed files into notes, and write changed notes to files.

    Changes on both sides are merged if they are in different places. Otherwise the file stays, the text of the note is
    put into a conflict file beside it, and the exit code is 6. The note of a deleted file is retired.
    """
    folder = folder_of(c)
    if not dry_run:
        c.writable()
    run = MemdirSync(c, SafeFolder(folder), dry_run=dry_run, notes=notes)
    known = file_notes(c)
    live = [path for path, one in known.items() if one.agreement and one.agreement.hash and not _is_retired(one)]
    if live and not deletions and not folder.is_dir():
        return run.outcome([f"{folder} was deleted, with {plural(len(live), 'file')}; nothing was retired"])
    # A dry run changes nothing and needs no lock.
    with nullcontext() if dry_run else locked(folder, make=True):
        if not dry_run:
            TopicFolder(folder).sweep(c.clock.now().timestamp())
        leaves, odd = TopicFolder(folder).look()
        here = [leaf.path for leaf in leaves if is_kept(leaf.path)]
        gone = sorted(set(live) - set(here))
        for path, why in odd:
            # A file that was replaced by a link is reported below, with its note.
            if path not in known:
                run.say("problems", path, why)
        # First: files that were renamed are not gone.
        known = _moved(run, known, here, gone)
        gone = [path for path in gone if path in known]
        withheld = []
        if not deletions and len(gone) >= _MANY and len(gone) == len(live):
            known = {path: one for path, one in known.items() if path not in set(gone)}
            withheld = [f"all {len(gone)} files were deleted; nothing was retired; --deletions retires their notes"]
        if notes and not dry_run:
            known = plan_all(c, known)
        for path in sorted({*here, *known} - set(run.done.get("moved", ()))):
            settle(run, path, known.get(path))
    return run.outcome(withheld)


def settle(run: MemdirSync, path: str, found: FileNote | None) -> None:
    """Sync one path. If the file or the note changed meanwhile, try again."""
    for attempt in range(1, _TRIES + 1):
        try:
            _settle(run, path, found)
        except SwitchedOff:
            raise
        except _ABOUT_ONE as error:
            if isinstance(error, Conflict) and attempt < _TRIES:
                found = file_note(run.c, path)
                continue
            run.say("problems", path, error.message)
        return


def _settle(run: MemdirSync, path: str, found: FileNote | None) -> None:
    content = _content(run, path)
    if content is not None and found and _is_settled(found, content):
        return
    file = file_of(run.c, path, content) if content is not None else None
    if file and (kind := read_front_matter(file.text).type) and kind not in run.c.memdir_rules.types:
        run.tell("off", path)
        return
    decision = decision_about(run.c, file, found)
    if decision.act == "unwritten" and run.notes and found:
        decision = SyncDecision("write", text_of(found.record))
    if decision.act in WRITES and found and not run.accepted and needs_acceptance(run.c, found):
        run.tell("waiting", path)
        return
    if decision.act == "held":
        run.say("problems", path, "was retired, but the file contains a secret; remove the file yourself")
    elif decision.act == "unwritten":
        run.tell("unwritten", path)
    elif decision.act != "nothing":
        settled = _would(decision) if run.dry_run else SyncActions(run.c, run.inside, path, file, found).do(decision)
        run.tell(settled.what, path)
        for where, message in settled.said:
            run.say(where, path, message)


def _would(decision: SyncDecision) -> SyncActionResult:
    """Return the result that an action would have."""
    what = {
        "take": "taken", "revive": "taken", "conflict": "taken", "write": "written", "again": "written",
        "merge": "merged", "retire": "retired", "remove": "removed", "agree": "agreed",
    }[decision.act]  # fmt: skip
    why = {"conflict": "changed on both sides", "again": "file deleted, note changed",
           "revive": "note retired, file changed"}.get(decision.act)  # fmt: skip
    return SyncActionResult(what, (("conflicts", why),) if why else ())


def _content(run: MemdirSync, path: str) -> bytes | None:
    """Return the content of a file; None only if the file does not exist.

    An unreadable file is an error, not a deletion.
    """
    if run.inside.status(path) is None:
        return None
    try:
        return run.inside.read(path, MOST_BYTES)
    except NotFound:
        return None


def _is_settled(found: FileNote, content: bytes) -> bool:
    """Return whether neither the file nor the note changed; a quick check, which is true for most files."""
    agreement = found.agreement
    same = agreement is not None and found.record.version == agreement.version and not _is_retired(found)
    return same and agreement is not None and hash_of(content) == agreement.hash


def decision_about(c: Connection, file: FileState | None, found: FileNote | None) -> SyncDecision:
    """Decide what to do about a path."""
    if found is None:
        return decide(file, None, None)
    agreed = last_synced_text(c, found)
    strange = file is not None and not _is_retired(found) and (agreed is None or not agreed.hash)
    former = frozenset(map(text_of, c.store.history(found.record.id, c.walls))) if strange else frozenset()
    return decide(file, agreed, NoteState(text_of(found.record), _is_retired(found), former))


def needs_acceptance(c: Connection, found: FileNote) -> bool:
    """Return whether a person must accept this change of an agent before it is written."""
    return c.memdir_rules.ask and found.record.origin.actor != "user"


def _is_retired(found: FileNote) -> bool:
    return found.record.status == "retired"


def _moved(run: MemdirSync, known: dict[str, FileNote], here: list[str], gone: list[str]) -> dict[str, FileNote]:
    """Find files that were moved, so that their notes keep their history, and the index its lines."""
    lost = {
        path: SyncedFile(one.agreement.hash, text_of(one.record))
        for path in gone
        if (one := known.get(path)) and one.agreement and one.record.version == one.agreement.version
    }
    if not lost:
        return known
    fresh = _readable(run, [path for path in here if path not in known])
    texts = {path: SyncedFile(file.hash, file.text) for path, file in fresh.items()}
    for path, old in moved_files(lost, texts).items():
        try:
            said = () if run.dry_run else SyncActions(run.c, run.inside, path, fresh[path], known[old]).move(old)
        except TacitError:
            # It is reported when its turn comes.
            continue
        for where, message in said:
            run.say(where, path, message)
        run.tell("moved", path)
        known = {name: one for name, one in known.items() if name != old}
        note = file_note(run.c, path)
        known |= {path: note} if note else {}
    return known


def _readable(run: MemdirSync, paths: list[str]) -> dict[str, FileState]:
    """Return those files that can be read; the others are reported when their turn comes."""
    found = {}
    for path in paths:
        with suppress(TacitError):
            if (content := _content(run, path)) is not None:
                found[path] = file_of(run.c, path, content)
    return found
