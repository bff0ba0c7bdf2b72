"""The house: which scope, which store, who is calling, and what is off."""

import json
import os
import pwd
import shutil
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import tacit
from tacit import (
    ConfigError,
    NotFound,
    PersonNeeded,
    StoreMissing,
    StoreReplaced,
    StoreUnreachable,
    SwitchedOff,
    UsageError,
)
from tacit.app import config
from tacit.app.examine import examine
from tacit.app.open import Caller, connect, current_caller, current_settings, open_memory
from tacit.app.open_store import locate
from tacit.app.person_actions import migrate_store, pause_all, restore_backup, resume_all
from tacit.files.off_switch import pause, project_switch
from tacit.model.origin import Origin
from tacit.run import ancestors
from tacit.testing import FakeClock

LOGIN = pwd.getpwuid(os.getuid()).pw_name


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Work in a folder of no project, without semantic search."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TACIT_EMBEDDER", "off")
    monkeypatch.setenv("USER", "ann")
    return folder


def caller(actor="user"):
    return Caller(Origin(actor=actor), FakeClock())


def make_repository(folder, url):
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {url}\n')


def test_the_scope_is_the_project_else_the_user(place, monkeypatch):
    """Without a scope it is the project of the working directory, else one's own; a given one wins."""
    with open_memory() as memory:
        assert f"user:{LOGIN}" == memory.scope
    make_repository(place, "https://me:secret@example.org/team/app.git")
    with open_memory() as memory:
        assert "project:example.org/team/app" == memory.scope
        assert ["project:example.org/team/app", f"user:{LOGIN}", "global"] == memory.status()["reads"]
    with open_memory(scope="user") as memory:
        assert f"user:{LOGIN}" == memory.scope
    monkeypatch.setenv("TACIT_SCOPE", "global")
    with open_memory() as memory:
        assert "global" == memory.scope
    with pytest.raises(UsageError):
        open_memory(scope="everything")


@pytest.mark.parametrize("form", ["{path}", "sqlite:///{path}", "sqlite:{path}"])
def test_a_store_is_a_path_or_a_url(place, form):
    """A path and both forms of a URL name the same file; a relative path is taken from the working directory."""
    path = place / "own.db"
    url = form.format(path=path)

    assert str(path) == locate(url.replace("////", "///"), current_settings())
    assert str(path) == locate("own.db", current_settings()) == locate(Path("own.db"), current_settings())


@pytest.mark.parametrize(
    ("store", "error"),
    [
        ("mysql://x/y", UsageError),
        ("postgresql://localhost:1/y", StoreUnreachable),
        ("sqlite:", UsageError),
        ("a\0b", UsageError),
    ],
)
def test_what_is_no_store_is_refused(place, store, error):
    """Another kind of URL, nothing, and a path no system has are refused before anything is opened."""
    with pytest.raises(error):
        open_memory(store)


def test_an_unlisted_path_becomes_a_store_and_is_known_from_then_on(place, own_home):
    """Opening a new path makes a store, private to its owner, and lists it."""
    path = place / "own.db"
    with open_memory(path) as memory:
        memory.memorize("deploys are manual")

    assert str(path) in json.loads((own_home / "stores.json").read_bytes())["stores"]
    assert 0o600 == path.stat().st_mode & 0o777


@pytest.mark.parametrize("form", ["{path}", "sqlite:///{path}", "../elsewhere/deep/own.db", "{link}/deep/own.db"])
def test_a_new_store_is_a_file_and_never_a_folder_outside_the_home(place, own_home, form):
    """N21: a path, a URL, a relative path or one through a link into a folder that is not there makes nothing."""
    (place / "link").symlink_to(place.parent)
    named = form.format(path=place.parent / "elsewhere" / "own.db", link=place / "link")
    before = sorted(place.parent.rglob("*"))
    with pytest.raises(NotFound, match="no folder"):
        open_memory(named)

    assert before == sorted(one for one in place.parent.rglob("*") if own_home not in (one, *one.parents))


def test_folders_of_a_store_in_the_home_are_made(place, own_home, tmp_path, monkeypatch):
    """N21: the home itself, and folders below it, are made for a store; also where the home is a link."""
    (tmp_path / "real").mkdir()
    (tmp_path / "linked").symlink_to(tmp_path / "real")
    for home in (own_home, tmp_path / "linked"):
        monkeypatch.setenv("TACIT_HOME", str(home))
        with open_memory(home / "teams" / "ours" / "own.db") as memory:
            memory.memorize("deploys are manual")

        assert 0o700 == (home / "teams" / "ours").stat().st_mode & 0o777


