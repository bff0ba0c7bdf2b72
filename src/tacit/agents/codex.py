"""Codex: rollout files in which most texts appear twice, once as an item that the model saw and once as an event."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from tacit.agents.agent import Agent, HookDialect, McpServers, Places, SettingsLocation
from tacit.agents.codex_events import EVENTS, SILENT_EVENTS
from tacit.agents.hook_dialects import command_entry, decision
from tacit.agents.reading.json_lines import records
from tacit.agents.reading.message_blocks import REFUSALS
from tacit.agents.reading.tool_call_pairing import ToolCallPairing
from tacit.agents.reading.tool_names import arguments_of, exit_code_in, tool_of
from tacit.model.record import replace
from tacit.model.session import Role, ToolOutcome, Turn
from tacit.sessions.transcript import SessionBuilder, Transcript
from tacit.text.loose_fields import Fields, cut, mapping, text, whole, words
from tacit.text.patterns import lazy_pattern

ENVELOPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"})
_SILENT = frozenset({
    "compacted", "world_state", "inter_agent_communication_metadata", "inter_agent_communication", "token_usage_record",
})  # fmt: skip
_SILENT_ITEMS = frozenset({
    "reasoning", "ghost_snapshot", "image_generation_call", "compaction", "compaction_summary", "context_compaction",
})  # fmt: skip
_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call", "tool_call", "tool_search_call"})
_RESULTS = frozenset({
    "function_call_output", "custom_tool_call_output", "local_shell_call_output", "tool_result", "function_result",
    "tool_search_output",
})  # fmt: skip
_INJECTED = (
    "<environment_context>", "<user_instructions>", "# agents.md", "<permissions instructions>", "<turn_aborted>",
    "<collaboration_mode>", "<skill>", "<instructions>", "<user_shell_command>", "<subagent_notification>",
    "<personality_spec>", "<apps_instructions>", "<model_switch>", "<system-reminder>", "<hook_prompt",
    "<skills_instructions>", "<plugins_instructions>", "<recommended_plugins>", "<codex_internal_context",
)  # fmt: skip
_ROLLOUT = lazy_pattern(r"rollout-[\dT:.-]*?-([0-9a-f]{8}-[0-9a-f-]{27})", re.I)
_RUNNING = lazy_pattern(r"^Process running with session ID (\d+)", re.M)
_HEADER = 400
_REMEMBERED = 50_000


def owns(record: Fields) -> int:
    """Return a score: how much a line looks like Codex's."""
    kind = record.get("type")
    if isinstance(record.get("payload"), dict) and isinstance(kind, str):
        return 2 if kind in ENVELOPES else 1
    if "record_type" in record or ("instructions" in record and "timestamp" in record and "id" in record):
        return 2
    loose = isinstance(kind, str) and (kind in _CALLS or kind in _RESULTS or (kind == "message" and "role" in record))
    return 1 if loose and "uuid" not in record and "sessionId" not in record else 0


def sessions(path: Path) -> Iterator[Transcript]:
    """Return the session of a rollout."""
    yield Transcript("codex", path, partial(read, path))


def read(path: Path, builder: SessionBuilder) -> Iterator[Turn]:
    """Read the turns of a rollout."""
    reader = CodexReader(builder)
    for record in records(path, builder):
        reader.take(record)
        yield from reader.joiner.ready()
    yield from reader.joiner.rest()
    if found := _ROLLOUT.search(path.name):
        builder.fill(id=found[1])


