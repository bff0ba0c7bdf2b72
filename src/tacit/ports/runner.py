"""Runner: starts a command, watches it, and stops every process it leaves behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from tacit.model.command_run import CommandJob, CommandResult


class Runner(Protocol):
    """Runs commands in a shell."""

    shell: str
    """The shell program that runs them."""

    def run(self, job: CommandJob, watch: Callable[[bytes], None] | None = None) -> CommandResult:
        """Run a command to its end; `watch` gets its output as it is written."""
