"""Check the files of a memory directory against each other and against the project; repair the index."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from difflib import unified_diff
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from tacit.errors import Conflict, TacitError
from tacit.files.safe_paths import SafeFolder
from tacit.files.text_files import read_text
from tacit.files.working_tree import WorkingTree
from tacit.memdir.folder import MOST_BYTES, TopicFolder
from tacit.memdir.folder_lock import locked
from tacit.memdir.instruction_filter import Vouching, flagged_files, flagged_index_lines, nobody
from tacit.memdir.rules.index import NAME
from tacit.memdir.rules.lint import LintFinding, fixed_index, lint
from tacit.memdir.rules.topic_file import AGENTS, TEAM
from tacit.model.secret import Secret
from tacit.text.file_claims import claims_of

INSTRUCTIONS = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md")
MOST_FILES = 2_000
_MOST_READ_BYTES = 100_000_000
_TREE_FILES = 50_000


class _Read(NamedTuple):
    """The contents of a directory: texts by path, what could not be read, and what is not a text file."""

    files: dict[str, str]
    unread: list[LintFinding]
    aside: list[LintFinding]

    @property
    def passed_over(self) -> set[str]:
        return {one.file for one in self.aside}


def lint_memdir(
    folder: Path, cwd: Path, find: Callable[[str], Sequence[Secret]], ask: Vouching = nobody
) -> list[LintFinding]:
    """List the problems of a memory directory. An unreadable file is a finding too.

    `ask` returns which files a person approved; it is called only for files that contain instructions.
    """
    files, unread, aside = there = _read(folder)
    places = list(_project(cwd))
    instructions = {
        name: text for place in places for name in INSTRUCTIONS if (text := _instructions(place / name)) is not None
    }

    def secret_lines(text: str) -> list[int]:
        return sorted({text.count("\n", 0, secret.start) + 1 for secret in find(text)})

    tree = WorkingTree(cwd, (folder,), most_files=_TREE_FILES)
    claims = {text: claims_of(text) for path, text in files.items() if path != NAME}
    missing = set(tree.gone(dict.fromkeys(claim for found in claims.values() for claim in found)))

    def gone(text: str) -> list[tuple[int, str]]:
        return [(claim.line, claim.text) for claim in claims.get(text, ()) if claim in missing]

    flagged = _flagged(files, ask)
    orders = [LintFinding(path, 0, "order", why) for path, why in flagged.items()]
    orders += _ordering_lines(folder, files, ask)
    return sorted([
        *unread, *aside, *orders,
        *lint(files, instructions, secret_lines, gone, aside=there.passed_over, unlisted=flagged),
    ])  # fmt: skip


def _instructions(path: Path) -> str | None:
    try:
        return read_text(path)
    except OSError:
        return None


def _flagged(files: Mapping[str, str], ask: Vouching) -> dict[str, str]:
    """Return which topic files contain instructions that no person approved, and why."""
    return flagged_files({path: text for path, text in files.items() if path != NAME}, ask)


def _ordering_lines(folder: Path, files: Mapping[str, str], ask: Vouching) -> Iterator[LintFinding]:
    """List the lines of all indexes that a prompt would leave out."""
    inside = SafeFolder(folder)
    places = ["", TEAM.rstrip("/")]
    with suppress(TacitError), inside.folder(AGENTS.rstrip("/")) as opened, os.scandir(opened) as entries:
        places += sorted(f"{AGENTS}{entry.name}" for entry in islice(entries, MOST_FILES))
    for place in places:
        name = f"{place}/{NAME}" if place else NAME
        try:
            index = inside.read(name, MOST_BYTES).decode(errors="replace")
        except TacitError:
            continue
        for number, why in flagged_index_lines(lambda path: files.get(path, ""), place, index, ask).items():
            yield LintFinding(name, number + 1, "order", why)


def fix_index(folder: Path, clean: Callable[[str], str], *, dry_run: bool, ask: Vouching = nobody) -> str:
    """Repair the index: add entries for unlisted files, and drop entries of files that do not exist. Returns the diff.

    Raises:
        Conflict: a file cannot be read, so it is unknown which files exist; or the index changed meanwhile.
    """
    with nullcontext() if dry_run else locked(folder):
        return _fix(folder, clean, ask, dry_run=dry_run)


def _fix(folder: Path, clean: Callable[[str], str], ask: Vouching, *, dry_run: bool) -> str:
    files, unread, _aside = there = _read(folder)
    if unread:
        raise Conflict(
            f"{unread[0].file or 'the memory directory'}: {unread[0].message}", "fix that first; nothing was changed"
        )
    before, after = files.get(NAME, ""), fixed_index(files, there.passed_over, _flagged(files, ask), clean)
    if "\ufffd" in before:
        raise Conflict(f"{NAME} is not valid UTF-8", "fix that first; nothing was changed")
    if after.splitlines() == before.splitlines():
        return ""
    if not dry_run:
        content = before.encode()
        SafeFolder(folder).write(
            NAME, after.encode(errors="replace"), over=sha256(content).hexdigest() if content else ""
        )
    lines = unified_diff(clean(before).splitlines(), clean(after).splitlines(), NAME, NAME, lineterm="", n=1)
    return "\n".join(lines)


def _read(folder: Path) -> _Read:
    """Read the files of a directory, and list what could not be read."""
    inside = SafeFolder(folder)
    files: dict[str, str] = {}
    unread: list[LintFinding] = []
    seen, odd = TopicFolder(folder).look()
    leaves = [leaf.path for leaf in seen]
    aside = [LintFinding(one.path, 0, "passed-over", one.why) for one in odd if one.path != NAME]
    read_bytes = 0
    for path in [NAME, *leaves[:MOST_FILES]]:
        if read_bytes > _MOST_READ_BYTES:
            unread.append(LintFinding("", 0, "too-large", f"over {_MOST_READ_BYTES:,} bytes; the rest was not checked"))
            break
        try:
            content = inside.read(path, MOST_BYTES)
        except TacitError as error:
            if path != NAME or inside.status(NAME) is not None:
                unread.append(LintFinding(path, 0, "unreadable", error.message))
            continue
        read_bytes += len(content)
        text = content.decode(errors="replace")
        if path != NAME and (b"\0" in content or text.encode(errors="replace") != content):
            aside.append(LintFinding(path, 0, "no-text", "is not text (binary, or not UTF-8); it is ignored"))
        else:
            files[path] = text
    if len(leaves) > MOST_FILES:
        unread.append(
            LintFinding("", 0, "too-many", f"{len(leaves):,} files; only the newest {MOST_FILES:,} were checked")
        )
    return _Read(files, unread, aside)


def _project(cwd: Path) -> Iterator[Path]:
    """Return the working directory and the folders above it, up to the root of its repository."""
    above = [cwd, *cwd.parents]
    root = next((number for number, place in enumerate(above) if (place / ".git").exists()), 0)
    yield from above[: root + 1]
