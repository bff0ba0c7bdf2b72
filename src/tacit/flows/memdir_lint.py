"""Looking a memory directory through, beside the project it belongs to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from difflib import unified_diff
from hashlib import sha256
from pathlib import Path

from tacit.errors import Conflict, TacitError
from tacit.files.inside import Inside
from tacit.files.memdir import MOST_BYTES, Shelf
from tacit.files.memdir_lock import locked
from tacit.files.texts import read_text
from tacit.files.tree import Tree
from tacit.judge.memdir_lint import Finding, lint, mended_index
from tacit.model.secret import Secret
from tacit.text.claims import claims_of
from tacit.text.memdir_index import NAME

INSTRUCTIONS = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md")
MOST_FILES = 2_000
_TREE_S = 3.0


def lint_memdir(folder: Path, cwd: Path, find: Callable[[str], Sequence[Secret]]) -> list[Finding]:
    """Give what is wrong with a memory directory. What cannot be read is a finding too."""
    files, unread = _read(folder)
    places = list(_project(cwd))
    instructions = {
        name: text for place in places for name in INSTRUCTIONS if (text := read_text(place / name)) is not None
    }

    def secret_lines(text: str) -> list[int]:
        return sorted({text.count("\n", 0, secret.start) + 1 for secret in find(text)})

    tree = Tree(cwd, (folder,), budget_s=_TREE_S)
    claims = {text: claims_of(text) for path, text in files.items() if path != NAME}
    missing = set(tree.gone(dict.fromkeys(claim for found in claims.values() for claim in found)))

    def gone(text: str) -> list[tuple[int, str]]:
        return [(claim.line, claim.text) for claim in claims.get(text, ()) if claim in missing]

    return sorted([*unread, *lint(files, instructions, secret_lines, gone)])


def mend_memdir(folder: Path, clean: Callable[[str], str], *, dry_run: bool) -> str:
    """Mend the index: entries for files it does not list, none for files that are gone. Give the difference.

    Raises:
        Conflict: a file cannot be read, so that nobody knows what is gone, or the index changed meanwhile.
    """
    with nullcontext() if dry_run else locked(folder):
        return _mend(folder, clean, dry_run=dry_run)


def _mend(folder: Path, clean: Callable[[str], str], *, dry_run: bool) -> str:
    files, unread = _read(folder)
    if unread:
        raise Conflict(f"{unread[0].file or 'the memory'}: {unread[0].message}", "mend that first; nothing was changed")
    before, after = files.get(NAME, ""), mended_index(files)
    if "\ufffd" in before:
        raise Conflict(f"{NAME} is not all UTF-8", "mend that first; nothing was changed")
    if after.splitlines() == before.splitlines():
        return ""
    if not dry_run:
        content = before.encode()
        Inside(folder).write(
            NAME, clean(after).encode(errors="replace"), over=sha256(content).hexdigest() if content else ""
        )
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
