"""Calls of tools: read the arguments, open the memory on first use, answer. Every error is an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from tacit import logs
from tacit.app.memory import Memory
from tacit.app.open import redact_error
from tacit.doors.lazy_memory import LazyMemory
from tacit.doors.mcp.answers import of_record
from tacit.doors.mcp.tool_types import ACTION, MOST_BUDGET, Action, Tool, ToolAnswer
from tacit.errors import TacitError, UsageError
from tacit.model.payload import plain
from tacit.text.frame import framed

_log = logs.get("doors.mcp")


def call_tool(memory: LazyMemory, tool: Tool, given: Mapping[str, Any]) -> ToolAnswer:
    """Answer a call of a tool. An error is an answer too: a sentence and a hint, never a traceback."""
    try:
        return _called(memory, tool, given)
    except TacitError as error:
        return _error(error.code, error.message, error.hint)
    except Exception as error:
        _log.debug("unexpected", exc_info=True)
        return _error("failure", f"something unexpected happened: {type(error).__name__}", "`tacit doctor` shows more")


def _called(memory: LazyMemory, tool: Tool, given: Mapping[str, Any]) -> ToolAnswer:
    action = tool.chosen(given)
    if action is None:
        said = given.get(ACTION)
        wrong = f"{tool.name} needs an action" if said is None else f"{tool.name} has no action {str(said)[:40]!r}"
        raise UsageError(wrong, f"actions: {', '.join(tool.actions)}")
    values = {key: value for key, value in given.items() if key != ACTION or not tool.by_name}
    params = _read(tool, action, values)
    return memory.use(lambda opened: action.call(opened, params), writes=action.writes, creates=action.verb.creates)


def _read(tool: Tool, action: Action, values: Mapping[str, Any]) -> Any:
    title = f"{tool.name} {action.name}" if tool.by_name else tool.name
    try:
        # What JSON can spell and UTF-8 cannot, such as half a character, is refused here.
        msgspec.json.encode(values)
        return msgspec.convert(values, type=action.params)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        wrong = str(error) if isinstance(error, msgspec.ValidationError) else "a text is not valid Unicode"
        takes = ", ".join((*action.arguments, "budget"))
        raise UsageError(f"{title}: {wrong}", f"{title} takes {takes}") from None


def read_record(memory: LazyMemory, id: str) -> ToolAnswer:
    """Return the whole text of a record, for a resource."""

    def work(opened: Memory) -> ToolAnswer:
        return of_record(opened.get(opened.full_id(id)), MOST_BUDGET)

    return memory.use(work)


def read_status(memory: LazyMemory) -> ToolAnswer:
    """Return the status of the memory, for a resource."""
    return memory.use(lambda opened: ToolAnswer(plain(opened.status()), ""))


def _error(code: str, message: str, hint: str) -> ToolAnswer:
    # An error may quote what it refuses, or what is stored.
    said = {"code": code, "message": framed(redact_error(message), 500), "hint": framed(redact_error(hint), 500)}
    text = f"{said['message']} ({said['hint']})" if hint else said["message"]
    return ToolAnswer({"error": said}, text, failed=True)
