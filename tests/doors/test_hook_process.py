"""`tacit hook` as a process: whatever its surroundings, it exits 0 with one JSON object, soon."""

import json
import os
import subprocess
import sys
import threading

import pytest

from tacit.doors.hooks import entry
from tacit.doors.hooks.answer import respond
from tacit.doors.hooks.cold import has_nothing_to_say
from tacit.doors.hooks.cold_memory import is_kept_as_it_is
from tacit.doors.hooks.entry import read_input
from tacit.doors.hooks.surroundings import MOST_BYTES
from tests.doors.speakers import Claude, Cursor, hook, memory_here

HOOK = f"{sys.executable} -m tacit hook claude"


def shell(line, data=b"", **options):
    return subprocess.run(["/bin/sh", "-c", line], input=data, capture_output=True, env=dict(os.environ), timeout=600,
                          check=False, **options)  # fmt: skip


def test_closed_streams_are_no_trouble(work):
    """No input, nobody who listens: still exit code 0, and nothing on stderr."""
    asked = json.dumps(Claude(work).before("s", "ls", "x")).encode()

    done = shell(f"{HOOK} <&-")

    assert (0, b"{}\n", b"") == (done.returncode, done.stdout, done.stderr)
    assert b"0\n" == shell(f"{HOOK} >&-; echo $? >&2", asked).stderr
    assert b"0\n" == shell(f"({HOOK}; echo $? >&2) | true", asked).stderr


def test_a_working_directory_that_is_gone_does_not_switch_the_guard_off(work, tmp_path):
    """Neither this process's nor the one the payload names."""
    gone = tmp_path / "gone"
    denied = json.dumps({**Claude(gone).before("s", "rm -rf ~", "x"), "cwd": ""}).encode()
    gone.mkdir()
    done = shell(f"rmdir {gone}; {HOOK}", denied, cwd=gone)

    assert 0 == done.returncode
    assert "deny" == json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"]
    assert "deny" in json.dumps(hook("claude", Claude(gone).before("s", "rm -rf ~", "x")))


@pytest.mark.parametrize("content", ["[]", "5", "null", "{", '{"stamp": [1]}', "STAMP"])
def test_what_was_left_behind_may_be_damaged(work, own_home, content):
    """The full path answers then, and leaves it anew."""
    asked = json.dumps(Claude(work).before("s", "whoami now", "x")).encode()
    respond("claude", asked)
    path = own_home / "cache" / "hooks.json"
    whole = path.read_text()
    path.write_text(content if content != "STAMP" else json.dumps({"stamp": json.loads(whole)["stamp"]}))
    done = shell(HOOK, asked)

    assert (0, b"{}\n") == (done.returncode, done.stdout)
    assert content == "STAMP" or whole == path.read_text()


def test_a_home_that_cannot_be_written_still_guards(work, own_home):
    """What is lost then is memory, not the guard."""
    own_home.mkdir()
    for name in ("cache", "spool", "jobs", "run", "memory.db-lock"):
        (own_home / name).write_text("in the way")
    (own_home / "memory.db").mkdir()
    speaks = Claude(work)

    assert "deny" == speaks.decision(hook("claude", speaks.before("s", "rm -rf ~", "x")))
    assert "ask" == speaks.decision(hook("claude", speaks.before("s", "git tag -d v1", "x")))
    assert {} == hook("claude", speaks.failed("s", "make x", "1", "Exit code 1"))
    assert {} == hook("claude", {**speaks.base, "hook_event_name": "SessionStart", "session_id": "s"})
    assert {} == hook("claude", {**speaks.base, "hook_event_name": "SessionEnd", "session_id": "s"})
    assert "problem" in (own_home / "hooks.jsonl").read_text()


def test_input_without_an_end_is_not_waited_for(monkeypatch):
    """A whole payload is enough; half of one, or nothing, is given up."""
    monkeypatch.setattr(entry, "_SLOW_S", 0.5)
    monkeypatch.setattr(entry, "_QUIET_S", 0.1)
    for sent in (b'{"a": 1}', b'{"a": ', b""):
        reading, writing = os.pipe()
        os.write(writing, sent)
        try:
            assert sent == read_input(reading)
        finally:
            os.close(reading)
            os.close(writing)


def test_too_much_input_is_read_to_its_end():
    """The sender is not cut off, and no more than the limit is kept."""
    reading, writing = os.pipe()
    sent = []

    def send():
        sent.extend(os.write(writing, b"x" * 1_000_000) for _ in range(30))
        os.close(writing)

    sender = threading.Thread(target=send)
    sender.start()
    data = read_input(reading)
    sender.join()
    os.close(reading)

    assert MOST_BYTES + 1 == len(data)
    assert 30 == len(sent)


