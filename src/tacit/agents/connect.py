"""Connect an agent and disconnect it: change its files, with a diff and a backup. Only our entries change."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from difflib import unified_diff
from pathlib import Path
from typing import NamedTuple

from tacit.agents.agent_files import AgentFile, Entries
from tacit.errors import UsageError
from tacit.files.atomic import write_atomic
from tacit.files.plain_file import read_plain
from tacit.text.patterns import lazy_pattern

MOST_BACKUPS = 3
MOST_BYTES = 50_000_000
_BACKUP = lazy_pattern(r"\.(?:before|with)-tacit-(?P<when>\d{14}(?:-\d{1,6})?)")


class FileChange(NamedTuple):
    """A change of one of an agent's files: its path, the diff, and the backup."""

    path: str
    changed: bool
    diff: str
    backup: str = ""


class _Plan(NamedTuple):
    """A file, its bytes if it exists, and the bytes it is to have; None means that it is to be gone."""

    file: AgentFile
    path: Path
    before: bytes | None
    after: bytes | None


def connect(
    files: Sequence[AgentFile], entries: Entries, now: datetime, *, dry_run: bool = False
) -> list[FileChange]:  # fmt: skip
    """Put our entries into an agent's files. If one of the files cannot be changed, none is."""
    return _carried_out([_plan(file, entries) for file in files], now, dry_run)


def disconnect(files: Sequence[AgentFile], now: datetime, *, dry_run: bool = False) -> list[FileChange]:
    """Remove our entries from an agent's files, and nothing else. If one of them cannot be changed, none is."""
    return _carried_out([_plan(file, None) for file in files], now, dry_run)


def entries_at(file: AgentFile) -> Entries:
    """Return what a file holds of ours; nothing if it cannot be read."""
    try:
        return file.found(_text(file.path, _read(file.path) or b""))
    except UsageError:
        return Entries()


def _plan(file: AgentFile, entries: Entries | None) -> _Plan:
    # Settings are often a symbolic link; the link is kept.
    path = file.path.resolve() if file.path.is_symlink() else file.path
    before = _read(path)
    text = _text(path, before or b"")
    try:
        if entries is None:
            return _Plan(file, path, before, _without(file, path, before, text))
        fresh = file.add(text, entries)
    except UsageError as error:
        raise UsageError(f"{path}: {error.message}", error.hint) from None
    return _Plan(file, path, before, before if fresh == text else _bytes(fresh, before) if fresh else None)


def _without(file: AgentFile, path: Path, before: bytes | None, text: str) -> bytes | None:
    """Return a file's bytes without our entries: those it had before, if only we have changed it since."""
    fresh = file.remove(text)
    if fresh == text:
        return before
    had, clean = file.found(text), False
    for _mark, backup in reversed(_backups(path)):
        old = _read(backup) or b""
        try:
            earlier = _text(backup, old)
            if file.found(earlier) != Entries():
                continue
            again = file.add(earlier, Entries((had.line,) if had.lines else (), had.mcp))
        except UsageError:
            continue
        if again == text:
            return old
        clean = True
    # A file that held only our entries is gone, unless it was there before.
    return None if fresh.strip() in ("", "{}") and not clean else _bytes(fresh, before)


def _carried_out(plans: Sequence[_Plan], now: datetime, dry_run: bool) -> list[FileChange]:
    return [_written(plan, now, dry_run) for plan in plans]


def _written(plan: _Plan, now: datetime, dry_run: bool) -> FileChange:
    path, before, after = plan.path, plan.before, plan.after
    if after == before:
        return FileChange(str(path), changed=False, diff="")
    old, new = (_text(path, side or b"").splitlines(keepends=True) for side in (before, after))
    diff = "".join(unified_diff(old, new, str(path), str(path)))
    if dry_run:
        return FileChange(str(path), changed=True, diff=diff)
    if after is None:
        # Nothing but our entries was in it.
        path.unlink(missing_ok=True)
        return FileChange(str(path), changed=True, diff=diff)
    backup = ""
    if before is not None and not plan.file.whole:
        holds = plan.file.found(_text(path, before)) != Entries()
        backup = _backed_up(path, before, now, "with" if holds else "before")
    mode = path.stat().st_mode & 0o777 if before is not None else 0o755 if after[:2] == b"#!" else 0o644
    write_atomic(path, after)
    path.chmod(mode)
    return FileChange(str(path), changed=True, diff=diff, backup=backup)


def backups_of(path: Path) -> list[Path]:
    """Return the backups that were left beside a file, the oldest first."""
    return [one for _order_, one in _backups(path.resolve() if path.is_symlink() else path)]


def _backups(path: Path) -> list[tuple[tuple[str, int], Path]]:
    """Return the backups of a file, the oldest first."""
    try:
        beside = list(path.parent.iterdir())
    except OSError:
        return []
    found = ((_BACKUP.fullmatch(one.name.removeprefix(path.name)), one) for one in beside)
    return sorted((_order(mark["when"]), one) for mark, one in found if mark and one.name.startswith(path.name))


def _backed_up(path: Path, data: bytes, now: datetime, what: str) -> str:
    """Write a backup, which is from `before` tacit or `with` it, under a free name; delete all but the newest few."""
    found, when = _backups(path), f"{now:%Y%m%d%H%M%S}"
    # Two changes within a second are two backups; the number of a deleted one is not used again.
    same = [number for (then, number), _one in found if then == when]
    place = path.with_name(f"{path.name}.{what}-tacit-{when}" + (f"-{max(same) + 1}" if same else ""))
    write_atomic(place, data)
    for _mark, old in found[: max(0, len(found) + 1 - MOST_BACKUPS)]:
        old.unlink(missing_ok=True)
    return str(place)


def _order(mark: str) -> tuple[str, int]:
    when, _, number = mark.partition("-")
    return when, int(number or 0)


def _read(path: Path) -> bytes | None:
    try:
        return read_plain(path, MOST_BYTES)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error}", "nothing was written") from None


def _text(path: Path, data: bytes) -> str:
    try:
        return data.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} cannot be read: {error}", "nothing was written") from None


def _bytes(text: str, before: bytes | None) -> bytes:
    """Return a text with the line ends that the file had."""
    return (text.replace("\n", "\r\n") if before and b"\r\n" in before else text).encode()
