"""`tacit connect` and `disconnect`: an agent's own settings, changed by our entries alone."""

import json
import os
import stat
import tomllib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tacit.agents.agent import places
from tacit.agents.agent_files import Entries, agent_files
from tacit.agents.connect import connect, disconnect, entries_at
from tacit.agents.hook_settings import commands_in, with_hooks, without_hooks
from tacit.agents.registry import HOOKED, dialect
from tacit.errors import UsageError
from tacit.text.jsonc import parsed

AGENTS = tuple(agent for agent in HOOKED if dialect(agent).files is None)
"""The agents whose hooks are entries in a settings file."""
NOW = datetime(2026, 3, 1, tzinfo=UTC)
FILES = {
    "claude": ".claude/settings.json", "codex": ".codex/hooks.json", "cursor": ".cursor/hooks.json",
    "gemini": ".gemini/settings.json", "copilot": ".copilot/hooks/tacit.json",
}  # fmt: skip
OTHERS = {
    "claude": {"model": "x", "permissions": {"deny": ["a"]}, "hooks": {
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "mine.sh"}]}],
        "Stop": [{"hooks": [{"type": "command", "command": "tacit-like hook"}]}]}},
    "codex": {"description": "d", "hooks": {"PostToolUse": [{"hooks": [{"type": "command", "command": "x y"}]}]}},
    "cursor": {"version": 1, "hooks": {"stop": [{"command": "./stop.sh"}]}, "other": [1]},
    "gemini": {"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "x"}]}]}, "ui": {"theme": "x"}},
    "copilot": {"version": 1, "hooks": {"Stop": [{"type": "command", "command": "./stop.sh"}]}},
}  # fmt: skip
LINE = "/x/tacit hook"


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
    path.parent.mkdir(parents=True)
    text = json.dumps(OTHERS[agent], indent="\t")
    path.write_text(text)
    path.chmod(0o640)
    dry = tacit("connect", agent, "--dry-run")
    assert text == path.read_text()
    assert "+" in dry.out
    first = tacit("connect", agent, "--no-mcp", "--json")
    once = path.read_text()
    again = tacit("connect", agent, "--no-mcp", "--json")
    (first_of,), (again_of,) = first.json["agents"], again.json["agents"]

    assert (0, True, False) == (first.code, first_of["changed"], again_of["changed"])
    assert once == path.read_text()
    assert text == Path(first_of["files"][0]["backup"]).read_text()
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
    assert {} == without_hooks(agent, with_hooks(agent, {}, LINE))
    assert with_hooks(agent, {}, LINE) == with_hooks(agent, with_hooks(agent, {}, "/old/tacit hook"), LINE)


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
    "before", [{}, {"hooks": {}}, {"hooks": {"Other": []}}, {"a": 1, "hooks": {}, "b": 2}, {"hooks": {"Other": "odd"}}]
)
@pytest.mark.parametrize("agent", AGENTS)
def test_connecting_and_disconnecting_leaves_what_was_there(agent, before):
    """Also what is empty, or odd; and who was never connected is not changed by disconnecting."""
    assert list(before.items()) == list(without_hooks(agent, before).items())
    connected = with_hooks(agent, before, LINE)
    expected = {key: value for key, value in before.items() if key != "hooks" or value}
    expected |= dialect(agent).settings_start if expected else {}

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

    assert commands_in(with_hooks("claude", settings, "'/x y/tacit' hook"))[-1] == "'/x y/tacit' hook claude PreToolUse"


