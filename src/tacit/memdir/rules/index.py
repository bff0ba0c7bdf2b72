"""MEMORY.md, the index of a memory directory: loaded up to its size limits, with a warning if it was cut."""

from __future__ import annotations

from typing import NamedTuple

MOST_LINES = 200
MOST_BYTES = 25_000
NAME = "MEMORY.md"


class MemdirIndex(NamedTuple):
    """The loaded part of an index, and the size of the whole index."""

    content: str
    line_count: int
    byte_count: int
    lines_cut: bool
    bytes_cut: bool


def load_index(text: str) -> MemdirIndex:
    """Load an index: at most 200 lines and 25,000 bytes, cut at the end of a line."""
    whole = text.strip()
    lines = whole.splitlines()
    size = len(whole.encode(errors="replace"))
    over_lines, over_bytes = len(lines) > MOST_LINES, size > MOST_BYTES
    if not (over_lines or over_bytes):
        return MemdirIndex(whole, len(lines), size, lines_cut=False, bytes_cut=False)
    kept = _within(lines[:MOST_LINES], MOST_BYTES)
    warning = f"> WARNING: {NAME} is {_reason(len(lines), size, over_lines, over_bytes)}. Only part of it was loaded. "
    warning += "Keep each entry to one short line, and move detail into topic files."
    return MemdirIndex(f"{kept}\n\n{warning}" if kept else warning, len(lines), size, over_lines, over_bytes)


def _within(lines: list[str], most: int) -> str:
    """Return as many whole lines as fit; if the first line does not fit, as many of its characters as do."""
    kept: list[str] = []
    used = 0
    for line in lines:
        cost = len(line.encode(errors="replace")) + bool(kept)
        if used + cost > most:
            break
        kept.append(line)
        used += cost
    if kept or not lines:
        return "\n".join(kept)
    return lines[0].encode(errors="replace")[:most].decode(errors="ignore")


def _reason(lines: int, size: int, over_lines: bool, over_bytes: bool) -> str:
    if over_lines and over_bytes:
        return f"{lines} lines and {_shown(size)} (limits: {MOST_LINES} lines, {_shown(MOST_BYTES)})"
    if over_lines:
        return f"{lines} lines (limit: {MOST_LINES})"
    return f"{_shown(size)} (limit: {_shown(MOST_BYTES)}): its entries are too long"


def _shown(size: int) -> str:
    return (
        f"{size / 1_000_000:.1f}M bytes"
        if size >= 1_000_000
        else f"{size / 1000:.1f}K bytes"
        if size >= 1000
        else f"{size} bytes"
    )
