"""Recognise what a file or folder is, by its name, its first bytes and what lies in it."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from tacit.text.patterns import lazy_pattern

JSONL = "jsonl"
"""The form of tacit's own export, which has a reader of its own."""
INSTRUCTIONS = frozenset({
    "claude.md", "claude.local.md", "agents.md", "agents.override.md", "gemini.md", "copilot-instructions.md",
    ".cursorrules", ".windsurfrules", ".clinerules", "conventions.md",
})  # fmt: skip
"""Files that agents read at the start of a session, in lower case."""
INSTRUCTION_FOLDERS = (".cursor/rules", ".claude/rules", ".github/instructions")
INSTRUCTION_PATHS = (".github/copilot-instructions.md", ".claude/CLAUDE.md")
INDEX = "MEMORY.md"
OWN_LIST = "tacit-files.json"
_PAGES = (".md", ".markdown", ".txt")
_TYPES = frozenset({"user", "feedback", "project", "reference"})
_MOST_TOP_LINES = 60
_LEARNING = lazy_pattern(r"(?:learning|correction)-[^/]+\.md")


class SourceSample(NamedTuple):
    """What is looked at: a file's name and first bytes, with its tables if it is a database; or a folder's files.

    `files` are the paths in a folder, each with its first bytes if they were read; None for a file. Folders end in `/`.
    `tables` is None for what is not an SQLite database.
    """

    name: str
    head: bytes = b""
    files: Mapping[str, bytes] | None = None
    tables: frozenset[str] | None = None


class SourceGuess(NamedTuple):
    """The form of a source, and why; `inside` is the file in a folder that is meant. Without a form it cannot be read.

    `hint` then says what to do instead.
    """

    form: str
    why: str
    inside: str = ""
    hint: str = ""


def recognise(sample: SourceSample) -> SourceGuess | None:
    """Return what a source is, or None if it is nothing known."""
    if sample.files is not None:
        return _folder(sample.name, sample.files)
    if sample.tables is not None:
        return _database(sample.tables)
    return _named(sample.name) or _json(sample) or _text(sample)


def is_instructions(name: str) -> bool:
    """Return whether a file is one that agents read at the start of a session, by its name."""
    last = posixpath.basename(name).lower()
    return last in INSTRUCTIONS or last.endswith((".mdc", ".instructions.md"))


def _database(tables: frozenset[str]) -> SourceGuess | None:
    if "observations" in tables and tables & {"session_summaries", "sdk_sessions"}:
        return SourceGuess("claude-mem", "an SQLite database with the tables of claude-mem")
    if {"facts", "entities", "relations"} <= tables and "glossary" in tables:
        return SourceGuess("hippocampal", "an SQLite database with the tables of a hippocampal memory")
    if {"records", "events", "seals"} <= tables:
        hint = "use it with --store, copy it with `tacit migrate`, or import what `tacit export jsonl --store` writes"
        return SourceGuess("", "it is a store of tacit", hint=hint)
    return None


def _named(name: str) -> SourceGuess | None:
    if is_instructions(name):
        return SourceGuess("instructions", "a file that agents read at the start of a session")
    if name.upper() == INDEX.upper():
        return SourceGuess("memdir", "the index of a memory directory")
    return None


def _json(sample: SourceSample) -> SourceGuess | None:
    """Recognise JSON, whole or by lines, from its first bytes."""
    text = sample.head.decode("utf-8-sig", errors="replace").lstrip()
    if not text.startswith("{"):
        return None
    first = _object(text.partition("\n")[0])
    if '"tacit.export/1"' in text[:300] and (first or {}).get("type") == "header":
        return SourceGuess(JSONL, "an export of tacit")
    kind = (first or {}).get("type") or _field(text, "type")
    if kind in ("entity", "relation") and ('"entityType"' in text or '"relationType"' in text):
        return SourceGuess("mcp-memory", "JSON lines of entities and relations, as the MCP memory server writes them")
    if '"steps"' in text and '"title"' in text and "ordinal" in text:
        return SourceGuess("terraphim", "JSON lines of procedures")
    if '"episodes"' in text or '"heuristics"' in text or '"backup_id"' in text:
        return SourceGuess("self-learning", "a JSON backup of a self-learning memory")
    return None


