"""Where agents keep their transcripts: found by home and variables, each file once."""

from __future__ import annotations

from pathlib import Path

from tacit.agents.registry import NAMES as AGENTS
from tacit.agents.transcript_locations import files_of, sources
from tests.agents import made


def test_every_agent_has_a_place(tmp_path: Path) -> None:
    """All agents are looked for, also on a machine that has none of them."""
    found = sources(tmp_path, {}, tmp_path)

    assert set(AGENTS) == {source.agent for source in found}
    assert {"aider"} == {source.agent for source in found if source.exists}


def test_variables_move_places(tmp_path: Path) -> None:
    """Agents' own variables, and those of the desktop, say where to look instead."""
    env = {
        "CLAUDE_CONFIG_DIR": f"{tmp_path}/cl", "CODEX_HOME": f"{tmp_path}/cx", "XDG_DATA_HOME": f"{tmp_path}/share",
        "XDG_CONFIG_HOME": f"{tmp_path}/conf", "COPILOT_HOME": f"{tmp_path}/cp",
    }  # fmt: skip
    roots = {(source.agent, source.root) for source in sources(Path("/nobody"), env)}

    assert {
        ("claude", f"{tmp_path}/cl/projects"), ("codex", f"{tmp_path}/cx/sessions"),
        ("opencode", f"{tmp_path}/share/opencode"), ("cursor", f"{tmp_path}/conf/Cursor/User"),
        ("copilot", f"{tmp_path}/cp/session-state"),
    } <= roots  # fmt: skip
    assert ("claude", "/nobody/.claude/projects") not in roots


def test_files_of_each_place(tmp_path: Path) -> None:
    """Each agent's files are found where that agent puts them, on Linux and macOS, and nothing else is."""
    made.claude(tmp_path / ".claude" / "projects" / "-srv-shop")
    inside = tmp_path / ".claude" / "projects" / "-srv-shop" / made.CLAUDE_ID
    made.lines(inside / "subagents" / "agent-a1.jsonl", [made.claude_user(1, "look")])
    made.lines(inside / "tool-results" / "x.jsonl", [])
    made.codex(tmp_path / ".codex" / "sessions" / "2026" / "10" / "05")
    made.cursor(tmp_path / ".cursor")
    made.cursor_chat(tmp_path / ".cursor")
    made.cursor_editor(tmp_path / "Library" / "Application Support" / "Cursor")
    made.gemini(tmp_path / ".gemini")
    made.opencode_tree(tmp_path / ".local" / "share" / "opencode")
    made.opencode_database(tmp_path / ".local" / "share" / "opencode")
    made.copilot(tmp_path / ".copilot")
    made.cline(tmp_path / ".config" / "Code" / "User" / "globalStorage" / "saoudrizwan.claude-dev")
    made.cline_session(tmp_path / ".cline" / "data" / "sessions")
    made.aider(tmp_path / "shop")
    found = [
        (source.agent, path.name)
        for source in sources(tmp_path, {}, tmp_path / "shop" / "src")
        if source.exists
        for path in files_of(source)
    ]

    assert sorted([
        ("claude", f"{made.CLAUDE_ID}.jsonl"), ("claude", "agent-a1.jsonl"),
        ("codex", f"rollout-2026-10-05T10-00-00-{made.CODEX_ID}.jsonl"),
        ("cursor", "9c3b7e10-1111-4222-8333-abcdefabcdef.jsonl"), ("cursor", "store.db"), ("cursor", "state.vscdb"),
        ("cursor", "state.vscdb"), ("gemini", "session-2026-10-07T07-00-g5150.jsonl"), ("opencode", "opencode.db"),
        ("opencode", "ses_till.json"), ("copilot", "events.jsonl"), ("cline", "api_conversation_history.json"),
        ("cline", "s1.messages.json"), ("aider", ".aider.chat.history.md"),
    ]) == sorted(found)  # fmt: skip
