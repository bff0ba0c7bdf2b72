"""A recap tells as done only what certainly was: not by the exit code of another command, nor by silence."""

import pytest

from tacit.model.session import ToolCall, ToolOutcome, Turn

from .test_recap import ran, said, told

ASKED = said("Round the totals of the till")
COMMIT = "git commit -am 'Round half up'"
MADE = "[main 1234567] Round half up\n 1 file changed\n"


@pytest.mark.parametrize(("line", "output"), [
    (f"pytest -q && {COMMIT}; git status --short", "F\n1 failed in 0.1s\n M till.py\n"),
    (f"make lint && {COMMIT}; echo done", "make: *** [lint] Error 1\ndone\n"),
    (f"{COMMIT}; npm test", "husky - pre-commit hook exited with code 1\n2 passed"),
    (f"git add -A; {COMMIT}; git status -s", "lint-staged failed\n M till.py\n"),
    (f"git diff --cached --quiet || {COMMIT}", ""), (f'if [ -n "$X" ]; then {COMMIT}; fi', ""),
    ("git commit --dry-run -m 'Round half up'", "Changes to be committed\n"),
    (f"{COMMIT}; git log --oneline -1", "nothing to commit, working tree clean\nabc1234 Round half up"),
    ("git commit -qm 'Add a test for the till'; git log --oneline -1", "abc1234 test"),
    ("cat > ci.yml <<'EOF'\n" + "x: 1\n" * 500 + "\n    git commit -am \"Release the till\"\nEOF", ""),
])  # fmt: skip
def test_a_commit_that_is_not_certain_is_not_told_as_made(line, output):
    """A review: all of these were told as "Committed", by the exit code of another command."""
    assert () == told(ASKED, ran(line, True, output)).commits


@pytest.mark.parametrize(("line", "output"), [
    (COMMIT, ""), (f"cd /w && git add -A && {COMMIT} 2>&1 | tail -3", ""), (f"{COMMIT} && git push 2>&1", ""),
    (f"pytest -q && {COMMIT}; git status --short", f"3 passed\n{MADE}"), (f"{COMMIT}\ngit log -1 --oneline", MADE),
    ("git commit -q -F - <<'EOF'\nRound half up\n\nAnd so on; truly.\nEOF", ""), (f"{COMMIT};", ""),
    ("git commit -m \"$(cat <<'EOF'\nRound half up\n\nMore; of it.\nEOF\n)\" && git status", ""),
])  # fmt: skip
def test_a_commit_that_is_certain_is_told(line, output):
    assert ("Round half up",) == told(ASKED, ran(line, True, output)).commits


def test_what_was_sent_is_known_by_its_own_exit_code_or_by_git():
    line, sent = "./check.sh && git push; echo done", "To x\n   1e0a61c..f8fe3f9  main -> main\ndone\n"

    assert [(), ("git push",), ("git push",), (), ("git push -u origin a",)] == [
        told(ASKED, ran(*one)).commands
        for one in (
            (line, True, "bad\ndone\n"), (line, True, sent), ("make && git push", True, ""),
            ("git push -n", True, ""), ("git push -u origin a | tail -1", True, "x"),
        )
    ]  # fmt: skip


@pytest.mark.parametrize(("command", "ok", "passed"), [
    ("npx tsc --noEmit", True, True), ("npx tsc --noEmit", None, False), ("npx tsc --noEmit > errors.txt", True, False),
    ("npx eslint . -f json -o report.json", True, False), ("npx tsc --noEmit 2>&1", True, True),
])  # fmt: skip
def test_silence_is_success_only_with_an_exit_code(command, ok, passed):
    """A review: a check that a killed session never ended had "passed"."""
    tool = ToolCall(name="Bash", kind="shell", command=command)
    found = told(ASKED, Turn(role="assistant", tool=tool, outcome=ToolOutcome(ok=ok)))

    assert passed is any("passed" in one for one in found.failed)
