"""What somebody meets in the first hour: messages that say what is so, and hints that lead on."""

import errno
import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from tacit.demo.tour import tour
from tacit.text.plural import plural
from tests.doors.speakers import Claude, hook
from tests.verbs.test_learn_from_sessions import transcript


def test_a_store_that_was_named_and_is_not_there_is_told(tacit, tmp_path):
    """A slip in its path would else pass for an empty memory; the home's own store is nothing to tell of."""
    place = tmp_path / "x.db"
    read = tacit("recall", "anything", "--store", str(place))
    made = tacit("memorize", "The API listens on 8443", "--store", str(place), "--json")

    assert (0, True) == (read.code, f"there is no store at {place} yet" in read.err)
    assert f"a new store was created: {place}" in made.err
    assert "tacit.memorize/1" == made.json["schema"]
    assert "store" not in tacit("recall", "API", "--store", str(place)).err
    assert "store" not in tacit("memorize", "Another fact").err


def test_a_store_in_a_folder_that_is_not_there_is_an_error(tacit, tmp_path):
    """N21: a slip in the path of a folder makes neither the folder nor a store."""
    made = tacit("memorize", "The API listens on 8443", "--store", str(tmp_path / "nowhere" / "x.db"), "--json")

    assert (3, True, False) == (made.code, "no folder" in made.out, (tmp_path / "nowhere").exists())


@pytest.mark.parametrize(
    "words",
    [("learn", "compile", "--out"), ("procedure", "export", "--out"), ("lexicon", "export", "--out"),
     ("export", "jsonl", "--out"), ("export", "procedures")],
)  # fmt: skip
def test_a_file_in_a_folder_that_is_not_there_is_an_error(tacit, tmp_path, words):
    """N21: whatever writes a file that somebody names makes no folder for it; some commands did."""
    tacit("memorize", "The API listens on 8443")
    said = tacit(*words, str(tmp_path / "nowhere" / "x.json"), "--json")

    assert (3, True, False) == (said.code, "no folder" in said.out, (tmp_path / "nowhere").exists())


def test_a_denial_says_who_may_loosen_it_and_how(tacit, tmp_path):
    """In a hook and at the command line; what it names is what config.toml takes."""
    said = 'Only a person may loosen it: severity = { "rm.home" = "ask" } under [guard] in config.toml.'
    speaks = Claude(tmp_path / "work")

    assert said in tacit("guard", "rm -rf ~").out
    assert said in json.dumps(hook("claude", speaks.before("s", "rm -rf ~", "1"))).replace('\\"', '"')
    assert "loosen" not in tacit("guard", "git tag -d v1").out


@pytest.mark.parametrize(
    ("text", "possible"),
    [
        ("[guard]\nallow = ['x']\n", "[guard] may hold severity"),
        ("[hoks]\n", "it may hold store, tenant"),
        ('[sessions]\nkeep = "everything"\n', "it may be turns, recap or none"),
    ],
)
def test_what_is_unknown_in_config_toml_is_answered_with_what_is_known(tacit, own_home, text, possible):
    """The hint names what may stand there."""
    own_home.mkdir(parents=True, exist_ok=True)
    (own_home / "config.toml").write_text(text)

    assert possible in tacit("recall", "x").err


def test_connecting_says_what_the_guard_holds_back(tacit):
    """Whoever connects an agent is not to be surprised by the first denial."""
    assert "the guard is active" in tacit("connect", "claude").out


def test_hints_lead_to_where_ids_are_found(tacit):
    """An episode is not found by recall, nor is a receipt."""
    tacit("episode", "start", "Build it")

    assert "tacit episode list" in tacit("episode", "show", "nope").err
    assert "tacit episode search" in tacit("episode", "feedback", "zzz", "helped").err
    assert "no such episode" in tacit("episode", "list", "--domain", "web").out
    assert "no such episode" in tacit("episode", "list", "--until", "yesterday").out
    assert "Build it" in tacit("episode", "list", "--since", "1h").out
    assert 2 == tacit("episode", "list", "--since", "soon").code


def test_an_archived_episode_can_be_brought_back(tacit):
    """Who wants to reflect on it is told how."""
    id = tacit("episode", "start", "Build it").out.strip()
    tacit("episode", "complete", id, "success")
    tacit("episode", "archive", id)

    assert f"tacit episode archive {id} --restore" in tacit("episode", "reflect", id).err


def test_what_lies_in_another_scope_is_answered_with_the_option_that_opens_it(tacit, tmp_path, monkeypatch, person):
    """`--scope user`, not the name of a user."""
    fact = tacit("memorize", "Ann prefers tea", "--scope", "user", "--json").json["id"]
    monkeypatch.setenv("TACIT_SCOPE", "project:x")
    person()
    refused = tacit("forget", fact)

    assert (4, True) == (refused.code, "--scope user" in refused.err)


def test_a_secret_that_was_taken_out_is_told(tacit):
    """On stderr, without the secret; and only then."""
    told = tacit("memorize", "the database password=Tr0ub4dor&3xyz is for staging")

    assert "was removed" in told.err
    assert "Tr0ub4dor" not in told.err
    assert "" == tacit("memorize", "The API listens on 8443").err


def test_an_agent_nobody_knows_is_called_that(work, own_home):
    """A slip in a hook's command is said, and the guard judges all the same."""
    hook("cluade", {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}})

    assert "unknown agent 'cluade'" in (own_home / "hooks.jsonl").read_text()


