"""Runner: starts a command, watches it, and sees to it that nothing of it is left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, Protocol

Ending = Literal["exited", "timed_out", "interrupted", "not_started"]


class Job(NamedTuple):
    """A command to run: exactly these bytes, there, with these variables and no others."""

    command: str
    cwd: str
    env: dict[str, str]
    timeout_s: float


class Ran(NamedTuple):
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


class Runner(Protocol):
    """Runs commands in a shell."""

    shell: str
    """The program that reads them."""

    def run(self, job: Job, watch: Callable[[bytes], None] | None = None) -> Ran:
        """Run a command to its end; `watch` gets what it says as it says it."""