def test_rules_that_are_edited_in_place_count_at_once(work, own_home):
    """The folder they lie in does not change with them."""
    (own_home / "lexicon").mkdir(parents=True)
    page = own_home / "lexicon" / "ship.md"
    page.write_text("# ship it\n\ntype::: guard-deny\nsynonyms:: shipit nowhere\n")
    asked = json.dumps(Claude(work).before("s", "shipit now", "x")).encode()
    respond("claude", asked)
    assert has_nothing_to_say(str(own_home), "claude", asked)
    page.write_text("# ship it\n\ntype::: guard-deny\nsynonyms:: shipit now\n")

    assert not has_nothing_to_say(str(own_home), "claude", asked)
    assert "deny" in json.dumps(respond("claude", asked))


def test_a_link_into_a_project_is_inside_it(work, own_home, tmp_path):
    """Its own rules hold there, also for the quick way."""
    subprocess.run(["git", "init", "-q", str(tmp_path / "repo")], check=True)
    (tmp_path / "repo" / "sub").mkdir()
    (tmp_path / "repo" / ".tacit.toml").write_text('[guard]\nseverity = {"git.stash-pop" = "deny"}\n')
    (tmp_path / "link").symlink_to(tmp_path / "repo" / "sub")
    respond("claude", json.dumps(Claude(work).before("s", "ls", "x")).encode())
    asked = json.dumps(Claude(tmp_path / "link").before("s", "git stash pop", "x")).encode()

    assert not has_nothing_to_say(str(own_home), "claude", asked)
    assert "deny" in json.dumps(respond("claude", asked))


def test_the_quick_way_serves_cursor_too(work, own_home):
    """Its payload names folders where the others name one."""
    speaks = Cursor(work)
    hook("cursor", speaks.before("s", "ls", "x"))

    assert has_nothing_to_say(str(own_home), "cursor", json.dumps(speaks.before("s", "whoami", "y")).encode())


@pytest.mark.parametrize(
    "command",
    ["deploy --password hunter2", "curl -u me:pw http", "login password=x1", "mysql -pS3cr3t db", "x Bearer abc",
     "aws configure set aws_secret_access_key abc", "deploy ghp_" + "a1B2c3D4" * 5, "psql postgres://u:p@h/d"],
)  # fmt: skip
def test_a_signature_with_a_secret_is_found_by_both_ways(work, own_home, command):
    """It is kept in other words than it is typed, so the quick way has to leave it alone."""
    speaks = Claude(work)
    for call in ("1", "2"):
        hook("claude", speaks.failed("s", command, call, "Exit code 1\nno"))
    warned = hook("claude", speaks.before("s2", command, "3"))
    asked = json.dumps(speaks.before("s3", command, "4")).encode()

    assert {} == warned or not has_nothing_to_say(str(own_home), "claude", asked)


def test_what_the_quick_way_takes_for_harmless_words_is_kept_as_it_is(work):
    """For every word of a good many, the redactor agrees."""
    words = ["git", "push", "-f", "--all", "npm", "run", "build", "-x", "main", "r1", "v2", "<path>", "<number>", "-n"]
    with memory_here() as memory:
        pairs = [f"{one} {other}" for one in words for other in words]

        assert [] == [pair for pair in pairs if is_kept_as_it_is(pair) and memory._c.redact(pair) != pair]


def test_a_correction_about_a_path_is_heard_by_both_ways(work, own_home):
    """`/usr/bin/npm` is npm."""
    with memory_here() as memory:
        memory.learned.correction("/usr/bin/frob run", "tool run")
    speaks = Claude(work)
    hook("claude", speaks.before("s", "ls", "x"))
    asked = speaks.before("s", "/usr/bin/frob run it", "y")

    assert "tool run" in json.dumps(hook("claude", asked))
    assert not has_nothing_to_say(str(own_home), "claude", json.dumps(asked).encode())


@pytest.mark.parametrize("where", ["variable", "file"])
def test_a_server_as_a_store_is_no_matter_for_the_quick_way(work, own_home, monkeypatch, where):
    """Nothing says nothing there but the server; and its password is written nowhere."""
    url = "postgresql://ann:S3cretS3cret@127.0.0.1:1/db?connect_timeout=1"
    own_home.mkdir()
    if where == "variable":
        monkeypatch.setenv("TACIT_STORE", url)
    else:
        (own_home / "config.toml").write_text(f'store = "{url}"\n')
    speaks = Claude(work)
    hook("claude", speaks.before("s", "whoami now", "x"))
    hook("claude", speaks.failed("s", "make x", "1", "Exit code 1"))

    assert not has_nothing_to_say(str(own_home), "claude", json.dumps(speaks.before("s", "whoami now", "y")).encode())
    assert [] == [path for path in own_home.rglob("*") if path.is_file() and path.name != "config.toml"
                  and b"S3cretS3cret" in path.read_bytes()]  # fmt: skip
    assert 1 == len(list((own_home / "spool").glob("*.json")))
