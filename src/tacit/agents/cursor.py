"""Cursor: its agent's transcripts as JSON lines, the chats of its command line, and its editor's database."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from tacit.agents.agent import Agent, HookDialect, McpServers, Places, SettingsLocation
from tacit.agents.hook_dialects import MOST_REASON_CHARS
from tacit.agents.reading.json_lines import records
from tacit.agents.reading.message_blocks import TextBlock, ToolResult, blocks, outcome
from tacit.agents.reading.tool_call_pairing import ToolCallPairing
from tacit.agents.reading.tool_names import arguments_of
from tacit.model.hook import HookAnswer, HookCall
from tacit.model.record import replace
from tacit.model.session import Role, ToolCall, ToolOutcome, Turn
from tacit.sessions.transcript import SessionBuilder, Transcript
from tacit.text.loose_fields import Fields, flag, mapping, text, whole

_EDITS = "Write|Edit|StrReplace|EditNotebook|Delete"
_SILENT = frozenset({"turn_ended", "turn_started", "summary", "status", "usage"})
_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}
_QUERY = "<user_query>"
_INJECTED = ("<user_info>", "<project_layout>", "<rules>", "<git_status>", "<agent_skills>", "<open_and_recently")
_SUBAGENTS = "subagents"
_DEEP = 20


def owns(record: Fields) -> int:
    """Return a score: how much a line looks like Cursor's."""
    message = record.get("message")
    if text(record, "role") in _ROLES and isinstance(message, dict) and "uuid" not in record and "type" not in record:
        return 2
    return 0


def sessions(path: Path) -> Iterator[Transcript]:
    """Return the sessions of a file or a database."""
    from tacit.agents.cursor_chats import chat
    from tacit.agents.cursor_editor import composers

    if path.suffix == ".vscdb":
        yield from composers(path)
    elif path.suffix == ".db":
        yield from chat(path)
    else:
        yield Transcript("cursor", path, partial(read, path))


def read(path: Path, builder: SessionBuilder) -> Iterator[Turn]:
    """Read the turns of a transcript."""
    parts = path.parts
    if _SUBAGENTS in parts[-3:-1]:
        above = path.parents[0] if path.parent.name != _SUBAGENTS else path.parent
        while above.name != _SUBAGENTS:
            above = above.parent
        siblings = sorted(file.stem for file in above.parent.glob("*.jsonl"))
        builder.fill(parent=siblings[0] if len(siblings) == 1 else above.parent.name)
    builder.fill(id=path.stem, cwd=_folder(path))
    reader = CursorMessages(builder)
    for record in records(path, builder):
        role = text(record, "role") or text(mapping(record, "message"), "role")
        kind = text(record, "type")
        if role in _ROLES:
            builder.fill(model=text(record, "model"))
            message = record.get("message")
            content = message.get("content") if isinstance(message, dict) else record.get("content", message)
            reader.take(_ROLES[role], content, builder.at(record.get("timestamp")))
        elif kind not in _SILENT:
            builder.strange(kind or role)
        yield from reader.joiner.ready()
    yield from reader.joiner.rest()


def _folder(path: Path) -> str:
    """Find the folder whose flattened name is that of the project, if exactly one exists here."""
    parts = path.parts
    if "agent-transcripts" not in parts:
        return ""
    return _unflattened(Path("/"), parts[parts.index("agent-transcripts") - 1]) or ""


def _unflattened(base: Path, rest: str, deep: int = 0) -> str:
    """Descend into the folders whose flattened names spell the rest of the name."""
    try:
        folders = [entry for entry in base.iterdir() if rest.startswith(_flat(entry.name)) and entry.is_dir()]
    except OSError:
        return ""
    for folder in sorted(folders, key=lambda entry: -len(entry.name)):
        left = rest[len(_flat(folder.name)) :]
        if not left:
            return str(folder)
        if left.startswith("-") and deep < _DEEP and (found := _unflattened(folder, left[1:], deep + 1)):
            return found
    return ""


