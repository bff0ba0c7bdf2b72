"""Who started an agent, as its parent processes show."""

import os
import subprocess
import sys

import pytest

from tacit.app import agent_sessions
from tacit.model.person import AGENT_PROGRAMS, EDITORS
from tacit.model.session import UNKNOWN_STARTER
from tacit.run import ancestors
from tacit.run.ancestors import Process, started_by_agent

CLAUDE = ("node", "/usr/bin/claude")


@pytest.mark.parametrize(
    ("chain", "found"),
    [([CLAUDE, ("bash",), ("sshd",)], False), ([("claude",), ("bash", "-c", "x"), ("claude",), ("zsh",)], True),
     ([("claude",), ("codex",), ("bash",)], True), ([("/x/codex",), ("node", "/y/codex.js"), ("bash",)], False),
     ([("node", "cli.js"), ("claude",), ("fish",)], False), ([("claude",), ("bash",), ("cursor",)], False),
     ([("gemini",), ("node", "npx"), ("make",), ("opencode",), ("bash",)], True), ([("claude",)], None),
     ([("claude",), ("/lib/systemd/systemd", "--user")], None), ([("claude",), ("cron",)], False)],
)  # fmt: skip
def test_an_agent_above_another_started_it(monkeypatch, chain, found):
    """Nearest first. An agent's own launcher is not another agent; an editor's terminal is a person's."""
    processes = [Process(100 - number, "1", command) for number, command in enumerate(chain)]
    monkeypatch.setattr(ancestors, "parents", lambda _pid: iter(processes))

    assert found is started_by_agent(processes[0], AGENT_PROGRAMS - EDITORS)


AGENT = """
import subprocess, sys
from pathlib import Path
from tacit.app.agent_sessions import note_session
if sys.argv[1] == "hook":
    import os
    print(*note_session(Path(sys.argv[2]), os.getpid(), sys.argv[3], "claude"))
elif sys.argv[1] == "inner":
    subprocess.run([sys.executable, __file__, "hook", sys.argv[2], sys.argv[3]])
    if sys.argv[3] == "s2":
        subprocess.run(["sh", "-c", f"{sys.executable} {__file__} inner {sys.argv[2]} s3; true"])
else:
    subprocess.run([sys.executable, __file__, "hook", sys.argv[2], "s1"])
    subprocess.run(["sh", "-c", f"{sys.executable} {__file__} inner {sys.argv[2]} s2; true"])
"""


@pytest.mark.parametrize("name", ["claude", "agent-of-no-name"])
def test_a_hook_notes_that_an_agent_was_started_by_another(tmp_path, name):
    """By its name, or since its own hooks were heard before; and the sessions of all the agents above it."""
    program = tmp_path / name
    program.write_text(AGENT)
    done = subprocess.run([sys.executable, program, "outer", tmp_path], capture_output=True, text=True, check=True)

    assert ["True ('s1',)", "True ('s2', 's1')"] == done.stdout.splitlines()[1:]


def test_an_agent_above_whose_hooks_were_never_heard_is_unknown(tmp_path, monkeypatch):
    monkeypatch.setattr(agent_sessions, "started_by_agent", lambda _one, _names: True)
    agent_sessions._noted.clear()

    assert (True, (UNKNOWN_STARTER,)) == agent_sessions.note_session(tmp_path, os.getpid(), "s1", "claude")


def test_a_process_stays_what_it_was(tmp_path, monkeypatch):
    """Whoever started it may be gone by the time of a later hook."""
    seen = []
    for answer in (True, False):
        monkeypatch.setattr(agent_sessions, "started_by_agent", lambda _one, _names, answer=answer: answer)
        agent_sessions._noted.clear()
        seen.append(agent_sessions.note_session(tmp_path, os.getpid(), f"s{answer}", "claude").nested)

    assert [True, True] == seen
