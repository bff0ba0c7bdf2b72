"""Gemini CLI: JSON lines, where a later line may replace or remove an earlier one; in older versions one document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from tacit.agents.agent import Agent, HookDialect, McpServers, Places, SettingsLocation
from tacit.agents.hook_dialects import MOST_REASON_CHARS, command_entry
from tacit.agents.ignored_hooks import set_to, settings_at
from tacit.agents.reading.json_lines import document, is_as_it_lies, objects, placed
from tacit.agents.reading.tagged_text import without
from tacit.agents.reading.tool_names import tool_of
from tacit.files.plain_file import open_plain
from tacit.model.hook import HookAnswer, HookCall
from tacit.model.record import replace
from tacit.model.session import Role, ToolCall, ToolOutcome, Turn
from tacit.sessions.transcript import SessionBuilder, Transcript
from tacit.text.loose_fields import Fields, cut, items, mapping, text, words
from tacit.text.patterns import lazy_pattern

_ROLES: dict[str, Role] = {
    "user": "user", "gemini": "assistant", "model": "assistant", "assistant": "assistant", "info": "system",
    "error": "system", "warning": "system", "system": "system",
}  # fmt: skip
# Some writers escape the output twice, so that its lines are separated by a backslash and an n.
_CODE = lazy_pattern(r"(?:^|\n|\\n)Exit Code: (-?\d+)")
_FIRST_BYTES = 1024 * 1024
_REFUSED = frozenset({"cancelled", "canceled", "rejected", "denied"})
# What a hook or a policy denied did not run.
_BLOCKED = ("tool execution blocked: ", "tool execution denied by policy")
_HOOKED = lazy_pattern(r"<(hook_context)>")
_INJECTED = ("<session_context>", "<state_snapshot>", "this is the gemini cli. we are setting up")


def owns(record: Fields) -> int:
    """Return a score: how much a line looks like Gemini's."""
    if "$set" in record or "$rewindTo" in record or ("sessionId" in record and "projectHash" in record):
        return 2
    return 1 if text(record, "type") in _ROLES and "content" in record and "message" not in record else 0


def owns_document(value: Any) -> bool:
    """Return whether Gemini wrote a document."""
    if not isinstance(value, dict):
        return False
    listed = items(value, "messages", "history")
    return bool(listed) and ("projectHash" in value or "history" in value or "startTime" in value)


def sessions(path: Path) -> Iterator[Transcript]:
    """Return the session of a chat."""
    yield Transcript("gemini", path, partial(read, path))


def read(path: Path, builder: SessionBuilder) -> Iterator[Turn]:
    """Read the turns of a chat."""
    _beside(path, builder)
    if _is_lines(path):
        messages: Iterator[Any] = _messages(path, builder)
    else:
        found = document(path, builder)
        _heading(found if isinstance(found, dict) else {}, builder)
        messages = iter(items(found, "messages", "history"))
    for message in messages:
        if isinstance(message, dict):
            yield from _turns(message, builder)
        else:
            builder.broken += 1


def _is_lines(path: Path) -> bool:
    """Return whether a chat is in JSON lines. Its first line tells, whatever the file is called."""
    try:
        with open_plain(path) as file:
            first, second = file.readline(_FIRST_BYTES).strip(b"\xef\xbb\xbf \r\n\t"), file.readline(_FIRST_BYTES)
    except OSError:
        return True
    if path.suffix == ".jsonl":
        # A document over several lines begins with a bracket alone.
        return first not in (b"{", b"[")
    found = objects(first, SessionBuilder("", "")) if second.strip() else []
    return bool(found) and "messages" not in found[0]


