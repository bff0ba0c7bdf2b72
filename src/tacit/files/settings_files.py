"""Settings, rules and words in files that somebody else may have written: plain text files, bounded in size and number.

A problem with a file is returned as a value, so that one broken file does not prevent reading the others.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from tacit.errors import ConfigError, NotFound, TacitError
from tacit.files.plain_file import NotPlain, read_plain
from tacit.files.safe_paths import SafeFolder

KG = "docs/src/kg"
"""Where a repository keeps its lexicon."""
MOST_BYTES = 256 * 1024
MOST_FILES = 2_000
# A hook reads all of them while its agent waits.
MOST_FOLDER_BYTES = 2_000_000
_MOST_LISTED = 100_000


class SettingsFile(NamedTuple):
    """A file: its path, its text, and what is wrong with it, empty if nothing is."""

    path: str
    text: str
    problem: str = ""

    def content(self) -> str:
        """Return the text, or raise an error if something is wrong with the file."""
        if self.problem:
            raise ConfigError(f"{self.path} cannot be read: {self.problem}", "correct the file, or take it away")
        return self.text


def settings_file(folder: Path, name: str, *, own: bool) -> SettingsFile | None:
    """Read one file; None if there is none. In the user's `own` home, links to files of the user are followed."""
    try:
        with _opened(folder, "", own) as opened:
            return _read(opened, folder, name, own)
    except NotFound:
        return None
    except TacitError as error:
        return SettingsFile(str(folder / name), "", error.message)


def settings_files(root: Path, place: str, ending: str, *, own: bool) -> list[SettingsFile]:
    """Read the files of a folder below `root` that have this ending, in order; none if there is no such folder.

    In the user's `own` home, links to folders, and to files of the user, are followed; elsewhere none are.
    """
    found: list[SettingsFile] = []
    folder, size = root / place, 0
    try:
        with _opened(root, place, own) as opened:
            with os.scandir(opened) as entries:
                listed = [entry.name for entry in islice(entries, _MOST_LISTED)]
            names = sorted(name for name in listed if name.endswith(ending) and not name.startswith("."))
            for name in names[:MOST_FILES]:
                file = _read(opened, folder, name, own)
                size += len(file.text) if file else 0
                if size > MOST_FOLDER_BYTES:
                    break
                found += [file] if file else []
    except TacitError as error:
        gone = isinstance(error, NotFound) and not folder.is_symlink()
        return [] if gone else [SettingsFile(str(folder), "", error.message)]
    if len(listed) == _MOST_LISTED or len(names) > MOST_FILES or size > MOST_FOLDER_BYTES:
        problem = f"only the first {len(found):,} files count: at most {MOST_FILES:,} and {MOST_FOLDER_BYTES:,} bytes"
        found.append(SettingsFile(str(folder), "", problem))
    return found


@contextmanager
def _opened(root: Path, place: str, own: bool) -> Iterator[int]:
    """Open a folder; only in the user's own home a link to it is followed."""
    with SafeFolder(root / place if own else root).folder("" if own else place) as opened:
        yield opened


def _read(opened: int, folder: Path, name: str, own: bool) -> SettingsFile | None:
    path = str(folder / name)
    try:
        text = _text(opened, name, own)
    except (OSError, ValueError) as error:
        if isinstance(error, FileNotFoundError) and not _is_link(opened, name):
            return None  # it was removed a moment ago
        return SettingsFile(path, "", _problem(error))
    return SettingsFile(path, text)


def _text(opened: int, name: str, own: bool) -> str:
    link = own and _is_link(opened, name)
    if link and os.stat(name, dir_fd=opened).st_uid not in (0, os.geteuid()):
        raise NotPlain("it is a link to a file of another user")
    content = read_plain(name, MOST_BYTES, follow=link, folder=opened)
    if b"\0" in content:
        raise NotPlain("it is not text")
    return content.decode("utf-8-sig")


def _is_link(opened: int, name: str) -> bool:
    try:
        os.readlink(name, dir_fd=opened)
    except OSError:
        return False
    return True


def _problem(error: OSError | ValueError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"it is not UTF-8 (byte {error.start})"
    if isinstance(error, OSError) and error.errno in (errno.ELOOP, errno.EMLINK):
        return "it is a symbolic link, which is not followed here"
    if isinstance(error, FileNotFoundError):
        return "it is a link to nothing"
    return (error.strerror if isinstance(error, OSError) else "") or str(error)
