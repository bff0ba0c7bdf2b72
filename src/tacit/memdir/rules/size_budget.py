"""Propose files to remove when a memory directory is over its budget. Nothing is removed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tacit.model.settings import MemdirRules

_DAY_NS = 86_400_000_000_000


class TopicSize(NamedTuple):
    """The size and age of a topic file, and whether a person wrote it."""

    path: str
    written_ns: int
    tokens: int
    by_person: bool


def over_budget(files: Sequence[TopicSize], rules: MemdirRules) -> str:
    """Return by how much a directory is over its budget; empty if it is not."""
    tokens = sum(file.tokens for file in files)
    parts = []
    if len(files) > rules.budget_files:
        parts.append(f"{len(files):,} files (budget: {rules.budget_files:,})")
    if tokens > rules.budget_tokens:
        parts.append(f"about {tokens:,} tokens (budget: {rules.budget_tokens:,})")
    return " and ".join(parts)


def evictions(files: Sequence[TopicSize], rules: MemdirRules, now_ns: int) -> list[tuple[str, str]]:
    """Propose just enough files to remove, oldest first and those of a person last, each with the reason."""
    count, tokens = len(files), sum(file.tokens for file in files)
    proposed = []
    for file in sorted(files, key=lambda file: (file.by_person, file.written_ns, file.path)):
        if count <= rules.budget_files and tokens <= rules.budget_tokens:
            break
        days = max(0, (now_ns - file.written_ns) // _DAY_NS)
        whose = "by a person, " if file.by_person else ""
        proposed.append((file.path, f"{whose}{days} days old, about {file.tokens:,} tokens"))
        count, tokens = count - 1, tokens - file.tokens
    return proposed
