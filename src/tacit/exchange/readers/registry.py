"""The readers by format; each is imported on use."""

from __future__ import annotations

import importlib
from pathlib import Path

from tacit.errors import UsageError
from tacit.exchange.readers.import_batch import ImportBatch

FORMS: dict[str, tuple[str, str]] = {
    "terraphim": ("terraphim", "a folder of learnings, or procedures.jsonl"),
    "loop-engine": ("loop_engine", "the tree of a loop engine (LOOP_HOME)"),
    "hippocampal": ("hippocampal", "a hippocampal SQLite database"),
    "self-learning": ("self_learning", "a JSON backup of a self-learning memory"),
    "mcp-memory": ("mcp_memory", "the JSONL file of the MCP memory server"),
    "claude-mem": ("claude_mem", "the SQLite database of claude-mem"),
    "instincts": ("instincts", "a folder of instinct files"),
    "instructions": (
        "instructions",
        "CLAUDE.md, AGENTS.md, .cursor/rules and their kin, or a repository that has them",
    ),
    "memdir": ("memdir_folder", "MEMORY.md, or a memory directory"),
    "basic-memory": ("basic_memory", "a folder of basic-memory"),
    "obsidian": ("obsidian", "an Obsidian vault"),
    "markdown": ("markdown_folder", "any page or folder of Markdown"),
}


def read_source(form: str, path: Path) -> ImportBatch:
    """Read a source in one of the formats."""
    if form not in FORMS:
        raise UsageError(f"unknown format {form[:40]!r}", f"formats: {', '.join(FORMS)}")
    batch: ImportBatch = importlib.import_module(f"tacit.exchange.readers.{FORMS[form][0]}").read(path)
    return batch
