"""A folder that is ours: a list in it records which files we wrote and their hashes; only those are replaced."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tacit.errors import Conflict, NotFound, TacitError, UsageError
from tacit.files.safe_paths import SafeFolder, parts_inside
from tacit.text.patterns import lazy_pattern

LIST = "tacit-files.json"
SCHEMA = "tacit.files/1"
MOST_BYTES = 50_000_000
_HASH = lazy_pattern(r"[0-9a-f]{64}")


class FolderChanges(NamedTuple):
    """The changes to the files of a folder; `kept` are files that somebody else changed."""

    written: tuple[str, ...]
    unchanged: int
    removed: tuple[str, ...]
    kept: tuple[str, ...]


def write_owned_files(folder: Path, what: str, wanted: Mapping[str, bytes], *, dry_run: bool = False) -> FolderChanges:
    """Make a folder of ours contain exactly these files. Files that somebody else changed stay.

    Raises:
        Conflict: the folder contains other files, or is not marked as ours for this purpose.
    """
    inside = SafeFolder(folder)
    known = _known(inside, folder, what)
    fresh = {name: _hash(content) for name, content in wanted.items()}
    there = {name: _read(inside, name) for name in {*known, *wanted}}
    kept = {
        name for name, hash in there.items() if hash and hash not in known.get(name, ()) and hash != fresh.get(name)
    }
    written = sorted(name for name in wanted if name not in kept and there[name] != fresh[name])
    removed = sorted(name for name in known if name not in wanted and name not in kept and there[name])
    if not dry_run:
        # After a crash half way, files of ours must still be known as ours: both hashes are listed until it is done.
        _list(
            inside, what, {name: {*known.get(name, ()), *filter(None, [fresh.get(name)])} for name in {*known, *fresh}}
        )
        for name in written:
            inside.write(name, wanted[name], new=not there[name], over=there[name], mode=0o644)
        for name in removed:
            inside.remove(name, over=there[name])
            _tidy(folder, name)
        _list(inside, what, {name: {hash} for name, hash in fresh.items() if name not in kept})
    return FolderChanges(
        tuple(written), len(wanted) - len(written) - len(kept & set(wanted)), tuple(removed), tuple(sorted(kept))
    )


def _known(inside: SafeFolder, folder: Path, what: str) -> dict[str, tuple[str, ...]]:
    """Return the files we wrote into a folder before, with the hashes they may have."""
    try:
        listed: Any = json.loads(inside.read(LIST, MOST_BYTES))
        if listed["schema"] != SCHEMA or listed["what"] != what:
            raise Conflict(
                f"{folder} is used for something else ({str(listed['what'])[:40]})", "give the path of another folder"
            )
        known = {str(name): tuple(str(hash) for hash in hashes) for name, hashes in listed["files"].items()}
        # A list that names files outside, or has anything but hashes, is not one we wrote.
        if all(parts_inside(name) for name in known) and all(_HASH.fullmatch(h) for hs in known.values() for h in hs):
            return known
        raise ValueError
    except NotFound:
        pass
    except (UsageError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise Conflict(f"{folder / LIST} was not written by tacit", "give another folder, or check that file") from None
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Conflict(f"{folder} contains other files, and is not marked as tacit's", "give a new or an empty folder")
    return {}


def _read(inside: SafeFolder, name: str) -> str:
    """Return the hash of a file; empty when it does not exist, and another text when it cannot be read."""
    try:
        return _hash(inside.read(name, MOST_BYTES))
    except NotFound:
        return ""
    except TacitError:
        return "unread"


def _list(inside: SafeFolder, what: str, files: Mapping[str, set[str]]) -> None:
    index = {"schema": SCHEMA, "what": what, "files": {name: sorted(hashes) for name, hashes in sorted(files.items())}}
    inside.write(LIST, json.dumps(index, indent=1).encode(), mode=0o644)


def _tidy(folder: Path, name: str) -> None:
    """Remove the folder a removed file was in, if it is now empty."""
    for place in list(Path(name).parents)[:-1]:
        try:
            (folder / place).rmdir()
        except OSError:
            return


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
