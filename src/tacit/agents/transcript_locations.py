"""Sources: where each agent keeps its transcripts, on Linux and macOS."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from tacit.agents.aider import NAME

_PATTERNS: dict[str, tuple[str, ...]] = {
    "claude": ("*/*.jsonl", "*/*/subagents/**/*.jsonl"),
    "codex": ("**/rollout-*.jsonl", "**/rollout-*.jsonl.zst"),
    "cursor": (
        "*/agent-transcripts/**/*.jsonl", "*/*/store.db", "globalStorage/state.vscdb", "workspaceStorage/*/state.vscdb",
    ),
    "aider": (NAME,),
    "gemini": ("*/chats/session-*.json", "*/chats/**/*.jsonl"),
    "opencode": ("*.db", "storage/session/*/*.json", "project/*/storage/session/info/*.json"),
    "copilot": ("*/events.jsonl", "*.jsonl"),
    "cline": ("tasks/*/api_conversation_history.json", "**/*.messages.json"),
}  # fmt: skip


class TranscriptLocation(msgspec.Struct, frozen=True, kw_only=True):
    """A place where an agent keeps transcripts, and whether there is such a place here."""

    agent: str
    root: str
    exists: bool


def sources(home: Path, env: Mapping[str, str], cwd: Path | None = None) -> list[TranscriptLocation]:
    """List every place worth looking at. Aider keeps its history in the project, so it is looked for there."""
    found = [(agent, root) for agent, roots in _roots(home, env).items() for root in roots]
    found += [("aider", folder) for folder in _projects(cwd)] if cwd else []
    return [
        TranscriptLocation(agent=agent, root=str(root), exists=root.is_dir()) for agent, root in dict.fromkeys(found)
    ]


def files_of(source: TranscriptLocation) -> Iterator[Path]:
    """Give the transcripts of a source, each once, in a fixed order."""
    root = Path(source.root)
    seen: set[Path] = set()
    for pattern in _PATTERNS[source.agent]:
        for path in sorted(_glob(root, pattern)):
            if path not in seen and path.is_file():
                seen.add(path)
                yield path


def _glob(root: Path, pattern: str) -> Iterator[Path]:
    try:
        yield from root.glob(pattern)
    except OSError:
        # A folder that may not be read holds nothing for us.
        return


def _roots(home: Path, env: Mapping[str, str]) -> dict[str, list[Path]]:
    config = Path(env.get("XDG_CONFIG_HOME") or home / ".config")
    state = Path(env.get("XDG_DATA_HOME") or home / ".local" / "share")
    support = home / "Library" / "Application Support"
    claude = [Path(place) for place in env.get("CLAUDE_CONFIG_DIR", "").split(",") if place]
    codex = Path(env.get("CODEX_HOME") or home / ".codex")
    editors = [base / name / "User" for base in (config, support) for name in ("Code", "Code - Insiders", "VSCodium")]
    editors += [base / "Cursor" / "User" for base in (config, support)]
    extensions = [user / "globalStorage" / "saoudrizwan.claude-dev" for user in editors]
    return {
        "claude": [place / "projects" for place in claude or [home / ".claude", config / "claude"]],
        "codex": [codex / "sessions", codex / "archived_sessions"],
        "cursor": [home / ".cursor" / "projects", home / ".cursor" / "chats",
                   config / "Cursor" / "User", support / "Cursor" / "User"],
        "gemini": [Path(env.get("GEMINI_CLI_HOME") or home) / ".gemini" / "tmp"],
        "opencode": [Path(env.get("OPENCODE_DATA_DIR") or state / "opencode")],
        "copilot": [Path(env.get("COPILOT_HOME") or home / ".copilot") / "session-state",
                    Path(env.get("COPILOT_HOME") or home / ".copilot") / "history-session-state"],
        "cline": [*extensions, Path(env.get("CLINE_DIR") or home / ".cline") / "data"],
    }  # fmt: skip


def _projects(cwd: Path) -> Iterator[Path]:
    """Give the folder and those above it that hold a history of Aider's; without any, the folder itself."""
    found = [place for place in (cwd, *cwd.parents) if os.access(place / NAME, os.R_OK)]
    yield from found or [cwd]
