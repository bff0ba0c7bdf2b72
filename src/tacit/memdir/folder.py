"""A memory directory: its path, and functions that read its files without following links out of the directory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from tacit.errors import NotFound, UsageError
from tacit.files.plain_file import open_plain
from tacit.files.safe_paths import MOST_DEPTH, SafeFolder
from tacit.memdir.adopted import USER, adopted
from tacit.text.patterns import lazy_pattern

MOST_BYTES = 1_000_000
HEAD_LINES = 30
MOST_FILES = 200
OFF = ("TACIT_MEMDIR_OFF", "CLAUDE_CODE_DISABLE_AUTO_MEMORY")
_MOST_HEAD_BYTES = 8_192
_MOST_SEEN = 100_000
_MOST_ODD = 1_000
# The name of a file that `SafeFolder.write` has not finished, and how long another machine may take to write it.
_HALF = lazy_pattern(r"\..{1,40}\.([1-9]\d{0,9})\.[0-9a-f]{8}")
_HALF_S = 600.0
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class TopicFile(NamedTuple):
    """A topic file: its path within the directory, the time it was written, and its first lines."""

    path: str
    mtime_ns: int
    head: str


class TopicEntry(NamedTuple):
    """A topic file in the listing of its folder, not read yet. If all fields are equal, its text is unchanged."""

    path: str
    mtime_ns: int
    size_bytes: int
    inode: int


class IgnoredPath(NamedTuple):
    """A path that is ignored, and why."""

    path: str
    why: str


class TopicFolder:
    """The topic files of a directory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def leaves(self) -> list[TopicEntry]:
        """List all topic files, newest first. Hidden files are left out and links are not followed."""
        return self.look()[0]

    def look(self) -> tuple[list[TopicEntry], list[IgnoredPath]]:
        """List all topic files, newest first, and what was ignored: links, devices, folders without permission."""
        found: list[TopicEntry] = []
        odd: list[IgnoredPath] = []
        try:
            opened = os.open(self.folder, _FOLDER & ~os.O_NOFOLLOW)
        except OSError:
            return [], []
        try:
            _gather(opened, "", found, odd, 0)
        finally:
            os.close(opened)
        return sorted(found, key=lambda leaf: (-leaf.mtime_ns, leaf.path)), sorted(odd[:_MOST_ODD])

    def sweep(self, now_s: float) -> int:
        """Remove unfinished files of killed processes, and return their number.

        Call it only under the folder's lock.
        """
        swept = 0
        for _place, folders, names, opened in os.fwalk(self.folder, follow_symlinks=False):
            folders[:] = [name for name in folders if not name.startswith(".")]
            for name in names:
                found = _HALF.fullmatch(name)
                if found and not _lives(int(found[1])):
                    with suppress(OSError):
                        if now_s - os.stat(name, dir_fd=opened, follow_symlinks=False).st_mtime > _HALF_S:
                            os.unlink(name, dir_fd=opened)
                            swept += 1
        return swept

    def heads(self, leaves: Iterable[TopicEntry]) -> Iterator[tuple[TopicEntry, str]]:
        """Return each file with its first lines. Unreadable files are left out."""
        folders: dict[str, int] = {}
        try:
            for leaf in leaves:
                head = self._head(leaf, folders)
                if head is not None:
                    yield leaf, head
        finally:
            for opened in folders.values():
                os.close(opened)

    def _head(self, leaf: TopicEntry, folders: dict[str, int]) -> str | None:
        place, _, name = leaf.path.rpartition("/")
        try:
            with open_plain(name, follow=False, folder=self._opened(place, folders)) as file:
                return _first_lines(file.read(_MOST_HEAD_BYTES))
        except OSError:
            return None

    def _opened(self, place: str, folders: dict[str, int]) -> int:
        """Open a folder from its parent, once."""
        if place not in folders:
            if not place:
                folders[place] = os.open(self.folder, _FOLDER & ~os.O_NOFOLLOW)
            else:
                above, _, name = place.rpartition("/")
                folders[place] = os.open(name, _FOLDER, dir_fd=self._opened(above, folders))
        return folders[place]


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def memdir_path(home: Path, project: str, environ: Mapping[str, str]) -> Path:
    """Return the memory directory of a project, the same for all its worktrees."""
    moved = environ.get("TACIT_MEMDIR", "")
    if moved:
        path = Path(moved).expanduser()
        if not path.is_absolute() or len(path.parts) < 3 or "\0" in moved:
            raise UsageError(
                f"TACIT_MEMDIR must be an absolute path below a folder, not {moved[:80]!r}", "unset it, or correct it"
            )
        return path
    return adopted(home, project) or default_memdir(home, project)


