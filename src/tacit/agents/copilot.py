"""Copilot CLI: a log of events; a call is requested, started and completed under one id."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from tacit.agents.agent import Agent, Places
from tacit.agents.reading.json_lines import records
from tacit.agents.reading.message_blocks import REFUSALS
from tacit.agents.reading.tool_call_pairing import ToolCallPairing
from tacit.agents.reading.tool_names import exit_code_in, tool_of
from tacit.files.plain_file import open_plain
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


def _folders(places: Places) -> list[Path]:
    own = places.folder("COPILOT_HOME", places.home / ".copilot")
    return [own / "session-state", own / "history-session-state"]


AGENT = Agent(name="copilot", sessions=sessions, owns=owns, files=("*/events.jsonl", "*.jsonl"), folders=_folders)