class CodexReader:
    """Reads lines one by one, and remembers what is needed to understand the next one."""

    def __init__(self, builder: SessionBuilder) -> None:
        self.builder = builder
        self.joiner = ToolCallPairing()
        self.subagent = False
        self._cwd = ""
        self._running: dict[str, str] = {}
        self._counts: dict[int, dict[str, int]] = {}

    def take(self, record: dict[str, Any]) -> None:
        """Read one line."""
        kind, payload = text(record, "type"), mapping(record, "payload")
        at = self.builder.at(record.get("timestamp", record.get("created_at")))
        turn = Turn(role="assistant", at=at, cwd=self.builder.elsewhere(self._cwd) if self._cwd else "")
        turn = replace(turn, sidechain=self.subagent)
        if not payload:
            self._bare(kind, record, turn)
        elif kind == "session_meta":
            self._meta(payload)
        elif kind == "turn_context":
            self._cwd = text(payload, "cwd") or self._cwd
            self.builder.fill(cwd=self._cwd, model=text(payload, "model"))
        elif kind == "response_item":
            self.item(payload, turn)
        elif kind == "event_msg":
            self._event(payload, turn)
        elif kind not in _SILENT:
            self.builder.strange(kind)

    def _meta(self, payload: Fields) -> None:
        """Read the session's metadata. Only the first metadata counts: a fork repeats the metadata of its parents."""
        if self.builder.id:
            return
        source = payload.get("source")
        spawned = mapping(source, "subagent", "thread_spawn")
        self.subagent = isinstance(source, dict) and "subagent" in source
        self.builder.fill(
            id=text(payload, "id", "session_id"), cwd=text(payload, "cwd"), model=text(payload, "model"),
            branch=text(mapping(payload, "git"), "branch"),
            parent=text(payload, "parent_thread_id", "forked_from_id") or text(spawned, "parent_thread_id"),
        )  # fmt: skip
        self._cwd = self.builder.cwd
        self.builder.at(payload.get("timestamp"))

    def _bare(self, kind: str, record: Fields, turn: Turn) -> None:
        """Read a line without an envelope, as the first versions wrote them."""
        if "record_type" in record or (kind in _SILENT and kind):
            return
        if not kind and text(record, "role"):
            self.builder.fill(model=text(record, "model"))
            self.item({"type": "message", "content": record.get("content", record.get("message")), **record}, turn)
        elif not kind and text(record, "id"):
            self._meta(record)
        elif kind in ENVELOPES or not kind:
            self.builder.strange(f"empty {kind}".strip())
        else:
            self.item(record, turn)

    def item(self, item: Fields, turn: Turn) -> None:
        """Read one item that the model received or wrote."""
        kind = text(item, "type")
        if kind in ("message", "agent_message"):
            self._message(item, turn)
        elif kind in _CALLS:
            self._call(item, turn)
        elif kind in _RESULTS:
            self.result(item, turn)
        elif kind == "web_search_call":
            query = text(mapping(item, "action"), "query", "url")
            tool = tool_of("web_search", None, text(item, "call_id"))
            done = ToolOutcome(ok=True if text(item, "status") == "completed" else None)
            self.joiner.say(replace(turn, text=query, tool=tool, outcome=done))
        elif kind not in _SILENT_ITEMS:
            self.builder.strange(f"response_item.{kind}")

    def _message(self, item: Fields, turn: Turn) -> None:
        role = text(item, "role")
        content = item.get("content")
        parts = [part for part in (words(block) for block in content) if part] if isinstance(content, list) else []
        parts = parts or [words(content)]
        if role == "user":
            own = [part for part in parts if not injected(part)]
            self.say("system", "\n".join(part for part in parts if injected(part)), turn, "item")
            self.say("user", "\n".join(own), turn, "item")
        else:
            self.say("assistant" if role == "assistant" else "system", "\n".join(parts), turn, "item")

    def say(self, role: Role, said: str, turn: Turn, source: str) -> None:
        """Add a text, unless it was already read.

        A text is in the items and in the events; the n-th copy in one is the n-th in the other.
        """
        if not said.strip():
            return
        if role == "user" and injected(said):
            role = "system"
        counts = self._counts.setdefault(hash((role, said.strip())), {})
        before = max(counts.values(), default=0)
        counts[source] = counts.get(source, 0) + 1
        if len(self._counts) > _REMEMBERED:
            del self._counts[next(iter(self._counts))]
        if counts[source] > before:
            self.joiner.say(replace(turn, role=role, text=said))

    def _call(self, item: Fields, turn: Turn) -> None:
        name = text(item, "name") or text(mapping(item, "function"), "name")
        if text(item, "type") == "tool_search_call":
            name = name or "tool_search"
        action = mapping(item, "action")
        arguments = action or item.get("arguments", item.get("input"))
        values = arguments_of(arguments)
        cwd = text(values, "workdir", "cwd", "working_directory") or self._cwd
        call = text(item, "call_id", "id")
        if self.joiner.knows(call):
            return
        tool = tool_of(name or ("local_shell" if action else "unknown"), arguments, call)
        self.joiner.call(replace(turn, tool=tool, cwd=self.builder.elsewhere(cwd) if cwd else ""))
        if name == "write_stdin" and (session := whole(values, "session_id")) is not None:
            self._running.setdefault(f"by {call}", self._running.get(str(session), ""))

    def result(self, item: Fields, turn: Turn) -> None:
        """Read the result that a tool returned to the model."""
        call = text(item, "call_id", "tool_call_id")
        given = next((item[name] for name in ("output", "result", "content", "tools") if name in item), None)
        found = outcome_of(given)
        running = _RUNNING.search(words(given)[:_HEADER])
        begun = self._running.pop(f"by {call}", None)
        if running and len(self._running) < _REMEMBERED:
            # It continues in the background; a later call reports how it ended.
            self._running[running[1]] = begun or call
            found = replace(found, ok=None)
        if begun is not None and found.exit_code is not None:
            if self.joiner.waits(begun):
                self.joiner.result(begun, found)
            # The exit code is that of the running command, not of the call that typed into it or waited for it.
            found = replace(found, ok=None, exit_code=None)
        waits = bool(running) and begun is None
        self.joiner.result(call, found, name=text(item, "name"), final=not waits, at=turn.at)

    def _event(self, event: Fields, turn: Turn) -> None:
        kind = text(event, "type")
        if kind == "turn_aborted":
            self.joiner.refuse()
        elif kind in EVENTS:
            EVENTS[kind](self, event, turn)
        elif kind not in SILENT_EVENTS:
            self.builder.strange(f"event_msg.{kind}")


