"""`tacit uninstall` takes everything back that `connect` put on a machine, and the memory only if a person says so."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.doors.terminal import at_terminal

SETTINGS = '{\n  // mine\n  "model": "opus"\n}\n'


@pytest.fixture
def machine(tmp_path, own_home):
    """A machine with two agents, both connected, and a fact in the memory."""
    user = Path(os.environ["HOME"])
    for name, text in ((".claude/settings.json", SETTINGS), (".codex/config.toml", "# mine\nmodel = 'o3'\n")):
        (user / name).parent.mkdir()
        (user / name).write_text(text)
    before = contents(user)
    work = tmp_path / "work"
    work.mkdir()
    at_terminal(work, "memorize", "the staging api listens on port 8443", person=True)
    code, _out, shown = at_terminal(work, "connect", "claude", "codex", person=True, typed="y\n")
    assert 0 == code, shown
    assert before != contents(user)
    return work, user, before


def contents(user):
    """Return the files of the agents."""
    files = (path for folder in (".claude", ".codex") for path in sorted((user / folder).rglob("*")))
    files = [*files, *([user / ".claude.json"] if (user / ".claude.json").exists() else [])]
    return {str(path.relative_to(user)): path.read_bytes() for path in files if path.is_file()}


def helper_starts(work):
    code, out, shown = at_terminal(work, "serve", "--detach", "--json", person=True)
    assert 0 == code, shown
    return json.loads(out)


def is_served(work):
    return json.loads(at_terminal(work, "serve", "--status", "--json", person=True)[1])["serving"] is not None


def test_a_person_uninstalls_and_keeps_the_memory(machine, own_home):
    """Every file of an agent is as it was, no backup is left, the helper is gone; what remains is said."""
    work, user, before = machine
    helper_starts(work)
    code, out, shown = at_terminal(work, "uninstall", typed="yes\n\n", person=True)

    assert 0 == code, shown
    assert before == contents(user)
    assert ".before-tacit-" in shown
    assert (False, False) == ((own_home / "bin" / "tacit-hook").exists(), is_served(work))
    assert f"kept {own_home}" in out
    assert "pip uninstall tacit" in out
    assert "8443" in at_terminal(work, "recall", "staging", person=True)[1]


def test_the_memory_goes_with_the_typed_word_only(machine, own_home):
    """`yes` is not enough for that."""
    work, _user, _before = machine
    assert 0 == at_terminal(work, "uninstall", typed="yes\nyes\n", person=True)[0]
    assert (own_home / "memory.db").exists()
    code, out, _shown = at_terminal(work, "uninstall", typed="yes\ndelete\n", person=True)

    assert (0, False) == (code, own_home.exists())
    assert f"deleted {own_home}" in out


def test_a_person_who_answers_no_changes_nothing(machine, own_home):
    """Exit 4, and the agents stay connected."""
    work, user, _before = machine
    connected = contents(user)

    assert 4 == at_terminal(work, "uninstall", typed="no\n", person=True)[0]
    assert (connected, True) == (contents(user), own_home.exists())


@pytest.mark.parametrize("flag, stays", [("--keep-memory", True), ("--delete-memory", False)])
def test_a_script_of_a_person_asks_nothing(machine, own_home, flag, stays):
    """With --yes and one of the two flags."""
    work, user, before = machine
    code, out, shown = at_terminal(work, "uninstall", "--yes", flag, "--json", person=True)
    document = json.loads(out)

    assert (0, "", stays) == (code, shown, own_home.exists())
    assert ("tacit.uninstall/1", not stays) == (document["schema"], document["home_deleted"])
    assert ["claude", "codex"] == sorted({one["agent"] for one in document["agents"]})
    assert before == contents(user)


def test_an_agent_is_refused_and_may_look(machine, process, own_home):
    """Exit 4 with every flag; a dry run shows the same and changes nothing."""
    _work, user, _before = machine
    connected = contents(user)
    for words in (["uninstall"], ["uninstall", "--yes", "--delete-memory"]):
        assert (4, "person_needed") == ((no := process(*words, "--json")).code, no.json["error"]["code"])
    looked = process("uninstall", "--dry-run", "--json")

    assert (0, True) == (looked.code, looked.json["dry_run"])
    assert (connected, True) == (contents(user), own_home.exists())


def test_the_last_agent_takes_the_helper_and_its_client_along(machine, own_home):
    """Until now `disconnect` left both behind; while another agent is connected they stay."""
    work, _user, _before = machine
    helper_starts(work)
    client = own_home / "bin" / "tacit-hook"
    assert 0 == at_terminal(work, "disconnect", "claude", person=True)[0]
    assert (any(map(shutil.which, ("cc", "gcc", "clang"))), True) == (client.exists(), is_served(work))
    code, out, _shown = at_terminal(work, "disconnect", "codex", person=True)

    assert (0, False, False) == (code, client.exists(), is_served(work))
    assert "no agent is connected any more" in out


def test_an_agent_of_another_project_is_found(machine, tmp_path):
    """A project in which tacit was used is looked into, wherever one is."""
    work, _user, _before = machine
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    at_terminal(other, "memorize", "deploys are manual", person=True)
    at_terminal(other, "connect", "claude", "--project", person=True, typed="n\n")
    assert [True] == ["tacit" in path.read_text() for path in (other / ".claude").iterdir()]
    at_terminal(work, "uninstall", "--yes", "--keep-memory", person=True)

    assert [] == list((other / ".claude").iterdir())


@pytest.mark.parametrize("what", ["link", "repository", "stranger"])
def test_a_folder_that_may_be_more_than_a_home_is_not_deleted(tmp_path, own_home, what):
    """A link, a repository, a folder without anything of ours."""
    real = tmp_path / "real"
    real.mkdir()
    if what == "link":
        own_home.symlink_to(real)
        (real / "stores.json").write_text('{"schema": "tacit.stores/1", "stores": {}}')
    else:
        own_home.mkdir()
        (own_home / ("notes.txt" if what == "stranger" else "stores.json")).write_text(
            '{"schema": "tacit.stores/1", "stores": {}}'
        )
        if what == "repository":
            (own_home / ".git").mkdir()
    code, _out, shown = at_terminal(tmp_path, "uninstall", "--yes", "--delete-memory", person=True)

    assert (4, True) == (code, "not deleted" in shown), shown
    assert list(own_home.iterdir())
