"""A command to run, and its result."""

from __future__ import annotations

from typing import Literal, NamedTuple

Ending = Literal["exited", "timed_out", "interrupted", "not_started"]


class CommandJob(NamedTuple):
    """A command to run: exactly this text, in this folder, with only these environment variables."""

    command: str
    cwd: str
    env: dict[str, str]
    timeout_s: float


class CommandResult(NamedTuple):
    """The result of a command."""

    ending: Ending
    exit_code: int | None = None
    signal: int = 0
    duration_ms: int = 0
    output: bytes = b""
    """The output of both streams in order: all of it, or its beginning and its end."""
    output_bytes: int = 0
    output_hash: str = ""
    left_behind: bool = False
    """Whether a process it started was still running when it ended, and was stopped."""
    problem: str = ""
