"""What git's log and a pull request that was looked at say of a session, and commands that took too long."""

import pytest

from tacit.sessions.rules.commands.command_results import result_of
from tacit.sessions.rules.commands.git_log import logged
from tacit.sessions.rules.kept_turns import refused_by
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
    assert "Commit attempted, result not recorded: fix: round the till down." in lines(ASKED, made)
    assert "Committed: fix: round the till down." not in lines(ASKED, log, made)


def test_what_is_new_in_the_log_at_the_end_is_told_where_no_commit_was_seen():
    first = ran("cat README.md && git log -5 --oneline", output=f"# Till\n{BEFORE}")
    last = ran("git log -2 --oneline", output="abcdef1 refactor: one till\n1234567 feat: a till\n")
    asked = ASKED, first, edited("till.py")
    other = ran("cd /srv/b && git log -1 --oneline", output="a1b2c3d x y z")

    assert "New in the git log: refactor: one till." in lines(*asked, last)
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


def test_what_a_status_on_the_way_lists_is_told_as_such():
    status = ran("git status --short", output=" M .config/till.toml\n?? scripts/till/\n")
    later = said("They are the wrong way around"), ran("make swap")

    told_line = "Modified or new according to git status: scripts/till/ and .config/till.toml."
    assert told_line in lines(ASKED, ran("make reload"), status, *later)
    assert told_line not in lines(ASKED, status, *later)


def test_a_commit_that_printed_nothing_has_no_outcome():
    """A blind judge: a commit was told as made of which the transcript has no output."""
    unknown = ran("git commit -m 'Round down'", True, "", None)

    assert "Commit attempted, result not recorded: Round down." in lines(ASKED, unknown)
    assert "Committed: Round down." in lines(ASKED, ran("git commit -qm 'Round down'", True, "", None))


def test_staged_files_that_the_commit_cannot_hold_are_not_told():
    """A blind judge: files were told as changed that were named to `git add` and had been committed before."""
    names = " ".join(f"src/{one}.py" for one in "abcdef")
    made = ran(f"git add {names} && git commit -m 'Round down'",
               output="[main abcdef1] Round down\n 2 files changed, 3 insertions(+)\n")  # fmt: skip

    assert () == told(ASKED, made).files


def test_what_a_rule_of_the_agent_denied_was_not_stopped_by_the_user():
    denied = "Permission to use Bash with command ls -la .till/logs has been denied."

    assert "a permission rule" == refused_by(denied)


SSH = "ssh root@shop.example.org "


def test_what_was_done_over_ssh_is_told_by_machine():
    """Two blind judges and a newcomer: the repair of a server was in no recap."""
    wrote = ran(f"{SSH}\"cat > /etc/nginx/sites-available/till\" << 'EOF'\nserver {{ listen 80; }}\nEOF")
    copied = ran(f'{SSH}"cp /etc/nginx/nginx.conf /etc/nginx/nginx.conf.bak && systemctl status nginx"')
    reloaded = ran(f'{SSH}"nginx -t && sudo systemctl reload nginx"')
    failed = ran(f'{SSH}"systemctl restart till"', False, "Unit till.service not found.", 5)

    assert "On shop.example.org: wrote /etc/nginx/sites-available/till; ran `systemctl reload nginx`." in lines(
        ASKED, wrote, copied, reloaded, failed
    )
    assert not any(line.startswith("On ") for line in lines(ASKED, copied, ran(f'{SSH}"ls /etc"')))


def test_the_machine_is_not_the_key_and_a_copy_is_the_file_that_is_named():
    line = 'ssh -t -i ~/.ssh/shop.pem shop "cp /srv/new/till.conf /etc/till/till.conf && pm2 restart till"'

    assert "On shop: wrote /etc/till/till.conf; ran `pm2 restart till`." in lines(ASKED, ran(line))


def test_what_failed_on_the_way_gives_way_to_what_was_asked():
    asked = [
        said(f"Please change the {name} of the till so that it shows the {name * 20} as well") for name in "abcdef"
    ]
    slip = ran("till --branch x", False, "error: unexpected argument '--branch' found"), ran("till --name x")

    made = ran("git commit -m 'Show more'")

    assert lines(*asked, made)[0] == lines(*asked[:3], *slip, *asked[3:], made)[0]


def test_commits_above_those_of_the_session_are_told():
    """A blind judge: one of four commits was told; the log after it listed those that came without a command."""
    own = ran("git commit -m 'feat: a till'", output="[main 1234567] feat: a till\n 1 file changed\n")
    log = ran("git log -4 --oneline", output="abcdef1 refactor: move the till\n1234567 feat: a till\n0123456 first\n")
    new = "New in the git log: refactor: move the till."

    assert new in lines(ASKED, own, log)
    assert not any("New in" in line for line in lines(ASKED, own, ran("git pull"), log))
    assert not any("New in" in line for line in lines(ASKED, log, own))


@pytest.mark.parametrize("how", ["--short --branch", "-sb", "-b --porcelain", "-s"])
def test_what_was_not_committed_before_is_known_from_the_end_of_a_long_line(how):
    """A blind judge: files that were there before, listed as not committed, read as what the session had made."""
    looked = ran(f"printf '%s\\n' '--- status ---'; find . -type f; git status {how}",
                 output="--- status ---\n./till.py\n## main...origin/main\n?? reviews/old.md\n")  # fmt: skip
    last = ran("git status --short", output="?? reviews/old.md\n?? reviews/new.md\n")

    assert "Not committed at the last git status: reviews/new.md." in lines(ASKED, looked, last)


@pytest.mark.parametrize(("later", "made"), [
    ("git add a && git commit --amend --no-edit >/dev/null && git commit -m 'docs: b'", "feat: a; docs: b"),
    ("git commit --amend -m 'feat: c' && git commit -m 'docs: b'", "feat: c; docs: b"),
    ("git commit --amend --no-edit", "feat: a"),
])  # fmt: skip
def test_a_commit_that_was_amended_without_a_new_message_stays(later, made):
    """A newcomer's trial: the main commit of a session was not told, because the next line amended it first."""
    assert f"Committed: {made}." in lines(ASKED, ran("git commit -m 'feat: a'"), ran(later))
