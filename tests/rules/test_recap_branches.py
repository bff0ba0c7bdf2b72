"""Commits on several branches and in other folders, pull requests that were merged, and who reports that it works."""

import pytest

from tacit.sessions.rules.commands.command_results import result_of
from tacit.sessions.rules.commands.commits import committed
from tacit.sessions.rules.commands.git_log import logged
from tacit.sessions.rules.recap_text import recap_text

from .test_recap import FRAME, edited, ran, said, told

ASKED = said("Make the till round down")
MADE = ran(
    "git commit -m 'fix: round the till down'", output="[till 1234567] fix: round the till down\n 1 file changed"
)
RESET = ran("git reset --hard origin/main")


def lines(*turns):
    return recap_text(told(*turns)).splitlines()


def test_an_amended_commit_that_is_not_the_session_s_leaves_the_session_s_own():
    """A newcomer's trial: of four commits three were told, because an agent's program had committed in between."""
    log = ran("git log --oneline -2", output="2345678 Prompt: sum the tills\n1234567 fix: round the till down\n")
    amended = ran("git commit --amend -m 'feat: sum the tills'", output="[till 3456789] feat: sum the tills\n")

    assert "Committed: fix: round the till down; feat: sum the tills." in lines(ASKED, MADE, log, amended)
    assert "Committed: feat: sum the tills." in lines(ASKED, MADE, amended)


@pytest.mark.parametrize("log", [
    ran("cd /srv/b && git log --oneline -1", output="2345678 docs: another shop\n"),
    ran("git log --oneline -1 && git switch main", output="2345678 docs: another branch\n"),
])  # fmt: skip
def test_a_log_of_elsewhere_says_nothing_of_the_commit_that_is_amended(log):
    amended = ran("git commit --amend -m 'feat: sum the tills'", output="[till 3456789] feat: sum the tills\n")

    assert "Committed: feat: sum the tills." in lines(ASKED, MADE, log, ran("git switch till"), amended)


@pytest.mark.parametrize(("turns", "is_told"), [
    ([MADE, ran("git push"), RESET, ran("git status")], True),
    ([MADE, ran("git push"), RESET, ran("git push -f")], False),
    ([ran("git switch -c till"), MADE, ran("git push -u origin till"), ran("git switch main"), RESET], True),
    ([MADE, ran("git push origin docs"), RESET], False), ([MADE, ran("git push --dry-run"), RESET], False),
    ([MADE, ran("git push", False, "! [rejected] till -> till (fetch first)"), RESET], False),
    ([MADE, ran("git push; true", output="! [rejected] till -> till (fetch first)"), RESET], False),
    ([MADE, ran("git switch main"), RESET], False), ([MADE, RESET], False),
])  # fmt: skip
def test_a_commit_that_was_certainly_sent_stays_after_a_reset(turns, is_told):
    """A newcomer's trial: the main commit of a session was told as one without an outcome, after a reset of main."""
    assert is_told == ("Committed: fix: round the till down." in lines(ASKED, *turns))


def test_git_show_tells_that_a_commit_was_made():
    made = ran("git commit -q -m 'fix: round the till down' | tail -3", None, "")
    shown = ran("git show --stat --oneline HEAD", output="1234567 fix: round the till down\n till.py | 2 +-\n")

    assert "Committed: fix: round the till down." in lines(ASKED, made, shown)
    assert ("fix: round",) == logged(
        "git show", f"commit {'a1' * 20}\nAuthor: A <a@b.c>\nDate:   Mon\n\n    fix: round\n"
    )
    assert () == logged("git show HEAD:notes.txt", "1234567 is the number of the till\n")


def test_a_commit_in_a_folder_that_is_there_for_a_while_is_not_told():
    """A newcomer's trial: a try in a temporary worktree was told as a commit."""
    tried = ran(
        "D=$(mktemp -d)\ngit worktree add $D HEAD\ncd $D && git commit -am 'try the till'", output="[x 1234567] try"
    )

    logged_there = ran(
        'LOG=$(mktemp) && pytest > $LOG && git commit -am "fix: the till"', output="[x 1234567] fix: the till"
    )

    assert not any("Committed" in line for line in lines(ASKED, tried))
    assert "Committed: fix: the till." in lines(ASKED, logged_there)


def test_of_many_commits_no_merge_is_told():
    made = ["Merge branch 'main' into till", "docs: the till", "feat: sum the tills", "chore: tidy"]

    assert "Committed, among others: docs: the till; feat: sum the tills." == committed(made, 2)
    assert "Committed, among others: feat: sum the tills." == committed(made, 1)


def test_a_pull_request_that_was_merged_is_told_as_merged():
    """A newcomer's trial: "Looked at pull request #5" stood for one that the session had merged."""
    looked = ran("gh pr view 5 --json number,title", output='{"number":5,"title":"Round down"}')

    assert "Merged pull request #5: Round down." in lines(ASKED, looked, ran("gh pr merge 5 --squash"))
    assert "Looked at pull request #5: Round down." in lines(
        ASKED, looked, ran("gh pr merge 5", False, "not mergeable")
    )
    assert "Looked at pull request #5: Round down." in lines(ASKED, looked, ran("gh pr merge 5 --auto"))


