"""What git's log and a pull request that was looked at say of a session, and commands that took too long."""

import pytest

from tacit.sessions.rules.commands.command_results import result_of
from tacit.sessions.rules.commands.git_log import logged
from tacit.sessions.rules.recap_text import recap_text

from .test_recap import edited, ran, said, told

ASKED = said("Make the till round down")
COMMIT = "git commit -q -m 'fix: round the till down' | tail -3"
BEFORE = "1234567 feat: a till\n2345678 docs: the till\n3456789 first\n"


def lines(*turns):
    return recap_text(told(*turns)).splitlines()


@pytest.mark.parametrize("log", [
    ran("git status --short; echo === last; git log -1 --oneline",
        output="=== last\nabcdef1 (HEAD -> main) fix: round the till down\n"),
    ran("git log -3", output=f"commit {'a1' * 20}\nAuthor: A <a@b.c>\nDate:   Mon\n\n    fix: round the till down\n"),
])  # fmt: skip
def test_a_commit_that_the_log_lists_was_made(log):
    """A blind judge: "no outcome in the transcript" was told where the last command listed the commit."""
    made = ran(COMMIT, None, "")

    assert "Committed: fix: round the till down." in lines(ASKED, made, log)
    assert "Committed, with no outcome in the transcript: fix: round the till down." in lines(ASKED, made)
    assert "Committed: fix: round the till down." not in lines(ASKED, log, made)


def test_what_is_new_in_the_log_at_the_end_is_told_where_no_commit_was_seen():
    first = ran("cat README.md && git log -5 --oneline", output=f"# Till\n{BEFORE}")
    last = ran("git log -2 --oneline", output="abcdef1 refactor: one till\n1234567 feat: a till\n")
    asked = ASKED, first, edited("till.py")
    other = ran("cd /srv/b && git log -1 --oneline", output="a1b2c3d x y z")

    assert "New in the git log at the end: refactor: one till." in lines(*asked, last)
    assert not any("New in" in line for line in lines(*asked, ran("git pull"), last))
    assert not any("New in" in line for line in lines(*asked, other))
    assert not any("New in" in line for line in lines(*asked, ran("git log -3 --oneline", output=BEFORE)))


def test_words_of_hexadecimal_digits_in_other_outputs_are_no_log():
    assert () == logged("cat notes", "abcdef1 said the till\n")
    assert () == logged("git log --stat", " till.py | 3 +-\n")


@pytest.mark.parametrize(("line", "output", "shown"), [
    ("gh pr view --json number,title,body", '{"body":"the \\"title\\": x","number":40,"title":"Streaming \\"tills\\""}',
     'pull request #40: Streaming "tills"'),
    ("gh issue view 7 -R o/r", "title:\tThe till\nstate:\tOPEN\nnumber:\t7\n--\nbody", "issue #7: The till"),
    ("gh pr view https://github.com/o/r/pull/9 --json title", '{"title":"Tills"}', "pull request #9: Tills"),
    ("gh pr view 9 --json reviews", '{"reviews":[]}', ""), ("gh pr view --json title", '{"title":"Tills"}', ""),
    ("gh pr view 9 --json milestone,title", '{"milestone":{"title":"v2"},"title":"Tills"}', ""),
    ("gh pr list", "title: x\nnumber: 3", ""),
])  # fmt: skip
def test_a_pull_request_that_was_looked_at_has_its_title(line, output, shown):
    assert shown == result_of(line, output)


def test_what_a_review_was_of_is_told():
    """A blind judge: a session of reviews did not say what was reviewed."""
    viewed = ran("gh pr view --json number,title", output='{"number":40,"title":"Streaming tills"}')
    review = said("can you review the changes in this branch and read its description?")

    assert "Looked at pull request #40: Streaming tills." in lines(review, viewed)
    opened = ran("gh pr create --fill", output="https://github.com/o/r/pull/40\n")
    assert not any("Looked" in line for line in lines(review, opened, viewed))


@pytest.mark.parametrize(("output", "shown"), [
    ("Running tests\nbash tool terminated command after exceeding timeout 240000 ms\n", "timed out after 240000 ms"),
    ("Command timed out after 2m 0.0s\n", "timed out after 2m 0.0s"),
])  # fmt: skip
def test_a_command_that_was_ended_because_it_took_too_long_failed(output, shown):
    """A blind judge: "no error reported" was told of it."""
    assert f"Checked: `make check` failed ({shown})." in lines(ASKED, ran("make check", True, output, None))


def test_requests_that_say_little_are_told_where_there_is_room():
    question = said("Is the formatter of the tills configured in our settings?")
    enable = said("Enable it for us and then tell us how to test it")

    assert (
        "Enable it for us and then tell us how to test it"
        in lines(question, enable, ran("jq empty settings.json | tee a"))[0]
    )
    assert "Enable" not in lines(question, ran("jq empty settings.json | tee a"), enable)[0]
