"""Read JSON from files that may be broken: lines one by one in bounded memory, and documents without their end."""

from __future__ import annotations

import codecs
import importlib
import io
import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from tacit.files.plain_file import open_plain, read_plain
from tacit.sessions.transcript import SessionBuilder
from tacit.text.loose_fields import sound
from tacit.text.patterns import lazy_pattern

MOST_LINE_BYTES = 32 * 1024 * 1024
MOST_DOCUMENT_BYTES = 128 * 1024 * 1024
_SALVAGE_BYTES = 1024 * 1024
_SALVAGE_TRIES = 200
_NUL = b"\\u0000"
_ZSTD = b"\x28\xb5\x2f\xfd"
_MESSAGES = lazy_pattern(r'(?<!\\)"messages"\s*:\s*\[')
_decode = msgspec.json.Decoder().decode
_python = json.JSONDecoder(strict=False)


def records(path: Path, builder: SessionBuilder) -> Iterator[dict[str, Any]]:
    """Return the objects of a JSON lines file. Broken lines are counted, and readable objects in them are returned."""
    for _offset, record in placed(path, builder):
        yield record


def placed(path: Path, builder: SessionBuilder) -> Iterator[tuple[int, dict[str, Any]]]:
    """Return the objects of a JSON lines file, each with the position of its line."""
    try:
        with opened(path, builder) as file:
            for offset, line in _lines(file, builder):
                for record in objects(line, builder):
                    yield offset, record
    except (OSError, EOFError, ValueError) as error:
        builder.note(f"{path.name} could not be read to its end: {error}")


def objects(line: bytes, builder: SessionBuilder) -> list[dict[str, Any]]:
    """Parse the objects of one line: usually one, or several if processes wrote to it at the same time."""
    line = line.strip(b" \t\r\n\x00\xef\xbb\xbf")
    if not line:
        return []
    try:
        value = _decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return [sound(one) for one in _salvaged(line.decode("utf-8", "replace"), builder)]
    if isinstance(value, dict):
        return [sound(value) if _NUL in line else value]
    builder.broken += 1
    return []


