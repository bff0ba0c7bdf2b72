"""A command to run, and how it ended."""

from __future__ import annotations

from typing import Literal, NamedTuple

Ending = Literal["exited", "timed_out", "interrupted", "not_started"]


class CommandJob(NamedTuple):
    """A command to run: exactly these bytes, there, with these variables and no others."""

    command: str
    cwd: str
    env: dict[str, str]
    timeout_s: float


class CommandResult(NamedTuple):
    """How a command ended."""

    ending: Ending
    exit_code: int | None = None
    signal: int = 0
    duration_ms: int = 0
    output: bytes = b""
    """What it said, both streams as they came: all of it, or its beginning and its end."""
    output_bytes: int = 0
    output_hash: str = ""
    left_behind: bool = False
    """Whether something it started was still running when it ended, and was stopped."""
    problem: str = ""