def default_memdir(home: Path, project: str) -> Path:
    """Return the memory directory that a project has in the home, unless it uses another one."""
    return home / "memdir" / (project.replace("/", "_") or USER)


def is_off(environ: Mapping[str, str]) -> bool:
    """Return whether the memory directory is switched off."""
    return any(environ.get(name, "").lower() in ("1", "true", "yes", "on") for name in OFF)


def topics(folder: Path) -> Iterator[TopicFile]:
    """List the newest topic files of a directory and its subfolders, newest first. Links are not followed."""
    there = TopicFolder(folder)
    for leaf, head in there.heads(there.leaves()[:MOST_FILES]):
        yield TopicFile(leaf.path, leaf.mtime_ns, head)


def read_inside(folder: Path, name: str) -> str:
    """Read a file of the directory; empty if it does not exist. A file that is too large or not regular is refused."""
    try:
        return SafeFolder(folder).read(name, MOST_BYTES).decode(errors="replace")
    except NotFound:
        return ""


def _gather(folder: int, place: str, found: list[TopicEntry], odd: list[IgnoredPath], depth: int) -> None:
    """Add the topic files under an opened folder, and what is ignored."""
    below = []
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            if name[0] == "." or len(found) >= _MOST_SEEN:
                continue
            if entry.is_dir(follow_symlinks=False):
                below.append(name)
            elif name.endswith(".md") and name != "MEMORY.md" and entry.is_file(follow_symlinks=False):
                try:
                    status = entry.stat(follow_symlinks=False)
                except OSError:  # it was deleted meanwhile
                    continue
                found.append(TopicEntry(place + name, status.st_mtime_ns, status.st_size, status.st_ino))
            elif why := _oddity(entry):
                odd.append(IgnoredPath(place + name, why))
    for name in sorted(below):
        if depth + 1 >= MOST_DEPTH:
            odd.append(IgnoredPath(place + name, "is nested too deeply and was ignored"))
            continue
        try:
            opened = os.open(name, _FOLDER, dir_fd=folder)
        except OSError as error:
            odd.append(IgnoredPath(place + name, f"cannot be opened: {error.strerror}"))
            continue
        try:
            _gather(opened, f"{place}{name}/", found, odd, depth + 1)
        except OSError as error:
            odd.append(IgnoredPath(place + name, f"cannot be read: {error.strerror}"))
        finally:
            os.close(opened)


def _oddity(entry: os.DirEntry[str]) -> str:
    """Return why a path that could be a topic file or its folder is ignored; empty for other paths."""
    named = entry.name.endswith(".md")
    if entry.is_symlink():
        try:
            counts = named or entry.is_dir()
        except OSError:
            counts = False
        return "is a link; links are not followed" if counts else ""
    # Problems of the index are reported where it is read.
    return "is not a regular file" if named and entry.name != "MEMORY.md" and not entry.is_file() else ""


def _first_lines(content: bytes) -> str:
    """Return the first lines of a file as text, without an incomplete character at the end."""
    head = b"\n".join(content.split(b"\n", HEAD_LINES)[:HEAD_LINES]).decode(errors="replace")
    return head.rstrip("\ufffd") if len(content) == _MOST_HEAD_BYTES else head
