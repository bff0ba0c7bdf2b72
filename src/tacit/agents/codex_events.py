"""Events of Codex: what happened, in addition to what the model saw."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from tacit.agents.reading.tool_names import tool_of
from tacit.model.record import replace
from tacit.model.session import ToolCall, ToolOutcome, Turn
from tacit.text.loose_fields import Fields, cut, flag, items, mapping, text, whole, words

if TYPE_CHECKING:
    from tacit.agents.codex import CodexReader

Event = Callable[["CodexReader", Fields, Turn], None]
SILENT_EVENTS = frozenset({
    "token_count", "task_started", "task_complete", "turn_started", "turn_complete", "turn.completed", "turn.started",
    "agent_reasoning", "agent_reasoning_raw_content", "agent_reasoning_section_break", "web_search_end",
    "web_search_begin", "exec_command_begin", "exec_command_output_delta", "patch_apply_begin", "mcp_tool_call_begin",
    "thread_settings_applied", "context_compacted", "entered_review_mode", "exited_review_mode", "undo_completed",
    "undo_started", "thread_goal_updated", "image_generation_end", "image_generation_begin", "sub_agent_activity",
    "guardian_assessment", "view_image_tool_call", "thread_rolled_back", "background_event", "stream_error",
    "account/rateLimits/updated", "codex/event/raw_item", "plan_update", "turn_diff", "session_configured", "warning",
    "dynamic_tool_call_request", "collab_agent_spawn_end", "collab_waiting_end", "collab_close_end", "error",
    "collab_agent_interaction_end", "collab_resume_end", "item_started", "deprecation_notice", "hook_started",
    "hook_completed", "model_reroute", "skills_update_available", "collab_agent_spawn_begin", "shutdown_complete",
    "terminal_interaction",
})  # fmt: skip
_SILENT_ITEMS = frozenset(
    {"Plan", "Reasoning", "Extension", "WebSearch", "ImageView", "ContextCompaction", "HookPrompt"}
)
_REFUSED = frozenset({"declined", "rejected", "denied", "aborted", "cancelled"})


def user_message(reader: CodexReader, event: Fields, turn: Turn) -> None:
    """Read a message of the user."""
    reader.say("user", text(event, "message"), turn, "event")


def agent_message(reader: CodexReader, event: Fields, turn: Turn) -> None:
    """Read a message of the agent."""
    reader.say("assistant", text(event, "message"), turn, "event")


def command_ended(reader: CodexReader, event: Fields, turn: Turn) -> None:
    """Read the end of a command, with its exit code in a field."""
    code = whole(event, "exit_code", "exitCode")
    output = text(event, "aggregated_output", "formatted_output", "aggregatedOutput")
    output = output or "\n".join(part for part in (text(event, "stdout"), text(event, "stderr")) if part)
    refused = text(event, "status") in _REFUSED
    ok = None if refused else code == 0 if code is not None else False if text(event, "status") == "failed" else None
    outcome = ToolOutcome(ok=ok, exit_code=None if refused else code, output=cut(output), refused=refused)
    tool = tool_of("shell", {"command": event.get("command")}, text(event, "call_id", "id"))
    if text(event, "source") == "user_shell":
        turn = replace(turn, role="user")
    elif text(event, "source") == "unified_exec_interaction" and not reader.joiner.knows(tool.call):
        # Text that was typed into a running command; the call that typed it is recorded separately.
        return
    turn = replace(turn, cwd=reader.builder.elsewhere(text(event, "cwd")) if text(event, "cwd") else turn.cwd)
    _ended(reader, tool, outcome, turn)


def patch_ended(reader: CodexReader, event: Fields, turn: Turn) -> None:
    """Read the end of a patch."""
    changes = event.get("changes")
    paths = list(changes) if isinstance(changes, dict) else [text(one, "path") for one in items(event, "changes")]
    ok = event.get("success")
    refused = text(event, "status") in _REFUSED
    success = ok if isinstance(ok, bool) else {"completed": True, "failed": False}.get(text(event, "status"))
    output = "\n".join(part for part in (text(event, "stdout"), text(event, "stderr")) if part)
    tool = ToolCall(name="apply_patch", kind="edit", paths=tuple(path for path in paths if path),
                call=text(event, "call_id", "id"))  # fmt: skip
    _ended(reader, tool, ToolOutcome(ok=None if refused else success, output=cut(output), refused=refused), turn)


def mcp_ended(reader: CodexReader, event: Fields, turn: Turn) -> None:
    """Read the end of an MCP tool call."""
    call = mapping(event, "invocation") or event
    result = mapping(event, "result")
    good = mapping(result, "Ok") or ({} if "Err" in result else result)
    failed = "Err" in result or flag(good, "isError", "is_error") or bool(event.get("error"))
    output = words(good.get("content")) or text(result, "Err") or text(mapping(event, "error"), "message")
    name = "__".join(part for part in ("mcp", text(call, "server"), text(call, "tool")) if part)
    tool = ToolCall(name=name, kind="mcp", call=text(event, "call_id", "id"))
    known = bool(result) or bool(event.get("error"))
    _ended(reader, tool, ToolOutcome(ok=not failed if known else None, output=cut(output)), turn)


def dynamic_ended(reader: CodexReader, event: Fields, turn: Turn) -> None:
    """Read the end of a call of one of the host's tools."""
    ok = event.get("success")
    tool = tool_of(text(event, "tool") or "unknown", event.get("arguments"), text(event, "call_id"))
    output = words(event.get("content_items")) or text(event, "error")
    _ended(reader, tool, ToolOutcome(ok=ok if isinstance(ok, bool) else None, output=cut(output)), turn)


def item_completed(reader: CodexReader, event: Fields, turn: Turn) -> None:
    """Read an item in the newer envelope."""
    item = mapping(event, "item")
    match text(item, "type"):
        case "UserMessage":
            reader.say("user", words(item.get("content")), turn, "envelope")
        case "AgentMessage":
            reader.say("assistant", words(item.get("content")), turn, "envelope")
        case "CommandExecution":
            command_ended(reader, item, turn)
        case "FileChange":
            patch_ended(reader, item, turn)
        case "McpToolCall":
            mcp_ended(reader, item, turn)
        case kind if kind not in _SILENT_ITEMS:
            reader.builder.strange(f"item_completed.{kind}")


def named(reader: CodexReader, event: Fields, turn: Turn) -> None:
    """Read the session's title."""
    reader.builder.title = text(event, "thread_name", "name") or reader.builder.title


def _ended(reader: CodexReader, tool: ToolCall, outcome: ToolOutcome, turn: Turn) -> None:
    """Set the outcome of a call; a call that was not recorded yet is added now."""
    if reader.joiner.knows(tool.call):
        reader.joiner.result(tool.call, outcome)
    else:
        reader.joiner.done(replace(turn, tool=tool, outcome=outcome))


EVENTS: Mapping[str, Event] = {
    "user_message": user_message,
    "agent_message": agent_message,
    "exec_command_end": command_ended,
    "patch_apply_end": patch_ended,
    "mcp_tool_call_end": mcp_ended,
    "dynamic_tool_call_response": dynamic_ended,
    "item_completed": item_completed,
    "thread_name_updated": named,
}
