"""A call of an agent's hook in one shape whatever the agent, and what is answered."""

from __future__ import annotations

from typing import Literal

import msgspec

from tacit.model.session import Tool, ToolOutcome

Moment = Literal["before_tool", "after_tool", "prompt", "session_start", "session_end", "compact", "other"]


class HookCall(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an agent says is happening."""

    agent: str
    moment: Moment
    event: str = ""
    """The event's name in the agent's own dialect; the answer names it again."""
    session: str = ""
    cwd: str = ""
    transcript: str = ""
    prompt: str = ""
    source: str = ""
    """Who the prompt is from, or why the session starts, in the agent's words."""
    tool: Tool | None = None
    outcome: ToolOutcome | None = None


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a hook says back: a reason not to, a reason to ask, something to know. Never that it may go ahead."""

    deny: str = ""
    ask: str = ""
    context: str = ""
