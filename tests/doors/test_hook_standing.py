"""The guard stands in a hook whatever the payload, the agent's name, the settings or the installation are like."""

import json
import os
import subprocess
import sys

import pytest

from tacit.agents.registry import HOOKED, dialect
from tacit.doors.hooks.answer import respond
from tacit.doors.hooks.entry import answered

BEFORE = {agent: next(iter(dialect(agent).events)) for agent in HOOKED}
UNREADABLE = [
    b"", b"not json", b"[]", b"7", b"null", b'{"tool_name"', b"\xff\xfe", b"[" * 100_000,
    b'{"a": "' + b"x" * 11_000_000,
    b"{}", b'{"tool_name": "Bash"}', b'{"tool_name": "Bash", "tool_input": {"command": 7}}', b'{"tool_name": 5}',
    b'{"tool_name": "Bash", "tool_input": {"command": "rm -rf ~\\u0000"}}',
    b'{"tool_name": "Write", "tool_input": {"file_path": ["x"]}}',
    b'{"tool_name": "Write", "tool_input": {"file_path": "a\\u0000b"}}',
    b'{"tool_name": "Bash", "tool_input": {"command": {"a": "rm -rf ~"}}}', b'{"tool_name": "Bash", "tool_input": "["}',
]  # fmt: skip


def decision(answer):
    """Give what an answer decides: deny, ask, or nothing."""
    inner = answer.get("hookSpecificOutput", answer)
    if inner.get("cancel"):
        return "deny"
    return inner.get("permissionDecision", inner.get("permission", inner.get("decision", "")))


@pytest.mark.parametrize("agent", HOOKED)
@pytest.mark.parametrize("data", UNREADABLE, ids=range(len(UNREADABLE)))
def test_an_unreadable_payload_is_asked_about_before_a_command(agent, data):
    """R-medium: nobody knows what would run; where the agent cannot ask, it is denied. Other events get nothing."""
    expected = "ask" if agent in ("claude", "cursor", "copilot") else "deny"

    assert expected == decision(respond(agent, data, BEFORE[agent]))
    assert {} == respond(agent, data, "SessionEnd")


def test_the_event_of_a_broken_payload_is_read_from_its_text():
    """Settings that an older version wrote have no event in the command line."""
    assert "ask" == decision(respond("claude", b'{"hook_event_name": "PreToolUse", "tool_name": '))
    assert {} == respond("claude", b'{"hook_event_name": "PostToolUse", "tool_name": ')


@pytest.mark.parametrize("agent", ["", "cluade", "gemini", "a b", "-x", "é"])
def test_an_unknown_agent_is_read_as_claude_and_judged(agent):
    """S29: `tacit hook` without an agent answered nothing to `rm -rf ~`."""
    call = {"tool_name": "Bash", "tool_input": {"command": "rm -rf ~"}, "cwd": "/"}

    assert "deny" == decision(respond(agent, json.dumps({"hook_event_name": "PreToolUse", **call}).encode()))
    assert "deny" == decision(respond(agent, json.dumps({"hook_event_name": "BeforeTool", **call}).encode()))
    assert "deny" == decision(respond(agent, json.dumps(call).encode()))
    assert "deny" == decision(respond(agent, b'{"command": "rm -rf ~"}'))
    assert {} == respond(agent, b'{"command": "ls"}')


SHAPES = [
    {"toolName": "bash", "toolArgs": '{"command": "%s"}', "timeout": 5},
    {"tool": "bash", "args": {"command": "%s"}},
    {"type": "tool", "data": {"call": {"input": {"cmd": ["bash", "-lc", "%s"]}}}},
    {"hookName": "PreToolUse", "preToolUse": {"toolName": "execute_command", "parameters": {"command": "%s"}}},
]


def spelt(shape, command):
    return json.dumps(shape).replace("%s", command).encode()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("agent", ["", "new-agent"])
def test_a_command_of_an_unknown_agent_is_judged_wherever_it_is(agent, shape):
    """S29: only Claude's own fields were looked at; the shapes of other agents got `{}` for `rm -rf ~`."""
    denied = respond(agent, spelt(shape, "rm -rf ~"))

    assert "deny" == decision(denied) or denied.get("cancel") is True
    assert {} == respond(agent, spelt(shape, "ls"))


@pytest.mark.parametrize("more", [{"toolResult": {"ok": True}}, {"tool_output": "x"}, {"hook_event_name": "Stop"}])
def test_what_is_over_is_not_judged(more):
    """S29: a report after a command, or another event, is no command that is about to run."""
    assert {} == respond("", spelt({**SHAPES[0], **more}, "rm -rf ~"))


def test_the_event_of_the_command_line_counts_where_the_payload_names_none():
    """`connect` writes it; a payload that names its own event is believed."""
    call = {"tool_name": "Bash", "tool_input": {"command": "rm -rf ~"}, "cwd": "/"}

    assert "deny" == decision(respond("claude", json.dumps({**call, "tool_response": "x"}).encode(), "PreToolUse"))
    assert {} == respond("claude", json.dumps({**call, "hook_event_name": "PostToolUse"}).encode(), "PreToolUse")


def test_a_guard_without_rules_asks(monkeypatch):
    """Rules that cannot be loaded, the built-in ones included, are no reason to let a command pass."""
    data = json.dumps(
        {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls -la"}}
    ).encode()

    def broken(*_args, **_named):
        raise OSError("the packs are gone")

    monkeypatch.setattr("tacit.app.guard_setup.built_in", broken)

    assert "ask" == decision(json.loads(answered("claude", data)))


@pytest.mark.parametrize(("agent", "expected"), [
    ("claude", "ask"), ("codex", "deny"), ("cursor", "ask"), ("", "ask"), ("gemini", "deny"), ("cline", "deny"),
    ("opencode", "deny"), ("copilot", "ask"),
])  # fmt: skip
def test_a_broken_installation_asks(agent, expected, tmp_path):
    """Even if nothing of the package can be imported, a command is not let through in silence."""
    broken = tmp_path / "sitecustomize.py"
    broken.write_text(
        "import sys\nsys.modules['tacit.doors.hooks.answer'] = sys.modules['tacit.doors.hooks.cold'] = None\n"
    )
    event = BEFORE.get(agent, "PreToolUse")
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    for words, data in (((agent, event), b"x"), ((agent,), json.dumps({"hook_event_name": event}).encode())):
        ran = subprocess.run([sys.executable, "-m", "tacit", "hook", *words], input=data, env=env, capture_output=True)

        assert (0, expected) == (ran.returncode, decision(json.loads(ran.stdout)))
    quiet = subprocess.run(
        [sys.executable, "-m", "tacit", "hook", agent, "Stop"], input=b"x", env=env, capture_output=True
    )
    assert (0, {}) == (quiet.returncode, json.loads(quiet.stdout))


def test_off_is_off_for_what_cannot_be_read_too(monkeypatch):
    """A person who switched tacit off is not asked about anything."""
    monkeypatch.setenv("TACIT_OFF", "1")

    assert {} == respond("claude", b"not json", "PreToolUse")