def _messages(path: Path, builder: SessionBuilder) -> Iterator[dict[str, Any]]:
    """Return the final messages: first find where each message is in the file, then read only those."""
    scratch = SessionBuilder(builder.agent, builder.path)
    standing: dict[str, int | dict[str, Any]] = {}
    as_it_lies = is_as_it_lies(path)
    for number, (offset, record) in enumerate(placed(path, scratch)):
        if isinstance(target := record.get("$rewindTo"), str):
            _rewind(standing, target)
        elif "$set" in record or "sessionId" in record:
            _heading(mapping(record, "$set") or record, builder)
            for message in items(mapping(record, "$set") or record, "messages"):
                # The model's context was rebuilt; what was said before stays.
                if isinstance(message, dict):
                    standing.setdefault(text(message, "id") or f"{number}", message)
        else:
            # A file that is packed or recoded cannot be read by position.
            standing[text(record, "id") or f"line {number}"] = offset if as_it_lies else record
    builder.broken += scratch.broken
    for note in scratch.reading.notes:
        builder.note(note)
    if not standing:
        return
    with open_plain(path) as file:
        for id, place in standing.items():
            if isinstance(place, dict):
                yield place
                continue
            file.seek(place)
            # Already counted above.
            on_line = objects(file.readline(), SessionBuilder("", ""))
            yield from [one for one in on_line if text(one, "id") == id or not text(one, "id")] or on_line[:1]


def _rewind(standing: dict[str, Any], target: str) -> None:
    """Remove a message and everything after it."""
    if target in standing:
        while standing.popitem()[0] != target:
            pass


def _heading(fields: Fields, builder: SessionBuilder) -> None:
    builder.fill(id=text(fields, "sessionId"), model=text(mapping(fields, "meta"), "model"))
    builder.fill(title=text(fields, "summary", "title"))
    folders = [folder for folder in items(fields, "directories") if isinstance(folder, str)]
    builder.fill(cwd=folders[0] if folders else "")
    for name in ("startTime", "start_time", "lastUpdated"):
        builder.at(fields.get(name))


def _beside(path: Path, builder: SessionBuilder) -> None:
    """Find the folder of a chat, from its path under the project's name: <project>/chats[/<parent>]/<chat>."""
    folder = path.parent
    if folder.parent.name == "chats":
        builder.fill(parent=folder.name)
        folder = folder.parent
    if folder.name != "chats":
        return
    try:
        with open_plain(folder.parent / ".project_root") as file:
            builder.fill(cwd=file.read(4_096).decode(errors="replace").strip())
    except OSError:
        listed = (
            document(folder.parents[2] / "projects.json", SessionBuilder("", "")) if len(folder.parents) > 2 else None
        )
        for place, name in mapping(listed, "projects").items():
            if name == folder.parent.name:
                builder.fill(cwd=place)


def _turns(message: dict[str, Any], builder: SessionBuilder) -> Iterator[Turn]:
    kind = text(message, "type", "role")
    if kind not in _ROLES:
        builder.strange(kind)
        return
    builder.fill(model=text(message, "model"))
    at = builder.at(message.get("timestamp", message.get("ts")))
    turn = Turn(role=_ROLES[kind], at=at, sidechain=bool(builder.parent))
    # What the user typed, if files it names were added to it.
    typed = words(message.get("displayContent")) if kind == "user" else ""
    said = typed or words(message.get("content")) or words(message.get("parts"))
    if kind == "user" and "<hook_context>" in said:
        # Gemini puts what hooks add into the user's own message; signs inside it are escaped.
        said = without(said, _HOOKED).strip()
    if said.strip():
        injected = kind == "user" and said.lstrip().lower().startswith(_INJECTED)
        yield replace(turn, text=said, role="system" if injected else turn.role)
    for call in items(message, "toolCalls"):
        if isinstance(call, dict):
            tool = tool_of(text(call, "name") or "unknown", call.get("args"), text(call, "id"))
            cwd = text(mapping(call, "args"), "directory", "dir_path", "cwd")
            when = builder.at(call.get("timestamp")) or at
            yield replace(turn, tool=tool, outcome=_outcome(call, tool), at=when, cwd=_absolute(cwd, builder))
        else:
            builder.broken += 1


def _absolute(cwd: str, builder: SessionBuilder) -> str:
    # The folder a command ran in says nothing about where the session began.
    return cwd if cwd.startswith("/") and cwd != builder.cwd else ""


