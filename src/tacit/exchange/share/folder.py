"""Read and write a shared folder. What does not look as tacit wrote it is skipped and named, never followed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from tacit.errors import Conflict, NotFound, Refused, TacitError, UsageError
from tacit.exchange.rules.shared_versions import SharedStatement, later
from tacit.exchange.share.chunk import MOST_PACKED_BYTES, NAME, SCHEMA, WRITER, Chunk, ChunkHeader, packed, unpacked
from tacit.files.project_id import git_root, remote_id, remote_url
from tacit.files.safe_paths import SafeFolder
from tacit.model.transfer import Skipped

MARK = "tacit-share.json"
WRITERS = "writers"
MOST_WRITERS = 200
MOST_CHUNKS = 2_000
"""The largest number of chunks that are read of one writer."""
MOST_BYTES = 500_000_000
"""The largest number of bytes that are read of one folder."""
MOST_NAMED = 50
_MOST_MARK_BYTES = 10_000
Statements = dict[str, dict[str, SharedStatement]]
"""Of each record, what each writer said about it last."""


class FolderContent(NamedTuple):
    """What was read from a shared folder."""

    statements: Statements
    own: list[Chunk]
    """The chunks of the writer who asked, in order."""
    skipped: tuple[Skipped, ...]
    names: tuple[str, ...]
    """The paths of all chunks that were listed. Names are hashes, so equal names mean equal content."""


class _Named:
    """What was skipped: the first are named, the rest are counted."""

    def __init__(self) -> None:
        self.first: list[Skipped] = []
        self._more = 0

    def add(self, what: str, why: str) -> None:
        """Name something that was skipped."""
        if len(self.first) < MOST_NAMED:
            self.first.append(Skipped(what[:200], why))
        else:
            self._more += 1

    def all(self) -> tuple[Skipped, ...]:
        """Return everything that is named."""
        more = [Skipped(f"{self._more:,} more files", "they are not named")] if self._more else []
        return (*self.first, *more)


def folder_id(path: Path) -> str:
    """Return the id of a shared folder. NotFound says that it is not one."""
    try:
        mark = msgspec.json.decode(SafeFolder(path).read(MARK, _MOST_MARK_BYTES))
        if mark["schema"] == SCHEMA and WRITER.fullmatch(mark["id"]):
            return str(mark["id"])
        if mark["schema"] != SCHEMA:
            raise UsageError(f"{path / MARK} was written by another version of tacit", "update tacit")
    except NotFound:
        raise NotFound(f"{path} is not a shared folder: it has no {MARK}", "`tacit share init DIR` makes one") from None
    except (msgspec.MsgspecError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    if b"<<<<<<<" in SafeFolder(path).read(MARK, _MOST_MARK_BYTES):
        raise UsageError(
            f"{path / MARK} has a git conflict: two homes made this a shared folder before either pulled",
            f"keep the one that is pushed already (in a rebase `git checkout --ours {MARK}`), then "
            "`tacit share init DIR` and `tacit share push` here",
        )
    raise UsageError(
        f"{path / MARK} is damaged", "take it from the folder of another home, then accept the folder again"
    )


def new_folder_id(path: Path, chance: bytes) -> str:
    """Return the id of a new shared folder: in all clones of a git repository the same, else one by chance.

    Homes that make the same repository a shared folder at the same time then write the same file, which git merges.
    """
    root, url = git_root(path), remote_url(path)
    if root is None or not url:
        return chance.hex()
    place = path.relative_to(root).as_posix()
    return hashlib.sha256(f"{SCHEMA}\n{remote_id(url) or url}\n{place}".encode()).hexdigest()[:32]


def mark_folder(path: Path, id: str) -> str:
    """Make a folder a shared one, and return its id: the given one, or that of whoever was first."""
    try:
        content = msgspec.json.encode({"schema": SCHEMA, "id": id})
        SafeFolder(path).write(MARK, content + b"\n", new=True, mode=0o644)
    except Conflict:
        return folder_id(path)
    return id


def listing(path: Path) -> tuple[str, ...]:
    """Return the paths of all chunks in a folder, in order."""
    return tuple(f"{writer}/{name}" for writer, name in _listed(path, _Named()))


def _listed(path: Path, wrong: _Named) -> Iterator[tuple[str, str]]:
    """Return writer and name of all chunks."""
    inside = SafeFolder(path)
    writers = _entries(inside, WRITERS, MOST_WRITERS, wrong)
    for writer in writers:
        if not WRITER.fullmatch(writer):
            wrong.add(f"{WRITERS}/{writer}", "it is not the folder of a writer")
            continue
        for name in _entries(inside, f"{WRITERS}/{writer}", MOST_CHUNKS, wrong):
            if NAME.fullmatch(name):
                yield writer, name
            elif not name.startswith("."):
                wrong.add(f"{WRITERS}/{writer}/{name}", "it is not a chunk")


def _entries(inside: SafeFolder, name: str, most: int, wrong: _Named) -> list[str]:
    """Return the names in a folder, in order; a folder that does not exist has none."""
    try:
        with inside.folder(name) as opened, os.scandir(opened) as found:
            names = [one.name for one in islice(found, most + 1)]
    except NotFound:
        return []
    except TacitError as error:
        wrong.add(name, error.message)
        return []
    if len(names) > most:
        wrong.add(name, f"it has over {most:,} entries; only some of them were read")
    # A name that is no text belongs to nobody.
    return sorted(one.encode(errors="replace").decode() for one in names[:most])


def read_folder(path: Path, id: str, me: str, keys: Mapping[str, bytes]) -> FolderContent:
    """Read everything in a shared folder. Chunks that are not as they should be are skipped and named."""
    wrong, statements, chains = _Named(), Statements(), dict[str, list[Chunk]]()
    inside, left, names = SafeFolder(path), MOST_BYTES, list[str]()
    for writer, name in _listed(path, wrong):
        names.append(f"{writer}/{name}")
        place = f"{WRITERS}/{writer}/{name}"
        try:
            content = inside.read(place, min(MOST_PACKED_BYTES, left))
            left -= len(content)
            chunk = unpacked(name, content, id, writer, keys)
        except TacitError as error:
            wrong.add(place, error.message)
            continue
        chains.setdefault(writer, []).append(chunk)
        for record, told in chunk.statements.items():
            about = statements.setdefault(record, {})
            about[writer] = later(about.get(writer), told)
    for writer, chain in chains.items():
        chain.sort(key=lambda chunk: (chunk.header.number, chunk.name))
        known = {chunk.name for chunk in chain}
        gaps = [chunk for chunk in chain if chunk.header.before and chunk.header.before not in known]
        if gaps:
            wrong.add(
                f"{WRITERS}/{writer}/{gaps[0].header.before}", "this chunk is named by a later one and is missing"
            )
    return FolderContent(statements, chains.get(me, []), wrong.all(), tuple(names))


def write_chunks(
    path: Path, header: ChunkHeader, parts: Iterable[Sequence[Mapping[str, Any]]], secret: bytes
) -> tuple[str, ...]:
    """Write chunks of this home's own writer one after the other, beginning with the header's; return their names."""
    inside, written = SafeFolder(path), list[str]()
    _make_folders(inside, header.writer)
    for part in parts:
        name, content = packed(header, part, secret)
        with suppress(Conflict):  # the same bytes are there already
            inside.write(f"{WRITERS}/{header.writer}/{name}", content, new=True, mode=0o644)
        written.append(name)
        header = msgspec.structs.replace(header, number=header.number + 1, before=name)
    return tuple(written)


def remove_chunks(path: Path, writer: str, names: Iterable[str]) -> None:
    """Remove chunks of this home's own writer."""
    for name in names:
        with suppress(NotFound):
            SafeFolder(path).remove(f"{WRITERS}/{writer}/{name}")


def _make_folders(inside: SafeFolder, writer: str) -> None:
    """Make the folder of a writer, readable for whoever may read the shared folder."""
    for parent, name in (("", WRITERS), (WRITERS, writer)):
        with inside.folder(parent) as opened, suppress(FileExistsError):
            os.mkdir(name, dir_fd=opened)


def check_outside(path: Path) -> None:
    """Refuse a place inside a shared folder, for what must never be shared."""
    for parent in (path.parent, *path.parent.parents):
        if (parent / MARK).exists():
            raise Refused(f"{path} is inside the shared folder {parent}", "give a path outside of it")
