"""Files that agents read at the start of a session, such as CLAUDE.md: split into rules, facts and notes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tacit.errors import NotFound, TacitError, UsageError
from tacit.exchange.readers.import_batch import ImportBatch, texts
from tacit.exchange.readers.memdir_folder import add_index
from tacit.exchange.readers.prose_items import add_prose, mark_of_path
from tacit.exchange.readers.untrusted_files import one_page, pages, parted_by_lines
from tacit.exchange.rules.recognise_source import INDEX, INSTRUCTION_FOLDERS, INSTRUCTION_PATHS, is_instructions
from tacit.text.patterns import lazy_pattern

FORM = "instructions"
_WHAT = "a file for agents, or of a repository that has one"
_PAGES = (".md", ".mdc", ".markdown", ".txt")
_MOST_GLOBS = 5
# A page may also begin with a line across it.
_TOP = lazy_pattern(r"---[ \t]*\r?\n[A-Za-z_]+:")


def read(path: Path) -> ImportBatch:
    """Read a file, the files for agents of a repository, or a folder of rules."""
    batch = ImportBatch(FORM)
    if not path.exists():
        raise NotFound(f"{path} does not exist", f"give the path of {_WHAT}")
    if not path.is_dir():
        _take(batch, path, path.name, one_page(path, _WHAT).text)
        return batch
    found = False
    for file in _files(path, batch):
        found = True
        name = file.relative_to(path).as_posix()
        if file.is_symlink() or not file.resolve().is_relative_to(path.resolve()):
            batch.skip(name, "it is a symbolic link, which is not followed")
            continue
        try:
            _take(batch, file, name, one_page(file, _WHAT).text)
        except TacitError as error:
            batch.skip(name, error.message)
    if not found and not batch.skipped:
        raise UsageError(f"{path} has no file for agents, such as CLAUDE.md or AGENTS.md", f"give the path of {_WHAT}")
    return batch


def _files(root: Path, batch: ImportBatch) -> Iterator[Path]:
    """Return the files for agents of a repository; of a folder without any, all pages."""
    named = sorted(one for one in root.iterdir() if is_instructions(one.name) or one.name == INDEX)
    named += [root / name for name in INSTRUCTION_PATHS if (root / name).exists()]
    for folder in INSTRUCTION_FOLDERS:
        below = root / folder
        if below.is_dir() and not (below.is_symlink() or below.parent.is_symlink()):
            named += [below / page.name for page in pages(below, batch, *_PAGES)]
    yield from named or [root / page.name for page in pages(root, batch, ".mdc", ".md")]


def _take(batch: ImportBatch, path: Path, name: str, content: str) -> None:
    if path.name == INDEX:
        add_index(batch, content, name, mark_of_path(path))
        return
    # Cursor's own front matter is not YAML: `globs: **/*.ts`.
    top, body = parted_by_lines(content) if _TOP.match(content) else ({}, content)
    if not body.strip():
        batch.skip(name, "it is empty")
        return
    add_prose(batch, body, name, mark_of_path(path), _applies_to(top))


def _applies_to(top: dict[str, Any]) -> tuple[str, ...]:
    """Return which files a page applies to, as what introduces it; empty if it applies to all."""
    globs = texts(top.get("globs") or top.get("paths") or top.get("applyTo") or [], _MOST_GLOBS)
    wanted = [glob.strip(" \"'[]") for glob in globs if glob.strip(" \"'[]") not in ("", "*", "**", "**/*")]
    return (f"For files {', '.join(wanted)}",) if wanted else ()
