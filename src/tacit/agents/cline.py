"""Cline: a folder per task with the model's messages, or in newer versions a session file next to its messages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from tacit.agents.agent import Agent, HookDialect, Places, SettingsLocation
from tacit.agents.hook_dialects import MOST_REASON_CHARS, made_by
from tacit.agents.reading.json_lines import document
from tacit.agents.reading.message_blocks import TextBlock, ToolResult, blocks, outcome
from tacit.agents.reading.tagged_text import tagged
from tacit.agents.reading.tool_call_pairing import ToolCallPairing
from tacit.agents.reading.tool_names import arguments_of, exit_code_in, tool_of
from tacit.model.hook import HookAnswer, HookCall
from tacit.model.record import replace
from tacit.model.session import ToolCall, ToolOutcome, Turn
from tacit.sessions.transcript import SessionBuilder, Transcript
from tacit.text.loose_fields import Fields, cut, items, mapping, text, whole, words
from tacit.text.patterns import lazy_pattern

HISTORY, SHOWN = "api_conversation_history.json", "ui_messages.json"
MESSAGES = ".messages.json"
_CALL = lazy_pattern(
    r"<(execute_command|read_file|write_to_file|replace_in_file|search_files|list_files|list_code_definition_names|"
    r"browser_action|use_mcp_tool|access_mcp_resource|apply_diff|insert_content)>"
)
_ARGUMENT = lazy_pattern(r"<(\w{1,60})>")
_RESULT = lazy_pattern(r"^\[(\w+)(?: (?:for|on|to) '.*?')?\] Result:[ \t]*\n?(.*)\Z", re.S)
_AROUND = lazy_pattern(r"<(environment_details|SYSTEM_NOTICE|thinking)>.*?(?:</\1>|\Z)", re.S)
_CWD = lazy_pattern(r"^# (?:Current )?Working Directory(?: \((.+?)\)|: (.+))", re.M)
_ENV_CWD = lazy_pattern(r"Working Directory: (.+)")
_PROMPT = lazy_pattern(r"<(task|feedback|user_message|answer|user_input)(?: [^>]{0,300})?>")
_INJECTED = ("[task resumption]", "[error]", "context summary:", "# task progress", "# todo list", "<explicit_instr")
_HEADER = 800
_FAILED = lazy_pattern(r"(?:^|\A\[)Command (?:failed with exit code|exited with (?:exit )?code) (-?\d+)", re.M)


def owns_document(value: Any) -> bool:
    """Return whether Cline wrote a document."""
    if isinstance(value, dict):
        listed = items(value, "messages")
        newer = bool(listed) and "sessionId" in value and "projectHash" not in value and "startTime" not in value
        return newer or ("session_id" in value and ("messages_path" in value or "workspace_root" in value))
    first = value[0] if isinstance(value, list) and value else None
    return isinstance(first, dict) and (("role" in first and "content" in first) or ("say" in first or "ask" in first))


def sessions(path: Path) -> Iterator[Transcript]:
    """Return the session of a file. A metadata file leads to its messages."""
    beside = path.with_name(f"{path.stem}{MESSAGES}")
    file = beside if beside.is_file() and not path.name.endswith(MESSAGES) else path
    yield Transcript("cline", file, partial(read, file))


def is_second(path: Path) -> bool:
    """Return whether another file in the folder has the same session in more detail."""
    if path.name == SHOWN:
        return path.with_name(HISTORY).exists()
    return path.name.endswith(".compaction.json") or path.with_name(f"{path.stem}{MESSAGES}").exists()


def read(path: Path, builder: SessionBuilder) -> Iterator[Turn]:
    """Read the turns of a task or session."""
    found = document(path, builder)
    _beside(path, found, builder)
    messages = found if isinstance(found, list) else items(found, "messages")
    reader = _ClineReader(builder)
    for message in messages:
        if not isinstance(message, dict):
            builder.broken += 1
        elif "say" in message or "ask" in message:
            reader.shown(message)
        else:
            reader.take(message)
        yield from reader.joiner.ready()
    yield from reader.joiner.rest()


def _beside(path: Path, found: Any, builder: SessionBuilder) -> None:
    """Read from the files beside the messages what the messages lack."""
    quiet = SessionBuilder("", "")
    if path.name in (HISTORY, SHOWN):
        builder.fill(id=path.parent.name)
        history = document(path.parents[2] / "state" / "taskHistory.json", quiet) if len(path.parents) > 2 else None
        for task in history if isinstance(history, list) else []:
            if text(task, "id") == builder.id:
                builder.fill(cwd=text(task, "cwdOnTaskInitialization"), model=text(task, "modelId"))
        if builder.id.isdecimal():
            builder.at(int(builder.id[:16]))
        return
    manifest = document(path.with_name(path.name.removesuffix(MESSAGES) + ".json"), quiet)
    manifest = found if manifest is None and isinstance(found, dict) else manifest
    about = mapping(manifest, "metadata")
    builder.fill(
        id=text(manifest, "session_id") or text(found, "sessionId"), cwd=text(manifest, "cwd", "workspace_root"),
        model=text(manifest, "model"), title=text(about, "title"), branch=text(manifest, "branch"),
        parent=text(mapping(about, "fork"), "forkedFromSessionId") or text(manifest, "parent_session_id"),
    )  # fmt: skip
    for name in ("started_at", "ended_at"):
        builder.at(mapping({"": manifest}, "").get(name))
    if match := _ENV_CWD.search(text(found, "system_prompt")):
        builder.fill(cwd=match[1].strip())


class _ClineReader:
    """Reads messages one by one, and remembers what is needed to understand the next one."""

    def __init__(self, builder: SessionBuilder) -> None:
        self.builder = builder
        self.joiner = ToolCallPairing()

    def take(self, message: Fields) -> None:
        """Read a message as the model saw it."""
        turn = Turn(role="assistant", at=self.builder.at(message.get("ts")), sidechain=bool(text(message, "parentId")))
        self.builder.fill(model=text(mapping(message, "modelInfo"), "id", "modelId"))
        role = text(message, "role")
        if role not in ("user", "assistant", "system", "tool"):
            self.builder.strange(role)
            return
        if role == "assistant":
            self.joiner.settle()
        summary = text(mapping(message, "metadata"), "kind") == "compaction_summary"
        for block in blocks(message.get("content")):
            match block:
                case TextBlock(said) if role == "assistant":
                    self._says(said, turn)
                case TextBlock(said):
                    self._hears(said, turn, injected=summary or role != "user")
                case ToolCall():
                    self._call(block, message, turn)
                case ToolResult():
                    self._result(block)
                case str():
                    self.builder.strange(block)

    def _says(self, said: str, turn: Turn) -> None:
        """Read what the agent says; older versions write calls into it as tags."""
        said = _AROUND.sub("", said)
        place = 0
        for call in tagged(said, _CALL):
            self._say(said[place : call.start], turn)
            tool = tool_of(call.name, {one.name: one.inner.strip() for one in tagged(call.inner, _ARGUMENT)})
            self.joiner.call(replace(turn, tool=tool))
            place = call.end
        self._say(said[place:], turn)

    def _say(self, said: str, turn: Turn) -> None:
        if said.strip():
            self.joiner.say(replace(turn, text=said.strip()))

    def _hears(self, said: str, turn: Turn, *, injected: bool) -> None:
        """Read what comes as the user's: prompts, results of the older versions, and text the program adds."""
        if found := _CWD.search(said):
            self.builder.fill(cwd=(found[1] or found[2]).strip())
        said = _AROUND.sub("", said).strip()
        result = _RESULT.match(said)
        prompts = [prompt.inner.strip() for prompt in tagged(said, _PROMPT)]
        if result:
            self.joiner.result("", result_of(result[2].strip()), name=result[1])
        for prompt in prompts:
            self._say(prompt, replace(turn, role="user"))
        if not result and not prompts and said:
            inserted = injected or said[:40].lower().startswith(_INJECTED)
            self._say(said, replace(turn, role="system" if inserted else "user"))

    def _call(self, tool: ToolCall, message: Fields, turn: Turn) -> None:
        """Read a call; one that runs several commands becomes several calls."""
        if self.joiner.knows(tool.call) or self.joiner.knows(f"{tool.call}#1"):
            return
        given: Fields = next((one for one in items(message, "content") if text(one, "id") == tool.call), {})
        commands = items(mapping(given, "input"), "commands")
        for number, command in enumerate(commands if tool.kind == "shell" else [], 1):
            line = command if isinstance(command, str) else _line(command)
            self.joiner.call(replace(turn, tool=replace(tool, command=line, call=f"{tool.call}#{number}")))
        if not commands or tool.kind != "shell":
            self.joiner.call(replace(turn, tool=tool))

    def _result(self, block: ToolResult) -> None:
        content = block.block.get("content")
        if self.joiner.waits(f"{block.call}#1"):
            parts = content if isinstance(content, list) else [content]
            for number, part in enumerate(parts, 1):
                self.joiner.result(f"{block.call}#{number}", _part(part, block), name=block.name)
            return
        single = content[0] if isinstance(content, list) and len(content) == 1 else content
        values = arguments_of(single)
        self.joiner.result(block.call, _part(values, block) if values else result_of(block.output, block.error))

    def shown(self, message: Fields) -> None:
        """Read the messages that the user was shown, where the folder has no messages of the model."""
        kind = text(message, "say", "ask")
        said = text(message, "text")
        turn = Turn(role="assistant", at=self.builder.at(message.get("ts")))
        match kind:
            case "task" | "user_feedback":
                self._say(said, replace(turn, role="user"))
            case "text" | "completion_result" | "followup":
                self._say(said, turn)
            case "command" if said:
                self.joiner.call(replace(turn, tool=tool_of("execute_command", {"command": said})))
            case "command_output":
                self.joiner.result("", result_of(said), name="execute_command")
            case "tool" if said:
                values = arguments_of(said)
                self.joiner.say(replace(turn, tool=tool_of(text(values, "tool") or "unknown", dict(values))))


