"""Copilot CLI: a log of events; a call is requested, started and completed under one id."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from tacit.agents.agent import Agent, HookDialect, McpServers, Places, SettingsLocation
from tacit.agents.hook_dialects import decision
from tacit.agents.ignored_hooks import set_to
from tacit.agents.reading.json_lines import records
from tacit.agents.reading.message_blocks import REFUSALS
from tacit.agents.reading.tool_call_pairing import ToolCallPairing
from tacit.agents.reading.tool_names import exit_code_in, tool_of
from tacit.files.plain_file import open_plain
from tacit.model.hook import HookAnswer, HookCall
from tacit.model.record import replace
from tacit.model.session import ToolOutcome, Turn
from tacit.sessions.transcript import SessionBuilder, Transcript
from tacit.text.loose_fields import Fields, cut, items, mapping, text, whole, words
from tacit.text.patterns import lazy_pattern

_SILENT = frozenset({
    "hook.start", "hook.end", "assistant.turn_start", "assistant.turn_end", "assistant.reasoning",
    "assistant.intent", "assistant.usage", "system.notification", "subagent.started", "subagent.completed",
    "subagent.failed", "subagent.selected", "subagent.deselected", "tool.execution_partial_result",
    "tool.execution_progress", "tool.user_requested", "skill.invoked", "permission.requested", "permission.completed",
    "user_input.requested", "user_input.completed", "pending_messages.modified", "assistant.streaming_delta",
})  # fmt: skip
_LAST_CODE = lazy_pattern(r"<(?:exited|shellId: \S{1,40} completed) with exit code (-?\d+)>\s*$")
_WORKSPACE = lazy_pattern(r"^(cwd|git_root|branch|summary|name):[ \t]*(.+?)\s*$", re.M)


def owns(record: Fields) -> int:
    """Return a score: how much a line looks like Copilot's."""
    kind = record.get("type")
    if not isinstance(kind, str) or not isinstance(record.get("data"), dict):
        return 0
    known = kind.startswith(("session.", "user.", "assistant.", "tool.", "hook.", "system.", "subagent."))
    return 2 if known else 0


def sessions(path: Path) -> Iterator[Transcript]:
    """Return the session of a log."""
    yield Transcript("copilot", path, partial(read, path))


def read(path: Path, builder: SessionBuilder) -> Iterator[Turn]:
    """Read the turns of a log."""
    reader = _CopilotReader(builder)
    for record in records(path, builder):
        reader.take(record)
        yield from reader.joiner.ready()
    yield from reader.joiner.rest()
    _beside(path, builder)


def _beside(path: Path, builder: SessionBuilder) -> None:
    """Read from the file beside the log what the log lacks."""
    if path.stem == "events":
        builder.fill(id=path.parent.name)
    try:
        with open_plain(path.parent / "workspace.yaml") as file:
            found = dict(_WORKSPACE.findall(file.read(10_000).decode(errors="replace")))
    except OSError:
        return
    plain = {name: value.strip("\"'") for name, value in found.items()}
    builder.fill(cwd=plain.get("cwd", plain.get("git_root", "")), branch=plain.get("branch", ""))
    builder.fill(title=plain.get("name", plain.get("summary", "")))


class _CopilotReader:
    """Reads events one by one, and remembers what is needed to understand the next one."""

    def __init__(self, builder: SessionBuilder) -> None:
        self.builder = builder
        self.joiner = ToolCallPairing()

    def take(self, record: dict[str, Any]) -> None:
        """Read one event."""
        kind, fields = text(record, "type"), mapping(record, "data")
        turn = Turn(
            role="assistant", at=self.builder.at(record.get("timestamp", record.get("ts"))),
            sidechain=bool(text(fields, "parentToolCallId", "parentAgentTaskId")),
        )  # fmt: skip
        match kind:
            case "user.message":
                self._say(replace(turn, role="user"), fields)
            case "system.message":
                self._say(replace(turn, role="system"), fields)
            case "assistant.message":
                self.builder.fill(model=text(fields, "model"))
                self._say(turn, fields)
                for request in items(fields, "toolRequests"):
                    self._call(request, turn)
            case "tool.execution_start":
                self._call(fields, turn)
            case "tool.execution_complete":
                call, name = text(fields, "toolCallId"), text(fields, "toolName")
                self.joiner.result(call, outcome_of(fields), name=name, at=turn.at)
            case "abort":
                self.joiner.refuse()
            case _ if kind.startswith("session."):
                self._heading(fields)
            case _ if kind not in _SILENT:
                self.builder.strange(kind)

    def _heading(self, fields: Fields) -> None:
        context = mapping(fields, "context")
        self.builder.fill(
            id=text(fields, "sessionId"), cwd=text(context, "cwd", "gitRoot"), branch=text(context, "branch"),
            model=text(fields, "selectedModel", "newModel"), parent=text(fields, "forkedFromSessionId"),
        )  # fmt: skip

    def _say(self, turn: Turn, fields: Fields) -> None:
        said = words(fields.get("content")) or text(fields, "message")
        if said.strip():
            self.joiner.say(replace(turn, text=said))

    def _call(self, request: Any, turn: Turn) -> None:
        name = text(request, "name", "toolName")
        arguments = request.get("arguments") if isinstance(request, dict) else None
        self.joiner.call(replace(turn, tool=tool_of(name or "unknown", arguments, text(request, "toolCallId"))))


