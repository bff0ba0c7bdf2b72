"""Projects whose memory directory is a folder the user chose, listed in `memdirs.json` in the home."""

from __future__ import annotations

import json
import os
from pathlib import Path

from tacit.errors import ConfigError, UsageError
from tacit.files.atomic import write_atomic
from tacit.files.plain_file import read_plain

NAME = "memdirs.json"
_MOST_BYTES = 10_000_000
_SCHEMA = "tacit.memdirs/1"
USER = "user"
"""The name used when there is no project."""


def adopted(home: Path, project: str) -> Path | None:
    """Return the adopted directory of a project, if there is one."""
    place = _read(home).get(project or USER)
    return Path(place) if place else None


def adopt(home: Path, project: str, folder: Path) -> Path:
    """Use a folder as the memory directory of a project, and return its real path.

    Raises:
        UsageError: it is not a folder, is a link, or contains other things as well.
    """
    place = _checked(home, folder)
    places = _read(home) | {project or USER: str(place)}
    _write(home, places)
    return place


def release(home: Path, project: str) -> bool:
    """Use the directory in the home again. Returns False if it was in use already. No file is moved."""
    places = _read(home)
    if places.pop(project or USER, None) is None:
        return False
    _write(home, places)
    return True


def pass_on(home: Path, old: str, new: str) -> bool:
    """Let a project use the directory that another one adopted, unless it has one; return whether that changed."""
    places = _read(home)
    if old not in places or new in places:
        return False
    places[new] = places.pop(old)
    _write(home, places)
    return True


def claude_folder(user_home: Path, root: Path) -> Path:
    """Return the folder in which Claude Code keeps the memory of a repository, from its settings or its default."""
    moved = _moved(user_home / ".claude" / "settings.json")
    if moved.startswith("~/") and len(moved) > len("~/x"):
        return user_home / moved[2:]
    if moved.startswith("/"):
        return Path(moved)
    slug = "".join(char if char.isascii() and char.isalnum() else "-" for char in str(root))
    return user_home / ".claude" / "projects" / slug / "memory"


def _moved(settings: Path) -> str:
    try:
        found = json.loads(read_plain(settings, _MOST_BYTES)).get("autoMemoryDirectory", "")
    except (OSError, ValueError, AttributeError, RecursionError):
        return ""
    return found if isinstance(found, str) else ""


def _checked(home: Path, folder: Path) -> Path:
    hint = "give the path of the folder that contains MEMORY.md"
    text = str(folder)
    if not folder.is_absolute() or "\0" in text or ".." in folder.parts:
        raise UsageError(f"{text[:200]!r} is not an absolute path", hint)
    if len(folder.parts) < 4:
        raise UsageError(f"{text[:200]} is too close to the root to be a memory directory", hint)
    try:
        real = Path(os.path.realpath(folder, strict=True))
    except OSError as error:
        raise UsageError(f"{text[:200]}: {os.strerror(error.errno or 0)}", hint) from None
    if not real.is_dir() or folder.is_symlink():
        raise UsageError(f"{text[:200]} is not a folder, or is a link", hint)
    own = Path(os.path.realpath(home))
    if real in (own, *own.parents) or real.is_relative_to(own) or (real / ".git").exists():
        raise UsageError(f"{text[:200]} contains more than a memory directory", hint)
    return real


def _read(home: Path) -> dict[str, str]:
    path = home / NAME
    try:
        content = json.loads(read_plain(path, _MOST_BYTES))
        places = content["memdirs"]
        if content["schema"] != _SCHEMA or not all(isinstance(place, str) for place in places.values()):
            raise ValueError("unknown schema")
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ConfigError(f"{path} cannot be read: {error}", "correct it, or move it away") from None
    return dict(places)


def _write(home: Path, places: dict[str, str]) -> None:
    try:
        write_atomic(home / NAME, json.dumps({"schema": _SCHEMA, "memdirs": places}, indent=1).encode())
    except OSError as error:
        raise ConfigError(f"{home / NAME} cannot be written: {error.strerror}", "check TACIT_HOME") from None
