"""Claude Code: one line of JSON per block of a message; tool results are in messages with the role of the user."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from tacit.agents.agent import Agent, HookDialect, McpServers, Places, SettingsLocation
from tacit.agents.hook_dialects import command_entry, decision
from tacit.agents.ignored_hooks import set_to
from tacit.agents.reading.json_lines import document, records
from tacit.agents.reading.message_blocks import TextBlock, ToolResult, blocks, ended_by_itself, outcome
from tacit.agents.reading.tagged_text import inside, tagged, without
from tacit.agents.reading.tool_call_pairing import ToolCallPairing
from tacit.agents.reading.tool_names import tool_of
from tacit.model.record import replace
from tacit.model.session import Role, ToolCall, ToolOutcome, Turn
from tacit.sessions.transcript import SessionBuilder, Transcript
from tacit.text.loose_fields import Fields, cut, flag, items, mapping, text, whole, words
from tacit.text.patterns import lazy_pattern

_EDITS = "Write|Edit|MultiEdit|NotebookEdit"
SILENT = frozenset({
    "system", "summary", "file-history-snapshot", "file-history-delta", "queue-operation", "permission-mode", "mode",
    "custom-title", "ai-title", "last-prompt", "pr-link", "worktree-state", "relocated", "progress", "agent-name",
    "frame-link", "started", "result", "bridge-session", "atis-latch", "tag", "agent-setting", "agent-color",
    "content-replacement", "attribution-snapshot", "speculation-accept", "marble-origami-commit", "task-summary",
    "marble-origami-snapshot", "context-collapse-commit", "stream_event", "rate_limit_event", "fork-context-ref",
})  # fmt: skip
TYPES = SILENT | {"user", "assistant", "attachment", "tool_use", "tool_result", "tool"}
INJECTED = (
    "caveat: the messages below", "<local-command-", "<command-message>", "<command-name>", "<system-reminder>",
    "<task-notification>", "<bash-stdout>", "<bash-stderr>", "[request interrupted by user", "<user-memory-input>",
    "this session is being continued from a previous conversation", "<teammate-message", "<scheduled-task", "<ide_",
)  # fmt: skip
_AROUND = lazy_pattern(r"<(system-reminder|ide_opened_file|ide_selection|ide_diagnostics)>")
_BASH = lazy_pattern(r"^\s*<bash-input>(.*?)</bash-input>\s*$", re.S)
_BASH_OUT = lazy_pattern(r"<(bash-stdout|bash-stderr)>")
_TASK_CODE = lazy_pattern(r"exit code:? (-?\d+)", re.I)
_SUBAGENTS = "subagents"
EXPORTED = "loglines"
_REMEMBERED = 50_000


def owns(record: Fields) -> int:
    """Return a score: how much a line looks like Claude Code's."""
    kind = record.get("type")
    if not isinstance(kind, str) or kind not in TYPES or "payload" in record:
        return 0
    marks = sum(name in record for name in ("sessionId", "uuid", "parentUuid", "leafUuid", "userType"))
    return 2 if marks >= 2 else 1 if marks or isinstance(record.get("message"), dict) else 0


def sessions(path: Path) -> Iterator[Transcript]:
    """Return the session of a file."""
    yield Transcript("claude", path, partial(read, path))


def read(path: Path, builder: SessionBuilder) -> Iterator[Turn]:
    """Read the turns of a file."""
    reader = _ClaudeReader(path, builder)
    for record in records(path, builder) if path.suffix != ".json" else exported(path, builder):
        reader.take(record)
        yield from reader.joiner.ready()
    reader.flush()
    yield from reader.joiner.rest()


def owns_document(value: Any) -> bool:
    """Return whether a document is an export of a session."""
    return isinstance(value, dict) and bool(items(value, EXPORTED))


