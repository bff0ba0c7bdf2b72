"""A memory directory: where it lies, and reading its files without ever leaving it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from tacit.errors import UsageError

MOST_BYTES = 1_000_000
HEAD_LINES = 30
MOST_FILES = 200
OFF = ("TACIT_MEMDIR_OFF", "CLAUDE_CODE_DISABLE_AUTO_MEMORY")


class Topic(NamedTuple):
    """A topic file: its path within the directory, when it was written, and its first lines."""

    path: str
    mtime_ns: int
    head: str


def memdir_path(home: Path, project: str, environ: Mapping[str, str]) -> Path:
    """Say where the memory of a project lies: one place for all its worktrees and folders."""
    moved = environ.get("TACIT_MEMDIR", "")
    if moved:
        path = Path(moved).expanduser()
        if not path.is_absolute() or len(path.parts) < 3 or "\0" in moved:
            raise UsageError(
                f"TACIT_MEMDIR must be an absolute path below a folder, not {moved[:80]!r}", "unset it, or mend it"
            )
        return path
    return home / "memdir" / (project.replace("/", "_") or "user")


def is_off(environ: Mapping[str, str]) -> bool:
    """Say whether written memory is switched off."""
    return any(environ.get(name, "").lower() in ("1", "true", "yes", "on") for name in OFF)


def topics(folder: Path) -> Iterator[Topic]:
    """Give the topic files of a directory and its subfolders, newest first; links are not followed."""
    found = []
    for place, folders, files in os.walk(folder, followlinks=False):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and not Path(place, name).is_symlink())
        for name in files:
            path = Path(place, name)
            if name.endswith(".md") and name != "MEMORY.md" and (status := _plain(path)) is not None:
                found.append((status.st_mtime_ns, str(path.relative_to(folder)), path))
    for mtime, inside, path in sorted(found, key=lambda one: (-one[0], one[1]))[:MOST_FILES]:
        yield Topic(inside, mtime, _head(path))


def read_inside(folder: Path, name: str) -> str:
    """Read a file of the directory; empty when there is none. What is no plain file, or too large, is refused."""
    path = folder / name
    if not path.exists() and not path.is_symlink():
        return ""
    status = _plain(path)
    if status is None or status.st_size > MOST_BYTES:
        raise UsageError(f"{path} is no plain file of at most {MOST_BYTES:,} bytes", "look at it; nothing was read")
    return path.read_text(encoding="utf-8", errors="replace")


def _plain(path: Path) -> os.stat_result | None:
    """Give the status of a plain file; None for links, folders, devices and what cannot be looked at."""
    try:
        status = path.lstat()
    except OSError:
        return None
    return status if stat.S_ISREG(status.st_mode) else None


def _head(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return "".join(line for line, _number in zip(file, range(HEAD_LINES), strict=False))[:20_000]
    except OSError:
        return ""
