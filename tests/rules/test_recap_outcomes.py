"""A recap tells as done only what certainly was: not by the exit code of another command, nor by silence."""

import pytest

from tacit.model.session import ToolCall, ToolOutcome, Turn
from tacit.sessions.rules.kept_turns import kept_turns
from tacit.sessions.rules.recap import recap_of
from tests.timing import assert_growth, cpu_s

from .test_recap import edited, ran, said, told

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


def failed(*turns):
    return told(ASKED, *turns).failed


@pytest.mark.parametrize("last", [
    "Fixed the till and the export, see the UI", "Fixed the till and the export, and CI is OK",
    "I looked at the till and the export again, and fixed it",
])  # fmt: skip
def test_an_answer_that_ends_in_a_short_word_is_not_cut_off(last):
    """A review: the answer from before the mend was told, that the till is broken."""
    broken = Turn(role="assistant", text="Rounding is broken in till.py; the bank export fails because of it.")
    turns = broken, said("fix it please, and the export"), edited("/w/till.py"), Turn(role="assistant", text=last)

    assert told(ASKED, *turns).outcome.startswith(last[:20])


@pytest.mark.parametrize("line", ["pytest | tee /tmp/out.txt", "pytest > test.log 2>&1"])
def test_what_a_check_prints_into_a_file_is_no_change_after_the_commit(line):
    turns = edited("/w/till.py"), ran("git commit -am 'Round it'", output=MADE), ran(line)

    assert not any("after the last commit" in one for one in failed(*turns))


@pytest.mark.parametrize(("output", "code", "ended"), [
    ("ok\nCommand timed out after 30 s, retrying\nbuilt in 3s\n", 0, False),
    ("ok\nCommand timed out after 30 s, retrying\nbuilt in 3s\n", None, False),
    ("Command timed out after 2m 0s\nbuilding …\n", None, True),
    ("building …\nCommand timed out after 2m 0s", None, True),
    ("x\n<shell_metadata>\nbash tool terminated command after exceeding timeout 5 ms\n</shell_metadata>", None, True),
])  # fmt: skip
def test_a_command_took_too_long_only_if_the_agent_says_so(output, code, ended):
    """A review: a build that printed of a retry, and ended with 0, was told as timed out."""
    tool = ToolCall(name="Bash", kind="shell", command="npm run build")
    found = failed(Turn(role="assistant", tool=tool, outcome=ToolOutcome(ok=True, exit_code=code, output=output)))

    assert ended is any("timed out after" in one for one in found)


def test_commits_of_another_repository_are_not_new():
    def log(name):
        return ran("git log --oneline -5", output="".join(f"{n}bbbbb1 {name} part {n}\n" for n in range(1, 5)))

    assert () == failed(log("Till"), ran("cd ../lib"), log("Library"), edited("/w/a.py"))


@pytest.mark.parametrize(("turns", "deleted"), [
    ((ran("npm pack"), ran("rm till-1.0.0.tgz")), ()), ((ran("python plot.py"), ran("rm sales.png")), ()),
    ((ran("ls a.py && rm a.py; ls"),), ()), ((ran("cat a.py"), ran("rm a.py")), ("Deleted a.py",)),
    ((edited("/w/a.py"), ran("git rm -q b.py")), ("Deleted b.py",)),
    ((ran("cat a.py"), ran("cd /w && rm a.py; ls")), ("Deleted a.py",)),
])  # fmt: skip
def test_only_what_was_there_before_and_certainly_went_is_deleted(turns, deleted):
    """A review: what a program made in the session was told as deleted, and what was perhaps not removed."""
    assert deleted == tuple(one for one in failed(*turns) if one.startswith("Deleted"))