def exported(path: Path, builder: SessionBuilder) -> Iterator[dict[str, Any]]:
    """Return the lines of a session that was exported as one document."""
    for line in items(document(path, builder), EXPORTED):
        if isinstance(line, dict):
            yield line
        else:
            builder.broken += 1


class _ClaudeReader:
    """Reads lines one by one, and remembers what is needed to understand the next one."""

    def __init__(self, path: Path, builder: SessionBuilder) -> None:
        self.builder = builder
        self.joiner = ToolCallPairing()
        self._stem = path.stem
        self._seen: dict[tuple[str, str], None] = {}
        self._held: Turn | None = None
        self._held_of = ""
        self._subagent = _SUBAGENTS in path.parts[1:-1]
        if self._subagent:
            # <session>/subagents/[…/]agent-….jsonl
            above = next(folder for folder in path.parents if folder.name == _SUBAGENTS)
            builder.fill(id=path.stem, parent=above.parent.name)

    def take(self, record: dict[str, Any]) -> None:
        """Read one line."""
        kind = text(record, "type") or text(mapping(record, "message"), "role")
        if kind not in TYPES:
            self.builder.strange(kind)
            return
        self._heading(kind, record)
        if kind in SILENT:
            return
        turn = Turn(
            role="assistant", at=self.builder.at(record.get("timestamp")),
            cwd=self.builder.elsewhere(text(record, "cwd", "project")),
            sidechain=self._subagent or flag(record, "isSidechain"),
        )  # fmt: skip
        if kind != "assistant":
            self.flush()
        match kind:
            case "user":
                self._user(record, turn)
            case "assistant":
                self._assistant(record, turn)
            case "attachment":
                self._attachment(mapping(record, "attachment"), turn)
            case _:
                self._loose(kind, record, turn)

    def _heading(self, kind: str, record: Fields) -> None:
        builder, session = self.builder, text(record, "sessionId", "session_id")
        if kind in ("custom-title", "ai-title"):
            # A title the user gave takes precedence over a generated one.
            builder.title = text(record, "customTitle") or builder.title or text(record, "aiTitle", "title")
        if kind in ("user", "assistant", "system", "attachment") and session:
            self._named(record, session)
        if not builder.cwd and (cwd := text(record, "cwd")):
            builder.elsewhere(cwd)
        if not builder.scripted:
            builder.scripted = text(record, "entrypoint").startswith("sdk") or text(record, "promptSource") == "sdk"
        # What is known already is not looked for in every line.
        if not builder.branch and "gitBranch" in record:
            builder.fill(branch=text(record, "gitBranch"))
        if not builder.parent and "forkedFrom" in record:
            builder.fill(parent=text(mapping(record, "forkedFrom"), "sessionId"))
        if not builder.model and (model := text(mapping(record, "message"), "model")) != "<synthetic>":
            builder.fill(model=model)

    def _named(self, record: Fields, session: str) -> None:
        """Find out which session a line belongs to: a subagent gives its session, a resumed session the earlier one."""
        builder, agent = self.builder, text(record, "agentId")
        if agent and flag(record, "isSidechain") and not builder.id:
            builder.fill(id=f"agent-{agent}", parent="" if session == f"agent-{agent}" else session)
            self._subagent = True
        elif self._subagent:
            return
        elif session == self._stem and builder.id not in ("", session):
            builder.parent, builder.id = builder.parent or builder.id, session
        elif not builder.id:
            builder.id = session

    def _user(self, record: Fields, turn: Turn) -> None:
        message = mapping(record, "message")
        inserted = flag(record, "isMeta", "isCompactSummary", "isVisibleInTranscriptOnly")
        inserted = inserted or text(mapping(record, "origin"), "kind") in ("task-notification", "hook", "system")
        for block in blocks(message.get("content", message.get("text"))):
            match block:
                case TextBlock(said):
                    self._said_to(said, turn, injected=inserted)
                case ToolResult():
                    self._result(block, record, turn)
                case ToolCall():
                    self.joiner.call(replace(turn, tool=block))
                case str():
                    self.builder.strange(block)

    def _said_to(self, said: str, turn: Turn, *, injected: bool) -> None:
        """Read a text that came as the user's; the program itself inserts much of it."""
        if found := _BASH.match(said):
            tool = ToolCall(name="Bash", kind="shell", command=found[1].strip())
            self.joiner.call(replace(turn, role="user", tool=tool))
            return
        if said.lstrip().startswith(("<bash-stdout>", "<bash-stderr>")):
            output = "\n".join(part.inner for part in tagged(said, _BASH_OUT) if part.inner)
            self.joiner.result("", ToolOutcome(output=cut(output)), name="Bash")
            return
        own = without(said, _AROUND).strip()
        if own and not injected:
            said = own
        begins = said.lstrip()[:80].lower()
        if begins.startswith("[request interrupted by user"):
            self.joiner.refuse()
        if begins.startswith("<task-notification>"):
            self._background(said)
        if begins.startswith(("<command-name>", "<command-message>")) and not injected:
            name, arguments = inside(said, "command-name"), inside(said, "command-args")
            if name and arguments:
                self.joiner.say(replace(turn, role="user", text=f"{name} {arguments}"))
                return
        role: Role = "system" if injected or begins.startswith(INJECTED) else "user"
        self.joiner.say(replace(turn, role=role, text=said))

    def _background(self, said: str) -> None:
        """Set the exit code of a background command, once Claude Code reports the exit code."""
        call, code = inside(said, "tool-use-id"), _TASK_CODE.search(said)
        if call and code and self.joiner.waits(call):
            number = int(code[1])
            self.joiner.result(call, ToolOutcome(ok=number == 0, exit_code=number))

    def _assistant(self, record: Fields, turn: Turn) -> None:
        message = mapping(record, "message")
        id = text(message, "id")
        for block in blocks(message.get("content")):
            match block:
                case TextBlock(said):
                    self._says(id, replace(turn, text=said))
                case ToolCall():
                    if not self.joiner.knows(block.call):
                        self.flush()
                        self.joiner.call(replace(turn, tool=block))
                case ToolResult():
                    self._result(block, record, turn)
                case str():
                    self.builder.strange(block)

    def _says(self, message: str, turn: Turn) -> None:
        """Read what the agent says; a part of a message that is repeated counts once."""
        mark = (message, turn.text)
        if message and mark in self._seen:
            return
        if message:
            self._seen[mark] = None
            if len(self._seen) > _REMEMBERED:
                del self._seen[next(iter(self._seen))]
        if self._held and message and self._held_of == message:
            self._held = replace(self._held, text=f"{self._held.text}\n{turn.text}")
            return
        self.flush()
        self._held, self._held_of = turn, message

    def flush(self) -> None:
        """Emit the last message of the agent, since the next record does not continue it."""
        if self._held:
            self.joiner.say(self._held)
        self._held = None

    def _result(self, block: ToolResult, record: Fields, turn: Turn) -> None:
        whole_result = record.get("toolUseResult")
        beside = whole_result if isinstance(whole_result, dict) else {}
        output = block.output or "\n".join(part for part in (text(beside, "stdout"), text(beside, "stderr")) if part)
        result_text = whole_result if isinstance(whole_result, str) else ""
        failed = block.error or flag(beside, "is_error") or result_text.startswith("Error")
        found = outcome(output or words(whole_result), error=failed)
        if found.exit_code is None and failed:
            found = replace(found, exit_code=outcome(result_text, error=True).exit_code)
        if self.joiner.is_command(block.call) and _names_exit_codes(text(record, "version")):
            found = ended_by_itself(found)
        refused = bool(result_text) and outcome(result_text, error=True).refused
        if refused or text(record, "toolDenialKind") or flag(beside, "interrupted"):
            found = replace(found, ok=None, exit_code=None, refused=True)
        running = bool(text(beside, "backgroundTaskId")) and not found.refused
        if running:
            found = replace(found, ok=None)
        self.joiner.result(block.call, found, name=block.name, final=not running, at=turn.at)

    def _attachment(self, attachment: Fields, turn: Turn) -> None:
        """Read what the user typed while the agent was working; the program inserts other attachments."""
        if text(attachment, "type") != "queued_command" or flag(attachment, "isMeta"):
            return
        said = words(attachment.get("prompt"))
        if said.strip():
            mode = text(attachment, "commandMode")
            self._said_to(said, turn, injected=mode not in ("", "prompt"))

    def _loose(self, kind: str, record: Fields, turn: Turn) -> None:
        """Read calls and results outside of messages, as older and related programs write them."""
        inner = mapping(record, "message") or record
        name = text(inner, "name", "tool_name", "toolName")
        if kind in ("tool_use", "tool"):
            arguments = inner.get("input", inner.get("tool_input", inner.get("arguments")))
            call = text(inner, "id", "tool_use_id")
            self.joiner.call(replace(turn, tool=tool_of(name or "unknown", arguments, call)))
        if kind == "tool_result" or (kind == "tool" and "tool_output" in inner):
            output = words(inner.get("output", inner.get("tool_output", inner.get("content"))))
            code = whole(inner, "exit_code", "exitCode")
            failed = flag(inner, "is_error", "isError") or code not in (None, 0)
            found = replace(outcome(output, error=failed), exit_code=code)
            self.joiner.result(text(inner, "tool_use_id", "id"), found, name=name)


