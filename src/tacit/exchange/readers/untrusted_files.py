"""Read files of other programs without trust: links are not followed, files over the size limit are skipped."""

from __future__ import annotations

import json
import os
import re
import stat
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from tacit.errors import NotFound, TacitError, UsageError
from tacit.exchange.readers.import_batch import ImportBatch
from tacit.files.plain_file import read_plain
from tacit.files.safe_paths import MOST_DEPTH, SafeFolder
from tacit.files.text_files import SKIPPED
from tacit.text.loose_fields import readable, sound
from tacit.text.patterns import lazy_pattern
from tacit.text.safe_yaml import read_yaml

MOST_FILES = 20_000
MOST_PAGE_BYTES = 1_000_000
MOST_FILE_BYTES = 100_000_000
MOST_LINE_BYTES = 1_000_000
MOST_TOP_CHARS = 20_000
_PLAIN = lazy_pattern(r"([A-Za-z_]+):[ \t]*(.*?)[ \t]*")
_ENTRY = lazy_pattern(r"[ \t]+-[ \t]+(.*?)[ \t]*")
_FENCE = lazy_pattern(r"^---[ \t]*\r?$", re.MULTILINE)


class ForeignFile(NamedTuple):
    """A file that was read: its name within the source, its text, and when it was written."""

    name: str
    text: str
    mtime: float


class SplitFile(NamedTuple):
    """A split page: its front matter, the text below, and what is wrong with the front matter (empty if nothing)."""

    top: dict[str, Any]
    body: str
    wrong: str = ""


def folder_of(path: Path, what: str) -> Path:
    """Return a folder to read, or raise an error if it is not a folder."""
    if not path.exists():
        raise NotFound(f"{path} does not exist", f"give the path of the folder of {what}")
    if not path.is_dir():
        raise UsageError(f"{path} is not a folder", f"give the path of the folder of {what}")
    return path


def pages(root: Path, batch: ImportBatch, *endings: str) -> Iterator[ForeignFile]:
    """Read the text files below a folder that have one of these endings, in order."""
    inside, count, others = SafeFolder(root), 0, Counter[str]()
    for name in _names(root, batch):
        if not name.lower().endswith(endings):
            others[Path(name).suffix.lower() or "without ending"] += 1
            continue
        count += 1
        if count > MOST_FILES:
            batch.note(f"only the first {MOST_FILES:,} files were read")
            return
        if (page := _page(inside, name, batch)) is not None:
            yield page
    if others:
        kinds = ", ".join(f"{number:,} {ending}" for ending, number in others.most_common(5))
        batch.note(f"other files, which were not read: {sum(others.values()):,} ({kinds})")


def one_page(path: Path, what: str) -> ForeignFile:
    """Read the one page at a path that the caller gave, even if the path is a link."""
    text = whole_file(path, what, MOST_PAGE_BYTES)
    return ForeignFile(path.name, text, path.stat().st_mtime)


def _names(root: Path, batch: ImportBatch) -> Iterator[str]:
    def unreadable(error: OSError) -> None:
        name = Path(error.filename or root).relative_to(root).as_posix()
        batch.skip(f"{name}/", f"the folder cannot be read: {error.strerror}")

    for folder, folders, names in os.walk(root, onerror=unreadable):
        place = Path(folder).relative_to(root)
        for name in sorted(folders):
            if (Path(folder) / name).is_symlink():
                batch.skip((place / name).as_posix(), "it is a symbolic link, which is not followed")
        hidden = {name for name in folders if name.startswith(".")} | SKIPPED
        folders[:] = sorted(set(folders) - hidden) if len(place.parts) < MOST_DEPTH else []
        yield from ((place / name).as_posix() for name in sorted(names) if not name.startswith("."))


