"""`tacit connect` and `disconnect`: an agent's own settings, changed by our entries alone."""

import json
import os
import stat
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from tacit.agents.connect import update_settings_file
from tacit.agents.hook_settings import commands_in, with_hooks, without_hooks
from tacit.agents.registry import HOOKED, dialect
from tacit.text.jsonc import parsed

AGENTS = HOOKED
NOW = datetime(2026, 3, 1, tzinfo=UTC)
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


def program(home, agent):
    """Give the part of our command lines that is the same at every event."""
    return commands_in(settings(home, agent))[0].rpartition(" ")[0]


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
    assert OTHERS[agent] == without_hooks(agent, settings(home, agent))
    (command,) = commands_in(settings(home, agent))
    assert os.access(command.split()[0], os.X_OK)
    assert command.startswith("/")
    hooks = settings(home, agent)["hooks"]
    for event in dialect(agent).events:
        assert f'tacit hook {agent} {event}"' in json.dumps(hooks[event])


@pytest.mark.parametrize("agent", AGENTS)
def test_a_file_that_was_not_there_is_gone_again(home, agent):
    """What connecting made, disconnecting removes."""
    assert {} == without_hooks(agent, with_hooks(agent, {}, "/x/tacit"))
    assert with_hooks(agent, {}, "/x/tacit") == with_hooks(agent, with_hooks(agent, {}, "/old/tacit"), "/x/tacit")


def test_only_a_person_disconnects(tacit, home, monkeypatch):
    """An agent may look, not touch."""
    tacit("connect", "claude")
    assert 4 == tacit("disconnect", "claude").code
    assert 0 == tacit("disconnect", "claude", "--dry-run").code
    assert commands_in(settings(home, "claude"))


@pytest.mark.parametrize(
    "text", ["// only a comment\n", "[]", "{", '{"hooks": 5}', '{"hooks": {"PreToolUse": {}}}', "\udcff"]
)
def test_what_cannot_be_understood_is_not_touched(tacit, home, text):
    """A broken file would be guessed at, so nothing is written."""
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
    assert set(dialect("claude").events) == set(hooks["hooks"])
    assert "tacit" == json.loads((tmp_path / "plugin" / ".claude-plugin" / "plugin.json").read_text())["name"]
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "moved"))
    assert 0 == tacit("connect", "claude").code
    assert (tmp_path / "moved" / "settings.json").exists()


def test_a_link_stays_one_and_what_it_names_is_changed(tacit, home, tmp_path):
    """Many keep their settings elsewhere."""
    kept = tmp_path / "dotfiles" / "claude.json"
    kept.parent.mkdir()
    kept.write_text('{"model": "x"}')
    (home / ".claude").mkdir()
    (home / FILES["claude"]).symlink_to(kept)
    assert 0 == tacit("connect", "claude").code

    assert (home / FILES["claude"]).is_symlink()
    assert "x" == json.loads(kept.read_text())["model"]
    assert commands_in(json.loads(kept.read_text()))


@pytest.mark.parametrize(
    "before", [{}, {"hooks": {}}, {"hooks": {"Stop": []}}, {"a": 1, "hooks": {}, "b": 2}, {"hooks": {"Stop": "odd"}}]
)
@pytest.mark.parametrize("agent", AGENTS)
def test_connecting_and_disconnecting_leaves_what_was_there(agent, before):
    """Also what is empty, or odd; and who was never connected is not changed by disconnecting."""
    assert list(before.items()) == list(without_hooks(agent, before).items())
    connected = with_hooks(agent, before, "/x/tacit")
    expected = {key: value for key, value in before.items() if key != "hooks" or value}
    expected |= {"version": 1} if agent == "cursor" and expected else {}

    assert expected == without_hooks(agent, connected)


@pytest.mark.parametrize(
    "handler",
    [{"command": "tacit", "args": 5}, {"command": "tacit hook x", "args": None}, {"command": 7}, "text", None,
     {"command": "'", "args": []}, {"args": ["hook"]}],
)  # fmt: skip
def test_odd_handlers_of_others_are_no_trouble(handler):
    """They stay where they are, and status reads on past them."""
    settings = {"hooks": {"PreToolUse": [{"hooks": [handler]}, handler]}}
    commands_in(settings)

    assert commands_in(with_hooks("claude", settings, "/x y/tacit"))[-1] == "'/x y/tacit' hook claude PreToolUse"


