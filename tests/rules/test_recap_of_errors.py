"""What three blind judges found on 19 November: pasted errors, the end of the last prompt, what a commit says."""

import pytest

from tacit.sessions.rules.commands.commits import committed
from tacit.sessions.rules.own_words import own_words
from tacit.sessions.rules.recap_text import recap_text
from tests.timing import assert_quick

from .test_recap import edited, only_looked, ran, said, told

UNKNOWN = "fatal: ambiguous argument 'x5..HEAD': unknown revision or path not in the working tree."
HINT = f"{UNKNOWN}\nUse '--' to separate paths from revisions, like this:\n'git <command> -- [<file>...]'"
P3014 = "Error: P3014\n\nNo database was made. Please see that the user may do it\n\nOriginal error: P1010"
UNREAD = (
    "In Zeile:1 Zeichen:73\nDas Token \"&&\" ist in dieser Version kein gültiges Anweisungstrennzeichen.\n"
    "    + CategoryInfo          : ParserError: (:) [], ParentContainsErrorRecordException\n"
    "    + FullyQualifiedErrorId : InvalidEndOfLine\n"
)  # fmt: skip


@pytest.mark.parametrize(("prompt", "typed"), [
    (f"(shop) C:\\till>git filter-repo --refs x5..HEAD\n{HINT}",
     f"git filter-repo --refs x5..HEAD: {UNKNOWN[:-1]}"),
    ("PS C:\\till> git filter-repo\ngit: 'filter-repo' is not a git command. See 'git --help'.\nPS C:\\till>",
     "git filter-repo: git: 'filter-repo' is not a git command. See 'git --help'"),
    ("(shop) C:\\till>git tag --list\n\n(shop) C:\\till>", ""),
    (f"running the migration I get this issue\n\n{P3014}",
     "running the migration I get this issue: Error: P3014 No database was made. Please see that the user may do it"),
    ("TypeError: till is undefined\n  in shop\n  in drawer\n\nwhy does it fail on the server\nbut not here ?",
     "why does it fail on the server but not here ? - TypeError: till is undefined"),
    ("Show these of the till better:\nError: no such till\n- with its number\n- with its shop\n- in red",
     "Show these of the till better: Error: no such till, with its number with its shop in red"),
    ("C:\\site\\index.html has <div> tags that do not close, fix them",
     "C:\\site\\index.html has <div> tags that do not close, fix them"),
    ("C:\\work\\old.py -> C:\\work\\new.py: please move it", "C:\\work\\old.py -> C:\\work\\new.py: please move it"),
    ("Beim Start kommt das:\n\nError: till is undefined\nin shop\nin drawer\n\nBitte repariere die Kasse.",
     "Beim Start kommt das: Error: till is undefined … Bitte repariere die Kasse"),
    ("Login shows\nError: Wrong password\nwhen it is right.\nFind out why.\nThen add a test for it.",
     "Login shows Error: Wrong password when it is right. Find out why. Then add a test for it"),
    ("s:1832:28)\\n' +\n  '    at async Till.open (/shop/till.js:22:2)\\n' +\n  '    at async Till.re", ""),
])  # fmt: skip
def test_an_error_that_was_pasted_is_told_and_not_what_stands_below_it(prompt, typed):
    assert typed == own_words(prompt)


def many_prompts(last: str) -> list:
    """Return a session with more requests than a recap has room for, and then this one."""
    asked = (
        "Create a till that closes at night and opens in the morning", "Fix the receipts that the printer prints twice",
        "Add a scale for apples, pears and plums", "Move the drawer behind the clerk and lock it with a new key",
        "Update the labels of all shelves in the north", "Remove old coins from the list of what is taken",
        "Show the totals of the week above those of the month", "Rename the cards of the club to green cards",
    )  # fmt: skip
    work = [ran("make"), ran("make test"), edited("/w/till.py")] * 3
    return [*(turn for one in asked for turn in (said(one), *work)), said(last)]


