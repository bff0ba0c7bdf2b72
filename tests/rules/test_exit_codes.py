"""An exit code that answers a question is no failure, and a command that runs on has no outcome."""

import pytest

from tacit.model.payload import KeptTurn
from tacit.model.session import ToolCall, ToolOutcome, Turn
from tacit.sessions.rules.kept_turns import kept_turns

from .test_recap import ran, told

RUNS_ON = "Command running in background with ID: b9b7. Output is being written to: /tmp/b9b7.output."


def failed(command: str, output: str = "", code: int = 1) -> KeptTurn:
    tool = ToolCall(name="Bash", kind="shell", command=command)
    turn = Turn(role="assistant", tool=tool, outcome=ToolOutcome(ok=False, output=output, exit_code=code))
    (found,) = kept_turns([turn], "t", "a", str)
    return found.turn


@pytest.mark.parametrize("command", [
    "git diff --no-index a b", "diff a b", "cd /w && grep -n till src/a.py", "cmp a b", "test -f till.py",
    "git diff --quiet", "cat a | grep till",
])  # fmt: skip
def test_that_files_differ_or_nothing_was_found_is_no_failure(command):
    """A newcomer's trial: `git diff --no-index` with exit code 1 was shown as failed."""
    turn = failed(command, "-one\n+error two" if "diff" in command else "")

    assert (True, 1, "") == (turn.ok, turn.exit_code, turn.error)


@pytest.mark.parametrize(("command", "output", "code"), [
    ("diff a b", "diff: b: No such file or directory", 2), ("npm test && grep till a", "", 1), ("grep x a", "", 2),
    ("git diff --no-index a b", "error: Could not access 'b'", 1), ("rm a && test -f b", "", 1), ("npm test", "", 1),
    ("grep x a", "grep: a: No such file or directory", 1), ("cat a | grep x", "no such file", 1),
])  # fmt: skip
def test_what_went_wrong_otherwise_failed(command, output, code):
    assert failed(command, output, code).ok is False


@pytest.mark.parametrize("line", ["pnpm add posthog-js 2>&1 &", "pnpm add posthog-js", "git push", "npm run test"])
def test_a_command_that_runs_on_is_not_told_as_done(line):
    """Judged: "Ran `pnpm add posthog-js`" was told of a command that was put into the background."""
    found = told(ran("ls"), ran("touch till.py"), ran(line, output=RUNS_ON))

    assert (("touch till.py",), ()) == (found.commands, tuple(one for one in found.failed if "Checked" in one))


def test_a_command_behind_an_ampersand_runs_on():
    assert ("touch a",) == told(ran("touch a"), ran("pnpm add posthog-js &")).commands
    assert ("pnpm add posthog-js",) == told(ran("touch a"), ran("pnpm add posthog-js")).commands