def test_pull_requests_that_graphite_opens_are_told():
    output = "Creating/updating PRs...\nround: https://app.graphite.com/github/pr/shop/till/94 (created)\n"
    updated = output.replace("created", "updated")

    assert "#94" == result_of("gt submit --no-interactive", output)
    assert "" == result_of("gt submit --no-interactive", updated)
    assert ["Ran `gt submit --no-interactive`.", "Opened pull request #94."] == lines(
        ASKED, ran("gt submit --no-interactive", output=output)
    )[-2:]


@pytest.mark.parametrize("report", [
    "It works now, the sum had a comma in the place of a point in the museum's file",
    "Ora funziona, nel file del museo c'era una virgola",
])  # fmt: skip
def test_who_reports_that_it_works_is_told_before_other_remarks(report):
    """A blind judge: what had been wrong stood only in the user's own words, and they were left out."""
    names = ("till", "door", "desk", "lamp", "sign", "shelf", "stairs", "window")
    remarks = [f"the {one} of the {one[::-1]} stands {one * 3} beside {one * 2} in the hall" for one in names]
    turns = [turn for one in remarks for turn in (said(one), ran("make"))]

    found = told(ASKED, *turns[:6], said(report), *turns[6:])

    assert any(one.startswith(report[:20]) for one in found.asked)


def test_an_order_belongs_to_the_question_right_before_it():
    """A blind judge: "(then: fix)" stood behind a question though another one had been asked in between."""
    question, other, order = said("Which of the tills rounds down?"), said("can we do better?"), said("can you fix?")

    assert ("Which of the tills rounds down? (then: can you fix?)",) == told(question, ran("make"), order).asked
    assert ("Which of the tills rounds down?",) == told(question, ran("make"), other, ran("make"), order).asked


def test_what_tells_one_run_of_a_program_s_task_from_another_is_told():
    task = "## Objective\n\nBring the plan up to date."

    assert (
        "Bring the plan up to date (Scope: the till)"
        == told(said(f"Scope: the till\n\n{FRAME}{task}"), ran("ls")).given
    )


def test_a_check_before_a_new_dependency_is_no_check_of_the_end():
    passed = ran("npm test", output="Tests: 4 passed, 4 total")

    assert "Checked before the last change: `npm test`: 4 passed." in lines(ASKED, passed, ran("npm install till@2"))
    for line in (
        "npm install -g till@2",
        "npm install",
        "npm install 2>&1 | tail -3",
        "npm i # restore",
        "npm install --prefix web",
        "grep -rn 'npm install till' docs",
        "echo 'npm install till'",
    ):
        assert "Checked: `npm test`: 4 passed." in lines(ASKED, edited("till.js"), passed, ran(line))


def test_files_that_a_failed_command_looked_for_are_not_told_as_looked_at():
    missing = ran("ls -la /srv/a/till.json /srv/b/till.json", False, "ls: cannot access '/srv/a/till.json'")

    assert "Only read-only commands ran; files read: till.py." in lines(ASKED, missing, ran("cat till.py"))


def test_pasted_code_with_its_lines_numbered_is_not_what_was_asked():
    pasted = "157 class Till {\n158   round(sum) {\n→ 159     return sum / 0\n160   }\n"

    assert ("the till fails",) == told(said(f"the till fails\n{pasted}"), ran("make")).asked
    years = "2024 budget of the shop stays\n2025 budget of the shop grows\n2026 budget of the shop is hidden"
    assert 1 == len(told(said(years), ran("make")).asked)


def test_a_check_that_a_sandbox_kept_from_being_run_did_not_fail():
    """A blind judge: a test run that could not write its cache read as broken code."""
    error = "till.go:7:2: open /home/dev/.cache/build/ba/1: operation not permitted"
    kept_out = ran("go test ./...", False, error)

    assert not any("Checked" in line for line in lines(ASKED, edited("till.go"), kept_out))
    counted = ran("pytest -q", False, "/srv/app/x: Operation not permitted\n==== 1 failed, 3 passed in 1s ====")
    assert "Checked: `pytest -q`: 3 passed, 1 failed." in lines(ASKED, counted)


def test_a_file_with_a_long_name_is_told_with_its_folder():
    """A blind judge: "…/README.md" was taken for the one at the root, which the user had asked about."""
    read = ran("cat packages/the-tills-of-the-museum/src/documents/shop/README.md")

    assert "Only read-only commands ran; files read: …/shop/README.md." in lines(ASKED, read)
    # One with no folder in it stopped the recap.
    assert f"Only read-only commands ran; files read: …/{'x' * 60}.json." in lines(ASKED, ran(f"cat {'x' * 60}.json"))


def test_a_check_that_a_shell_did_not_understand_did_not_fail():
    """A blind judge: PowerShell refused `&&`, and the type check read as failed."""
    error = "The token '&&' is not a valid statement separator in this version."

    assert not any("Checked" in line for line in lines(ASKED, ran("cd web && npx tsc --noEmit", False, error)))
