"""Parse the hook payloads of every agent into one shape, and write answers in the agent's format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit.agents.reading.message_blocks import REFUSALS, ended_by_itself
from tacit.agents.reading.tool_names import PATH_FIELDS, arguments_of, exit_code_in, tool_of
from tacit.agents.registry import ALIASES, HOOKED, dialect
from tacit.failures.rules.timed_out import timed_out
from tacit.model.hook import HookAnswer, HookCall, Moment, unnamed_call
from tacit.model.record import replace
from tacit.model.session import ToolCall, ToolOutcome
from tacit.text.patterns import lazy_pattern

MOST_CONTEXT_CHARS = 9_000
_MOMENTS: dict[str, Moment] = {
    "pretooluse": "before_tool", "posttooluse": "after_tool", "posttoolusefailure": "after_tool",
    "userpromptsubmit": "prompt", "beforesubmitprompt": "prompt", "sessionstart": "session_start",
    "sessionend": "session_end", "precompact": "compact", "beforeshellexecution": "before_tool",
    "beforetool": "before_tool", "aftertool": "after_tool", "beforeagent": "prompt", "afteragent": "turn_end",
    "precompress": "compact", "stop": "turn_end", "subagentstop": "subagent_end", "taskstart": "session_start",
    "taskresume": "session_start",
}  # fmt: skip
MADE_BY = "written by `tacit connect`; it calls: "
MOST_ID_CHARS = 200
MOST_PATH_CHARS = 4_096
MOST_REASON_CHARS = 2_000
_HEAD_CHARS = 1_000
_HEAD_BYTES = 100_000
# How deep the command of an unknown agent is looked for.
_DEEPEST = 3
_OUTPUT = "\nOutput:"
_EVENT_NAME = lazy_pattern(r'"(?:hook_event_name|hookEventName|event)"\s*:\s*"([A-Za-z_-]{1,40})"')
_CODES = ("exit_code", "exitCode", "exit")


def read_hook(agent: str, payload: Any, event: str = "") -> HookCall | None:
    """Return a payload as a hook call; None if it cannot be read.

    The payload of an unknown agent is read as Claude Code's, or by what it holds: a command in it is judged, wherever
    it is. `event` is the event from the command line, for a payload without a known event.
    """
    if not isinstance(payload, dict):
        return None
    known = hooked_agent(agent) or ("cline" if moment_of(_text(payload, "hookName")) != "other" else "")
    payload = dialect(known).as_claude(payload) if known else _with_command(payload)
    named = _text(payload, "hook_event_name", "hookEventName", "event")
    event = next((one for one in (named, event) if moment_of(one) != "other"), named or event)
    if not event or (moment_of(event) == "other" and not known):
        event = _announced(payload) or event
    moment = moment_of(event)
    tool = _tool(payload) if moment in ("before_tool", "after_tool") else None
    if moment == "before_tool" and (tool is None or _is_unreadable(tool, payload)):
        return None
    moment = "other" if moment == "after_tool" and tool is None else moment
    agent = known or "claude"
    outcome = _outcome(payload, event, known, tool) if tool and moment == "after_tool" else None
    if tool and outcome and tool.command and not tool.call and not dialect(agent).names_calls:
        tool = replace(tool, call=unnamed_call(tool.command, outcome.ok))
    return HookCall(
        agent=agent, moment=moment, event=event[:MOST_ID_CHARS], tool=tool, hears=moment in dialect(agent).heard,
        session=_text(payload, "session_id", "conversation_id")[:MOST_ID_CHARS],
        cwd=_cwd(payload)[:MOST_PATH_CHARS], transcript=_transcript(payload, moment)[:MOST_PATH_CHARS],
        source=_text(payload, "source", "trigger")[:MOST_ID_CHARS],
        prompt=_text(payload, "prompt", "user_prompt") if moment == "prompt" else "",
        outcome=outcome,
    )  # fmt: skip


def hooked_agent(name: str) -> str:
    """Return the name of an agent that has hooks; empty for any other name."""
    name = ALIASES.get(name, name)
    return name if name in HOOKED else ""


def moment_of(event: str) -> Moment:
    """Return the moment of an event, in any agent's spelling."""
    return _MOMENTS.get(event.replace("_", "").replace("-", "").lower(), "other")