def _line(command: Any) -> str:
    arguments = [one for one in items(command, "args") if isinstance(one, str)]
    return " ".join([text(command, "command"), *arguments]).strip()


def _part(part: Any, block: ToolResult) -> ToolOutcome:
    """Read one result of several: the request, its output, and whether it worked."""
    ok = part.get("success") if isinstance(part, dict) else None
    said = words(part.get("result")) if isinstance(part, dict) else words(part)
    said = said or text(part, "error") or words(part)
    found = result_of(said, block.error or ok is False)
    code = whole(part, "exitCode", "exit_code")
    return found if code is None or found.refused else replace(found, exit_code=code, ok=code == 0)


def result_of(output: str, error: bool = False) -> ToolOutcome:
    """Derive the outcome of a tool result from its text."""
    failed = _FAILED.search(output[:300])
    if failed and int(failed[1]) != 0:
        return ToolOutcome(ok=False, exit_code=int(failed[1]), output=cut(output))
    heading = output[:_HEADER].partition("\nOutput:")[0]
    if heading.startswith("Command executed in") and (code := exit_code_in(heading)) is not None:
        return ToolOutcome(ok=code == 0, exit_code=code, output=cut(output))
    found = outcome(output, error=error)
    wrong = output.lstrip()[:60].lower().startswith(("the tool execution failed", "error executing command"))
    code = exit_code_in(output[:100]) if wrong or found.ok is False else found.exit_code
    return replace(found, ok=False, exit_code=code) if wrong else replace(found, exit_code=code)