def test_doctor_asks_every_connected_hook_what_no_guard_lets_pass(tacit, home, monkeypatch):
    """An answer that says nothing is not taken for one that guards; neither is a program that is gone."""
    for agent in HOOKED:
        tacit("connect", agent)
    fine = [
        one
        for one in tacit("doctor", "--json").json["findings"]
        if one["subject"] == "hooks" and "not trusted" not in one["message"]
    ]
    path = home / FILES["codex"]
    path.write_text(path.read_text().replace(program(home, "codex"), "/gone/tacit hook codex"))
    silent = home / "bin" / "tacit"
    silent.parent.mkdir()
    silent.write_text("#!/bin/sh\necho '{}'\n")
    silent.chmod(0o755)
    path = home / FILES["cursor"]
    path.write_text(path.read_text().replace(program(home, "cursor"), f"{silent} hook cursor"))
    answer = tacit("doctor", "--json")
    broken = [
        one for one in answer.json["findings"] if one["subject"] == "hooks" and "not trusted" not in one["message"]
    ]

    assert ["ok"] * len(HOOKED) == [one["level"] for one in fine]
    assert (1, ["ok", "error", "error", *["ok"] * (len(HOOKED) - 3)]) == (
        answer.code, [one["level"] for one in broken],
    )  # fmt: skip


@pytest.mark.parametrize("agent", AGENTS)
def test_comments_and_layout_stay_as_they_are(tacit, home, agent):
    """Connecting adds lines and changes none but the ones beside them; disconnecting gives the file back."""
    path = home / FILES[agent]
    path.parent.mkdir(parents=True)
    text = """// what I like
{
  "version": 1, // of the format
  "permissions": {"deny": ["a",   "b"]},
  "hooks": {
    /* my own */
    "Notification": [{"hooks": [{"type": "command", "command": "mine.sh"}]}], // at the end
    "other": []
  }
}
"""
    path.write_text(text)
    assert 0 == tacit("connect", agent).code
    connected = path.read_text()
    disconnect(agent_files(agent, places(home, {}), None), NOW)

    assert commands_in(parsed(connected))
    assert [line for line in text.splitlines() if line.rstrip(",") not in connected] == []
    assert text == path.read_text()


def test_no_backup_is_written_over_another(tmp_path):
    """Of two changes in one second the file as it was before the first is still there."""
    path = tmp_path / FILES["claude"]
    path.parent.mkdir()
    path.write_text('{"model": "opus"}')
    files = agent_files("claude", places(tmp_path, {}), None)[:1]
    (first,) = connect(files, Entries((LINE,)), NOW)
    (second,) = connect(files, Entries(("/y/tacit hook",)), NOW)

    assert first.backup != second.backup
    assert '{"model": "opus"}' == Path(first.backup).read_text()


@pytest.mark.parametrize("agent", AGENTS)
def test_a_hook_is_one_line_and_needs_no_words_beside_it(agent):
    """A version that knows no `args` would start the bare program; a path with a space is quoted."""
    hooks = json.dumps(with_hooks(agent, {}, "'/opt/my tools/tacit' hook"))

    assert '"args"' not in hooks
    assert [f"'/opt/my tools/tacit' hook {agent} {next(iter(dialect(agent).events))}"] == commands_in(json.loads(hooks))