def _page(inside: SafeFolder, name: str, batch: ImportBatch) -> ForeignFile | None:
    try:
        status = inside.status(name)
        if status is None:
            return None
        if stat.S_ISLNK(status.st_mode):
            batch.skip(name, "it is a symbolic link, which is not followed")
            return None
        content = inside.read(name, MOST_PAGE_BYTES)
    except TacitError as error:
        batch.skip(name, error.message)
        return None
    if (text := decoded(content)) is None:
        batch.skip(name, "it is not text in UTF-8")
        return None
    return ForeignFile(name, text, status.st_mtime)


def decoded(content: bytes) -> str | None:
    """Return bytes as text, or None if they are not UTF-8."""
    if b"\0" in content:
        return None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def parted(text: str, what: str) -> SplitFile:
    """Split a page into front matter and text. If the front matter is invalid, everything is text."""
    opened = _FENCE.match(text)
    if opened is None:
        return SplitFile({}, text)
    closed = _FENCE.search(text, opened.end() + 1, MOST_TOP_CHARS)
    if closed is None:
        return SplitFile({}, text, "its front matter has no end")
    try:
        top = read_yaml(text[opened.end() + 1 : closed.start()], what)
    except UsageError as error:
        return SplitFile({}, text[closed.end() + 1 :], error.message)
    if top is None:
        top = {}
    if not isinstance(top, dict):
        return SplitFile({}, text[closed.end() + 1 :], "its front matter does not contain names and values")
    return SplitFile(plain_yaml(top), text[closed.end() + 1 :].lstrip("\r\n"))


def parted_by_lines(content: str) -> tuple[dict[str, Any], str]:
    """Read front matter that is not YAML line by line, so that one odd value loses only itself."""
    top: dict[str, Any] = {}
    name = ""
    lines = content.split("\n")
    end = next((n for n, line in enumerate(lines[1:500], 1) if line.rstrip() == "---"), 0)
    for line in lines[1:end]:
        if (entry := _ENTRY.fullmatch(line.rstrip("\r"))) and isinstance(top.get(name), list):
            top[name].append(_unquoted(entry[1]))
        elif found := _PLAIN.fullmatch(line.rstrip("\r")):
            name = found[1]
            top.setdefault(name, _unquoted(found[2]) if found[2] else [])
    return top, "\n".join(lines[end + 1 :])


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


def plain_yaml(value: Any) -> Any:
    """Return a YAML value as JSON values and times: names as text, sets as lists, bytes as null.

    Its depth is limited by the YAML reader.
    """
    if isinstance(value, dict):
        return {readable(str(name)): plain_yaml(one) for name, one in value.items()}
    if isinstance(value, list | tuple | set):
        return [plain_yaml(one) for one in value]
    if isinstance(value, str):
        return readable(value)
    return value if value is None or isinstance(value, bool | int | float | date) else None


def whole_file(path: Path, what: str, most_bytes: int = MOST_FILE_BYTES) -> str:
    """Read the file at a path that the caller gave, even if the path is a link."""
    try:
        content = read_plain(path, most_bytes)
    except FileNotFoundError:
        raise NotFound(f"{path} does not exist", f"give the path of {what}") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", f"give the path of {what}") from None
    if (text := decoded(content)) is None:
        raise UsageError(f"{path} is not text in UTF-8", f"give the path of {what}")
    return text


def json_of(text: str) -> Any:
    """Parse JSON with readable texts and finite numbers, or return None if it is not JSON."""
    try:
        return sound(json.loads(text, parse_constant=lambda _name: None))
    except (ValueError, RecursionError):
        return None


def json_lines(text: str, batch: ImportBatch) -> Iterator[tuple[int, dict[str, Any]]]:
    """Read one JSON object per line. Other lines are skipped and counted."""
    # Other line ends may be part of a JSON text.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        value = json_of(line) if len(line) <= MOST_LINE_BYTES else None
        if isinstance(value, dict):
            yield number, value
        else:
            batch.skip(f"line {number}", "it is not a JSON object, or too long")


def json_in(value: Any) -> Any:
    """Return the value of a column: unchanged, or parsed if it is JSON."""
    if isinstance(value, str) and value.strip()[:1] in ("{", "["):
        found = json_of(value)
        return value if found is None else found
    return readable(value) if isinstance(value, str) else value