def _outcome(call: Fields, tool: ToolCall) -> ToolOutcome:
    """Read how a call ended. Gemini reports a command that ran as a success, so its exit code decides."""
    output = "\n".join(_responses(call)) or words(call.get("resultDisplay"))
    status = text(call, "status").lower()
    if status in _REFUSED or (status == "error" and output.lower().startswith(_BLOCKED)):
        return ToolOutcome(output=cut(output), refused=True)
    # At the end of the command's output only; other tools' results may mention any program's exit code.
    codes = _CODE.findall(output) if tool.kind == "shell" else []
    code = int(codes[-1]) if codes else None
    ok = {"success": True, "error": False}.get(status)
    return ToolOutcome(ok=False if code not in (None, 0) else ok, exit_code=code, output=cut(output))


def _responses(call: Fields) -> Iterator[str]:
    for part in items(call, "result"):
        response = mapping(part, "functionResponse", "response")
        if found := words(response.get("output")) or words(response.get("error")) or words(part):
            yield found


def _as_claude(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """Put the output and the exit code of a command where Claude Code has them."""
    given = mapping(payload, "tool_response")
    if "llmContent" not in given:
        return payload
    output = words(given["llmContent"])
    codes = _CODE.findall(output) if text(payload, "tool_name") == "run_shell_command" else []
    output = (
        output.removeprefix("<untrusted_context>\n").removesuffix("\n</untrusted_context>").removeprefix("Output: ")
    )
    found = {
        "output": output,
        "is_error": bool(mapping(given, "error")),
        "exit_code": int(codes[-1]) if codes else None,
    }
    return {**payload, "tool_response": found}


def _answer(call: HookCall, answer: HookAnswer, context: str) -> dict[str, Any]:
    """Write an answer: a denial has its own fields, and a question becomes one."""
    if call.moment == "before_tool":
        reason = (answer.deny or answer.ask)[:MOST_REASON_CHARS]
        return {"decision": "deny", "reason": reason} if reason else {}
    return {"hookSpecificOutput": {"hookEventName": call.event, "additionalContext": context}} if context else {}


def _entry(matcher: str, line: str, timeout_s: int) -> dict[str, Any]:
    return command_entry(matcher, line, timeout_s * 1000, name="tacit")


def _folder(places: Places) -> Path:
    return places.folder("GEMINI_CLI_HOME", places.home) / ".gemini"


def _ignored(places: Places, project: Path | None) -> list[str]:
    """Find what switches hooks off: all of them, or ours by its name."""
    paths = [_folder(places) / "settings.json", *([project / ".gemini" / "settings.json"] if project else [])]
    named = [
        f"{path} names tacit in hooksConfig.disabled" for path in paths
        if "tacit" in items(mapping(settings_at(path), "hooksConfig"), "disabled")
    ]  # fmt: skip
    return [*set_to(paths, False, ("hooksConfig", "enabled"), ("tools", "enableHooks")), *named]


AGENT = Agent(
    name="gemini", sessions=sessions, owns=owns, files=("*/chats/session-*.json", "*/chats/**/*.jsonl"),
    folders=lambda places: [_folder(places) / "tmp"],
    hooks=HookDialect(
        # PreCompress is left out: Gemini calls it before every request to its model.
        events={
            "BeforeTool": "run_shell_command|write_file|replace", "AfterTool": "run_shell_command|write_file|replace",
            "BeforeAgent": "", "SessionStart": "", "SessionEnd": "", "AfterAgent": "",
        },
        settings=SettingsLocation(lambda places: _folder(places) / "settings.json", ".gemini/settings.json"),
        # It has no question, and drops context before a tool.
        heard=("prompt", "session_start", "after_tool"), answer=_answer, entry=_entry, as_claude=_as_claude,
        names_calls=False,
        ignored=_ignored, mcp=McpServers(lambda places: _folder(places) / "settings.json", ".gemini/settings.json"),
    ),
)  # fmt: skip
