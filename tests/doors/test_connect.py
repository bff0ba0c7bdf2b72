"""`tacit connect` and `disconnect`: an agent's own settings, changed by our entries alone."""

import json
import os
import stat
from pathlib import Path

import pytest

from tacit.capture.wiring import EVENTS, commands_in, unwired, wired

AGENTS = sorted(EVENTS)
FILES = {"claude": ".claude/settings.json", "codex": ".codex/hooks.json", "cursor": ".cursor/hooks.json"}
OTHERS = {
    "claude": {"model": "x", "permissions": {"deny": ["a"]}, "hooks": {
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "mine.sh"}]}],
        "Stop": [{"hooks": [{"type": "command", "command": "tacit-like hook"}]}]}},
    "codex": {"description": "d", "hooks": {"PostToolUse": [{"hooks": [{"type": "command", "command": "x y"}]}]}},
    "cursor": {"version": 1, "hooks": {"stop": [{"command": "./stop.sh"}]}, "other": [1]},
}  # fmt: skip


@pytest.fixture
def home(own_home):
    return own_home.parent


def settings(home, agent):
    return json.loads((home / FILES[agent]).read_text())


@pytest.mark.parametrize("agent", AGENTS)
def test_connecting_adds_our_entries_once_and_keeps_the_rest(tacit, home, agent, monkeypatch):
    """Twice is as good as once, everything foreign stays, a backup is kept, and a dry run writes nothing."""
    path = home / FILES[agent]
    path.parent.mkdir()
    text = json.dumps(OTHERS[agent], indent="\t")
    path.write_text(text)
    path.chmod(0o640)
    dry = tacit("connect", agent, "--dry-run")
    assert text == path.read_text()
    assert "+" in dry.out
    first = tacit("connect", agent, "--json")
    once = path.read_text()
    again = tacit("connect", agent, "--json")

    assert (0, True, False) == (first.code, first.json["changed"], again.json["changed"])
    assert once == path.read_text()
    assert text == Path(first.json["backup"]).read_text()
    assert 0o640 == stat.S_IMODE(path.stat().st_mode)
    assert OTHERS[agent] == unwired(agent, settings(home, agent))
    (command,) = commands_in(settings(home, agent))
    assert os.access(command.split()[0], os.X_OK)
    assert command.startswith("/")
    assert command.endswith(f"tacit hook {agent}")
    assert set(EVENTS[agent]) <= set(settings(home, agent)["hooks"])


@pytest.mark.parametrize("agent", AGENTS)
def test_a_file_that_was_not_there_is_gone_again(home, agent):
    """What connecting made, disconnecting removes."""
    assert {} == unwired(agent, wired(agent, {}, "/x/tacit"))
    assert wired(agent, {}, "/x/tacit") == wired(agent, wired(agent, {}, "/old/tacit"), "/x/tacit")


def test_only_a_person_disconnects(tacit, home, monkeypatch):
    """An agent may look, not touch."""
    tacit("connect", "claude")
    assert 4 == tacit("disconnect", "claude").code
    assert 0 == tacit("disconnect", "claude", "--dry-run").code
    assert commands_in(settings(home, "claude"))


@pytest.mark.parametrize(
    "text", ["// a comment\n{}", "[]", "{", '{"hooks": 5}', '{"hooks": {"PreToolUse": {}}}', "\udcff"]
)
def test_what_cannot_be_understood_is_not_touched(tacit, home, text):
    """A comment would be lost and a broken file guessed at, so nothing is written."""
    path = home / FILES["claude"]
    path.parent.mkdir()
    path.write_bytes(text.encode(errors="surrogateescape"))
    answer = tacit("connect", "claude", "--json")

    assert (2, "usage") == (answer.code, answer.json["error"]["code"])
    assert text.encode(errors="surrogateescape") == path.read_bytes()


def test_a_project_has_its_own_file(tacit, home, tmp_path, monkeypatch):
    """Which is one that is not committed, where the agent has such a one; and a plugin has the same hooks."""
    assert 0 == tacit("connect", "claude", "--project").code
    assert (tmp_path / "work" / ".claude" / "settings.local.json").exists()
    assert 0 == tacit("connect", "claude", "--plugin", str(tmp_path / "plugin")).code
    hooks = json.loads((tmp_path / "plugin" / "hooks" / "hooks.json").read_text())
    assert set(EVENTS["claude"]) == set(hooks["hooks"])
    assert "tacit" == json.loads((tmp_path / "plugin" / ".claude-plugin" / "plugin.json").read_text())["name"]
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "moved"))
    assert 0 == tacit("connect", "claude").code
    assert (tmp_path / "moved" / "settings.json").exists()
