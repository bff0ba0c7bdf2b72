"""Change an agent's settings file. Only tacit's entries change, with a diff and a backup."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from difflib import unified_diff
from pathlib import Path
from typing import Any, NamedTuple

from tacit.agents.hook_settings import commands_in
from tacit.agents.registry import dialect
from tacit.errors import UsageError
from tacit.files.atomic import write_atomic
from tacit.files.plain_file import read_plain
from tacit.text.jsonc import edited, parsed
from tacit.text.patterns import lazy_pattern

MOST_BACKUPS = 3
MOST_BYTES = 10_000_000
_BACKUP = lazy_pattern(r"\d{14}(?:-\d{1,6})?")
Change = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class SettingsChange(NamedTuple):
    """A change of an agent's settings: the file, the diff, and the backup."""

    path: str
    changed: bool
    diff: str
    backup: str = ""


def settings_path(agent: str, home: Path, project: Path | None, environ: Mapping[str, str]) -> Path:
    """Return the file that contains an agent's hooks: the user's, or a project's."""
    place = dialect(agent).settings
    if project is not None:
        return project / place.folder / place.project
    moved = environ.get(place.variable, "") if place.variable else ""
    return (Path(moved) if moved else home / place.folder) / place.user


def update_settings_file(path: Path, change: Change, now: datetime, *, dry_run: bool = False) -> SettingsChange:
    """Change the settings in a file. If nothing changes, the file is not touched."""
    # Settings are often a symbolic link; the link is kept.
    path = path.resolve() if path.is_symlink() else path
    text = _read(path)
    before = _parsed(path, text)
    after = change(before)
    if after == before:
        return SettingsChange(str(path), changed=False, diff="")
    fresh = _written(path, text, after) if after else ""
    diff = "".join(unified_diff(text.splitlines(keepends=True), fresh.splitlines(keepends=True), str(path), str(path)))
    if dry_run:
        return SettingsChange(str(path), changed=True, diff=diff)
    backup = ""
    if text:
        backup = _backed_up(path, text, now)
    if fresh:
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        write_atomic(path, fresh.encode())
        path.chmod(mode)
    else:
        # It held only our entries.
        path.unlink(missing_ok=True)
    return SettingsChange(str(path), changed=True, diff=diff, backup=backup)


def _backed_up(path: Path, text: str, now: datetime) -> str:
    """Write a backup under a free name, and delete all but the newest few."""
    stem, when = f"{path.name}.before-tacit-", f"{now:%Y%m%d%H%M%S}"
    found = sorted(
        (_order(mark), one)
        for one in path.parent.iterdir()
        if one.name.startswith(stem) and _BACKUP.fullmatch(mark := one.name.removeprefix(stem))
    )
    # Two changes within a second are two backups; the number of a deleted one is not used again.
    same = [number for (then, number), _one in found if then == when]
    place = path.with_name(f"{stem}{when}" + (f"-{max(same) + 1}" if same else ""))
    write_atomic(place, text.encode())
    for _mark, old in found[: max(0, len(found) + 1 - MOST_BACKUPS)]:
        old.unlink(missing_ok=True)
    return str(place)


def _order(mark: str) -> tuple[str, int]:
    when, _, number = mark.partition("-")
    return when, int(number or 0)


def commands_at(path: Path) -> list[str]:
    """Return the command lines of our hooks in a settings file; empty if the file cannot be read."""
    try:
        return commands_in(_parsed(path, _read(path)))
    except UsageError:
        return []


def _read(path: Path) -> str:
    try:
        return read_plain(path, MOST_BYTES).decode().replace("\r\n", "\n")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}", "nothing was written") from None


def _parsed(path: Path, text: str) -> dict[str, Any]:
    try:
        value = parsed(text) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        # Repairing a broken file by guessing could lose something.
        raise UsageError(f"{path} is not valid JSON: {error}", "fix it first; nothing was written") from None
    if not isinstance(value, dict):
        raise UsageError(f"{path} does not contain a JSON object", "fix it first; nothing was written")
    return value


def _written(path: Path, text: str, after: Mapping[str, Any]) -> str:
    """Return the file's text with the new settings; unchanged parts keep their comments and layout."""
    if not text.strip():
        return json.dumps(after, indent=2, ensure_ascii=False) + "\n"
    try:
        return edited(text, after, _indent(text))
    except ValueError as error:
        raise UsageError(f"{path}: {error}", "change it by hand; nothing was written") from None


def _indent(text: str) -> str:
    found = re.search(r'^([ \t]+)"', text, re.M)
    return found[1] if found else "  "
