"""Answers in each agent's dialect: closed, bounded, and never a yes; payloads as hostile as they come."""

import json

import pytest
from hypothesis import given, strategies as st

from tacit.agents.hook_dialects import HOOKED, MOST_CONTEXT_CHARS, read_hook, unreadable_call, write_answer
from tacit.model.hook import HookAnswer
from tests.doors.speakers import AGENTS, Claude, Codex, Cursor, hook, memory_here

EVENTS = (
    "PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "SessionStart", "SessionEnd", "PreCompact",
    "PermissionRequest", "Stop", "SubagentStop", "preToolUse", "postToolUse", "postToolUseFailure",
    "beforeSubmitPrompt", "beforeShellExecution", "afterShellExecution", "sessionStart", "sessionEnd", "preCompact",
    "stop", "Nonsense", "",
)  # fmt: skip
# What each agent lets a hook say; Codex rejects everything else and goes on without it.
KEYS = {
    "claude": {"hookSpecificOutput"},
    "codex": {"hookSpecificOutput"},
    "cursor": {"permission", "user_message", "agent_message", "additional_context"},
    "gemini": {"decision", "reason", "hookSpecificOutput"},
    "opencode": {"hookSpecificOutput"},
    "copilot": {"hookSpecificOutput", "additionalContext"},
    "cline": {"cancel", "errorMessage", "contextModification"},
}
ASKS = ("claude", "cursor", "copilot")  # fmt: skip
INNER = {"hookEventName", "permissionDecision", "permissionDecisionReason", "additionalContext"}
LONG = "(a long text)"  # drawn short, since what is drawn may have to be shown
TEXTS = st.text(max_size=40) | st.just(LONG) | st.just("allow")
PAYLOADS = st.fixed_dictionaries(
    {"hook_event_name": st.sampled_from(EVENTS)},
    optional={
        "tool_name": st.sampled_from(["Bash", "Shell", "Read", "mcp__x__y", ""]) | st.integers(),
        "tool_input": st.fixed_dictionaries({"command": TEXTS}) | TEXTS | st.none(),
        "tool_response": st.recursive(TEXTS | st.integers() | st.none(), lambda inner: st.lists(inner, max_size=2)),
        "prompt": TEXTS, "session_id": TEXTS | st.integers(), "tool_use_id": TEXTS, "cwd": TEXTS, "command": TEXTS,
        "permissionDecision": st.just("allow"), "permission": st.just("allow"), "error": TEXTS,
    },
)  # fmt: skip


