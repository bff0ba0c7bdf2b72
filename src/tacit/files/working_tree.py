"""Check whether names in a memory still exist in a working tree.

If the tree is too large to read, the answer is unknown.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

from tacit.files.plain_file import open_plain
from tacit.files.project_id import git_root
from tacit.files.text_files import SKIPPED
from tacit.text.file_claims import Claim
from tacit.text.patterns import lazy_pattern

# About 25 files take a millisecond on an idle machine. Counted, not timed: a busy machine must give the same answer.
MOST_FILES = 20_000
_MOST_BYTES = 1_000_000
_BYTES_A_FILE = 10_000
_MOST_PARTS = 400
_WORDS = ("name", "flag", "command")


class WorkingTree:
    """The project of a folder, up to the root of its repository; folders in `beside` count as part of the project."""

    def __init__(self, cwd: Path, beside: Sequence[Path] = (), *, most_files: int = MOST_FILES) -> None:
        self._places = (*_upwards(cwd), *beside)
        self._root = git_root(cwd)
        self._beside = tuple(os.path.realpath(place) for place in beside)
        self._most_files = most_files

    def gone(self, claims: Iterable[Claim]) -> list[Claim]:
        """Return the claims that are certainly wrong. Claims that would need too much reading are left out."""
        claimed = list(claims)
        wanted = {claim.text.encode(errors="replace") for claim in claimed if claim.kind in _WORDS}
        # Outside a repository nobody can know what should be there.
        missing = self._missing(wanted) if wanted and self._root else set()
        return [claim for claim in claimed if self._is_gone(claim, missing)]

    def _is_gone(self, claim: Claim, missing: set[bytes]) -> bool:
        match claim.kind:
            case "path":
                there = (place / claim.text for place in self._places)
                return self._is_path(claim.text) and not any(one.exists() for one in there) and not self._below(claim)
            case "target":
                return self._lacks(claim)
            case "command" if shutil.which(claim.text):
                return False
            case _:
                return claim.text.encode(errors="replace") in missing

    def _below(self, claim: Claim) -> bool:
        """Return whether a part of the repository, one or two folders down, has the path: a memory may name it so."""
        return any((place / claim.text).exists() for place in self._parts)

    @cached_property
    def _parts(self) -> list[Path]:
        found, edge = list[Path](), [self._root] if self._root else []
        for _depth in range(2):
            edge = [one for place in edge for one in _folders_in(place)]
            found += edge
        return found[:_MOST_PARTS]

    def _is_path(self, text: str) -> bool:
        """Return whether a name with a slash means a path here: it has an extension, or is below an existing folder."""
        last = text.rsplit("/", 1)[1]
        return "." in last or any((place / text.split("/", 1)[0]).is_dir() for place in self._places)

    def _lacks(self, claim: Claim) -> bool:
        """Return whether no file that lists targets lists this one; False without such a file."""
        lists = [text for place in self._places if (text := _small(place / claim.told_by)) is not None]
        if not lists:
            return False
        if claim.told_by == "package.json":
            return not any(claim.text in _scripts(text) for text in lists)
        line = lazy_pattern(rf"^@?{re.escape(claim.text)}\b[^=\n]*:(?!=)", re.MULTILINE)
        return not any(line.search(text) for text in lists)

    def _missing(self, wanted: set[bytes]) -> set[bytes]:
        """Return the words that no text file of the tree contains; none when there is too much to read."""
        left = set(wanted)
        files = read = 0
        most_bytes = self._most_files * _BYTES_A_FILE
        for folder, folders, names in os.walk(self._root or ""):
            folders[:] = [name for name in sorted(folders) if name not in SKIPPED and self._counts(f"{folder}/{name}")]
            for name in names:
                files += 1
                if not left or files > self._most_files or read > most_bytes:
                    return set()
                content = _bytes(f"{folder}/{name}")
                read += len(content)
                left = {word for word in left if word not in content}
        return left

    def _counts(self, folder: str) -> bool:
        # A memory inside the tree would confirm itself.
        return os.path.realpath(folder) not in self._beside


def _upwards(cwd: Path) -> list[Path]:
    above = [cwd, *cwd.parents]
    root = next((number for number, place in enumerate(above) if (place / ".git").exists()), 0)
    return above[: root + 1]


def _folders_in(place: Path) -> list[Path]:
    try:
        with os.scandir(place) as entries:
            found = [one.name for one in entries if one.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    return [place / name for name in sorted(found)[:_MOST_PARTS] if name[0] != "." and name not in SKIPPED]


def _bytes(path: str) -> bytes:
    try:
        with open_plain(path, follow=False) as opened:
            return opened.read(_MOST_BYTES)
    except OSError:
        return b""


def _small(path: Path) -> str | None:
    content = _bytes(str(path))
    return content.decode(errors="replace") if content else None


def _scripts(text: str) -> set[str]:
    try:
        found = json.loads(text).get("scripts", {})
        return set(found) if isinstance(found, dict) else set()
    except (ValueError, AttributeError, RecursionError):
        return set()
