"""What the agents' own programs wrote: their transcripts and hook payloads, read as a person would."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from tacit.agents.hook_dialects import read_hook
from tacit.agents.transcripts import transcripts
from tacit.model.hook import unnamed_call
from tests.agents.test_readers import only, ran

CAPTURED = Path(__file__).with_name("captured")
# Scripted for every agent, with the exit codes.
CODES = {
    "ls /nonexistent-zzz": 2, "exit 3": 3, "git psuh": 1, "echo good; echo 'Exit code 5'": 0,
    "grep -q zzz package.json": 1, "cat package.json | head -3": 0, "cd sub && npm run biuld": 1,
}  # fmt: skip


@pytest.mark.parametrize("agent", ["claude", "codex", "gemini", "opencode", "copilot", "cline"])
def test_seven_commands_ran_and_five_failed(agent: str, tmp_path: Path) -> None:
    """Every agent hides the exit codes elsewhere; only for a success it may give none. Claude calls `grep -q` ok."""
    (path,) = CAPTURED.glob(f"{agent}-codes.*")
    if path.suffix == ".sql":
        written, path = path.read_text(), tmp_path / "opencode.db"
        with sqlite3.connect(path) as database:
            database.executescript(written)
        database.close()
    transcript, turns = only(path)
    expected = CODES | ({"grep -q zzz package.json": 0} if agent == "claude" else {})

    assert expected == {command: code or 0 for command, (_ok, code, _refused) in ran(turns).items()}
    assert {command: code == 0 for command, code in expected.items()} == {
        command: ok for command, (ok, _code, _refused) in ran(turns).items()
    }
    assert {} == transcript.reading.unknown


@pytest.mark.parametrize(
    ("name", "refused"),
    [("claude-guard-denials", ["rm -rf ~", "git push --force origin main", "git tag -d v1"]),
     ("codex-guard-denials", ["rm -rf ~", "git push --force origin main", "git tag -d v1"]),
     ("gemini-guard-denials", ["rm -rf ~", "git push --force origin main", "git tag -d v1"]),
     ("copilot-guard-denials", ["rm -rf ~", "git push --force origin main", "git tag -d v1"]),
     ("claude-permission-refusals", ["npm run biuld", "touch /scratch/out/zzz"]),
     ("claude-subagent", ["rm -rf ~"])],
)  # fmt: skip
def test_what_a_guard_or_the_agent_refused_is_no_failure(name: str, refused: list[str]) -> None:
    """The transcript has only the reason, in anyone's words: a command that ran would begin with its exit code."""
    found = ran(only(CAPTURED / f"{name}.jsonl")[1])

    assert refused == [command for command, outcome in found.items() if outcome == (None, None, True)]


def test_a_time_out_is_no_failure() -> None:
    """Claude Code stopped the command: nobody knows how it would have ended."""
    assert (None, 143, False) == ran(only(CAPTURED / "claude-timeout.jsonl")[1])["sleep 20"]


def test_an_older_claude_gives_no_exit_codes(tmp_path: Path) -> None:
    """Version 2.0.28 wrote only the output of a failed command, so there the missing code means nothing."""
    path = tmp_path / "s.jsonl"
    written = (CAPTURED / "claude-codes.jsonl").read_text().replace("Exit code 1\\n", "")
    path.write_text(written.replace("2.1.197", "2.0.28"))

    assert (False, None, False) == ran(only(path)[1])["git psuh"]


def test_the_end_of_a_polled_command_is_its_own() -> None:
    """Not that of the calls that waited for it."""
    turns = only(CAPTURED / "codex-polled-command.jsonl")[1]

    assert [("exec_command", False, 1), ("write_stdin", None, None), ("write_stdin", None, None)] == [
        (turn.tool.name, turn.outcome.ok, turn.outcome.exit_code) for turn in turns if turn.tool and turn.outcome
    ]


def test_only_the_last_session_of_a_history_changes(tmp_path: Path) -> None:
    """Another session in the same file changes nothing in those before it."""
    path = tmp_path / ".aider.chat.history.md"
    mark = "\n# aider chat started at "
    _nothing, *sessions = (CAPTURED / "aider.chat.history.md").read_text().split(mark)
    stamps = []
    for number in range(1, len(sessions) + 1):
        path.write_text("".join(mark + one for one in sessions[:number]))
        stamps.append([one.stamp for one in transcripts(path)])
    path.write_text(path.read_text() + "#### and more\n")
    stamps.append([one.stamp for one in transcripts(path)])
    one, two, three, grown = stamps

    assert (one, two, three[:2]) == (two[:1], three[:2], grown[:2])
    assert three[2] != grown[2]


# -- hooks ------------------------------------------------------------------------------------------------------------

PAYLOADS = [json.loads(line) for line in (CAPTURED / "hook-payloads.jsonl").read_text().splitlines()]


def heard(agent: str, command: str, **other: object) -> tuple[bool | None, int | None, bool]:
    """Read the outcome in the payload of a command, with other fields."""
    captured = next(
        one["payload"]
        for one in PAYLOADS
        if (one["agent"], one["payload"]["tool_input"]["command"]) == (agent, command)
    )
    call = read_hook(agent, {**captured, **other})
    assert call
    assert call.outcome
    return call.outcome.ok, call.outcome.exit_code, call.outcome.refused


