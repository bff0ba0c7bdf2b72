"""A hook call in one shape for all agents, and the answer to it."""

from __future__ import annotations

import hashlib
from typing import Literal

import msgspec

from tacit.model.session import ToolCall, ToolOutcome

Moment = Literal[
    "before_tool", "after_tool", "prompt", "session_start", "session_end", "compact", "turn_end", "subagent_end",
    "other",
]  # fmt: skip


def unnamed_call(command: str, ok: bool | None) -> str:
    """Return the id of the first call of a command with an outcome in a session, if the agent's hooks give no id.

    The transcript has the agent's own id; by this one it is known that a hook reported the same call.
    """
    return f"={hashlib.sha256(command.strip().encode(errors='replace')).hexdigest()[:32]}:{ok}"


class HookCall(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A report of an agent through a hook."""

    agent: str
    moment: Moment
    event: str = ""
    """The event's name as the agent spells it; the answer repeats it."""
    session: str = ""
    cwd: str = ""
    transcript: str = ""
    prompt: str = ""
    source: str = ""
    """Who wrote the prompt, or why the session starts, as reported by the agent."""
    tool: ToolCall | None = None
    outcome: ToolOutcome | None = None
    nested: bool | None = None
    """Whether another agent started this one, so that its prompts are an agent's; None if nobody knows."""
    started_by: tuple[str, ...] = ()
    """The sessions of the agents that started this one, nearest first."""
    hears: bool = True
    """Whether the answer can reach the model: some agents do not show the answers of some events."""

    @property
    def is_edit(self) -> bool:
        """Whether a tool has written files."""
        return self.moment == "after_tool" and self.tool is not None and self.tool.kind == "edit"


class ShownRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Text injected into an agent's prompt: its record, what it warns of, and what works better."""

    id: str
    """Empty for a whole block, whose records are shown beside it."""
    text: str
    of: str = ""
    """The signature of the command it warns of."""
    better: str = ""
    """The signature of the command that works instead."""
    original: str = ""
    """The words it warns against."""
    corrected: str = ""
    """The words to use instead."""
    once: bool = False
    """Whether it is shown only once per session, even if it matches again."""
    mark: str = ""
    """What must change before it is told again in a session: how often it was seen."""
    stops: bool = False
    """Whether the command is stopped once, so that the agent reads this before it runs."""
    confirms: bool = False
    """Whether it only says that what the user said was kept."""
    denies: bool = False
    """Whether it is a promoted lesson that blocks the command."""


class HookAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A hook's answer: a reason to block, a reason to ask, or context. It never approves a command."""

    deny: str = ""
    ask: str = ""
    context: str = ""
    owed: tuple[ShownRecord, ...] = ()
    """Injected records that could not be logged because the store was busy."""