def is_as_it_lies(path: Path) -> bool:
    """Return whether positions of records are byte positions, because a file is neither compressed nor in UTF-16."""
    try:
        with open_plain(path) as file:
            first = file.read(4)
    except OSError:
        return True
    return first != _ZSTD and first[:2] not in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def opened(path: Path, builder: SessionBuilder) -> BinaryIO:
    """Open a file to read its bytes, with any compression."""
    file = open_plain(path)
    first = file.read(4)
    file.seek(0)
    if first == _ZSTD:
        file.close()
        return _unpacked(path, builder)
    if first[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        reader = io.TextIOWrapper(file, "utf-16", errors="replace", newline="\n")
        return _Recoded(reader)  # type: ignore[return-value]
    return file


class _Recoded:
    """A file in UTF-16 as lines of UTF-8."""

    def __init__(self, reader: io.TextIOWrapper) -> None:
        self._reader = reader

    def __enter__(self) -> _Recoded:
        return self

    def __exit__(self, *_: object) -> None:
        self._reader.close()

    def readline(self, size: int = -1) -> bytes:
        return self._reader.readline(size).encode(errors="replace")

    def tell(self) -> int:
        return 0


class _Packed(io.RawIOBase):
    """A compressed file as plain bytes, in lines, and with one error for damage whichever module decompresses it."""

    def __init__(self, file: BinaryIO, damaged: type[Exception]) -> None:
        self._file = file
        self._damaged = damaged

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            found = self._file.read(len(buffer))
        except self._damaged as error:
            raise OSError(str(error)) from None
        buffer[: len(found)] = found
        return len(found)

    def close(self) -> None:
        self._file.close()
        super().close()


def _unpacked(path: Path, builder: SessionBuilder) -> BinaryIO:
    """Open a file that Codex compressed with zstd, using any installed module that can decompress zstd."""
    for name in ("compression.zstd", "backports.zstd", "pyzstd", "zstandard"):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        packed = _Packed(module.open(path, "rb"), getattr(module, "ZstdError", OSError))
        return io.BufferedReader(packed)
    builder.note(f"{path.name} is compressed with zstd, which this Python cannot read: pip install zstandard")
    return io.BytesIO()


def _lines(file: BinaryIO, builder: SessionBuilder) -> Iterator[tuple[int, bytes]]:
    """Return lines with their positions; a line that is too long is counted and skipped, never held in memory."""
    offset = 0
    while line := file.readline(MOST_LINE_BYTES):
        length = len(line)
        if length >= MOST_LINE_BYTES and not line.endswith(b"\n"):
            builder.broken += 1
            builder.note(f"a line of over {MOST_LINE_BYTES // 2**20} MB was skipped")
            while (more := file.readline(MOST_LINE_BYTES)) and not more.endswith(b"\n"):
                length += len(more)
            length += len(more)
        else:
            yield offset, line
        offset += length


def _salvaged(line: str, builder: SessionBuilder) -> list[dict[str, Any]]:
    """Read what can be saved of a line that is not valid JSON as a whole.

    Python's own decoder accepts what is odd but complete. Two records may be on one line; or the end of the line is a
    complete record, because the writer before it was cut off. A part of a record is never returned.
    """
    found: list[dict[str, Any]] = []
    place, end = 0, len(line)
    with suppress(ValueError, RecursionError):
        while place < end:
            value, place = _python.raw_decode(line, place)
            if isinstance(value, dict):
                found.append(value)
            while place < end and line[place].isspace():
                place += 1
    if place >= end and found:
        return found
    builder.broken += 1
    if end <= _SALVAGE_BYTES and (last := _last_whole(line, place)) is not None:
        found.append(last)
    return found


def _last_whole(line: str, place: int) -> dict[str, Any] | None:
    for _ in range(_SALVAGE_TRIES):
        place = line.find('{"', place + 1)
        if place < 0:
            return None
        with suppress(ValueError, RecursionError):
            value, end = _python.raw_decode(line, place)
            if end == len(line) and isinstance(value, dict):
                return value
    return None


def document(path: Path, builder: SessionBuilder) -> Any:
    """Read a whole JSON document, or return None if nothing can be read."""
    try:
        data = read_plain(path, MOST_DOCUMENT_BYTES)
    except OSError as error:
        builder.note(f"{path.name} could not be read: {error.strerror or error}")
        return None
    return parsed(data, builder, path.name)


def parsed(data: bytes | str, builder: SessionBuilder, what: str) -> Any:
    """Parse JSON from bytes. Of a list whose end is missing, the complete elements are returned."""
    if isinstance(data, bytes) and data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        data = data.decode("utf-16", "replace")
    if isinstance(data, bytes):
        data = data.strip(b" \t\r\n\x00\xef\xbb\xbf")
    try:
        nul: Any = _NUL if isinstance(data, bytes) else _NUL.decode()
        return (sound(_decode(data)) if nul in data else _decode(data)) if data else None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        content = data.decode("utf-8", "replace") if isinstance(data, bytes) else data
    try:
        return sound(_python.decode(content))
    except (ValueError, RecursionError):
        builder.broken += 1
        builder.note(f"{what} is incomplete")
    return sound(_beginning(content))


def _beginning(content: str) -> Any:
    """Return what is complete in a truncated document: fields up to its list of messages, and elements of that."""
    listed = _MESSAGES.search(content) if content.lstrip().startswith("{") else None
    start = place = listed.end() - 1 if listed else content.find("[")
    whole: list[Any] = []
    with suppress(ValueError, RecursionError):
        place += 1
        while place > 0:
            while content[place : place + 1] in (" ", "\n", "\r", "\t", ",") and place < len(content):
                place += 1
            value, place = _python.raw_decode(content, place)
            whole.append(value)
    if not whole:
        return None
    head = content[:start]
    if not head.lstrip().startswith("{"):
        return whole
    with suppress(ValueError, RecursionError):
        # `{"a": 1, "messages": ` and a list make a document again.
        return _python.decode(f"{head}[]}}") | {head.rstrip(' :"').rpartition('"')[2]: whole}
    return {"messages": whole}