def unreadable_call(agent: str, data: bytes, event: str = "") -> HookCall | None:
    """Return the call of a payload that cannot be read, if it comes before a command; None at other events."""
    if moment_of(event) == "other":
        named = _EVENT_NAME.search((data[:_HEAD_BYTES] + data[-_HEAD_BYTES:]).decode(errors="replace"))
        event = named[1] if named else ""
    if moment_of(event) != "before_tool":
        return None
    return HookCall(agent=hooked_agent(agent) or "claude", moment="before_tool", event=event[:MOST_ID_CHARS])


def write_answer(call: HookCall, answer: HookAnswer) -> dict[str, Any]:
    """Write an answer in the format of the calling agent. An empty answer is an empty object."""
    return dialect(call.agent).answer(call, answer, _cut(answer.context) if call.hears else "")


def decision(call: HookCall, answer: HookAnswer, context: str, *, asks: bool = True) -> dict[str, Any]:
    """Write an answer in Claude Code's format. Without `asks`, a question becomes a denial with the reason."""
    ask = answer.ask if asks else ""
    deny = answer.deny or ("" if asks else answer.ask)
    fields: dict[str, Any] = {}
    if call.moment == "before_tool" and (deny or ask):
        reason = (deny or ask)[:MOST_REASON_CHARS]
        fields = {"permissionDecision": "deny" if deny else "ask", "permissionDecisionReason": reason}
    if context:
        fields["additionalContext"] = context
    return {"hookSpecificOutput": {"hookEventName": call.event, **fields}} if fields else {}


def command_entry(matcher: str, line: str, timeout: int, **more: str) -> dict[str, Any]:
    """Make the settings entry of an event in Claude Code's format."""
    # One line with its arguments: a version without separate arguments would start the bare program.
    handler = {"type": "command", **more, "command": line, "timeout": timeout}
    return {**({"matcher": matcher} if matcher else {}), "hooks": [handler]}


def made_by(line: str, *words: str) -> str:
    """Return the words by which a file that we write whole is known: they say which command it calls."""
    return f"{MADE_BY}{' '.join((line, *words))}"


def _cut(context: str) -> str:
    """Return as much of a context as agents accept: whole lines, and the last one, which closes the frame."""
    if len(context) <= MOST_CONTEXT_CHARS:
        return context
    body, _, last = context.rpartition("\n")
    return f"{body[: MOST_CONTEXT_CHARS - len(last) - 1].rpartition(chr(10))[0]}\n{last}"[:MOST_CONTEXT_CHARS]


