"""The six commands of Anthropic's memory tool on a memory directory, with the tool's messages and our checks."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tacit.errors import Conflict, NotFound, Refused, TacitError, UsageError
from tacit.files.safe_paths import SafeFolder, parts_inside
from tacit.memdir.folder import TopicFolder
from tacit.memdir.folder_lock import locked
from tacit.memdir.rules.topic_file import TEAM, private_in_team

ROOT = "/memories"
MOST_LINES = 999_999
MOST_BYTES = 1_000_000
_WIDTH = len(str(MOST_LINES))
_MOST_ENTRIES = 2_000
_LEVELS = 2
_FIELDS: dict[str, dict[str, type]] = {
    "view": {"path": str},
    "create": {"path": str, "file_text": str},
    "str_replace": {"path": str, "old_str": str, "new_str": str},
    "insert": {"path": str, "insert_line": int, "insert_text": str},
    "delete": {"path": str},
    "rename": {"old_path": str, "new_path": str},
}


class MemoryTool:
    """Runs the commands of the memory tool. A path under `/memories` means a file in the memory directory.

    `clean` redacts what is written and shown. With `ask`, only `view` works, because a person decides what is saved.
    """

    def __init__(self, folder: Path, clean: Callable[[str], str], *, ask: bool = False) -> None:
        self._ask = ask
        self._folder = folder
        self._files = SafeFolder(folder)
        self._clean = clean

    def call(self, command: Mapping[str, Any]) -> str:
        """Run a command and return its answer.

        Raises:
            TacitError: it failed; the message is for the model.
        """
        name = command.get("command")
        if not isinstance(name, str) or name not in _FIELDS:
            raise UsageError(f"Unknown command: {str(name)[:80]}", f"one of {', '.join(_FIELDS)}")
        given = {"new_str": ""} | dict(command) if name == "str_replace" else dict(command)
        for field, kind in _FIELDS[name].items():
            if not isinstance(given.get(field), kind) or isinstance(given[field], bool):
                raise UsageError(
                    f"The command {name} needs `{field}` as {kind.__name__}", "send it again with this field"
                )
        run = {
            "view": self._view, "create": self._create, "str_replace": self._replace, "insert": self._insert,
            "delete": self._delete, "rename": self._rename,
        }[name]  # fmt: skip
        if name == "view":
            return run(given)
        if self._ask:
            raise Refused("A person decides what is saved here; nothing was changed.", "`tacit memdir add` proposes it")
        # So that nothing is lost that another process writes between our read and our write. (The first file needs no
        # lock: it never replaces another.)
        with locked(self._folder):
            return run(given)

    def _view(self, given: dict[str, Any]) -> str:
        path, name = given["path"], inside(given["path"])
        status = self._files.status(name)
        if name and status is None:
            raise _missing(path)
        if status is None or stat.S_ISDIR(status.st_mode):
            head = f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:"
            lines = [f"{_size(status.st_size if status else 0)}\t{path}"]
            if status is not None:
                with self._files.folder(name) as opened:
                    _listed(opened, path.rstrip("/"), 1, lines)
            return self._clean("\n".join([head, *lines]))
        lines = self._clean(self._read(path, name)).split("\n")
        first, last = _range(given.get("view_range"), len(lines))
        return f"Here's the content of {path} with line numbers:\n{_numbered(lines, first, last)}"

    def _create(self, given: dict[str, Any]) -> str:
        path = given["path"]
        self._refuse_twin(path, _file(path))
        try:
            self._write(path, _file(path), given["file_text"], new=True)
        except Conflict:
            raise Conflict(f"File {path} already exists", "change it, or choose another name") from None
        return f"File created successfully at: {path}"

    def _replace(self, given: dict[str, Any]) -> str:
        path, old, new = given["path"], given["old_str"], given["new_str"]
        name = _file(path)
        content = self._read(path, name)
        places = _places(content, old)
        if not places:
            raise UsageError(f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")
        if len(places) > 1:
            numbers = ", ".join(str(content.count("\n", 0, place) + 1) for place in places)
            raise UsageError(
                f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {numbers}. "
                "Please ensure it is unique"
            )
        written = self._write(path, name, content[: places[0]] + new + content[places[0] + len(old) :])
        line = content.count("\n", 0, places[0]) + 1
        lines = written.split("\n")
        snippet = _numbered(lines, max(1, line - 2), min(len(lines), line + 2))
        return (
            f"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{snippet}"
        )

    def _insert(self, given: dict[str, Any]) -> str:
        path, at = given["path"], given["insert_line"]
        name = _file(path)
        lines = self._read(path, name).split("\n")
        if lines[-1] == "":
            lines.pop()
        if not 0 <= at <= len(lines):
            raise UsageError(
                f"Invalid `insert_line` parameter: {at}. It should be within the range [0, {len(lines)}].", ""
            )
        lines.insert(at, given["insert_text"].rstrip("\n"))
        self._write(path, name, "\n".join(lines) + "\n")
        return f"The file {path} has been edited."

    def _delete(self, given: dict[str, Any]) -> str:
        path, name = given["path"], inside(given["path"])
        if not name:
            raise Refused(f"Cannot delete the {ROOT} directory itself", "delete the files in it")
        try:
            self._files.remove(name)
        except NotFound:
            raise NotFound(f"The path {path} does not exist") from None
        return f"Successfully deleted {path}"

    def _rename(self, given: dict[str, Any]) -> str:
        old, new = given["old_path"], given["new_path"]
        source, target = inside(old), inside(new)
        if not source or not target:
            raise Refused(f"Cannot rename the {ROOT} directory itself", "rename the files in it")
        self._refuse_twin(new, target, of=source)
        for name in self._below_team(source, target):
            self._refuse_private(new, f"{TEAM}{name}", self._files.read(name, MOST_BYTES).decode(errors="replace"))
        try:
            self._files.move(source, target)
        except NotFound:
            raise NotFound(f"The path {old} does not exist") from None
        except Conflict:
            raise Conflict(f"The destination {new} already exists", "choose another name") from None
        return f"Successfully renamed {old} to {new}"

    def _below_team(self, source: str, target: str) -> list[str]:
        """Return the topic files that a rename would bring into the team's folder."""
        if not f"{target}/".startswith(TEAM) or f"{source}/".startswith(TEAM):
            return []
        there = [leaf.path for leaf in TopicFolder(self._folder).leaves()]
        return [path for path in there if path == source or path.startswith(f"{source}/")]

    def _refuse_twin(self, path: str, name: str, of: str = "") -> None:
        """Refuse a name that is another only in case or in the encoding of its letters: some systems take it for that.

        A file may be renamed to such a name of its own (`of`).
        """
        folder = ""
        for part in parts_inside(name):
            if self._files.status(folder) is None:
                return
            with self._files.folder(folder) as opened, os.scandir(opened) as entries:
                names = {entry.name for entry in entries}
            twins = {one for one in names if one != part and _folded(one) == _folded(part)}
            twin = next((one for one in sorted(twins) if f"{folder}/{one}".lstrip("/") != of), "")
            if twin and part not in names:
                shown = f"{ROOT}/{folder}/{twin}".replace("//", "/")
                raise Conflict(f"{path} differs from {shown} only in case or encoding", f"use {shown}, or another name")
            folder = f"{folder}/{part}".lstrip("/")

    def _read(self, path: str, name: str) -> str:
        status = self._files.status(name)
        if status is None:
            raise _missing(path)
        if stat.S_ISDIR(status.st_mode):
            raise UsageError(f"The path {path} is not a file.")
        try:
            content = self._files.read(name, MOST_BYTES).decode()
        except UnicodeDecodeError:
            raise UsageError(f"The file {path} is not UTF-8 text.", "check the file") from None
        except NotFound:
            raise _missing(path) from None
        if content.count("\n") >= MOST_LINES:
            raise UsageError(f"File {path} exceeds maximum line limit of 999,999 lines.")
        return content

    def _write(self, path: str, name: str, text: str, *, new: bool = False) -> str:
        """Redact a text, write it, and return what was written."""
        kept = self._clean(text)
        try:
            content = kept.encode()
        except UnicodeEncodeError:
            raise UsageError(f"The text for {path} is not valid Unicode.", "remove lone surrogates") from None
        if len(content) > MOST_BYTES:
            raise UsageError(f"The text for {path} is over {MOST_BYTES:,} bytes.", "split it into several files")
        if kept.count("\n") >= MOST_LINES:
            raise UsageError(f"File {path} exceeds maximum line limit of 999,999 lines.")
        self._refuse_private(path, name, kept)
        self._files.write(name, content, new=new)
        return kept

    def _refuse_private(self, path: str, name: str, text: str) -> None:
        if why := private_in_team(name, text):
            raise Refused(f"{path}: {why}; nothing was changed.", "save it outside of the team's folder")


