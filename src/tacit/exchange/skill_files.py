"""Procedures and skills as folders that agents find. Files that somebody else changed or created are kept."""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated

from tacit.admission.trust import is_low
from tacit.errors import NotFound, TacitError
from tacit.exchange.export_target import Folder, target_of
from tacit.files.safe_paths import SafeFolder, parts_inside
from tacit.model.procedure import Procedure
from tacit.model.record import Record, payload_of
from tacit.model.transfer import ExportReport, Skipped
from tacit.model.verb import arg
from tacit.notes.skills_and_teams import members
from tacit.procedures.find_by_name import procedures
from tacit.procedures.rules.agent_skill import agent_skill, folder_name
from tacit.procedures.rules.procedure_page import MOST_NAME
from tacit.records.arguments import DryRun
from tacit.records.connection import Connection
from tacit.text.marked_file import scope_of, state_of

PAGE = "SKILL.md"
MOST_BYTES = 5_000_000
_WHY = {
    "edited": "somebody changed it, so it was kept",
    "foreign": "tacit did not write it, so it was kept",
    "unread": "it cannot be read, so it was kept",
}


def export_skills(
    c: Connection,
    folder: Annotated[Folder, arg(
        "The folder where agents look for skills; for Claude Code .claude/skills.", option="--out", metavar="DIR"
    )], *, dry_run: DryRun = False,
) -> ExportReport:  # fmt: skip
    """Write the active procedures and skills of this scope as Agent Skills.

    Files that somebody else changed or created are kept, and the exit code is 6. Files of retired procedures and skills
    are removed.
    """
    folder = target_of(c, folder)
    wanted, left_out = _wanted(c)
    inside = SafeFolder(folder)
    written: list[str] = []
    removed: list[str] = []
    kept: list[Skipped] = []
    unchanged = 0
    for name, text in sorted(wanted.items()):
        page = f"{name}/{PAGE}"
        state, before = _there(inside, page)
        if before == text.encode():
            unchanged += 1
        elif state in _WHY:
            kept.append(Skipped(page, _WHY[state]))
        else:
            written.append(page)
            if not dry_run:
                over = hashlib.sha256(before).hexdigest() if state == "ours" else ""
                inside.write(page, text.encode(), new=not over, over=over, mode=0o644)
    for name in _stale(c, folder, inside, wanted):
        page = f"{name}/{PAGE}"
        state, before = _there(inside, page)
        if state != "ours" or [one.name for one in (folder / name).iterdir()] != [PAGE]:
            kept.append(Skipped(page, "its record is retired, but somebody changed or added files"))
            continue
        removed.append(page)
        if not dry_run:
            inside.remove(page, over=hashlib.sha256(before).hexdigest())
            with suppress(OSError):  # somebody added a file at this moment
                (folder / name).rmdir()
    return ExportReport(
        path=str(folder), dry_run=dry_run, written=tuple(written), unchanged=unchanged, removed=tuple(removed),
        kept=tuple(kept), left_out=tuple(left_out),
        notices=() if wanted or left_out else (f"there are no active procedures or skills in {c.scope}",),
    )  # fmt: skip


def _wanted(c: Connection) -> tuple[dict[str, str], list[Skipped]]:
    """Return the pages by name, and what is left out."""
    records = [one for one in (*procedures(c, ("active",)), *members(c, "skill")) if c.is_own(one)]
    found: dict[str, str] = {}
    left: list[Skipped] = []
    for record in sorted(records, key=lambda one: (one.kind, one.created_at, one.id)):
        if record.scope != str(c.scope):
            continue
        if why := _unfit(c, record):
            left.append(Skipped(f"{record.kind} {record.key}", why))
            continue
        name = _free(folder_name(record), record, found)
        found[name] = agent_skill(record, name, c.redact)
    return found, left


def _unfit(c: Connection, record: Record) -> str:
    if is_low(record):
        return "it came from elsewhere and nobody approved it; use `tacit approve`"
    if not isinstance(record.payload, Procedure):
        return ""
    steps = payload_of(record, Procedure).steps
    if not steps:
        return "it has no steps"
    held = next((number for number, step in enumerate(steps, 1) if not c.is_safe_command(step.command)), 0)
    if held:
        return f"the guard does not allow step {held}; `tacit procedure replay` asks about it"
    return ""


def _free(name: str, record: Record, taken: dict[str, str]) -> str:
    """Return a name that is still free, because a procedure and a skill may have the same name."""
    if name not in taken:
        return name
    mark = hashlib.sha256(record.id.encode()).hexdigest()[:6]
    return f"{name[: MOST_NAME - len(mark) - 1].strip('-')}-{mark}"


def _there(inside: SafeFolder, page: str) -> tuple[str, bytes]:
    """Return the state of a page's file: `none`, `ours`, `edited`, `foreign` or `unread`, and its bytes."""
    try:
        content = inside.read(page, MOST_BYTES)
        return state_of(content.decode()), content
    except NotFound:
        return "none", b""
    except (TacitError, UnicodeDecodeError):
        return "unread", b""


def _stale(c: Connection, folder: Path, inside: SafeFolder, wanted: dict[str, str]) -> Iterator[str]:
    """Return the folders tacit wrote for this scope whose procedure or skill is out of use."""
    try:
        names = sorted(one.name for one in folder.iterdir())
    except OSError:
        return
    for name in names:
        if name in wanted or not _is_folder(folder / name):
            continue
        try:
            parts_inside(name)
            text = inside.read(f"{name}/{PAGE}", MOST_BYTES).decode()
        except (TacitError, UnicodeDecodeError):
            continue
        if state_of(text) != "foreign" and scope_of(text) == c.redact(str(c.scope)):
            yield name


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return False