def test_codex_says_nothing_about_the_outcome() -> None:
    """Its payload has what the command printed and no exit code, whether it failed or not, and whatever it printed."""
    printed = ['{"exit": "soon"}', "Exit code 5\nsays the log", '{"success": false}', ""]

    assert {(None, None, False)} == {heard("codex", command) for command in ("npm run biuld", "npm run build")}
    assert {(None, None, False)} == {heard("codex", "npm run build", tool_response=text) for text in printed}


def test_claude_says_how_a_command_ended() -> None:
    """A failure begins with its exit code, a success is an object, and a time-out is neither."""
    found = [heard("claude", command) for command in ("npm run biuld", "npm run build", "sleep 20")]

    assert [(False, 1, False), (True, None, False), (None, 143, False)] == found


@pytest.mark.parametrize(
    ("error", "refused"),
    [("it deletes a tag: v1 (tacit guard, git.tag-delete).", True), ("This command requires approval", True),
     ("touch in '/out/zzz' was blocked. For security, Claude Code may only create or modify files in …", True),
     ("Exit code 137\n[Request interrupted by user for tool use]", True), ("Command timed out after 2m 0.0s", False),
     ("<tool_use_error>InputValidationError: command is missing</tool_use_error>", False)],
)  # fmt: skip
def test_a_hook_that_reports_what_never_ran_reports_no_failure(error: str, refused: bool) -> None:
    """For a command of Claude Code, only an exit code says that it ran to its end."""
    ok, _code, was_refused = heard("claude", "npm run biuld", error=error)

    assert (None, refused) == (ok, was_refused)


MOMENTS = [json.loads(line) for line in (CAPTURED / "moments.jsonl").read_text().splitlines()]


def test_gemini_keeps_what_the_user_said_beside_what_a_hook_added() -> None:
    """Both are in one message; only the user's own part is the prompt."""
    turns = only(CAPTURED / "gemini-guard-denials.jsonl")[1]

    assert ["build it"] == [turn.text for turn in turns if turn.role == "user"]


def test_every_payload_is_read_as_the_moment_it_is() -> None:
    """What each program sends at each event, with its session, folder and transcript."""
    read = [(one["agent"], read_hook(one["agent"], one["payload"])) for one in MOMENTS]
    found = {(agent, call.moment) for agent, call in read if call is not None}
    everywhere = {"before_tool", "after_tool", "prompt", "session_start", "session_end", "turn_end"}

    assert all(call is not None and call.session and call.cwd.startswith("/scratch/") for _agent, call in read)
    assert {moment for agent, moment in found if agent == "gemini"} == {*everywhere, "compact"}
    assert {moment for agent, moment in found if agent == "copilot"} == everywhere
    assert {moment for agent, moment in found if agent == "opencode"} == everywhere - {"session_end"}
    assert {moment for agent, moment in found if agent == "claude"} == {"after_tool", "turn_end", "subagent_end"}
    assert {"build it", '"build it"'} == {call.prompt for _agent, call in read if call and call.moment == "prompt"}
    ended = {(agent, call.moment): call.transcript for agent, call in read if call}
    assert ended["gemini", "session_end"].endswith(".jsonl")
    assert ended["copilot", "turn_end"].endswith("/events.jsonl")
    assert ended["claude", "subagent_end"].endswith("/subagents/agent-a5ef5c0c7922cda2f.jsonl")
    assert ended["copilot", "session_end"] == ""


@pytest.mark.parametrize("agent", ["gemini", "copilot"])
def test_gemini_and_copilot_say_how_a_command_ended(agent: str) -> None:
    """Inside the text for the model; a hook has no id, so the call gets one that the transcript can give too."""
    calls = [read_hook(agent, one["payload"]) for one in MOMENTS if one["agent"] == agent]
    ended = {call.tool.command: call for call in calls if call and call.tool and call.outcome and call.tool.command}
    failed, worked = ended["npm run biuld"], ended["npm run build"]

    assert failed.outcome and worked.outcome and failed.tool
    assert (False, 1) == (failed.outcome.ok, failed.outcome.exit_code)
    assert True is worked.outcome.ok
    assert failed.outcome.output.startswith('npm error Missing script: "biuld"')
    assert "exit code" not in failed.outcome.output.lower() or agent == "gemini"
    assert failed.tool.call == unnamed_call("npm run biuld", False)
    (edit,) = [call for call in calls if call and call.is_edit]
    assert edit.tool and edit.tool.paths == (f"/scratch/home-{agent}/proj/notes.txt",)


def test_opencode_says_how_a_command_ended() -> None:
    """Its plugin passes on the exit code, and the id that the database has too."""
    calls = [read_hook("opencode", one["payload"]) for one in MOMENTS if one["agent"] == "opencode"]
    (failed,) = [call for call in calls if call and call.outcome and call.tool and call.tool.command]
    (edit,) = [call for call in calls if call and call.is_edit]

    assert failed.outcome and failed.tool and edit.tool
    assert ("npm run nope", False, 1) == (failed.tool.command, failed.outcome.ok, failed.outcome.exit_code)
    assert failed.tool.call.startswith("call_")
    assert edit.tool.paths == ("/scratch/home-opencode/proj/notes.txt",)
