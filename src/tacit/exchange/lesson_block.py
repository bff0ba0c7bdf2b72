"""Write promoted lessons into one block of a file that agents read. The rest of the file is not changed."""

from __future__ import annotations

import difflib
import hashlib
from pathlib import Path
from typing import Annotated

from tacit.errors import NotFound, Refused, UsageError
from tacit.exchange.export_target import File, target_of
from tacit.files.safe_paths import SafeFolder
from tacit.lessons.browse import list_lessons
from tacit.loop.warnings import may_be_told
from tacit.model.lesson import Lesson
from tacit.model.record import Record, payload_of
from tacit.model.transfer import ExportReport, Skipped
from tacit.model.verb import arg
from tacit.records.arguments import DryRun
from tacit.records.connection import Connection
from tacit.text.frame import framed
from tacit.text.managed_block import BlockDamaged, find_block, whose, with_block
from tacit.text.plural import plural

MOST_LESSONS = 40
MOST_BYTES = 5_000_000
MOST_CHARS = 300
_MOST_READ = 10_000
_HEAD = "Learned in this project. Written by `tacit export lessons`: change them with `tacit lesson`, not here."


def export_lessons(
    c: Connection,
    path: Annotated[File, arg("The file: CLAUDE.md, AGENTS.md or another.", option="--out", metavar="FILE")], *,
    dry_run: DryRun = False,
) -> ExportReport:  # fmt: skip
    """Write the promoted lessons of this scope into a block of a file that agents read.

    If no lesson is promoted, remove the block. The rest of the file is not changed. A block that was changed by hand is
    kept, and the exit code is 6.
    """
    path = target_of(c, path)
    place = _place(path)
    inside = SafeFolder(place.parent)
    before = _read(inside, place.name)
    text, notices = _block_text(c)
    shown = str(path)
    try:
        block, after = find_block(before), with_block(before, text, str(c.scope))
    except BlockDamaged as error:
        return _kept(shown, dry_run, f"{error}; repair it by hand", "", notices)
    difference = _diff(c, before, after, path.name)
    if block is not None and block.whose != whose(str(c.scope)):
        return _kept(shown, dry_run, "the block contains the lessons of another scope", "", notices)
    if block is not None and block.edited:
        why = "the block was changed by hand, so it was kept; delete the block to get it written again"
        return _kept(shown, dry_run, why, difference, notices)
    if after == before:
        return ExportReport(path=shown, dry_run=dry_run, unchanged=1, notices=notices)
    if not dry_run:
        over = hashlib.sha256(before).hexdigest() if inside.status(place.name) is not None else ""
        inside.write(place.name, after, new=not over, over=over, mode=0o644)
    return ExportReport(path=shown, dry_run=dry_run, written=(shown,), diff=difference, notices=notices)


def _kept(path: str, dry_run: bool, why: str, diff: str, notices: tuple[str, ...]) -> ExportReport:
    return ExportReport(path=path, dry_run=dry_run, kept=(Skipped(path, why),), diff=diff, notices=notices)


def _place(path: Path) -> Path:
    """Return the real file: `CLAUDE.md` may link to `AGENTS.md` beside it, but not to another folder."""
    if not path.parent.is_dir():
        raise NotFound(f"the folder {path.parent} does not exist", "create it first, or give the path of another file")
    real = path.resolve()
    if real.parent != path.parent.resolve():
        raise Refused(f"{path} is a link to another folder; nothing was written", "give the path of the file itself")
    if real.is_dir():
        raise UsageError(f"{path} is a folder", "give the path of a file, for example CLAUDE.md")
    return real


def _read(inside: SafeFolder, name: str) -> bytes:
    try:
        return inside.read(name, MOST_BYTES)
    except NotFound:
        return b""


def _block_text(c: Connection) -> tuple[str, tuple[str, ...]]:
    """Return the text of the block, and notices; only lessons of this scope, since others read the file too."""
    promoted = [one for one in list_lessons(c, statuses=("promoted",), limit=_MOST_READ) if c.is_own(one)]
    found = [one for one in promoted if may_be_told(c, one)]
    if not found:
        return "", (_none(c, len(promoted)),)
    found.sort(key=lambda one: (-one.importance, one.created_at, one.id))
    left = len(found) - MOST_LESSONS
    notices = (f"{plural(left, 'lesson')} more did not fit",) if left > 0 else ()
    lines = [_line(c, one) for one in found[:MOST_LESSONS]]
    return "\n".join([_HEAD, "", *lines]) + "\n", notices


def _none(c: Connection, unvouched: int) -> str:
    if unvouched:
        return f"{plural(unvouched, 'promoted lesson')} came from elsewhere; `tacit approve` makes them trusted"
    return f"no lesson is promoted in {c.scope}; `tacit lesson promote` does that"


def _line(c: Connection, record: Record) -> str:
    narrative = payload_of(record, Lesson).narrative
    title = framed(c.redact(record.title), MOST_CHARS)
    instead = framed(c.redact(narrative.correction), MOST_CHARS) if narrative else ""
    return f"- {title}" + (f" (instead: {instead})" if instead and instead.lower() not in title.lower() else "")


def _diff(c: Connection, before: bytes, after: bytes, name: str) -> str:
    old, new = (c.redact(text.decode(errors="replace")).splitlines(keepends=True) for text in (before, after))
    lines = difflib.unified_diff(old, new, f"a/{name}", f"b/{name}")
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