def test_entries_of_the_older_shape_are_taken_out_and_replaced():
    """A program with its words beside it is ours as well."""
    old = {"type": "command", "command": "/opt/my tools/tacit", "args": ["hook", "claude"], "timeout": 10}
    settings = {"model": "x", "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [old]}]}}

    assert {"model": "x"} == without_hooks("claude", settings)
    assert ["/bin/tacit hook claude PreToolUse"] == commands_in(with_hooks("claude", settings, "/bin/tacit hook"))


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


BEFORE = [
    None, "", "{}", "{}\n", "{ }\n", '{"hooks": {}}', '{"hooks":{"Stop":[]},"model":"x"}', '{"model": "x"}\n',
    '{"model":"x","hooks":{"Stop":[{"hooks":[{"type":"command","command":"a.sh"}]}]}}', '{"mcpServers": {}}\n',
    '{\n\t"model": "x"\n}\n', '{\r\n  "model": "x"\r\n}\r\n', '// mine\n{\n  "a": [1,\n 2], // b\n}\n',
    '{"mcpServers": {"other": {"command": "x"}}}',
]  # fmt: skip
TOML = [
    None, "", "# mine\n", 'model = "x"', '[a]\nb = 1\n', '[a]\nb = 1\n\n', "[a]\r\nb = 1\r\n",
    '[mcp_servers.other]\ncommand = "x" # mine\n\n[z]\ny = 2\n', 'a = """\n[mcp_servers.tacit]\n"""\n',
]  # fmt: skip


@pytest.mark.parametrize("before", [*BEFORE, *TOML])
@pytest.mark.parametrize("agent", HOOKED)
def test_disconnecting_gives_every_file_back_byte_for_byte(home, agent, before):
    """One line stays one line, `{}` stays `{}`, and a file that we made is gone; also after connecting twice."""
    files = agent_files(agent, places(home, {}), None)
    fit = [file for file in files if not file.whole and (file.path.suffix == ".toml") == (before in TOML[2:])]
    for file in fit if before is not None else ():
        file.path.parent.mkdir(parents=True, exist_ok=True)
        file.path.write_bytes(before.encode())
    connect(files, Entries((LINE,), "/x/tacit"), NOW)
    connect(files, Entries((LINE,), "/x/tacit"), NOW)
    held = {file.path: entries_at(file) for file in files}
    disconnect(files, NOW)

    assert any(found.lines for found in held.values())
    assert all(found != Entries() for found in held.values())
    for file in files:
        assert (before.encode() if file in fit and before is not None else None) == (
            file.path.read_bytes() if file.path.exists() else None
        )


@pytest.mark.parametrize("agent", HOOKED)
def test_what_a_person_adds_in_the_meantime_stays(home, agent):
    """Only our entries are taken out, also from a file that we made."""
    files = agent_files(agent, places(home, {}), None)
    connect(files, Entries((LINE,), "/x/tacit"), NOW)
    for file in files:
        if file.path.suffix == ".json":
            file.path.write_text(json.dumps({**json.loads(file.path.read_text()), "mine": 1}))
        elif file.path.suffix == ".toml":
            file.path.write_text(f"# mine\n{file.path.read_text()}\n[mine]\na = 1\n")
    disconnect(files, NOW)

    for file in files:
        if file.path.suffix == ".json":
            assert {"mine": 1} == {k: v for k, v in json.loads(file.path.read_text()).items() if k != "version"}
        elif file.path.suffix == ".toml":
            assert {"mine": {"a": 1}} == tomllib.loads(file.path.read_text())
            assert file.path.read_text().startswith("# mine\n")
        else:
            assert not file.path.exists()


@pytest.mark.parametrize("agent", HOOKED)
def test_both_forms_of_the_hook_line_are_ours(home, agent):
    """Whoever connects again replaces the other form, and disconnecting removes both."""
    files = agent_files(agent, places(home, {}), None)
    for line in ("/old/tacit hook", "/home/me/.tacit/bin/tacit-hook", "'/a b/tacit-hook'", "/x/tacit hook"):
        connect(files, Entries((line,), "/x/tacit"), NOW)
        assert {line} == {one.line for one in map(entries_at, files) if one.lines}
        assert all(one.startswith(f"{line} {agent}") for file in files for one in entries_at(file).lines)
    disconnect(files, NOW)

    assert not any(file.path.exists() for file in files)


def test_a_file_of_somebody_else_is_not_written_over(home):
    """Cline's hooks are named after their event, so a person may have one of that name; then we write none."""
    files = agent_files("cline", places(home, {}), None)
    files[1].path.parent.mkdir(parents=True)
    files[1].path.write_text("#!/bin/sh\necho mine\n")
    with pytest.raises(UsageError, match="is not ours"):
        connect(files, Entries((LINE,)), NOW)
    disconnect(files, NOW)

    assert ["#!/bin/sh\necho mine\n"] == [file.path.read_text() for file in files if file.path.exists()]


def test_another_server_of_our_name_is_left_alone(home):
    """It is not ours to replace; connecting says so and writes nothing."""
    files = agent_files("claude", places(home, {}), None)
    text = '{"mcpServers": {"tacit": {"command": "somebody-else"}}}'
    files[1].path.write_text(text)
    with pytest.raises(UsageError, match="another MCP server"):
        connect(files, Entries((LINE,), "/x/tacit"), NOW)
    disconnect(files, NOW)

    assert text == files[1].path.read_text()
    assert not files[0].path.exists()


def test_a_tab_is_shown_as_one(tacit, home):
    """As it stands in the file, not as an escape."""
    (home / ".claude").mkdir()
    (home / FILES["claude"]).write_text('{\n\t"model": "x"\n}\n')
    shown = tacit("connect", "claude", "--dry-run").out

    assert '\n \t"model": "x"' in shown.replace("-\t", " \t")
    assert "\\t" not in shown


def test_codex_gets_a_time_that_it_accepts(home):
    """It cuts more than 3 seconds at the end of a session, and says so at every start."""
    hooks = with_hooks("codex", {}, LINE)["hooks"]

    assert 3 == hooks["SessionEnd"][0]["hooks"][0]["timeout"]
    assert 10 == hooks["PreToolUse"][0]["hooks"][0]["timeout"]


def test_gemini_gets_milliseconds():
    """Its timeouts are in milliseconds: 10 would end every hook at once."""
    assert 10_000 == with_hooks("gemini", {}, LINE)["hooks"]["BeforeTool"][0]["hooks"][0]["timeout"]


@pytest.mark.parametrize("agent", HOOKED)
def test_the_server_is_registered_unless_it_is_left_out(home, agent):
    """Where an agent has a list of servers; `--no-mcp` on a connected agent takes it out again."""
    files = agent_files(agent, places(home, {}), None)
    connect(files, Entries((LINE,), "/x/tacit"), NOW)
    listed = [entries_at(file).mcp for file in files if entries_at(file).mcp]
    connect(files, Entries((LINE,)), NOW)

    assert listed == ([] if dialect(agent).mcp is None else ["/x/tacit"])
    assert not any(entries_at(file).mcp for file in files)


def test_connect_alone_lists_what_is_there_and_changes_nothing(tacit, home, monkeypatch):
    """Without a terminal nobody can be asked."""
    monkeypatch.setenv("PATH", "/nowhere")
    assert "found none of claude, codex" in tacit("connect").out
    (home / ".gemini").mkdir()
    (home / ".claude").mkdir()
    before = sorted(home.rglob("*"))
    said, listed = tacit("connect"), tacit("connect", "--json")

    assert (0, 0) == (said.code, listed.code)
    assert ["claude: `tacit connect claude`", "gemini: `tacit connect gemini`"] == said.out.splitlines()
    assert ["claude", "gemini"] == [one["agent"] for one in listed.json["found"]]
    assert before == sorted(home.rglob("*"))


def test_connect_alone_connects_what_a_person_agrees_to(tacit, home, monkeypatch, person):
    """Each agent is a question; `--yes` answers all."""
    monkeypatch.setenv("PATH", "/nowhere")
    for name in (".gemini", ".claude", ".codex"):
        (home / name).mkdir()
    person()
    answer = tacit("connect", stdin=b"n\ny\nn\n")
    assert (0, False, True, False) == (
        answer.code, *((home / FILES[agent]).exists() for agent in ("claude", "codex", "gemini")),
    )  # fmt: skip
    assert 0 == tacit("connect", "--yes").code
    assert all((home / FILES[agent]).exists() for agent in ("claude", "codex", "gemini"))


def test_a_helper_is_wanted_unless_it_is_declined(tacit, home, own_home):
    """A sentence says so; the mark in the home is what a hook looks at."""
    assert "ends 15 minutes after the last request" in tacit("connect", "claude").out
    assert (own_home / "helper").exists()
    assert "15 minutes" not in tacit("connect", "codex", "--no-helper").out
    assert not (own_home / "helper").exists()