def inside(path: str) -> str:
    """Return the path within the memory directory for a path under `/memories`; empty for the folder itself."""
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise UsageError(f"Path must start with {ROOT}, got: {path[:200]}")
    return path[len(ROOT) :].removeprefix("/").removesuffix("/")


def _file(path: str) -> str:
    name = inside(path)
    if not name:
        raise UsageError(f"The path {path} is not a file.")
    return name


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _missing(path: str) -> TacitError:
    return NotFound(f"The path {path} does not exist. Please provide a valid path.")


def _places(content: str, wanted: str) -> list[int]:
    """Return all positions of a text, including overlapping ones; none for an empty text."""
    places, at = [], content.find(wanted) if wanted else -1
    while at >= 0:
        places.append(at)
        at = content.find(wanted, at + 1)
    return places


def _range(given: object, count: int) -> tuple[int, int]:
    """Read the range of a view: two whole numbers, the second -1 for the end."""
    if given is None:
        return 1, count
    match given:
        case [int(first), int(last)]:
            return max(1, first), count if last == -1 else min(last, count)
    raise UsageError(f"Invalid `view_range` parameter: {str(given)[:80]}. It should be two whole numbers.")


def _numbered(lines: list[str], first: int, last: int) -> str:
    return "\n".join(f"{number:>{_WIDTH}}\t{lines[number - 1]}" for number in range(first, last + 1))