def injected(said: str) -> bool:
    """Return whether the program, not the user, inserted a text with the role of the user."""
    return said.lstrip()[:60].lower().startswith(_INJECTED)


def outcome_of(given: Any) -> ToolOutcome:
    """Parse a tool's result: text under a heading with its exit code, or JSON with the exit code in a field."""
    values = arguments_of(given)
    output = words(values) if values else words(given)
    if values and not output:
        output = "\n".join(part for part in (text(values, "stdout"), text(values, "stderr")) if part)
    code = whole(mapping(values, "metadata"), "exit_code")
    code = whole(values, "exit_code", "exitCode") if code is None else code
    heading, below, printed = output[:_HEADER].partition("\nOutput:\n")
    if code is None:
        code = exit_code_in(heading)
    if below and (code is not None or _RUNNING.search(heading)):
        output = printed + output[_HEADER:]
    # A result with an exit code has run, whatever it printed.
    if code is None and (
        output.lstrip()[:200].lower().startswith(REFUSALS) or "rejected by user" in output[:200].lower()
    ):
        return ToolOutcome(output=cut(output), refused=True)
    success = values.get("success") if isinstance(values.get("success"), bool) else None
    ok = code == 0 if code is not None else success
    failed = output.lstrip()[:80].lower().startswith(("failed to parse", "execution error", "exec_command failed"))
    return ToolOutcome(ok=False if failed and not ok else ok, exit_code=code, output=cut(output))


def _folder(places: Places) -> Path:
    return places.folder("CODEX_HOME", places.home / ".codex")


def _folders(places: Places) -> list[Path]:
    return [_folder(places) / "sessions", _folder(places) / "archived_sessions"]


def _ignored(places: Places, project: Path | None) -> list[str]:
    from tacit.agents.codex_trust import ignored_hooks

    return ignored_hooks(_folder(places), project)


AGENT = Agent(
    name="codex", sessions=sessions, owns=owns, files=("**/rollout-*.jsonl", "**/rollout-*.jsonl.zst"),
    folders=_folders,
    hooks=HookDialect(
        events={
            "PreToolUse": "Bash|apply_patch|Write|Edit", "PostToolUse": "Bash|apply_patch|Write|Edit",
            "UserPromptSubmit": "", "SessionStart": "", "SessionEnd": "", "PreCompact": "", "Stop": "",
            "SubagentStop": "",
        },
        settings=SettingsLocation(lambda places: _folder(places) / "hooks.json", ".codex/hooks.json"),
        heard=("prompt", "before_tool", "session_start", "after_tool"),
        # Codex treats `ask` as an error and continues, so it becomes a denial with the reason here.
        answer=partial(decision, asks=False), entry=command_entry,
        # Codex warns about a longer one, and cuts it.
        timeouts_s={"SessionEnd": 3}, ignored=_ignored,
        mcp=McpServers(lambda places: _folder(places) / "config.toml", ".codex/config.toml", "mcp_servers"),
    ),
)  # fmt: skip