def _folders(places: Places) -> list[Path]:
    editors = [
        base / name / "User" for base in (places.config, places.support)
        for name in ("Code", "Code - Insiders", "VSCodium")
    ]  # fmt: skip
    editors += [base / "Cursor" / "User" for base in (places.config, places.support)]
    extensions = [user / "globalStorage" / "saoudrizwan.claude-dev" for user in editors]
    return [*extensions, places.folder("CLINE_DIR", places.home / ".cline") / "data"]


def _as_claude(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give the fields of an event, which are in an object named after it, their places in Claude Code's payload."""
    event = text(payload, "hookName")
    inner = mapping(payload, event[:1].lower() + event[1:])
    fields = {
        "hook_event_name": event, "session_id": text(payload, "taskId"),
        "workspace_roots": items(payload, "workspaceRoots"),
        "tool_name": text(inner, "toolName"), "tool_input": inner.get("parameters"), "prompt": text(inner, "prompt"),
    }  # fmt: skip
    if "success" in inner:
        found = result_of(words(inner.get("result")), error=inner["success"] is False)
        fields["tool_response"] = {
            "output": found.output,
            "exit_code": found.exit_code,
            "success": found.ok is not False,
        }
    return {**payload, **fields} if event else payload


def _answer(call: HookCall, answer: HookAnswer, context: str) -> dict[str, Any]:
    """Write an answer: only a command can be cancelled, and a question cancels it too."""
    reason = (answer.deny or answer.ask)[:MOST_REASON_CHARS] if call.moment == "before_tool" else ""
    fields: dict[str, Any] = {"contextModification": context} if context else {}
    return (
        {"cancel": True, "errorMessage": reason, **fields} if reason else {"cancel": False, **fields} if fields else {}
    )


_EVENTS = ("PreToolUse", "PostToolUse", "UserPromptSubmit", "TaskStart", "TaskResume")


def _files(line: str) -> dict[str, str]:
    """Make the programs, each named after its event."""
    return {event: f"#!/bin/sh\n# {made_by(line, 'cline', event)}\nexec {line} cline {event}\n" for event in _EVENTS}


AGENT = Agent(
    name="cline", sessions=sessions, folders=_folders,
    files=("tasks/*/api_conversation_history.json", "**/*.messages.json"),
    hooks=HookDialect(
        events=dict.fromkeys(_EVENTS, ""),
        settings=SettingsLocation(lambda places: places.home / "Documents" / "Cline" / "Hooks", ".clinerules/hooks"),
        heard=("prompt", "before_tool", "session_start", "after_tool"), answer=_answer, files=_files,
        as_claude=_as_claude, names_calls=False, denial=b'"cancel": true',
    ),
)  # fmt: skip
