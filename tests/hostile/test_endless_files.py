"""Pipes and devices where a file should be, and files without an end: nobody waits, and nothing grows."""

import json
import os
import sqlite3

import pytest

from tacit.doors.hooks.answer import respond
from tacit.doors.hooks.cold import has_nothing_to_say
from tacit.files.project_id import head_commit, project_id
from tests.doors.conftest import process as process, tacit as tacit, work as work
from tests.doors.speakers import Claude


def test_imports_of_endless_files_end(tacit):
    """With an error that says what is wrong; nothing is imported."""
    imported = tacit("import", "jsonl", "/dev/zero")
    shown = tacit("sessions", "show", "--file", "/dev/zero")
    named = tacit("sessions", "show", "--file", "/dev/zero", "--agent", "claude")
    steps = tacit("procedure", "import", "/dev/zero")

    assert (2, "line 1 is over") == (imported.code, imported.err.split("tacit: ")[-1][:14])
    assert [(3, True)] * 2 == [(one.code, "not a regular file" in one.err) for one in (shown, named)]
    assert (2, True) == (steps.code, "not a regular file" in steps.err)


def test_a_transcript_that_is_a_pipe_is_not_waited_for(tacit, tmp_path):
    """Neither alone nor in a folder of transcripts."""
    (tmp_path / "there").mkdir()
    os.mkfifo(tmp_path / "there" / "a.jsonl")

    assert 3 == tacit("sessions", "show", "--file", str(tmp_path / "there" / "a.jsonl")).code
    assert 3 == tacit("sessions", "show", "--file", str(tmp_path / "there")).code


def test_a_view_in_the_place_of_a_table_is_not_read(tacit, tmp_path):
    """It is a query of whoever made the file, and this one has no end; a pipe is no database either."""
    with sqlite3.connect(tmp_path / "x.db") as db:
        endless = "WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT * FROM n"
        db.execute(f"CREATE VIEW observations AS {endless}")
    os.mkfifo(tmp_path / "pipe.db")
    view, pipe = (tacit("import", "claude-mem", str(tmp_path / name)) for name in ("x.db", "pipe.db"))

    assert (2, True) == (view.code, "has no table observations" in view.err)
    assert (2, True) == (pipe.code, "not a regular file" in pipe.err)


NAMES = ["config.toml", "stores.json", "memdirs.json", "hooks.jsonl", "redact.key", "cache/hooks.json",
         "cache/rules.marshal", "guard/x.toml", "lexicon/x.md", "spool/x.json", "jobs/x.json", "memory.db",
         "run/serve.sock"]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_pipe_in_the_home_does_not_hold_up_a_hook(work, own_home, name):
    """Neither the cold path nor the full one; both go on judging."""
    harmless, grave = (json.dumps(Claude(work).before("s", line, line)).encode() for line in ("whoami x", "rm -rf ~"))
    respond("claude", harmless)
    (own_home / name).parent.mkdir(parents=True, exist_ok=True)
    (own_home / name).unlink(missing_ok=True)
    os.mkfifo(own_home / name)

    assert has_nothing_to_say(str(own_home), "claude", harmless) in (True, False)
    assert '"deny"' in json.dumps(respond("claude", grave))


def test_a_pipe_in_the_home_does_not_hold_up_a_hook_process(process, own_home, tmp_path):
    """The real program, with a pipe in the place of every cache."""
    asked = json.dumps(Claude(tmp_path).before("s", "rm -rf ~", "x")).encode()
    process("hook", "claude", stdin=asked)
    for name in NAMES:
        (own_home / name).parent.mkdir(parents=True, exist_ok=True)
        (own_home / name).unlink(missing_ok=True)
        os.mkfifo(own_home / name)

    assert '"deny"' in process("hook", "claude", stdin=asked).out


@pytest.mark.parametrize(
    "make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero"), lambda path: path.write_text("[a]\nb\n  c")]
)
@pytest.mark.parametrize("name", [".git", ".git/config", ".git/HEAD"])
def test_the_files_of_git_are_plain_too(tmp_path, name, make):
    """An archive may hold anything in their place."""
    (tmp_path / name).parent.mkdir(exist_ok=True)
    make(tmp_path / name)

    assert project_id(tmp_path)
    assert "" == head_commit(tmp_path) or name == ".git/HEAD"


def test_a_lexicon_folder_that_leads_out_of_the_project_is_not_followed(tacit, tmp_path):
    """It is named, and the guard judges by all other rules."""
    root = tmp_path / "work"
    (root / ".git").mkdir()
    (root / "docs" / "src").mkdir(parents=True)
    (root / "docs" / "src" / "kg").symlink_to("/")
    judged = tacit("guard", "rm -rf ~")

    assert (4, True) == (judged.code, "docs/src/kg" in judged.err)
    assert 5 == tacit("lexicon", "check").code


def test_commands_end_with_one_error_where_the_settings_hold_a_number_without_end(tacit, own_home):
    """`recall` refuses with a hint; `guard` judges; `doctor` and `status` say what is wrong; no traceback."""
    own_home.mkdir(parents=True)
    (own_home / "config.toml").write_text(f"log = {'1' * 5_000}")
    answers = {word: tacit(word, *more) for word, more in
               {"recall": ["x"], "guard": ["rm -rf ~"], "doctor": [], "status": []}.items()}  # fmt: skip

    assert {"recall": 2, "guard": 4, "doctor": 1, "status": 0} == {word: one.code for word, one in answers.items()}
    assert all("a number in it is too long" in one.out + one.err for one in answers.values())
    assert not any("Traceback" in one.err for one in answers.values())


def test_a_home_that_others_can_write_is_said_by_doctor(tacit, own_home):
    """And by the first command that opens the memory, once."""
    tacit("memorize", "a fact")
    own_home.chmod(0o777)
    first, second = tacit("recall", "fact"), tacit("recall", "fact")
    own_home.chmod(0o777)
    found = [one for one in tacit("doctor", "--json").json["findings"] if one["subject"] == "home"]

    assert [True, False] == ["mode 0777" in one.err for one in (first, second)]
    assert ["warning"] == [one["level"] for one in found]
    assert 0o700 == own_home.stat().st_mode & 0o7777