def _listed(folder: int, path: str, level: int, lines: list[str]) -> None:
    """Add the entries of an opened folder, by name; links, devices and hidden files are left out."""
    with os.scandir(folder) as entries:
        found = sorted((entry for entry in entries if not entry.name.startswith(".")), key=lambda one: one.name)
        for entry in found:
            if len(lines) > _MOST_ENTRIES:
                return
            try:
                status = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(status.st_mode):
                    lines.append(f"{_size(status.st_size)}\t{path}/{entry.name}")
                elif stat.S_ISDIR(status.st_mode):
                    lines.append(f"{_size(status.st_size)}\t{path}/{entry.name}/")
                    if level < _LEVELS:
                        _below(folder, entry.name, f"{path}/{entry.name}", level, lines)
            except FileNotFoundError:  # it was deleted meanwhile
                continue


def _below(folder: int, name: str, path: str, level: int, lines: list[str]) -> None:
    opened = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        _listed(opened, path, level + 1, lines)
    finally:
        os.close(opened)


def _size(size_bytes: int) -> str:
    size, unit = float(size_bytes), "B"
    for larger in "KMG":
        if size < 1024:
            break
        size, unit = size / 1024, larger
    return f"{int(size)}{unit}" if size == int(size) else f"{size:.1f}{unit}"
