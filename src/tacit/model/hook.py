"""A call of an agent's hook in one shape whatever the agent, and what is answered."""

from __future__ import annotations

from typing import Literal

import msgspec

from tacit.model.session import ToolCall, ToolOutcome

PRIVATE = "#private"
Moment = Literal["before_tool", "after_tool", "prompt", "session_start", "session_end", "compact", "other"]


def is_private(prompt: str) -> bool:
    """Say whether a person wants a prompt neither captured nor counted."""
    return prompt.lstrip()[: len(PRIVATE)].lower() == PRIVATE


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
    tool: ToolCall | None = None
    outcome: ToolOutcome | None = None
    hears: bool = True
    """Whether what is answered now can reach the model: not every agent lets every event say something to it."""

    @property
    def is_private(self) -> bool:
        """Whether a person wants this prompt neither captured nor counted."""
        return is_private(self.prompt)


class ShownRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that was told to an agent: the record it comes from, what it warns of, and what would be better."""

    id: str
    text: str
    of: str = ""
    """The signature of the command it warns of."""
    better: str = ""
    """The signature of the command that works instead."""
    original: str = ""
    """The words it speaks against."""
    corrected: str = ""
    """The words to use in their place."""
    once: bool = False
    """Whether it is told once in a session, whatever brings it up again."""
    denies: bool = False
    """Whether it is a promoted lesson that does not let the command run."""


class HookAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What a hook says back: a reason not to, a reason to ask, something to know. Never that it may go ahead."""

    deny: str = ""
    ask: str = ""
    context: str = ""
    owed: tuple[ShownRecord, ...] = ()
    """What was told and could not be noted, since the store was busy."""
