"""Runner: starts a command, watches it, and sees to it that nothing of it is left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from tacit.model.command_run import CommandJob, CommandResult


class Runner(Protocol):
    """Runs commands in a shell."""

    shell: str
    """The program that reads them."""

    def run(self, job: CommandJob, watch: Callable[[bytes], None] | None = None) -> CommandResult:
        """Run a command to its end; `watch` gets what it says as it says it."""