WRONG_PAGE = (
    "my bad. i looked at the old page on the remote server and not at the one that runs here, which is the one that "
    "you have been changing all day. what i see now here in the window of the browser follows the compact flag of the "
    "table but shows the exact opposite of what i would expect"
)
NOT_ALL = (
    "now the action works because i have put the file of the settings back into the list of those that nobody sees, "
    "where it was before somebody took it out last week, but in the step of the build it gets the error 403"
)
STILL_OPEN = (
    "Still open (task 6, your call): the rescan of the watcher, deferred until the new interface of the storage is "
    "there and somebody has measured how long it takes on a large folder, lets do this as well"
)


@pytest.mark.parametrize(("last", "end"), [
    (WRONG_PAGE, "but shows the exact opposite of what i would expect"), (STILL_OPEN, "lets do this as well"),
    (NOT_ALL, "but in the step of the build it gets the error 403"),
    ("adapta la pagina delle casse in modo che funzioni come prima con il conto e il bilancio", "bilancio"),
])  # fmt: skip
def test_the_end_of_the_last_prompt_is_told(last, end):
    found = told(*many_prompts(last))

    assert found.asked[-1].endswith(end)


def test_the_same_command_that_fails_otherwise_is_told_with_its_last_error():
    first = "(shop) C:\\till>git filter-repo --refs x51c3ebfe62..HEAD --path old_till/ --invert-paths\n"
    turns = [said("Split the old till from the new one"), ran("git log"), said(f"{first}fatal: not a git command")]

    asked = told(*turns, said(f"{first}{HINT}")).asked

    assert [] == [one for one in asked if "not a git command" in one]
    assert "ambiguous argument" in asked[-1]


def test_what_is_pasted_again_is_told_where_it_was_pasted_last():
    first = "(shop) C:\\till>git filter-repo --refs x51c3ebfe62..HEAD --path old_till/ --invert-paths\n"
    begun = [said(f"{first}fatal: not a git command"), ran("git log"), said("Move the drawer behind"), ran("make")]

    found = told(*begun, said(f"{first}{HINT}"))

    assert "Move the drawer behind" == found.asked[0]
    assert 1 == found.asked_since


def test_a_long_prompt_is_read_quickly():
    for text in ("Error " + "1" * 200_000, "x" + "\n" * 200_000 + "y", "C:\\" + "a>" * 100_000):
        assert_quick(lambda text=text: own_words(text), most_s=1)


def test_a_chore_is_left_out_for_what_it_is_done_for():
    purpose = "im trying to find out if there is a way to measure how much the new till saves the shop in a whole year"

    assert (purpose,) == told(said("check out main and pull the latest"), ran("git pull"), said(purpose)).asked[:1]
    assert "close the till" in told(said("close the till"), ran("make till"), said(purpose)).asked
    page = "Checkout page shows wrong total"
    assert page in told(said(page), ran("make till"), said(purpose)).asked


def test_what_was_asked_aside_makes_room_for_requests():
    asked = (
        "Create a till that closes at night", "Fix the receipts that are printed twice", "Add a scale for the apples",
        "can you give me a summary of what changed in the branch since yesterday?", "Move the drawer behind the clerk",
        "Update the labels of the pears", "Send the cards to the bank", "Show the totals of the week",
        "Remove the coins from the drawer",
    )  # fmt: skip
    turns = [turn for one in asked for turn in (said(one), ran(f"make {one.split()[-1]}"))]

    assert not any("summary" in one for one in told(*turns).asked)


def test_what_polishes_other_commits_is_told_last():
    subjects = ["Add the drawer", "Simplify after review", "Wire the drawer to the till", "Polish", "Update docs"]

    assert "Committed, among others: Add the drawer; Wire the drawer to the till." == committed(subjects, 2)


