"""Anthropic's memory tool on the memory directory of this project, for programs that use the SDK.

    tool = memory_tool()
    answer, failed = reply(tool, block.input)

No SDK is needed. With one, a subclass of its `BetaAbstractMemoryTool` passes each command to `tool.call`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tacit.app.open import current_settings
from tacit.app.redactor_setup import Cleaner
from tacit.errors import SwitchedOff, TacitError
from tacit.memdir.memory_tool import MemoryTool

__all__ = ["TOOL", "MemoryTool", "memory_tool", "reply"]

TOOL = {"type": "memory_20250818", "name": "memory"}
"""The entry of a request under `tools`."""


def memory_tool() -> MemoryTool:
    """Return the tool for the project of the working directory."""
    settings = current_settings()
    if settings.memdir_off:
        raise SwitchedOff("the memory directory is switched off here", "unset TACIT_MEMDIR_OFF")
    return MemoryTool(Path(settings.memdir), Cleaner(settings), ask=settings.memdir_rules.ask)


def reply(tool: MemoryTool, command: Mapping[str, Any]) -> tuple[str, bool]:
    """Run a command, and return the text for the model and whether it is an error."""
    try:
        return tool.call(command), False
    except TacitError as error:
        return error.message, True