def test_doctor_asks_every_connected_hook_what_no_guard_lets_pass(tacit, home, monkeypatch):
    """An answer that says nothing is not taken for one that guards; neither is a program that is gone."""
    for agent in AGENTS:
        tacit("connect", agent)
    fine = [one for one in tacit("doctor", "--json").json["findings"] if one["subject"] == "hooks"]
    path = home / FILES["codex"]
    path.write_text(path.read_text().replace(program(home, "codex"), "/gone/tacit hook codex"))
    silent = home / "bin" / "tacit"
    silent.parent.mkdir()
    silent.write_text("#!/bin/sh\necho '{}'\n")
    silent.chmod(0o755)
    path = home / FILES["cursor"]
    path.write_text(path.read_text().replace(program(home, "cursor"), f"{silent} hook cursor"))
    answer = tacit("doctor", "--json")
    broken = [one for one in answer.json["findings"] if one["subject"] == "hooks"]

    assert ["ok", "ok", "ok"] == [one["level"] for one in fine]
    assert (1, ["ok", "error", "error"]) == (answer.code, [one["level"] for one in broken])


@pytest.mark.parametrize("agent", AGENTS)
def test_comments_and_layout_stay_as_they_are(tacit, home, agent):
    """Connecting adds lines and changes none but the ones beside them; disconnecting gives the file back."""
    path = home / FILES[agent]
    path.parent.mkdir()
    text = """// what I like
{
  "version": 1, // of the format
  "permissions": {"deny": ["a",   "b"]},
  "hooks": {
    /* my own */
    "Stop": [{"hooks": [{"type": "command", "command": "mine.sh"}]}], // at the end
    "stop": []
  }
}
"""
    path.write_text(text)
    assert 0 == tacit("connect", agent).code
    connected = path.read_text()
    update_settings_file(path, partial(without_hooks, agent), NOW)

    assert commands_in(parsed(connected))
    assert [line for line in text.splitlines() if line.rstrip(",") not in connected] == []
    assert text == path.read_text()


def test_no_backup_is_written_over_another(tmp_path):
    """Of two changes in one second the file as it was before the first is still there."""
    path = tmp_path / "settings.json"
    path.write_text('{"model": "opus"}')
    now = datetime(2026, 11, 1, tzinfo=UTC)
    first = update_settings_file(path, lambda settings: {**settings, "a": 1}, now)
    second = update_settings_file(path, lambda settings: {**settings, "b": 2}, now)

    assert first.backup != second.backup
    assert '{"model": "opus"}' == Path(first.backup).read_text()


@pytest.mark.parametrize("agent", AGENTS)
def test_a_hook_is_one_line_and_needs_no_words_beside_it(agent):
    """A version that knows no `args` would start the bare program; a path with a space is quoted."""
    hooks = json.dumps(with_hooks(agent, {}, "/opt/my tools/tacit"))

    assert '"args"' not in hooks
    assert [f"'/opt/my tools/tacit' hook {agent} {next(iter(dialect(agent).events))}"] == commands_in(json.loads(hooks))


def test_entries_of_the_older_shape_are_taken_out_and_replaced():
    """A program with its words beside it is ours as well."""
    old = {"type": "command", "command": "/opt/my tools/tacit", "args": ["hook", "claude"], "timeout": 10}
    settings = {"model": "x", "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [old]}]}}

    assert {"model": "x"} == without_hooks("claude", settings)
    assert ["/bin/tacit hook claude PreToolUse"] == commands_in(with_hooks("claude", settings, "/bin/tacit"))


@pytest.mark.parametrize("line", [
    "tacit hook claude; touch {mark}", "{project}/.bin/tacit hook claude", "tacit hook claude $(touch {mark})",
    "tacit hook claude && touch {mark}", "tacit hook claude PreToolUse extra",
])  # fmt: skip
def test_doctor_does_not_run_what_a_repository_calls_a_hook(tacit, home, monkeypatch, tmp_path, line):
    """A cloned repository brings settings of its own; asking for a diagnosis must not run what they name."""
    project, mark = tmp_path / "clone", tmp_path / "ran"
    (project / ".git").mkdir(parents=True)
    (project / ".bin").mkdir()
    (project / ".claude").mkdir()
    (project / ".bin" / "tacit").write_text(f"#!/bin/sh\ntouch {mark}\n")
    (project / ".bin" / "tacit").chmod(0o755)
    command = line.format(mark=mark, project=project)
    entry = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": command}]}]}}
    (project / ".claude" / "settings.local.json").write_text(json.dumps(entry))
    monkeypatch.chdir(project)
    answer = tacit("doctor", "--json")

    assert not mark.exists()
    assert "is not `tacit hook claude`" in answer.out
