"""A recap of a session that changed nothing, or of which nobody said what it was for, tells what it looked at."""

import pytest

from tacit.sessions.rules.commands.git_status import git_status
from tacit.sessions.rules.recap_text import recap_text

from .test_recap import ran, said, told


@pytest.mark.parametrize(("line", "files"), [
    ("cat src/till.py", "src/till.py"), ("cd src && sed -n 1,40p till.py", "src/till.py"),
    ("rg -n receipt.total src/till.py", "src/till.py"), ("grep -e a.b -A 3 till.py", "till.py"),
    ("git show HEAD:src/till.py | head -20", "src/till.py"), ("git diff main...HEAD -- till.py", "till.py"),
    ("jq .name package.json || echo none", "package.json"), ("wc -l ~/.x/CLAUDE.md", "~/.x/CLAUDE.md"),
    ("cat a.md; cat b.md; head b.md", "b.md and a.md"),
])  # fmt: skip
def test_files_that_were_only_read_are_told_by_name(line, files):
    """A blind judge: "No command changed anything" reads as if nothing had come of the session."""
    assert (
        f"Only read-only commands ran; files read: {files}"
        in told(said("Review how receipts are rounded"), ran(line)).failed
    )


@pytest.mark.parametrize("line", ["ls -la", "git log main..HEAD", "find . -name '*.py'", "cat /tmp/a.txt", "cat $F.md"])
def test_where_no_file_is_known_commands_looked_around(line):
    assert ("Only read-only commands ran",) == told(said("Review how receipts are rounded"), ran(line)).failed


def test_where_nobody_asked_for_anything_the_commands_are_told():
    found = told(said("y"), ran("cd /w && git log --oneline -5 | head -3"), ran("ls docs"))

    assert "Only read-only commands ran: `git log --oneline -5`, `ls docs`." == recap_text(found)


def test_a_session_of_checks_that_nobody_asked_for_tells_what_it_looked_at():
    """A blind judge: "Checked: 7 passed" was all that was told of a session, and nothing of what it was about."""
    reviewed = [ran("git diff src/till.py"), ran("pytest tests/test_till.py", output="7 passed in 0.1s")]

    assert "Looked at src/till.py" in told(*reviewed).failed
    assert "Looked at src/till.py" not in told(said("Review how receipts are rounded"), *reviewed).failed


STATUS = "On branch till\nChanges not staged for commit:\n\tmodified:   src/till.py\n"


def test_a_review_without_a_prompt_says_what_was_changed_before_it():
    """A blind judge: of a review of uncommitted changes the recap named three files that were looked at beside."""
    first, diff = ran("git status && git diff", output=STATUS), ran("git diff", output="+++ b/src/till.py")
    again = ran("git status --short", output="")
    lines = recap_text(told(ran("git status", output=STATUS), diff, ran("cat notes.md"), again)).splitlines()

    assert "Already changed at the first git status: src/till.py." in lines
    assert not any("before the session" in line for line in recap_text(told(first, diff)).splitlines())


def test_a_status_is_read_behind_the_folder_that_a_line_prints():
    shown = git_status("pwd && git status --short && find . -type f", "/w/a\n M src/till.py\n?? b.md\n./a.py\n./b.py\n")

    assert {"src/till.py", "b.md"} == set(shown.files if shown else ())


@pytest.mark.parametrize("status", [STATUS, "## till...origin/till [behind 3]\n M src/till.py\n"])
def test_a_status_is_read_up_to_the_line_that_says_where_it_ends(status):
    command = 'cd /w/a && git status && echo "---LOG---" && git log --oneline -1'
    shown = git_status(command, f"{status}---LOG---\nabcdef1 x y z\n M other.py\n")

    assert ("src/till.py",) == (shown.files if shown else ())