def test_a_rule_stands_in_one_column_of_what_was_learned(tacit, tmp_path):
    """It replaces nothing, so nothing is used instead; and status counts in plain English."""
    base = {**Claude(tmp_path / "work").base, "session_id": "s", "hook_event_name": "UserPromptSubmit"}
    for text in ("never push to main", "use bun instead of npm"):
        hook("claude", {**base, "prompt": text})
    listed = tacit("learn", "list").out

    assert 1 == listed.count("never push to main")
    assert "bun" in listed
    assert "2 rules" in tacit("status").out


def test_a_key_that_is_none_in_a_file_of_the_lexicon_is_warned_of(tacit, own_home):
    """Prose with two colons is none."""
    folder = own_home / "lexicon"
    folder.mkdir(parents=True)
    (folder / "bun.md").write_text("# bun\ncolour:: red\nsynonyms:: npm\nuse std::vector here\nNote:: this is prose\n")
    checked = tacit("lexicon", "check")

    assert (5, 1) == (checked.code, checked.out.count("unknown key"))
    assert "bun.md:2: unknown key 'colour'" in checked.out


def test_backups_of_settings_do_not_pile_up(tacit, own_home, person):
    """The newest three are kept, and nothing of anybody else's goes."""
    path = own_home.parent / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text('{"model": "x"}')
    (path.parent / "settings.json.before-tacit-mine").write_text("mine")
    person()
    for _ in range(4):
        tacit("connect", "claude")
        last = tacit("disconnect", "claude", "--json").json["agents"][0]["files"][0]["backup"]
    kept = sorted(one.name for one in path.parent.glob("*-tacit-*"))

    assert 4 == len(kept)
    assert "settings.json.before-tacit-mine" in kept
    assert Path(last).name in kept


@pytest.mark.parametrize(
    ("count", "noun", "expected"),
    [(1, "recovery", "1 recovery"), (2, "recovery", "2 recoveries"), (0, "day", "0 days"), (1, "step", "1 step")],
)
def test_numbers_of_things_are_grammar(count, noun, expected):
    """One is one."""
    assert expected == plural(count, noun)


def test_a_terminal_is_told_what_is_waited_for_and_gets_its_line_end(own_home):
    """`tacit redact` of an argument ends its line there; without one it says that it reads what is typed."""
    leader, follower = pty.openpty()
    shown = subprocess.run(
        [sys.executable, "-m", "tacit", "redact", "plain"], stdin=follower, stdout=follower, stderr=follower,
        timeout=600, env=dict(os.environ), check=False,
    )  # fmt: skip
    said = os.read(leader, 1000)
    waiting = subprocess.Popen(
        [sys.executable, "-m", "tacit", "lexicon", "match"], stdin=follower, stdout=follower, stderr=follower,
        env=dict(os.environ),
    )  # fmt: skip
    told = os.read(leader, 1000)
    os.write(leader, b"\x04")
    waiting.wait(600)
    os.close(follower)
    os.close(leader)

    assert (0, b"plain\r\n") == (shown.returncode, said)
    assert b"Ctrl-D" in told


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_tour_that_is_ended_leaves_no_scratch_home(tmp_path, number):
    """Whoever ends it: a terminal that closes, or a system that shuts down."""
    assert tour.__doc__
    started = subprocess.Popen([sys.executable, "-m", "tacit", "demo"], stdout=subprocess.PIPE,
                               env=dict(os.environ) | {"TMPDIR": str(tmp_path)})  # fmt: skip
    until = time.monotonic() + 600
    while not list(tmp_path.glob("tacit-demo-*")) and time.monotonic() < until:
        time.sleep(0.02)
    started.stdout.readline()
    started.send_signal(number)
    started.communicate(timeout=600)

    assert 130 == started.returncode
    assert [] == list(tmp_path.glob("tacit-demo-*"))


def test_what_was_learned_before_is_not_told_as_new(tacit, tmp_path):
    """A second `sessions learn` has nothing to list, and the latest session is shown without its id."""
    work = tmp_path / "work"
    transcript(work, "s1", "never push to main", ("make shipp", 2, "no rule"), cwd=work)
    tacit("sessions", "import", str(work / "s1.jsonl"))
    first, again = (tacit("sessions", "learn", "--json").json["corrections"] for _ in range(2))
    shown = tacit("sessions", "show", "--last", "--json")

    assert ["never push to main"] == [one["title"] for one in first]
    assert [] == again
    assert "s1" == shown.json["id"]
    assert 2 == tacit("sessions", "show", "--last", "s1").code


def test_a_home_that_cannot_be_written_is_read_and_named(tacit, own_home, monkeypatch):
    """What is known is told, `doctor` names the home, and an error says which file it was."""
    tacit("memorize", "the staging api listens on 8443")
    reached = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK and reached(path, mode))
    monkeypatch.setattr(os, "statvfs", lambda path: SimpleNamespace(f_flag=os.ST_RDONLY))
    monkeypatch.setattr(Path, "mkdir", _refused)

    assert "8443" in tacit("recall", "staging api").out
    assert f"{own_home} cannot be written" in tacit("doctor").out
    said = tacit("open", "--no-browser")
    assert (1, True) == (said.code, said.err.startswith("tacit: cannot use ") and "read-only file system" in said.err)


def _refused(path, *_, **__):
    raise OSError(errno.EROFS, "Read-only file system", str(path))


def test_a_backup_is_called_after_what_it_holds(tacit, own_home, person):
    """A newcomer's trial: the backup of `disconnect` was called `before-tacit`, and had tacit's hooks in it."""
    path = own_home.parent / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text('{"model": "x"}')
    person()
    tacit("connect", "claude")
    tacit("disconnect", "claude")
    before, after = (sorted(path.parent.glob(f"*.{what}-tacit-*")) for what in ("before", "with"))

    assert (1, 1) == (len(before), len(after))
    assert "tacit" not in before[0].read_text() and "tacit" in after[0].read_text()