@pytest.mark.parametrize(("line", "ok"), [
    ("ssh web 'grep -q x /etc/f.conf || echo y >> /etc/f.conf'", True), ("ssh web 'systemctl restart till'", None),
    ("ssh web 'systemctl is-active till || sudo systemctl restart till'", True),
])  # fmt: skip
def test_what_was_perhaps_not_done_on_another_machine_is_not_told(line, ok):
    sure = ran("ssh web 'systemctl restart till'")

    assert [] == [one for one in failed(ran("make"), ran(line, ok, "active")) if one.startswith("On ")]
    assert ["On web: ran `systemctl restart till`"] == [one for one in failed(sure) if one.startswith("On ")]


def test_a_push_does_not_mend_what_else_was_not_sent():
    """A review: that publishing failed was lost behind a push."""
    refused = ran("npm publish", False, "npm error 403 Forbidden")

    assert any("npm publish" in one for one in failed(refused, ran("git push")))
    assert not any(one.startswith("`npm publish` failed") and "worked" not in one
                   for one in failed(refused, ran("npm publish --access public")))  # fmt: skip


@pytest.mark.parametrize("command", [
    "make -n test", "tsc -v", "npx tsc --init", "ruff rule E501", "pytest --fixtures", "npm test -- --watch",
])  # fmt: skip
def test_what_only_prints_is_no_check(command):
    assert not any(one.startswith("Checked") for one in failed(ran(command)))


def test_what_another_agent_asked_is_not_a_person_s_however_it_is_written():
    """A review: a prompt with headings of another agent stood as the user's words, and went to the next start."""
    plan = "# Implement the export of the till to the bank\n\n## Steps\n- a\n\n## More"
    kept = kept_turns([said(plan), ran("make")], "claude:1", "claude", str, "agent")
    found = recap_of([(one.turn, one.text) for one in kept], session="claude:1", agent="claude", cwd="/w")

    assert () == found.asked


def test_a_recap_of_many_turns_is_quick(figures):
    """A review: twenty thousand turns took 18 seconds, and commits with logs in turn 160."""

    def seconds(size):
        turns = [ASKED]
        for number in range(size // 4):
            turns += [
                ran(f"git commit -qm 'Part {number} of the till'", None, ""),
                ran("git log --oneline -3", output=f"{number:07x} Part {number} of the till\n"),
                ran(f"make part{number}", False, "make: *** no rule"),
                edited(f"/w/part{number}.py"),
            ]
        kept = [(one.turn, one.text) for one in kept_turns(turns, "claude:1", "claude", str)]
        return cpu_s(lambda: recap_of(kept, session="claude:1", agent="claude", cwd="/w"))

    figures("recap of 2,000 turns in s", round(assert_growth(seconds, 500, 2_000, factor=8, slack_s=0.2)[1], 2))


def test_a_commit_that_was_tried_whatever_comes_of_it_is_not_told():
    """A blind judge and a newcomer: a probe of a hook that refuses commits was told as a commit without an outcome."""
    probe = ran("git commit --allow-empty -m test 2>&1 | sed -n '1,9p' || true", None, "Run /review before it.")

    assert () == failed(probe)


def test_tests_that_were_all_skipped_are_no_check():
    skipped = "=== RUN   TestTill\n--- SKIP: TestTill (0.00s)\nPASS\nok  \tw/till\t0.3s\n"

    assert () == failed(ran("go test -v -run TestTill ./...", True, skipped))
    assert () != failed(ran("go test -v ./...", True, f"--- PASS: TestA (0.00s)\n{skipped}"))


def test_a_workflow_that_was_started_is_told():
    line = "gh workflow run publish.yml --ref main"

    assert (line,) == told(ASKED, ran("make"), ran(line, True, "")).commands


def test_a_check_before_the_last_change_is_told_as_such():
    """A review: tests that passed before the last edit stood as if they were of the end."""
    tests = ran("pytest", output="3 passed in 0.1s")

    assert ("Checked before the last change: `pytest`: 3 passed",) == failed(tests, edited("/w/till.py"))
    assert ("Checked: `pytest`: 3 passed",) == failed(edited("/w/till.py"), tests, edited("/w/README.md"))
