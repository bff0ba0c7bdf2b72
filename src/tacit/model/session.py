"""Session: what an agent and its user did, in one shape whatever the agent; its turns are read, never copied."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from tacit.model.payload import Payload

Role = Literal["user", "assistant", "system", "tool"]
ToolKind = Literal["shell", "edit", "read", "mcp", "other"]


class ToolCall(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A tool the agent called: what it ran, or which files it touched."""

    name: str
    kind: ToolKind = "other"
    command: str = ""
    paths: tuple[str, ...] = ()
    call: str = ""
    """The id by which its result is known."""
    background: bool = False


class ToolOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it. `ok` is None where the transcript does not tell; a refusal by the user is no failure."""

    ok: bool | None = None
    exit_code: int | None = None
    output: str = ""
    refused: bool = False


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was said or done."""

    role: Role
    text: str = ""
    at: datetime | None = None
    tool: ToolCall | None = None
    outcome: ToolOutcome | None = None
    cwd: str = ""
    """Where it happened, if that is not where the session began."""
    sidechain: bool = False
    """Whether a subagent did it."""


class SessionHead(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a session beside its turns."""

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
    """The session it was started from, as a subagent or a resumption."""


class ReadProblems(msgspec.Struct, frozen=True, kw_only=True):
    """What could not be read of a transcript: records of unknown types, by type, and lines that are broken."""

    unknown: dict[str, int] = {}
    broken: int = 0
    notes: tuple[str, ...] = ()


class Session(Payload, frozen=True):
    """A session that was taken in: where its transcript lies, and what was counted in it."""

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
    """Whether its transcript was read where its agent keeps them; what anybody hands in proves nothing."""