@lru_cache(16)
def _names_exit_codes(version: str) -> bool:
    """Return whether this version of Claude Code writes the exit code before the output of a failed command."""
    return [int(part) for part in version[:12].split(".")[:2] if part.isdecimal()] >= [2, 1]


def _folder(places: Places) -> Path:
    return places.folder("CLAUDE_CONFIG_DIR", places.home / ".claude")


def _folders(places: Places) -> list[Path]:
    named = [Path(place) for place in places.env.get("CLAUDE_CONFIG_DIR", "").split(",") if place]
    return [place / "projects" for place in named or [places.home / ".claude", places.config / "claude"]]


_MANAGED = (Path("/etc/claude-code"), Path("/Library/Application Support/ClaudeCode"))


def _ignored(places: Places, project: Path | None) -> list[str]:
    """Find what switches hooks off: settings of the user, of the project, and of whoever manages the machine."""
    managed = [folder / "managed-settings.json" for folder in _MANAGED]
    own = [_folder(places) / "settings.json"]
    if project:
        own += [project / ".claude" / name for name in ("settings.json", "settings.local.json")]
    return [
        *set_to([*own, *managed], True, ("disableAllHooks",)), *set_to(managed, True, ("allowManagedHooksOnly",)),
    ]  # fmt: skip


AGENT = Agent(
    name="claude", sessions=sessions, owns=owns, files=("*/*.jsonl", "*/*/subagents/**/*.jsonl"), folders=_folders,
    hooks=HookDialect(
        events={
            "PreToolUse": f"Bash|{_EDITS}", "PostToolUse": f"Bash|{_EDITS}", "PostToolUseFailure": "Bash",
            "UserPromptSubmit": "", "SessionStart": "", "SessionEnd": "", "PreCompact": "", "Stop": "",
            "SubagentStop": "",
        },
        # A project's settings file may be committed, and our command is a path on this machine: this file is not.
        settings=SettingsLocation(lambda places: _folder(places) / "settings.json", ".claude/settings.local.json"),
        heard=("prompt", "before_tool", "session_start", "after_tool"), answer=decision, entry=command_entry,
        ignored=_ignored,
        mcp=McpServers(
            lambda places: places.folder("CLAUDE_CONFIG_DIR", places.home) / ".claude.json", ".mcp.json",
            entry=lambda program: {"type": "stdio", "command": program, "args": ["mcp"]},
        ),
    ),
)  # fmt: skip