def test_of_equal_commits_the_largest_are_told():
    said_by_git = "[main 1a2b3c4] {}\n 2 files changed, {} insertions(+), 1 deletion(-)\n"
    sizes = {"Add the drawer": 20, "Read the till": 300, "Name the scale": 2, "Weigh the pears": 90, "Sort cards": 3}
    turns = [ran(f"git commit -am '{one}'", output=said_by_git.format(one, size)) for one, size in sizes.items()]

    found = told(said("Build the shop"), *turns)

    assert (21, 301, 3, 91, 4) == found.commit_lines
    assert "Committed, among others: Add the drawer; Read the till; Weigh the pears" in committed(
        found.commits, 3, found.commit_lines
    )


def test_what_is_to_be_reviewed_is_not_told_as_left_behind():
    status = ran("git status --short", output=" M till.py\n")

    assert () == told(said("Review the staged changes of this repository"), status, ran("cat till.py")).uncommitted
    assert ("till.py",) == told(said("Close the till at night"), status).uncommitted
    assert ("till.py",) == told(said("Review it and mend it"), edited("/w/till.py"), status).uncommitted


@pytest.mark.parametrize(("line", "is_told"), [
    ("git config --global commit.gpgsign false", True), ("git config --global --unset user.signingkey", True),
    ("git config --global user.name", False), ("git config user.name Ann", False),
    ("git config --global --get user.name", False), ("git config --global safe.directory /w", False),
])  # fmt: skip
def test_what_is_set_for_all_repositories_is_told(line, is_told):
    assert is_told == (line in told(said("I do not want to sign my commits"), ran(line), edited("/w/a.md")).commands)


def test_a_pull_request_that_a_program_around_gh_names_was_opened():
    create = "gh pr create --base develop --title 'Close the till' --body x"

    output = "ok created #825 https://git.example/shop/till/pull/825\n"
    assert ("pull request #825",) == told(said("Open it"), ran(create, output=output)).opened
    both = f"{output}ok created https://git.example/shop/till/pull/824\n"
    assert () == told(said("Open it"), ran(create, output=both)).opened


def test_what_was_only_committed_is_not_said_to_be_changed():
    """It may have been changed before: a session that commits what is there changed nothing."""
    status = ran("git status --short", output=" M till.py\n")
    found = told(said("Commit my changes"), status, ran("git add till.py && git commit -m 'Close the till'"))

    assert recap_text(found).endswith("Committed: Close the till.\nThe commits include till.py.")
    written = told(said("Close it"), edited("/w/till.py"), ran("git add till.py && git commit -m 'Close the till'"))
    assert "Changed till.py.\nCommitted: Close the till." in recap_text(written)


def test_a_line_that_powershell_could_not_read_did_not_run():
    """It was told as a file that was looked at, as no exit code was known."""
    found = told(said("Look at the till of the shop"), ran('cd "C:\\shop" && grep -n till till.js', True, UNREAD))

    assert not only_looked(found)
    assert "till.js" not in recap_text(found)
    check = told(said("Look at the till of the shop"), ran("cd web && npx tsc --noEmit", None, UNREAD))
    assert "failed (Das Token" in recap_text(check)
    tested = told(said("Test the till of the shop"), ran("npm test", True, f"Tests:  12 passed, 12 total\n{UNREAD}"))
    assert "`npm test`: 12 passed" in recap_text(tested)
    assert only_looked(told(said("Look at the log"), ran("cat build.log", True, UNREAD)))


def test_a_pull_request_that_was_there_afterwards_was_opened():
    create = ran('gh pr create --base main --title "Close the till" --body "x"', None, "")
    view = ran("gh pr view 31 --json title,state", output='{"state": "OPEN", "title": "Close the till"}')

    assert ("pull request #31",) == told(said("Open a pull request"), create, view).opened
    other = ran("gh pr view 30 --json title,state", output='{"state": "OPEN", "title": "Open the till"}')
    assert () == told(said("Open a pull request"), create, other).opened
    assert () == told(said("Open a pull request"), view, create, view).opened
    longer = ran("gh pr view 30 --json title,state", output='{"state": "OPEN", "title": "fix: Close the till"}')
    assert () == told(said("Open a pull request"), create, longer).opened
    assert () == told(said("Open it"), ran(create.tool.command.replace(" pr ", " issue "), None, ""), view).opened