def grown(value):
    """Give what was drawn with its long texts as long as they are meant to be."""
    if isinstance(value, dict):
        return {name: grown(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [grown(inner) for inner in value]
    return "x" * 30_000 if value == LONG else value


def decisions(value):
    """Give every decision in an answer, however deep."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name in ("permissionDecision", "permission", "decision", "behavior", "continue"):
                yield inner
            yield from decisions(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from decisions(inner)


@given(st.sampled_from(HOOKED), PAYLOADS, st.fixed_dictionaries({"deny": TEXTS, "ask": TEXTS, "context": TEXTS}))
def test_no_dialect_ever_says_allow(agent, payload, said_back):
    """Whatever is asked and whatever there is to say: deny, ask where that is known, or something to know."""
    call, answer = read_hook(agent, grown(payload)), HookAnswer(**grown(said_back))
    said = write_answer(call or unreadable_call(agent, b"", "PreToolUse"), answer)
    inner = said.get("hookSpecificOutput", {})

    assert set(decisions(said)) <= ({"deny", "ask"} if agent in ASKS else {"deny"})
    assert said.keys() <= KEYS[agent]
    assert inner.keys() <= INNER
    assert len(json.dumps(said)) < 10 * MOST_CONTEXT_CHARS
    if "permissionDecision" in inner:
        assert inner["permissionDecisionReason"].strip() or not (answer.deny or answer.ask).strip()
    for text in (*inner.values(), *said.values()):
        assert not isinstance(text, str) or len(text) < 20_000


@given(
    st.sampled_from(HOOKED), st.sampled_from(EVENTS), st.sampled_from(["rm -rf ~", "git tag -d v1", "ls", "echo allow"])
)
def test_the_whole_way_never_says_allow_either(tmp_path_factory, agent, event, command):
    """Through the guard and the memory, at every event."""
    payload = {"hook_event_name": event, "tool_name": "Bash", "tool_input": {"command": command}, "cwd": "/",
               "prompt": command, "permission": "allow"}  # fmt: skip

    assert set(decisions(hook(agent, payload))) <= {"deny", "ask"}


def test_a_long_context_keeps_its_frame():
    """What is cut is lines in the middle; the line that closes the frame stays."""
    call = read_hook("claude", {"hook_event_name": "SessionStart"})
    block = "<memory_context>\n" + "".join(f"{n}. [x] {'y' * 300}\n" for n in range(60)) + "</memory_context>"
    said = write_answer(call, HookAnswer(context=block))["hookSpecificOutput"]["additionalContext"]

    assert len(said) <= MOST_CONTEXT_CHARS
    assert said.endswith("y\n</memory_context>")


@pytest.mark.parametrize(
    ("agent", "response", "ok", "code"),
    [("claude", {"stdout": "Exit code 1\nthat is what the docs say", "stderr": ""}, True, None),
     ("codex", "the log says:\nProcess exited with code 3", None, None),
     ("codex", "Exit code: 2\nWall time: 1 seconds\nOutput:\nExit code 0", False, 2),
     ("codex", "rejected by user", None, None), ("codex", "Exit code: 0\nOutput:\nrejected by user", True, 0),
     ("codex", {"output": "Chunk ID: x\nProcess exited with code 4\nOutput:\nno"}, False, 4),
     ("cursor", json.dumps({"output": "x", "exitCode": 5}), False, 5),
     ("claude", {"stdout": "", "exit_code": 10**30}, True, None),
     ("claude", {"stdout": "", "exit_code": True}, True, None),
     ("claude", {"stdout": "", "interrupted": True}, None, None),
     ("codex", [{"text": "Exit code: 9\nOutput:\nno"}, 5], False, 9)],
)  # fmt: skip
def test_only_the_agent_says_how_a_command_ended(agent, response, ok, code):
    """Not what the command printed: otherwise its output could invent failures."""
    name = "tool_output" if agent == "cursor" else "tool_response"
    call = read_hook(agent, {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "x"},
                             name: response})  # fmt: skip

    assert (ok, code) == (call.outcome.ok, call.outcome.exit_code)


def test_what_runs_in_the_background_has_no_outcome_yet(work):
    """That it was started mends nothing."""
    speaks = Claude(work)
    for call in ("1", "2"):
        hook("claude", speaks.failed("s", "npm run servr", call, "Exit code 1\nno script"))
    hook("claude", {**speaks.worked("s", "npm run server", "3"), "tool_response": {"backgroundTaskId": "b1"}})

    assert "worked instead" not in json.dumps(hook("claude", speaks.before("s", "npm run servr", "4")))


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("id", ["../../etc/passwd", "\ud800", "a\0b", "x" * 3_000_000, "", "'; DROP TABLE records"])
def test_hostile_ids_and_texts_lose_nothing(work, agent, id):
    """Half a character, a zero byte, megabytes: the capture is there, and its text is valid."""
    speaks = agent(work)
    for number in range(2):
        session = id if speaks.names_calls or number else f"{number}{id}"
        error = "Exit code 1\nbad \ud800 and \0 byte"
        hook(speaks.name, speaks.failed(session, "make ship", f"{id}{number}"[-40:], error))

    with memory_here() as memory:
        assert [2] == [one.seen for one in memory.learned.list() if one.record.kind == "failure"]


def test_cursor_is_told_nothing_where_it_would_not_pass_it_on(work):
    """At a prompt it drops what hooks know, so nothing is noted as shown, and corrections are kept all the same."""
    with memory_here() as memory:
        memory.memorize("The staging API listens on port 8443", importance=0.9)
    speaks = Cursor(work)
    prompt = {**speaks.base, "conversation_id": "s", "hook_event_name": "beforeSubmitPrompt",
              "prompt": "which port does the staging API listen on? and use bun instead of npm"}  # fmt: skip

    assert {} == hook("cursor", prompt)
    with memory_here() as memory:
        assert [] == [event for event in memory.events(limit=100) if event.type == "injected"]
        assert 1 == memory.status()["records"]["correction"]


def test_codex_gets_a_denial_where_others_are_asked(work):
    """It takes `ask` for an error and goes on; a denial has its reason."""
    inner = hook("codex", Codex(work).before("s", "git tag -d v1", "x"))["hookSpecificOutput"]

    assert "deny" == inner["permissionDecision"]
    assert inner["permissionDecisionReason"]
    assert inner.keys() <= INNER