def outcome_of(fields: Fields) -> ToolOutcome:
    """Parse the outcome of a call. The exit code is in a field or the last line; `success` only means that it ran."""
    error = fields.get("error")
    said = words(fields.get("result")) or words(error)
    refused = text(error, "code") in ("rejected", "denied") or said.lstrip()[:200].lower().startswith(REFUSALS)
    last = _LAST_CODE.search(said[-200:])
    ok = fields.get("success")
    code = whole(mapping(fields, "shellExecution"), "exitCode")
    if code is None:
        code = int(last[1]) if last else exit_code_in(said[:100]) if ok is False else None
    if refused:
        return ToolOutcome(output=cut(said), refused=True)
    judged = ok if isinstance(ok, bool) else False if error else None
    return ToolOutcome(ok=False if code not in (None, 0) else judged, exit_code=code, output=cut(said))


def _as_claude(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """Put the result of a command where Claude Code has it. Its exit code is in the last line."""
    given = mapping(payload, "tool_result")
    if "text_result_for_llm" not in given:
        return payload
    output, result = words(given["text_result_for_llm"]), text(given, "result_type")
    last = _LAST_CODE.search(output[-200:])
    found = {
        "output": output[: last.start() - len(output[-200:])] if last else output,
        "exit_code": int(last[1]) if last else None, "success": result != "failure",
        "interrupted": result in ("denied", "rejected"),
    }  # fmt: skip
    return {**payload, "tool_response": found}


def _answer(call: HookCall, answer: HookAnswer, context: str) -> dict[str, Any]:
    """Write an answer: Claude Code's format before a tool; elsewhere the context is at the top."""
    if call.moment == "before_tool":
        return decision(call, answer, context)
    return {"additionalContext": context} if context else {}


def _entry(matcher: str, line: str, timeout_s: int) -> dict[str, Any]:
    return {"type": "command", "command": line, "timeoutSec": timeout_s, **({"matcher": matcher} if matcher else {})}


def _folder(places: Places) -> Path:
    return places.folder("COPILOT_HOME", places.home / ".copilot")


def _ignored(places: Places, project: Path | None) -> list[str]:
    folder = project / ".github" / "hooks" if project else _folder(places) / "hooks"
    return set_to(sorted(folder.glob("*.json")), True, ("disableAllHooks",))


AGENT = Agent(
    name="copilot", sessions=sessions, owns=owns, files=("*/events.jsonl", "*.jsonl"),
    folders=lambda places: [_folder(places) / "session-state", _folder(places) / "history-session-state"],
    hooks=HookDialect(
        events={
            "PreToolUse": "Bash|Write|Edit", "PostToolUse": "Bash|Write|Edit", "PostToolUseFailure": "Bash",
            "UserPromptSubmit": "", "SessionStart": "", "SessionEnd": "", "PreCompact": "", "Stop": "",
            "SubagentStop": "",
        },
        settings=SettingsLocation(lambda places: _folder(places) / "hooks" / "tacit.json", ".github/hooks/tacit.json"),
        heard=("prompt", "before_tool", "session_start", "after_tool"), answer=_answer, entry=_entry,
        as_claude=_as_claude, names_calls=False, settings_start={"version": 1}, ignored=_ignored,
        mcp=McpServers(
            lambda places: _folder(places) / "mcp-config.json", "",
            entry=lambda program: {"type": "local", "command": program, "args": ["mcp"], "tools": ["*"]},
        ),
    ),
)  # fmt: skip