def test_a_commit_of_unknown_outcome_after_the_last_push_is_said_to_be_later():
    amend = ran('git commit --amend -m "Show the receipts"', None, "")
    push = ran("git push --force-with-lease", output=" + 1111111...2222222 till -> till (forced update)")

    assert any("after the last push, result" in one for one in told(said("Show them"), push, amend).failed)
    assert not any("after the last push" in one for one in told(said("Show them"), amend, push).failed)
    first = ran('git commit -m "Show the totals"', None, "")
    silent = ran("git push", None, "")
    later = ran('git commit -m "Show the receipts"', None, "")
    assert not any("after the last push" in one for one in told(said("Show them"), first, silent, later).failed)


def test_what_was_installed_in_another_version_is_not_told_as_failed():
    failed = [
        ran("npm update next@latest", False, "npm error Update arguments must only contain package names"),
        ran("npm update next", False, "npm error network request failed, reason: read ECONNRESET"),
    ]

    assert [] == [one for one in told(*failed, ran("npm install next@15.1.6")).failed if "npm update" in one]
    assert [one for one in told(*failed, ran("npm install left-pad")).failed if "npm update next" in one]
    assert [one for one in told(*failed, ran("npm uninstall next")).failed if "npm update next" in one]


def test_a_database_that_was_not_reached_is_told():
    failed = ran("npx prisma db push", False, "Error: P1001: Can't reach database server at `db:3306`")

    assert "`npx prisma db push` failed (Error: P1001: Can't reach database server at `db:3306`)" in told(failed).failed


def test_what_git_calls_otherwise_was_deleted_once():
    gone = "[main 1a2b3c4] Drop the old till\n 2 files changed, 9 deletions(-)\n delete mode 100644 old/till.py\n"
    found = told(
        said("Delete /shop/old/till.py and /shop/old/coin.py"), ran("rm /shop/old/till.py /shop/old/coin.py"),
        ran("git commit -am 'Drop the old till'", output=f"{gone} delete mode 100644 old/coin.py\n"),
    )  # fmt: skip

    assert ["Deleted /shop/old/till.py and /shop/old/coin.py"] == [x for x in found.failed if "Deleted" in x]


def test_what_was_listed_before_a_commit_is_not_told_as_left():
    """Its message was in a file, so that nobody knew its subject."""
    status = ran("git status --short", output=" M till.py\n")

    commit = ran("git add till.py; git commit -F /tmp/message.txt", None, "")
    assert () == told(said("Close it"), edited("/w/till.py"), status, commit).uncommitted


def test_of_what_was_listed_on_the_way_the_last_answer_counts_and_not_the_files_of_agents():
    first = ran("git status --short", output="?? .specstory/x.md\n?? .codex\n")
    later = ran("git status --short models data", output=" M data/loader.py\n?? models/mae.py\n?? .entire/a.json\n")

    (found, *_rest) = told(said("Do the plan"), ran("make"), first, ran("make model"), later, *[ran("make")] * 9).failed
    assert "Modified or new according to git status: models/mae.py and data/loader.py" == found


def test_a_file_whose_absence_nobody_would_see_was_perhaps_not_read():
    """A blind judge: a cache that was not there was told as looked at."""
    found = told(said("Where is the cache of the till?"), ran("ls data && cat data/cache.json 2>/dev/null | head -2"))

    assert only_looked(found)
    assert "cache.json" not in "".join(found.failed)
    assert any("read: till.py" in one for one in told(said("Look at the till"), ran("cat till.py; ls")).failed)