def _text(sample: SourceSample) -> SourceGuess | None:
    if b"\0" in sample.head or not sample.name.lower().endswith(_PAGES) or not sample.head.strip():
        return None
    if "permalink" in _top(sample.head):
        return SourceGuess("basic-memory", "a page with a permalink, as basic-memory writes it")
    return SourceGuess("markdown", "a text file")


def _folder(name: str, files: Mapping[str, bytes]) -> SourceGuess | None:
    top = {path for path in files if "/" not in path.rstrip("/")}
    if ".obsidian/" in top:
        return SourceGuess("obsidian", "a folder with .obsidian, which is an Obsidian vault")
    if "claude-mem.db" in top:
        return SourceGuess("claude-mem", "a folder with claude-mem.db", inside="claude-mem.db")
    if "procedures.jsonl" in top or any(_LEARNING.fullmatch(path) for path in top):
        return SourceGuess("terraphim", "a folder of learnings, as `tacit export learnings` writes them")
    if OWN_LIST in top:
        hint = "`tacit export jsonl` writes a file that can be imported"
        return SourceGuess("", "it is a copy for reading that `tacit export mirror` wrote", hint=hint)
    if "lessons/" in top and top & {"memories/", "phase_ledger/", "personas/"}:
        return SourceGuess("loop-engine", "a folder with lessons and memories, as a loop engine keeps them")
    if found := _instruction_files(name, files, top):
        return SourceGuess("instructions", f"a folder with {', '.join(found[:3])}")
    return _pages(files, top)


def _instruction_files(name: str, files: Iterable[str], top: set[str]) -> list[str]:
    """Return the files for agents that a folder has, as a repository does; MEMORY.md only beside them."""
    found = sorted(path for path in top if is_instructions(path))
    found += [path for path in INSTRUCTION_PATHS if path in files]
    found += [folder for folder in INSTRUCTION_FOLDERS if any(path.startswith(f"{folder}/") for path in files)]
    if found or (INDEX in top and ".git/" in top):
        return [*found, *({INDEX} & top)]
    return []


def _pages(files: Mapping[str, bytes], top: set[str]) -> SourceGuess | None:
    """Recognise a folder of pages by what their first lines say."""
    pages = [path for path in files if path.lower().endswith((".md", ".markdown"))]
    tops = [_top(files[path]) for path in pages]
    if INDEX in top or any("description" in one and one.get("type") in _TYPES for one in tops):
        return SourceGuess("memdir", "a folder with MEMORY.md, or with topic files of a memory directory")
    if any("permalink" in one for one in tops):
        return SourceGuess("basic-memory", "a folder of pages with permalinks, as basic-memory writes them")
    if any({"id", "trigger"} <= _top(head).keys() for head in files.values()):
        return SourceGuess("instincts", "a folder of pages with an id and a trigger")
    if any(posixpath.basename(path) == "SKILL.md" for path in pages):
        return SourceGuess("", "it is a folder of Agent Skills", hint="`tacit skill add` and `tacit procedure import` "
                           "keep them one by one; `tacit import markdown` reads them as notes")  # fmt: skip
    return SourceGuess("markdown", "a folder of Markdown") if pages else None


def _top(head: bytes) -> dict[str, str]:
    """Return the names and values at the top of a page, between lines of three dashes; empty if there is no top."""
    lines = head.decode("utf-8-sig", errors="replace").splitlines()[:_MOST_TOP_LINES]
    if not lines or lines[0].rstrip() != "---":
        return {}
    found: dict[str, str] = {}
    for line in lines[1:]:
        if line.rstrip() == "---":
            return found
        name, _, value = line.partition(":")
        found.setdefault(name.strip(), value.strip(" \"'"))
    return {}


def _object(line: str) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _field(text: str, name: str) -> str:
    found = re.search(rf'"{re.escape(name)}"\s*:\s*"([^"]{{0,80}})"', text)
    return found[1] if found else ""
