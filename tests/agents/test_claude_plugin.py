"""The plugin for Claude Code: its files agree with the server and the hooks, and its skill is a valid one."""

import json
import re

import pytest
from skills_ref import validate

from tacit.admission.instruction_detection import find_instructions
from tacit.agents.claude_plugin import PLUGIN, SERVER, SKILL, plugin_files, tool
from tacit.agents.hook_settings import with_hooks
from tacit.doors.mcp.tools import TOOLS
from tacit.text.safe_yaml import read_yaml
from tacit.text.token_budget import estimate_tokens

PROGRAM = "/opt/with space/bin/tacit"
LINE = f"'{PROGRAM}' hook"
FILES = plugin_files(PROGRAM, LINE)
COMMANDS = [name for name in FILES if name.startswith("commands/")]


def test_the_files_of_the_plugin():
    assert sorted(FILES) == [
        ".claude-plugin/plugin.json", ".mcp.json", "commands/lessons.md", "commands/recall.md", "commands/remember.md",
        "hooks/hooks.json", f"skills/{SKILL}/SKILL.md",
    ]  # fmt: skip
    assert PLUGIN == json.loads(FILES[".claude-plugin/plugin.json"])["name"]
    assert with_hooks("claude", {}, LINE) == json.loads(FILES["hooks/hooks.json"])
    server = {"command": PROGRAM, "args": ["mcp"]}
    assert {"mcpServers": {SERVER: server}} == json.loads(FILES[".mcp.json"])


def test_the_skill_passes_the_public_validator(tmp_path):
    folder = tmp_path / SKILL
    folder.mkdir()
    (folder / "SKILL.md").write_text(FILES[f"skills/{SKILL}/SKILL.md"])

    assert [] == validate(folder)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_may_use_tools_that_exist(name):
    """And takes what the user typed behind it."""
    _, head, text = FILES[name].split("---\n", 2)
    allowed = re.split(r", *", read_yaml(head, name)["allowed-tools"])

    assert set(allowed) <= {tool(one.name) for one in TOOLS}
    assert text.count("$ARGUMENTS") == 1


def test_what_the_skill_names_exists():
    """Every tool and action in backticks that looks like one of ours is one."""
    text = FILES[f"skills/{SKILL}/SKILL.md"]
    names = {one.name for one in TOOLS} | {action for one in TOOLS for action in one.actions}
    arguments = {name for one in TOOLS for action in one.actions.values() for name in action.arguments}
    labels = {"unverified", "id", "note: true"}

    assert set() == set(re.findall(r"`([a-z_: ]+)`", text)) - names - arguments - labels - {"by the user"}
    assert estimate_tokens(text) < 1_000


def test_no_text_of_the_plugin_reads_as_an_attack():
    """What we write into an agent's folder must pass our own judge of instructions."""
    assert {} == {name: found for name, text in FILES.items() if (found := find_instructions(text))}
