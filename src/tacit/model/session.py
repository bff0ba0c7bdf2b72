"""Session: what an agent and its user did, in one shape for all agents; its turns stay in the transcript."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from tacit.model.payload import Payload

AskedBy = Literal["", "program", "person", "agent"]
"""Who gives the prompts of a session: nothing else is known, a program that somebody ran, a person, another agent."""
Role = Literal["user", "assistant", "system", "tool"]
ToolKind = Literal["shell", "edit", "read", "mcp", "other"]
UNKNOWN_STARTER = ""
"""Stands for an agent that started another one, and whose session nobody knows."""


def who_asked(known: AskedBy, nested: bool | None) -> AskedBy:
    """Return who gives the prompts of a session, as hooks say now: once it was another agent, it stays so."""
    if nested is None or known == "agent":
        return known
    return "agent" if nested else "person"


class ToolCall(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A tool call of the agent: the command it ran, or the files it touched."""

    name: str
    kind: ToolKind = "other"
    command: str = ""
    paths: tuple[str, ...] = ()
    call: str = ""
    """The id that its result refers to."""
    background: bool = False


class ToolOutcome(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The result of a tool call. `ok` is None if the transcript does not say; a user's refusal is not a failure."""

    ok: bool | None = None
    exit_code: int | None = None
    output: str = ""
    refused: bool = False


class Turn(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One message or action in a session."""

    role: Role
    text: str = ""
    at: datetime | None = None
    tool: ToolCall | None = None
    outcome: ToolOutcome | None = None
    cwd: str = ""
    """The folder where it happened, if that is not where the session began."""
    sidechain: bool = False
    """Whether a subagent did it."""
    number: int = 0
    """Its place in its session, of a turn that was kept: there, others may be missing before it."""


class SessionHead(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about a session besides its turns."""

    id: str
    agent: str
    path: str = ""
    cwd: str = ""
    title: str = ""
    model: str = ""
    branch: str = ""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    parent: str = ""
    """The session that started it, as a subagent or by resuming."""
    scripted: bool = False
    """Whether a program handed the prompts over, as `claude -p` does."""


class ReadProblems(msgspec.Struct, frozen=True, kw_only=True):
    """What could not be read in a transcript: records of unknown types, by type, and broken lines."""

    unknown: dict[str, int] = {}
    broken: int = 0
    notes: tuple[str, ...] = ()


class Session(Payload, frozen=True):
    """A session that was read: the path of its transcript, and counts."""

    agent: str
    external: str
    path: str = ""
    cwd: str = ""
    model: str = ""
    branch: str = ""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    parent: str = ""
    turns: int = 0
    prompts: int = 0
    commands: int = 0
    failures: int = 0
    size_bytes: int = 0
    mtime_ns: int = 0
    unknown: dict[str, int] = msgspec.field(default_factory=dict)
    broken: int = 0
    hosted: bool = False
    """Whether its transcript was read from its agent's own folder; a file from elsewhere is not evidence."""
    asked_by: AskedBy = ""
    started_by: tuple[str, ...] = ()
    """The sessions of the agents above it that started it, nearest first, as hooks saw them."""

    @property
    def holds_user_prompts(self) -> bool:
        """Whether its prompts are the user's own: the host wrote them down, and no program or agent gave them."""
        return self.hosted and not self.is_asked_by_programs

    @property
    def is_asked_by_programs(self) -> bool:
        """Whether its prompts are an agent's, or of a program that nobody knows who ran."""
        return self.asked_by in ("program", "agent")


def began_at(started: datetime | None, ended: datetime | None) -> datetime | None:
    """Return when a session began, by what is known of its start and its end; None if nobody knows its time."""
    return min(started, ended) if started and ended else ended
