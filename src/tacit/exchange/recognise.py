"""Look at a file or folder and say what it is, before anything is read from it."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Annotated

from tacit.agents.reading.readonly_sqlite import MAGIC
from tacit.agents.transcripts import detect
from tacit.errors import NotFound, UsageError
from tacit.exchange.readers.sqlite_tables import table_names
from tacit.exchange.rules.recognise_source import INSTRUCTION_FOLDERS, SourceSample, recognise
from tacit.files.plain_file import open_plain
from tacit.files.text_files import SKIPPED
from tacit.model.transfer import RecognisedSource
from tacit.model.verb import arg
from tacit.records.connection import Connection

_HEAD_BYTES = 65_536
_PAGE_HEAD_BYTES = 2_000
_MOST_HEADS = 40
_MOST_LISTED = 5_000
_MOST_DEPTH = 8
_LOOKED_INTO = frozenset(part for folder in INSTRUCTION_FOLDERS for part in folder.split("/")) - {"rules"}


def recognise_source(
    _c: Connection, path: Annotated[str | Path, arg("The file or folder to look at.", metavar="PATH")]
) -> RecognisedSource:
    """Say what a file or folder is, and which form reads it. Nothing is imported."""
    return recognise_path(path)


def recognise_path(path: str | Path) -> RecognisedSource:
    """Say what a file or folder is. An error says what could be read instead."""
    place = Path(path).expanduser()
    guess = recognise(_sample(place))
    if guess is None:
        if not place.is_dir() and (agent := detect(place)):
            raise UsageError(
                f"{place} is a transcript of {agent}", f"`tacit sessions import {shlex.quote(str(place))}` imports it"
            )
        raise UsageError(f"{place} is nothing that tacit recognises", _HINT)
    if not guess.form:
        raise UsageError(f"{place} cannot be imported: {guess.why}", guess.hint)
    return RecognisedSource(form=guess.form, path=str(place / guess.inside if guess.inside else place), why=guess.why)


def _sample(path: Path) -> SourceSample:
    try:
        if path.is_dir():
            return SourceSample(path.resolve().name, files=_listing(path))
        with open_plain(path) as file:
            head = file.read(_HEAD_BYTES)
    except FileNotFoundError:
        if path.is_symlink():
            raise UsageError(f"{path} is a link to something that does not exist", "give another path") from None
        raise NotFound(
            f"{path} does not exist", "give the path of a file or folder; `tacit import` lists what it reads"
        ) from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"{path} cannot be read: {why}", "give the path of a readable file or folder") from None
    if not head.strip():
        raise UsageError(f"{path} is empty", "there is nothing in it to import")
    tables = table_names(path) if head.startswith(MAGIC) else None
    return SourceSample(path.name, head, tables=tables)


def _listing(root: Path) -> dict[str, bytes]:
    """Return the files of a folder, as far as it takes to recognise it, some with their first bytes."""
    next(root.iterdir(), None)  # a folder that cannot be read is an error, not an empty one
    found: dict[str, bytes] = {}
    heads = 0
    for folder, folders, names in os.walk(root):
        place = Path(folder).relative_to(root)
        for name in sorted(folders):
            found[f"{(place / name).as_posix()}/"] = b""
        shown = {name for name in folders if name[0] != "." or name in _LOOKED_INTO} - SKIPPED
        folders[:] = sorted(shown) if len(place.parts) < _MOST_DEPTH else []
        for name in sorted(names):
            if len(found) >= _MOST_LISTED:
                return found
            head = b""
            if heads < _MOST_HEADS and name.lower().endswith((".md", ".markdown", ".yaml", ".yml")):
                heads, head = heads + 1, _head(Path(folder) / name)
            found[(place / name).as_posix()] = head
    return found


def _head(path: Path) -> bytes:
    try:
        with open_plain(path, follow=False) as file:
            return file.read(_PAGE_HEAD_BYTES)
    except OSError:
        return b""  # its reader says why it cannot be read


_HINT = (
    "`tacit sessions import PATH` imports transcripts, `tacit import` lists what else is read; to name the source "
    "yourself, `tacit import SOURCE PATH`"
)