def test_a_backup_is_not_restored_into_a_folder_that_is_not_there(place):
    """N21: restoring and migrating make files only, like opening."""
    with open_memory() as memory:
        memory.memorize("deploys are manual")
        copy = memory.backup(place / "copy.db")
    for write in (
        lambda: restore_backup(current_settings(), caller(), copy, place / "none" / "own.db"),
        lambda: migrate_store(current_settings(), caller(), str(copy), str(place / "none" / "own.db")),
    ):
        with pytest.raises(NotFound, match="no folder"):
            write()

    assert not (place / "none").exists()


def test_a_known_store_that_is_gone_is_never_replaced_by_an_empty_one(place, own_home):
    """The missing file is an error, reading and writing; so is another store in its place."""
    with open_memory() as memory:
        memory.memorize("deploys are manual")
    store = own_home / "memory.db"
    shutil.move(store, place / "moved.db")
    with pytest.raises(StoreMissing):
        open_memory()
    with pytest.raises(StoreMissing):
        connect(current_settings(), caller(), create=False)
    assert not store.exists()
    with open_memory(place / "another.db") as memory:
        memory.memorize("something else")
    shutil.copy(place / "another.db", store)
    with pytest.raises(StoreReplaced):
        open_memory()


def test_reading_before_the_first_write_makes_nothing(place, own_home):
    """A store that does not exist reads as empty and no file appears, not even the home."""
    with connect(current_settings(), caller("agent"), create=False) as memory:
        assert ((), "", {}) == (memory.recall("x").hits, memory.context().text, memory.stats().records)
        with pytest.raises(NotFound):
            memory.history("fact_x")

    assert not own_home.exists()


def test_every_switch_switches_everything_off(place, own_home, monkeypatch):
    """The variable, a pause, and the project's file: writing is refused and nothing is injected, each says why."""
    make_repository(place, "https://example.org/team/app")
    with open_memory() as memory:
        memory.memorize("deploys are manual")

    def reason():
        with open_memory() as memory:
            assert "" == memory.context(guidance=True).text
            with pytest.raises(SwitchedOff) as caught:
                memory.memorize("x")
            return caught.value.message.removeprefix("tacit is off here: ")

    monkeypatch.setenv("TACIT_OFF", "1")
    assert "TACIT_OFF is set" == reason()
    monkeypatch.setenv("TACIT_OFF", "0")
    pause(own_home, datetime.now(UTC) + timedelta(hours=1))
    assert reason().startswith("paused until")
    pause(own_home, datetime.now(UTC) - timedelta(hours=1))
    switch = project_switch(own_home, "example.org/team/app")
    switch.parent.mkdir(parents=True)
    switch.touch()
    assert "switched off for this project" == reason()
    switch.unlink()
    with open_memory() as memory:
        assert 1 == len(memory.context().ids)


def test_only_a_person_pauses_resumes_and_restores(place, own_home):
    """An agent is refused with exit code 4 in mind; a person's pause has an end and can be ended."""
    settings = current_settings()
    for refused in (
        lambda: pause_all(settings, caller("agent"), timedelta(hours=1)),
        lambda: resume_all(settings, caller("agent")),
        lambda: restore_backup(settings, caller("agent"), place / "x"),
    ):
        with pytest.raises(PersonNeeded) as caught:
            refused()
        assert 4 == caught.value.exit_code
    until = pause_all(settings, caller(), timedelta(hours=2))

    assert 2 == (until - caller().clock.now()).seconds / 3600
    resume_all(settings, caller())
    assert not (own_home / "pause.json").exists()


def test_a_restore_drill(place, own_home):
    """A backup takes the store's place; what was there is kept beside it; everything is sound afterwards."""
    with open_memory() as memory:
        first = memory.memorize("deploys are manual").id
        backup = memory.backup(place / "backup.db")
        second = memory.memorize("tests come first").id
    kept = restore_backup(current_settings(), caller(), backup)
    with open_memory() as memory:
        assert (True, None) == (memory.get(first) is not None, memory.get(second))
        assert memory.verify().ok
        third = memory.memorize("life goes on").id
        assert memory.get(third) is not None
    assert kept.exists()
    with open_memory(kept) as memory:
        assert memory.get(second) is not None


def test_the_store_named_in_the_settings_is_used(place, own_home, monkeypatch):
    """`TACIT_STORE` and config.toml name the store."""
    monkeypatch.setenv("TACIT_STORE", str(place / "other.db"))
    with open_memory() as memory:
        assert str(place / "other.db") == memory.location


