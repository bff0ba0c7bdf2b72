"""Files of somebody else, read without trust: no link followed, a limit on every size, what is odd left and counted."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from tacit.errors import NotFound, TacitError, UsageError
from tacit.exchange.readers.import_batch import ImportBatch
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
_FENCE = lazy_pattern(r"^---[ \t]*\r?$", re.MULTILINE)


class ForeignFile(NamedTuple):
    """A file that was read: its name within the source, its text, and when it was written."""

    name: str
    text: str
    mtime: float


class SplitFile(NamedTuple):
    """A page in two: what its front matter says, the text below, and what is wrong with the top, "" if nothing is."""

    top: dict[str, Any]
    body: str
    wrong: str = ""


def folder_of(path: Path, what: str) -> Path:
    """Give a folder that is to be read, or say that it is none."""
    if not path.exists():
        raise NotFound(f"there is no {path}", f"name the folder of {what}")
    if not path.is_dir():
        raise UsageError(f"{path} is no folder", f"name the folder of {what}")
    return path


def pages(root: Path, haul: ImportBatch, *endings: str) -> Iterator[ForeignFile]:
    """Read the text files below a folder that have one of these endings, in order."""
    inside, count = SafeFolder(root), 0
    for name in _names(root, haul):
        if not name.lower().endswith(endings):
            continue
        count += 1
        if count > MOST_FILES:
            haul.note(f"only the first {MOST_FILES:,} files were read")
            return
        if (page := _page(inside, name, haul)) is not None:
            yield page


def _names(root: Path, haul: ImportBatch) -> Iterator[str]:
    for folder, folders, names in os.walk(root):
        place = Path(folder).relative_to(root)
        for name in sorted(folders):
            if (Path(folder) / name).is_symlink():
                haul.leave((place / name).as_posix(), "it is a link, and links are not followed")
        hidden = {name for name in folders if name.startswith(".")} | SKIPPED
        folders[:] = sorted(set(folders) - hidden) if len(place.parts) < MOST_DEPTH else []
        yield from ((place / name).as_posix() for name in sorted(names) if not name.startswith("."))


def _page(inside: SafeFolder, name: str, haul: ImportBatch) -> ForeignFile | None:
    try:
        status = inside.status(name)
        if status is None:
            return None
        if stat.S_ISLNK(status.st_mode):
            haul.leave(name, "it is a link, and links are not followed")
            return None
        content = inside.read(name, MOST_PAGE_BYTES)
    except TacitError as error:
        haul.leave(name, error.message)
        return None
    if (text := decoded(content)) is None:
        haul.leave(name, "it is no text in UTF-8")
        return None
    return ForeignFile(name, text, status.st_mtime)


def decoded(content: bytes) -> str | None:
    """Give the text of bytes; None when they are none."""
    if b"\0" in content:
        return None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def parted(text: str, what: str) -> SplitFile:
    """Part a page into its front matter and its text. A wrong top is said, and then all of it is text."""
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
        return SplitFile({}, text[closed.end() + 1 :], "its front matter is no list of names and values")
    return SplitFile(plain_yaml(top), text[closed.end() + 1 :].lstrip("\r\n"))


def plain_yaml(value: Any) -> Any:
    """Give what YAML made as JSON could have it, and times: names are texts, sets are lists, bytes are nothing.

    The reader of YAML bounds its depth.
    """
    if isinstance(value, dict):
        return {readable(str(name)): plain_yaml(one) for name, one in value.items()}
    if isinstance(value, list | tuple | set):
        return [plain_yaml(one) for one in value]
    if isinstance(value, str):
        return readable(value)
    return value if value is None or isinstance(value, bool | int | float | date) else None


def whole_file(path: Path, what: str) -> str:
    """Read one file that somebody named; it may be a link, since they named it."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise NotFound(f"there is no {path}", f"name {what}") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", "look at its permissions") from None
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise UsageError(f"{path} is no plain file", f"name {what}")
        if status.st_size > MOST_FILE_BYTES:
            raise UsageError(f"{path} is over {MOST_FILE_BYTES:,} bytes", "split it")
        with os.fdopen(handle, "rb", closefd=False) as file:
            content = file.read(MOST_FILE_BYTES + 1)
    finally:
        os.close(handle)
    if len(content) > MOST_FILE_BYTES:
        raise UsageError(f"{path} grew while it was read", "try again")
    if (text := decoded(content)) is None:
        raise UsageError(f"{path} is no text in UTF-8", f"name {what}")
    return text


def json_of(text: str) -> Any:
    """Read JSON; None where it is none. Texts in it are readable, and no number is infinite."""
    try:
        return sound(json.loads(text, parse_constant=lambda _name: None))
    except (ValueError, RecursionError):
        return None


def json_lines(text: str, haul: ImportBatch) -> Iterator[tuple[int, dict[str, Any]]]:
    """Read one JSON object a line; what is none is left and counted."""
    # Other ends of lines than this one may stand inside a text of JSON.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        value = json_of(line) if len(line) <= MOST_LINE_BYTES else None
        if isinstance(value, dict):
            yield number, value
        else:
            haul.leave(f"line {number}", "it is no JSON object, or too long")


def json_in(value: Any) -> Any:
    """Give what a column holds: itself, or the JSON that is written in it."""
    if isinstance(value, str) and value.strip()[:1] in ("{", "["):
        found = json_of(value)
        return value if found is None else found
    return readable(value) if isinstance(value, str) else value