def _with_command(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the payload of an unknown agent with the command that is about to run where Claude Code has it."""
    is_over = any(name.lower().endswith(("result", "response", "output")) for name in payload)
    if is_over or "tool_input" in payload or "command" in payload:
        return payload
    inner: list[Any] = list(payload.values())
    for _ in range(_DEEPEST):
        found = [one for value in inner if (one := arguments_of(value))]
        for one in found:
            if one.get("command") or one.get("cmd"):
                return {**payload, "tool_name": "Shell", "tool_input": one}
        inner = [value for one in found for value in one.values()]
    return payload


def _announced(payload: Mapping[str, Any]) -> str:
    """Return the event of a payload that does not name its event, judged by its fields."""
    if "user_prompt" in payload:
        return "UserPromptSubmit"
    if "tool_result" in payload or "tool_response" in payload:
        return "PostToolUse"
    return "PreToolUse" if "tool_input" in payload or isinstance(payload.get("command"), str) else ""


def _transcript(payload: Mapping[str, Any], moment: Moment) -> str:
    own = _text(payload, "agent_transcript_path") if moment == "subagent_end" else ""
    return own or _text(payload, "transcript_path")


def _cwd(payload: Mapping[str, Any]) -> str:
    roots = payload.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ""
    return _text(payload, "cwd") or first


def _tool(payload: Mapping[str, Any]) -> ToolCall | None:
    name = _text(payload, "tool_name")
    if not name and isinstance(payload.get("command"), str):
        return _sound(tool_of("Shell", {"command": payload["command"]}))
    if not name:
        return None
    call = _text(payload, "tool_use_id", "tool_call_id")[:MOST_ID_CHARS]
    tool = _sound(tool_of(name, payload.get("tool_input"), call))
    response = payload.get("tool_response")
    started = isinstance(response, dict) and bool(response.get("backgroundTaskId"))
    return replace(tool, background=True) if started else tool


def _is_unreadable(tool: ToolCall, payload: Mapping[str, Any]) -> bool:
    """Return whether nobody knows what a tool would run or write: it is missing, not text, or has a NUL in it.

    A program that takes such a text for a C string reads only its beginning.
    """
    raw = payload.get("tool_input")
    given = arguments_of(raw)
    named = [value for name, value in given.items() if name in ("command", "cmd", *PATH_FIELDS)]
    texts = [
        one for value in (*named, payload.get("command")) for one in (value if isinstance(value, list) else [value])
    ]
    if any(isinstance(text, str) and "\0" in text for text in texts):
        return True
    if tool.kind == "shell":
        return not tool.command and given.get("command", given.get("cmd")) != ""
    return tool.kind == "edit" and not tool.paths and bool(named)


def _sound(tool: ToolCall) -> ToolCall:
    return replace(tool, name=_valid(tool.name), command=_valid(tool.command), paths=tuple(map(_valid, tool.paths)))


def _outcome(payload: Mapping[str, Any], event: str, agent: str, tool: ToolCall) -> ToolOutcome:
    if "failure" in event.lower():
        error = _text(payload, "error", "error_message")
        code = _code_in(error)
        refused = payload.get("is_interrupt") is True or payload.get("failure_type") == "permission_denied"
        refused = refused or _is_refusal(error, code)
        found = ToolOutcome(ok=None if refused else False, exit_code=code, output=error, refused=refused)
        return ended_by_itself(found) if agent == "claude" and tool.kind == "shell" else found
    found = outcome_of(payload.get("tool_response", payload.get("tool_result", payload.get("tool_output"))))
    return replace(found, ok=None, exit_code=None) if _was_ended(found) else found


def _was_ended(found: ToolOutcome) -> bool:
    return bool(found.ok and found.exit_code is None and timed_out(found.output))


def outcome_of(response: Any) -> ToolOutcome:
    """Parse the result of a tool: an object, JSON in a text, or text under a heading with the exit code.

    A text that gives no exit code is only what the command printed: the outcome is unknown.
    """
    if isinstance(response, list):
        texts = [part.get("text", "") for part in response if isinstance(part, dict)]
        response = "\n".join(text for text in texts if isinstance(text, str))
    if isinstance(response, dict):
        return _from_fields(response)
    if not isinstance(response, str):
        return ToolOutcome()
    found = _from_fields(arguments_of(response))
    if found.exit_code is not None:
        return found
    code = _code_in(response) if _OUTPUT in response[:_HEAD_CHARS] else None
    ok = None if code is None else code == 0
    return ToolOutcome(ok=ok, exit_code=code, output=_valid(response), refused=_is_refusal(response, code))


def _from_fields(fields: Mapping[str, Any]) -> ToolOutcome:
    inner = fields.get("metadata")
    places = [fields, inner] if isinstance(inner, dict) else [fields]
    code = next((value for place in places for name in _CODES if (value := _whole(place.get(name))) is not None), None)
    output = "\n".join(part for part in (_text(fields, "stdout", "output", "content"), _text(fields, "stderr")) if part)
    if code is None and _OUTPUT in output[:_HEAD_CHARS]:
        code = _code_in(output)
    failed = fields.get("is_error") is True or fields.get("success") is False or code not in (None, 0)
    refused = fields.get("interrupted") is True
    return ToolOutcome(ok=None if refused else not failed, exit_code=code, output=output, refused=refused)


def _is_refusal(text: str, code: int | None) -> bool:
    """Return whether a text says that the user refused the call; a result with an exit code has run."""
    return code is None and text[:_HEAD_CHARS].lstrip()[:200].lower().startswith(REFUSALS)


def _code_in(text: str) -> int | None:
    return _whole(exit_code_in(_head(text)))


def _whole(value: Any) -> int | None:
    """Return an exit code, or None if no process could have it."""
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**31 else None


def _head(text: str) -> str:
    """Return what the agent itself says about a command: its first line, or the text before `Output:`.

    The rest is the command's output, and any exit codes mentioned there belong to something else.
    """
    head, marked, _rest = text[:_HEAD_CHARS].partition(_OUTPUT)
    return head if marked else text.lstrip().partition("\n")[0]


def _text(payload: Mapping[str, Any], *names: str) -> str:
    return next((_valid(payload[name]) for name in names if isinstance(payload.get(name), str)), "")


def _valid(text: str) -> str:
    """Return a text that every store accepts: lone surrogates and NUL become replacement characters."""
    if text.isascii() and "\0" not in text:
        return text
    return text.encode(errors="replace").decode().replace("\0", "\ufffd")