def test_a_working_directory_that_is_gone_is_a_typed_error(place, tmp_path, monkeypatch):
    """A deleted folder has no project; that is said, and nothing is opened."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    with pytest.raises(ConfigError, match="working directory"):
        current_settings()
    monkeypatch.chdir(tmp_path)


def test_under_the_test_run_the_caller_is_an_agent(place):
    """Without terminals, as here, nobody is taken for a person, and no argument can say otherwise."""
    assert "agent" == current_caller(current_settings()).origin.actor
    with pytest.raises(TypeError):
        tacit.open_memory(actor="user")


def test_named_scripts_have_a_persons_right(place, own_home, monkeypatch):
    """A script listed in config.toml acts as a person when it is among the callers, under its full path only."""
    monkeypatch.setattr(config, "account_home", lambda: own_home)
    monkeypatch.setenv("TACIT_HOME", str(own_home / ".tacit"))
    (own_home / ".tacit").mkdir(parents=True)
    (own_home / ".tacit" / "config.toml").write_text('person_scripts = ["/usr/local/bin/nightly"]')
    cases = {
        "user": [["/bin/sh", "/usr/local/bin/nightly"], ["/usr/bin/env", "/usr/local/bin/nightly", "--all"]],
        "agent": [
            ["/usr/local/bin/nightly", "-c", "a name anybody can give himself"],
            ["/bin/sh", "nightly"],
            ["/bin/sh", "-c", "x /usr/local/bin/nightly"],
            ["/tmp/usr/local/bin/nightly"],
        ],
    }
    for expected, lines in cases.items():
        for line in lines:
            monkeypatch.setattr(ancestors, "ancestors", lambda line=line: [["bash"], line])
            assert expected == current_caller(current_settings()).origin.actor
    monkeypatch.setattr(ancestors, "ancestors", lambda: [["/bin/sh", "/usr/local/bin/nightly"], ["claude"]])
    assert "agent" == current_caller(current_settings()).origin.actor


def test_a_home_of_ones_own_choosing_grants_nothing(place, own_home, monkeypatch):
    """Scripts are granted in the account's own home; one named by a variable may hold anything."""
    own_home.mkdir(exist_ok=True)
    (own_home / "config.toml").write_text('person_scripts = ["/usr/local/bin/nightly"]')
    monkeypatch.setattr(ancestors, "ancestors", lambda: [["/bin/sh", "/usr/local/bin/nightly"]])

    assert "agent" == current_caller(current_settings()).origin.actor


def test_the_ancestors_of_a_process_are_its_real_ones():
    """The nearest ancestor is the process that started this one."""
    found = ancestors.ancestors()
    parent = Path(f"/proc/{os.getppid()}/cmdline")

    assert found
    if parent.exists():
        assert parent.read_bytes().decode().split("\0")[:-1] == found[0]
    assert ["node", "codex"] == ancestors.program_names([["/usr/bin/node", "/opt/codex.js", "x"]])


def findings(**options):
    return {(finding.subject, finding.level) for finding in examine(current_settings(), caller(), **options)}


def test_the_doctor_examines_also_what_does_not_open(place, own_home):
    """A store that is not there yet is a hint; missing, damaged, and a broken list of stores are errors."""
    assert ("store", "hint") in findings()
    with open_memory() as memory:
        memory.memorize("deploys are manual")
    assert {("store", "ok"), ("integrity", "ok"), ("semantic", "hint")} <= findings()
    assert ("known store", "warning") in _without(place / "gone.db", findings)
    (own_home / "memory.db").write_bytes(b"junk")
    assert ("store", "error") in findings()
    (own_home / "stores.json").write_text("junk")
    assert ("known stores", "error") in findings()


def _without(path, then):
    with open_memory(path) as memory:
        memory.memorize("x y z")
    path.unlink()
    return then()


def test_the_doctor_names_a_settings_notice_and_tampering(place):
    """What the project's file was not allowed to set, and a changed record, both show."""
    make_repository(place, "https://example.org/team/app")
    (place / ".tacit.toml").write_text("store = '/x'")
    with open_memory() as memory:
        memory.memorize("deploys are manual")
        location = memory.location
    assert ("settings", "warning") in findings()
    db = sqlite3.connect(location)
    db.execute("UPDATE records SET body = 'deploys are automatic'")
    db.commit()
    db.close()

    assert any(level == "error" for _subject, level in findings())
