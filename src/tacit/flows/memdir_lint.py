"""Looking a memory directory through, beside the project it belongs to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from difflib import unified_diff
from pathlib import Path

from tacit.errors import Conflict, TacitError
from tacit.files.inside import Inside
from tacit.files.memdir import MOST_BYTES, Shelf, read_inside
from tacit.files.texts import read_text
from tacit.judge.memdir_lint import Finding, lint, mended_index
from tacit.model.secret import Secret
from tacit.text.memdir_index import NAME

INSTRUCTIONS = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md")
MOST_FILES = 2_000


def lint_memdir(folder: Path, cwd: Path, find: Callable[[str], Sequence[Secret]]) -> list[Finding]:
    """Give what is wrong with a memory directory. What cannot be read is a finding too."""
    files, unread = _read(folder)
    places = list(_project(cwd))
    instructions = {
        name: text for place in places for name in INSTRUCTIONS if (text := read_text(place / name)) is not None
    }

    def secret_lines(text: str) -> list[int]:
        return sorted({text.count("\n", 0, secret.start) + 1 for secret in find(text)})

    def is_there(named: str) -> bool:
        return any((place / named).exists() for place in (*places, folder))

    return sorted([*unread, *lint(files, instructions, secret_lines, is_there)])


def mend_memdir(folder: Path, clean: Callable[[str], str], *, dry_run: bool) -> str:
    """Mend the index: entries for files it does not list, none for files that are gone. Give the difference.

    Raises:
        Conflict: a file cannot be read, so that nobody knows what is gone, or the index changed meanwhile.
    """
    files, unread = _read(folder)
    if unread:
        raise Conflict(f"{unread[0].file or 'the memory'}: {unread[0].message}", "mend that first; nothing was changed")
    before, after = files.get(NAME, ""), mended_index(files)
    if "\ufffd" in before:
        raise Conflict(f"{NAME} is not all UTF-8", "mend that first; nothing was changed")
    if after.splitlines() == before.splitlines():
        return ""
    if not dry_run:
        if read_inside(folder, NAME) != before:
            raise Conflict(f"{NAME} was changed meanwhile", "try again; nothing was changed")
        Inside(folder).write(NAME, clean(after).encode(errors="replace"))
    lines = unified_diff(clean(before).splitlines(), clean(after).splitlines(), NAME, NAME, lineterm="", n=1)
    return "\n".join(lines)


def _read(folder: Path) -> tuple[dict[str, str], list[Finding]]:
    """Read the files of a directory, and say what could not be read."""
    inside = Inside(folder)
    files: dict[str, str] = {}
    unread: list[Finding] = []
    leaves = [leaf.path for leaf in Shelf(folder).leaves()]
    for path in [NAME, *leaves[:MOST_FILES]]:
        try:
            files[path] = inside.read(path, MOST_BYTES).decode(errors="replace")
        except TacitError as error:
            if path != NAME or inside.status(NAME) is not None:
                unread.append(Finding(path, 0, "unreadable", error.message))
    if len(leaves) > MOST_FILES:
        unread.append(Finding("", 0, "too-many", f"{len(leaves):,} files; the newest {MOST_FILES:,} were looked at"))
    return files, unread


def _project(cwd: Path) -> Iterator[Path]:
    """Give the working directory and the folders above it, up to the root of its repository."""
    above = [cwd, *cwd.parents]
    root = next((number for number, place in enumerate(above) if (place / ".git").exists()), 0)
    yield from above[: root + 1]
