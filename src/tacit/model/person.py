"""Decide who is a person: a terminal on both ends, and no agent in the environment or among the parent processes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tacit.model.origin import Actor

# Environment variables that agents set in their shells; each is a prefix, since new ones of a family appear.
AGENT_MARKERS = (
    "CLAUDECODE", "CLAUDE_CODE", "CODEX_", "CURSOR_", "GEMINI_CLI", "OPENCODE", "COPILOT_", "AIDER_", "CLINE_",
    "ROO_ACTIVE", "GOOSE_", "QWEN_CODE", "AMP_", "WINDSURF_", "KIRO_", "FACTORY_DROID",
)  # fmt: skip
# Variables that name an agent: `AGENT=amp`.
AGENT_VARIABLES = ("AGENT", "AI_AGENT")
AGENT_PROGRAMS = frozenset({
    "claude", "codex", "cursor", "cursor-agent", "gemini", "opencode", "copilot", "aider", "cline",
    "goose", "amp", "windsurf", "roo", "qwen", "qwen-code", "kiro", "droid",
})  # fmt: skip

# In their terminals it is people who start agents.
EDITORS = frozenset({"cursor", "windsurf", "kiro"})


def actor(env: Mapping[str, str], ttys: tuple[bool, bool], ancestors: Iterable[str]) -> Actor:
    """Decide who is calling: a person only with a terminal on stdin and stderr and no agent among the parent processes.

    `ttys` is (stdin, stderr); `ancestors` are program names of the parent processes.
    """
    if not all(ttys):
        return "agent"
    if any(name.startswith(AGENT_MARKERS) or name in AGENT_VARIABLES for name in env):
        return "agent"
    if any(name.lower() in AGENT_PROGRAMS for name in ancestors):
        return "agent"
    return "user"
