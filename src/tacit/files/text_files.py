"""The text files under a path: links are not followed, binary files and version control folders are skipped."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from tacit.files.plain_file import NotPlain, read_plain

SKIPPED = frozenset({".git", ".hg", ".svn", "node_modules", ".venv", "__pycache__"})
MOST_BYTES = 20_000_000
_HEAD_BYTES = 8_192


def text_files(path: Path) -> Iterator[Path]:
    """Return the files under a folder in order, or the file itself."""
    if not path.is_dir():
        yield path
        return
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(set(folders) - SKIPPED)
        yield from (file for name in sorted(names) if not (file := Path(folder) / name).is_symlink())


def read_text(path: Path) -> str | None:
    """Return the text of a file, or None if it is binary, too large or not a regular file.

    Raises:
        OSError: it cannot be read.
    """
    if not path.is_file():
        return None
    try:
        content = read_plain(path, MOST_BYTES)
    except NotPlain:
        return None
    return None if b"\0" in content[:_HEAD_BYTES] else content.decode(errors="replace")
