"""S9, with real hooks and processes: an agent's lesson, and sessions of its own that follow it."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from tacit.clock import SystemClock

WRONG, RIGHT = "git statsu", "git status"
LESSON = ["lesson", "add", "Spell status right", "--trigger", WRONG, "--failure-mode", "no such command",
          "--correction", RIGHT, "--enforcement", "deny", "--json"]  # fmt: skip
# An agent as the rest of the world sees it: it calls hooks, writes a transcript, and runs what it likes below itself.
AGENT = """
import json, subprocess, sys
from datetime import UTC, datetime
from pathlib import Path

home, work, session, plan = Path(sys.argv[1]), sys.argv[2], sys.argv[3], json.loads(sys.argv[4])
path = home / ".claude" / "projects" / "p" / f"{session}.jsonl"
base = {"session_id": session, "cwd": work, "transcript_path": str(path), "permission_mode": "default"}
calls = 0

def write(*rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    at = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    with path.open("a") as file:
        for row in rows:
            mark = f"{session}-{file.tell()}"
            file.write(json.dumps({"sessionId": session, "cwd": work, "version": "2.1.0", "isSidechain": False,
                                   "userType": "external", "timestamp": at, "uuid": mark, **row}) + "\\n")

def hook(event, **more):
    asked = json.dumps({**base, "hook_event_name": event, **more})
    subprocess.run([sys.executable, "-m", "tacit", "hook", "claude", event], input=asked, text=True, check=True,
                   capture_output=True, cwd=work)

def tool(command, call):
    return {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": call}

def ran(command, ok):
    global calls
    calls += 1
    call, text = f"{session}-{calls}", "On branch main" if ok else "git: 'statsu' is not a git command."
    use = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}
    result = {"type": "tool_result", "tool_use_id": call, "is_error": not ok, "content": text}
    said = {"stdout": text, "stderr": "", "interrupted": False} if ok else f"Error: Exit code 1\\n{text}"
    write({"type": "assistant", "message": {"id": f"m-{call}", "role": "assistant", "content": [use]}},
          {"type": "user", "toolUseResult": said, "message": {"role": "user", "content": [result]}})
    return call, said

for step, *given in plan:
    if step == "say":
        write({"type": "user", "message": {"role": "user", "content": given[0]}})
        hook("UserPromptSubmit", prompt=given[0])
    elif step == "ran":
        ran(*given)
    elif step == "warned":
        hook("PreToolUse", **tool(given[0], f"{session}-w"))
        call, said = ran(given[1], True)
        hook("PostToolUse", **tool(given[1], call), tool_response=said)
    elif step == "end":
        hook("SessionEnd", reason="exit")
    elif step == "tacit":
        subprocess.run([sys.executable, "-m", "tacit", *given], check=True, cwd=work)
    else:
        subprocess.run([sys.executable, __file__, str(home), work, step, json.dumps(given[0])], check=True)
"""
# Whoever starts a process this way is no longer above it.
DETACH = "import subprocess, sys; subprocess.Popen(sys.argv[1:], start_new_session=True)"
FAILS = [["ran", WRONG, False], ["ran", RIGHT, True], ["end"]]
FOLLOWS = [["warned", WRONG, RIGHT], ["end"]]
SESSIONS = {"n1": FAILS, "n2": FAILS, "n3": FOLLOWS, "n4": FOLLOWS, "n5": FOLLOWS}


@pytest.fixture
def agent(tmp_path, monkeypatch, tacit):
    """Return `agent(session, plan)`: start an agent, below nobody, and give what it printed when it has ended."""
    work, program = tmp_path / "work", tmp_path / "claude"
    subprocess.run(["git", "init", "-q", str(work)], check=True)
    program.write_text(AGENT)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TACIT_HOME", str(tmp_path / ".tacit"))
    env = {**os.environ, "CLAUDECODE": "1"}

    def start(session, plan):
        command = [sys.executable, str(program), str(tmp_path), str(work), session, json.dumps(plan)]
        done = subprocess.run(
            [sys.executable, "-c", DETACH, *command], env=env, capture_output=True, text=True, check=True, timeout=600
        )
        assert "" == done.stderr
        return done.stdout

    return start


def a_day_later(monkeypatch):
    monkeypatch.setattr(SystemClock, "now", lambda _self: datetime.now(UTC) + timedelta(hours=25))


def test_sessions_an_agent_starts_promote_none_of_its_lessons(agent, tacit, monkeypatch):
    """A lesson made on the command line, five sessions below the author's, a day: nothing is on trial or promoted."""
    nested = [[name, plan] for name, plan in SESSIONS.items()]
    made = json.loads(agent("author", [["say", "hello"], ["tacit", *LESSON], *nested, ["end"]]))
    tacit("maintain")
    a_day_later(monkeypatch)
    refused = tacit("lesson", "promote", made["id"], "--json")

    assert "author" == made["lesson"]["origin"]["session"]
    assert (5, "candidate") == (refused.code, refused.json["status"])
    assert (0, 0) == (refused.json["counted"]["applied"], refused.json["counted"]["origins"])
    kept = {one["id"]: one for one in tacit("sessions", "list", "--json").json["sessions"]}
    assert 6 == len(kept)


def test_a_lesson_without_a_session_is_promoted_by_no_session(agent, tacit, monkeypatch):
    """S9's own way: made where no hook was heard, then four sessions and more; the sessions may be its author's."""
    made = json.loads(agent("author", [["tacit", *LESSON]]))
    for name, plan in SESSIONS.items():
        agent(name, plan)
    tacit("maintain")
    a_day_later(monkeypatch)
    refused = tacit("lesson", "promote", made["id"], "--json")

    assert "session" not in made["lesson"]["origin"]
    assert (5, "candidate") == (refused.code, refused.json["status"])


def test_sessions_of_others_promote_it(agent, tacit, monkeypatch):
    """The same lesson, the same sessions, but the author started none of them."""
    made = json.loads(agent("author", [["say", "hello"], ["tacit", *LESSON], ["end"]]))
    for name, plan in SESSIONS.items():
        agent(name, plan)
    a_day_later(monkeypatch)
    promoted = tacit("lesson", "promote", made["id"], "--json")

    assert (0, "promoted") == (promoted.code, promoted.json["status"]), promoted.json["blocked"]
