"""The agents tacit knows. To add one, write its module with an `AGENT`, and add its name here."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from tacit.agents.agent import Agent, HookDialect
from tacit.errors import UsageError

NAMES = ("claude", "codex", "cursor", "aider", "gemini", "opencode", "copilot", "cline", "specstory")
HOOKED = ("claude", "codex", "cursor", "gemini", "opencode", "copilot", "cline")
"""The agents that have hooks."""
ALIASES = {"claude-code": "claude", "gemini-cli": "gemini", "copilot-cli": "copilot"}


@cache
def agent(name: str) -> Agent:
    """Return an agent by its name. Its module is imported on first use."""
    found: Agent = import_module(f"tacit.agents.{name}").AGENT
    return found


def dialect(name: str) -> HookDialect:
    """Return the hook dialect of an agent."""
    found = agent(name).hooks
    if found is None:
        raise UsageError(f"{name} has no hooks", f"agents with hooks: {', '.join(HOOKED)}")
    return found


def agent_named(name: str) -> str:
    """Return the name of an agent in our spelling. An unknown name raises a UsageError that lists the known ones."""
    plain = ALIASES.get(name.lower(), name.lower())
    if plain and plain not in NAMES:
        raise UsageError(f"unknown agent {name[:40]!r}", f"agents: {', '.join(NAMES)}")
    return plain