def _flat(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "-", name).lstrip("-")


class CursorMessages:
    """Messages of Cursor in the shape of the model's API."""

    def __init__(self, builder: SessionBuilder) -> None:
        self.builder = builder
        self.joiner = ToolCallPairing()

    def take(self, role: Role, content: Any, at: Any = None) -> None:
        """Read one message."""
        if role == "assistant":
            self.joiner.settle()
        turn = Turn(role=role, at=at, sidechain=bool(self.builder.parent))
        for block in blocks(content):
            match block:
                case TextBlock(said):
                    self._say(role, said, turn)
                case ToolCall():
                    if not self.joiner.knows(block.call):
                        self.joiner.call(replace(turn, role="assistant", tool=block))
                case ToolResult():
                    self.joiner.result(block.call, result_of(block), name=block.name)
                case str():
                    self.builder.strange(block)

    def _say(self, role: Role, said: str, turn: Turn) -> None:
        if role == "user" and _QUERY in said:
            # The program adds the text around the question.
            said = said.partition(_QUERY)[2].partition("</user_query>")[0].strip()
        elif role == "user" and said.lstrip()[:40].startswith(_INJECTED):
            turn = replace(turn, role="system")
        if said.strip():
            self.joiner.say(replace(turn, text=said))


def result_of(block: ToolResult) -> ToolOutcome:
    """Parse the outcome of a call. Only some versions mark errors, and the exit code is in a field."""
    values = arguments_of(block.block.get("result", block.block.get("content"))) or arguments_of(block.output)
    code = whole(values, "exitCode", "exitCodeV2", "exit_code")
    marks_errors = "is_error" in block.block or "isError" in block.block or block.error
    found = outcome(text(values, "output", "contents") or block.output, error=block.error, marks_errors=marks_errors)
    if code is None or found.refused:
        return replace(found, refused=True, ok=None) if flag(values, "rejected") else found
    return replace(found, exit_code=code, ok=code == 0)


def _folders(places: Places) -> list[Path]:
    own = places.home / ".cursor"
    return [own / "projects", own / "chats", *(base / "Cursor" / "User" for base in (places.config, places.support))]


def _answer(call: HookCall, answer: HookAnswer, context: str) -> dict[str, Any]:
    if call.moment != "before_tool":
        return {"additional_context": context} if context else {}
    reply: dict[str, Any] = {}
    if reason := (answer.deny or answer.ask)[:MOST_REASON_CHARS]:
        reply = {"permission": "deny" if answer.deny else "ask", "user_message": reason, "agent_message": reason}
    if context:
        reply["agent_message"] = "\n".join(part for part in (reply.get("agent_message", ""), context) if part)
    return reply


def _entry(matcher: str, line: str, timeout_s: int) -> dict[str, Any]:
    return {"command": line, "timeout": timeout_s, **({"matcher": matcher} if matcher else {})}


AGENT = Agent(
    name="cursor", sessions=sessions, owns=owns, folders=_folders,
    files=(
        "*/agent-transcripts/**/*.jsonl", "*/*/store.db", "globalStorage/state.vscdb", "workspaceStorage/*/state.vscdb",
    ),
    hooks=HookDialect(
        events={
            "preToolUse": f"Shell|{_EDITS}", "postToolUse": f"Shell|{_EDITS}", "postToolUseFailure": "Shell",
            "beforeSubmitPrompt": "", "sessionStart": "", "sessionEnd": "", "preCompact": "", "stop": "",
            "subagentStop": "",
        },
        settings=SettingsLocation(lambda places: places.home / ".cursor" / "hooks.json", ".cursor/hooks.json"),
        # It accepts no context at a prompt.
        heard=("before_tool", "session_start", "after_tool"), answer=_answer, entry=_entry,
        settings_start={"version": 1},
        mcp=McpServers(lambda places: places.home / ".cursor" / "mcp.json", ".cursor/mcp.json"),
    ),
)  # fmt: skip
