"""`tacit doctor` says when the agent itself would not run our hooks, and when the guard is off."""

import json

import pytest

from tacit.agents.codex_trust import trust_hash
from tacit.doors.hooks.answer import respond
from tests.doors.speakers import hook

HOOK = {"type": "command", "timeout": 10}
# What Codex 0.166.0 itself says of these (`hooks/list` of its server).
BEFORE = "sha256:2c7487c8d148e61c41947845a68e4a3c724388c0dbe13ec5793a6a236a393db3"
STOP = "sha256:b862d4445547cc3358a4654e61923031a44e6d835c92729669b81a16a1c04553"


@pytest.fixture
def home(own_home):
    return own_home.parent


def warned(tacit, agent):
    """Give what doctor says about an agent, beside that its hook answers."""
    found = tacit("doctor", "--json").json["findings"]
    return [
        one["message"]
        for one in found
        if one["subject"] == "hooks" and one["level"] != "ok" and agent in one["message"]
    ]


def trusted(home, change=lambda _event, digest: digest):
    """Write into Codex's settings that a person trusts our hooks."""
    path = home / ".codex" / "hooks.json"
    rows = []
    for event, (group,) in json.loads(path.read_text())["hooks"].items():
        name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in event)[1:]
        digest = change(event, trust_hash(name, group, group["hooks"][0]))
        rows.append(f'[hooks.state."{path}:{name}:0:0"]\ntrusted_hash = "{digest}"\n')
    config = home / ".codex" / "config.toml"
    config.write_text(config.read_text() + "\n" + "\n".join(rows))


def test_the_hash_is_that_of_the_real_program():
    """Of a hook with a matcher and of one without, as Codex computed it."""
    before = HOOK | {"command": "/opt/tacit/bin/tacit hook codex PreToolUse"}
    stop = HOOK | {"command": "/opt/tacit/bin/tacit hook codex Stop"}

    assert BEFORE == trust_hash("pre_tool_use", {"matcher": "Bash|apply_patch|Write|Edit", "hooks": [before]}, before)
    assert STOP == trust_hash("stop", {"hooks": [stop]}, stop)


def test_codex_hooks_without_trust_are_told(tacit, home):
    """Codex skips them without a word; once a person trusts them, nothing is said, until one changes."""
    tacit("connect", "codex")
    (untrusted,) = warned(tacit, "codex")
    trusted(home)
    fine = warned(tacit, "codex")
    path = home / ".codex" / "hooks.json"
    path.write_text(path.read_text().replace('"timeout": 3', '"timeout": 2'))
    (changed,) = warned(tacit, "codex")

    assert "have not trusted: PreToolUse, PostToolUse, " in untrusted
    assert [] == fine
    assert "have not trusted: SessionEnd (changed or disabled);" in changed


@pytest.mark.parametrize(("agent", "file", "text", "said"), [
    ("claude", ".claude/settings.local.json", '{"disableAllHooks": true}', "disableAllHooks = true"),
    ("gemini", ".gemini/settings.json", '{"hooksConfig": {"enabled": false}}', "hooksConfig.enabled = false"),
    ("gemini", ".gemini/settings.json", '{"hooksConfig": {"disabled": ["tacit"]}}', "names tacit in hooksConfig"),
    ("codex", ".codex/config.toml", "[features]\nhooks = false\n", "features.hooks = false"),
    ("copilot", ".copilot/hooks/other.json", '{"version": 1, "disableAllHooks": true}', "disableAllHooks = true"),
])  # fmt: skip
def test_an_agent_that_runs_no_hooks_is_told(tacit, home, tmp_path, agent, file, text, said):
    """Whatever switches them off, doctor names the file and the setting."""
    where = ("--project",) if agent == "claude" else ()
    if where:
        (tmp_path / "work" / ".git").mkdir()
    path = (tmp_path / "work" if where else home) / file
    path.parent.mkdir(parents=True)
    path.write_text(text)
    tacit("connect", agent, *where, "--no-mcp")
    if agent == "codex":
        trusted(home)
    (found,) = warned(tacit, agent)

    assert said in found
    assert str(path) in found


def asked(command, agent="claude"):
    payload = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}}
    return hook(agent, payload)


def test_only_a_person_connects_without_the_guard(tacit, own_home):
    """An agent could otherwise free itself."""
    answer = tacit("connect", "claude", "--no-guard")

    assert (4, "deny") == (answer.code, asked("rm -rf ~")["hookSpecificOutput"]["permissionDecision"])
    assert not (own_home / "config.toml").exists()


def test_without_the_guard_hooks_neither_deny_nor_ask(tacit, own_home, person):
    """It is said at once, by status and by doctor; `--guard` switches it on again, and the rest of the file stays."""
    own_home.mkdir(exist_ok=True)
    (own_home / "config.toml").write_text('# mine\n[guard]\nseverity = { "git.tag-delete" = "deny" }\n')
    person()
    said = tacit("connect", "claude", "--no-guard").out
    off = [asked(command) for command in ("rm -rf ~", "git tag -d v1", "rm -rf $(")]
    broken = respond("claude", b"{", "PreToolUse")
    status, findings = tacit("status", "--json").json["hooks"], tacit("doctor", "--json").json["findings"]
    shown = tacit("status").out
    again = tacit("connect", "claude", "--guard", "--json").json

    assert "the guard is off in every project" in said
    assert [{}, {}, {}, {}] == [*off, broken]
    assert ("names all" in status["guard_off"], "the guard is off" in shown) == (True, True)
    assert ["hint"] == [one["level"] for one in findings if "does not guard" in one["message"]]
    assert again["guard"] is True
    assert "deny" == asked("git tag -d v1")["hookSpecificOutput"]["permissionDecision"]
    assert '# mine\n[guard]\nseverity = { "git.tag-delete" = "deny" }\n' == (own_home / "config.toml").read_text()


def test_without_the_guard_in_one_project_only(tacit, tmp_path, person, monkeypatch):
    """The others keep theirs; and a project's own file cannot switch it off."""
    (tmp_path / "work" / ".git").mkdir()
    person()
    tacit("connect", "claude", "--project", "--no-guard")
    here = asked("rm -rf ~")
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    (other / ".tacit.toml").write_text('[guard]\noff = ["all"]\n')
    monkeypatch.chdir(other)

    assert {} == here
    assert "deny" == asked("rm -rf ~")["hookSpecificOutput"]["permissionDecision"]


def test_the_memory_still_stops_a_command_once(tacit, own_home, person, tmp_path):
    """What failed before is no matter of the guard."""
    person()
    tacit("connect", "claude", "--no-guard")
    failed = {"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": {"command": "npm run biuld"},
              "session_id": "s", "cwd": str(tmp_path / "work"), "tool_use_id": "1",
              "error": 'Exit code 1\nnpm error Missing script: "biuld"'}  # fmt: skip
    (tmp_path / "work" / "package.json").write_text('{"scripts": {}}')
    hook("claude", failed)
    again = {**failed, "hook_event_name": "PreToolUse", "session_id": "t", "tool_use_id": "2"}
    stopped = hook("claude", again)

    assert "to proceed anyway" in stopped["hookSpecificOutput"]["permissionDecisionReason"]
