"""A project's memory follows its name: a first git remote takes it along, a changed one offers to."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest

from tests.doors.terminal import at_terminal

TEXT = "the staging api listens on port 8443"
REMOTE, SCOPE = "git@example.org:team/app.git", "project:example.org/team/app"


@pytest.fixture
def app(tmp_path):
    """A repository without a remote, in which a fact is kept."""
    folder = tmp_path / "work"
    git_remote(folder, "")
    return folder


def git_remote(folder, url):
    """Make a folder a repository with this remote, or with none."""
    (folder / ".git").mkdir(exist_ok=True, parents=True)
    (folder / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {url}\n' if url else "")


def found(tacit, *words):
    return [hit["record"]["body"] for hit in tacit("recall", "staging", *words, "--json").json["hits"]]


def test_a_first_remote_takes_the_memory_along(tacit, app):
    """The next command moves it, says one line, and everything is there; until now it was gone."""
    tacit("memorize", TEXT)
    git_remote(app, REMOTE)
    first, second = tacit("recall", "staging"), tacit("recall", "staging")

    assert TEXT in first.out
    assert 1 == first.err.count(f"1 record of project:{app} moved to {SCOPE}")
    assert (TEXT in second.out, "moved" in second.err) == (True, False)
    assert f"1 record of project:{app} moved" in tacit("status").out
    assert [SCOPE] == [one["scope"] for one in tacit("scope", "list", "--json").json["scopes"]]
    assert tacit("verify", "--json").json["ok"]


def test_a_later_fact_does_not_hide_the_older_ones(tacit, app):
    """A write may be the first command after the remote."""
    tacit("memorize", TEXT)
    git_remote(app, REMOTE)
    tacit("memorize", "deploys are manual")

    assert [TEXT] == found(tacit)
    assert 2 == len(tacit("list", "--json").json["records"])


def test_four_processes_at_once_move_it_once(tmp_path, tacit, monkeypatch):
    """One moves it and says so; all find it; the log tells of one move and is sound."""
    app = tmp_path / "app"
    git_remote(app, "")
    env = {**os.environ, "TACIT_EMBEDDER": "off"}
    command = [sys.executable, "-m", "tacit"]
    monkeypatch.chdir(app)
    for number in range(20):
        assert 0 == tacit("memorize", f"rack {number} holds host {number * 7}").code
    git_remote(app, REMOTE)
    started = [
        subprocess.Popen(
            [*command, *words], cwd=app, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
        )
        for words in (["recall", "rack 3"], ["memorize", "deploys are manual"], ["list"], ["recall", "host 7"])
    ]  # fmt: skip
    ended = [(one.communicate(timeout=600), one.returncode) for one in started]
    said = [err for (_out, err), _code in ended if "moved to" in err]

    assert [0, 0, 0, 0] == [code for _texts, code in ended], ended
    assert 1 == len(said), ended
    done = subprocess.run([*command, "list", "--limit", "100", "--json"], cwd=app, env=env, capture_output=True)
    assert 21 == len(json.loads(done.stdout)["records"])
    verified = subprocess.run([*command, "verify", "--json"], cwd=app, env=env, capture_output=True)
    assert json.loads(verified.stdout)["ok"]


def test_a_hook_takes_it_along_and_the_next_session_is_told(tacit, process, app):
    """Whoever is first; the line at the start names no path."""
    tacit("memorize", TEXT)
    git_remote(app, REMOTE)
    payload = {"hook_event_name": "SessionStart", "session_id": "s1", "cwd": str(app), "source": "startup"}
    answer = process("hook", "claude", "SessionStart", stdin=json.dumps(payload).encode())
    told = answer.json["hookSpecificOutput"]["additionalContext"]

    assert "1 record of this project moved to its new scope, because it got a git remote." in told
    assert str(app) not in told
    assert [TEXT] == found(tacit)


def test_a_person_moves_it_back_and_it_stays_there(tmp_path, app):
    """The line that was said can be pasted; nothing moves by itself again."""
    at_terminal(app, "memorize", TEXT, person=True)
    git_remote(app, REMOTE)
    _code, _out, said = at_terminal(app, "list", person=True)
    line = re.search(r"`tacit (scope move [^`]+)`", said)[1].split()

    assert (0, 3) == (at_terminal(app, *line, person=True)[0], at_terminal(app, *line, person=True)[0])
    code, out, _shown = at_terminal(app, "recall", "staging", person=True)
    assert (0, False) == (code, TEXT in out)
    assert "nothing was found" in out or "tacit scope move" in out
    git_remote(app, "")
    assert TEXT in at_terminal(app, "recall", "staging", person=True)[1]


def test_a_changed_remote_only_offers_a_move(tacit, app, person):
    """An organisation that is renamed, or another repository at the same place: a person says which."""
    git_remote(app, "git@example.org:before/app.git")
    tacit("memorize", TEXT)
    git_remote(app, REMOTE)
    line = f"tacit scope move project:example.org/before/app {SCOPE}"

    assert f"`{line}`" in tacit("recall", "staging", "--json").json["notices"][-1]
    assert f"`{line}`" in tacit("list", "--json").json["notices"][-1]
    assert f"`{line}`" in tacit("status", "--json").json["warnings"][-1]
    assert [True] == [
        f"`{line}`" in one["hint"] for one in tacit("doctor", "--json").json["findings"] if one["subject"] == "project"
    ]
    assert (4, "person_needed") == (
        (refused := tacit(*line.split()[1:], "--json")).code, refused.json["error"]["code"],
    )  # fmt: skip
    person()
    assert 0 == tacit(*line.split()[1:]).code
    assert [TEXT] == found(tacit)


def test_the_offer_stays_when_the_new_scope_is_in_use(tacit, app):
    """Then both have records, and the line merges them; until now the hint was gone after the next fact."""
    git_remote(app, "git@example.org:before/app.git")
    tacit("memorize", TEXT)
    git_remote(app, REMOTE)
    tacit("memorize", "deploys are manual")

    line = f"`tacit scope merge project:example.org/before/app {SCOPE}`"
    assert line in tacit("status", "--json").json["warnings"][-1]
    assert line in tacit("recall", "staging", "--json").json["notices"][-1]


def test_where_there_is_nothing_to_move_nothing_is_said(tacit, app):
    """A new repository with a remote; another scope that is asked for."""
    git_remote(app, REMOTE)
    assert ["nothing was found"] == tacit("recall", "staging", "--json").json["notices"][-1:]
    git_remote(app, "")
    tacit("memorize", TEXT)
    git_remote(app, REMOTE)

    assert ([], "") == ((asked := tacit("list", "--scope", "team:x", "--json")).json["notices"], asked.err)
    assert [TEXT] == found(tacit, "--scope", f"project:{app}")


def test_a_merge_shows_the_counts_and_asks(tmp_path, app):
    """Only `yes` merges; `--dry-run` changes nothing."""
    at_terminal(app, "memorize", TEXT, "--scope", "project:a", person=True)
    at_terminal(app, "memorize", "deploys are manual", "--scope", "project:b", person=True)
    words = ("scope", "merge", "project:a", "project:b")

    code, out, _shown = at_terminal(app, *words, "--dry-run", person=True)
    assert (0, True) == (code, "1 record of project:a will move" in out)
    code, _out, shown = at_terminal(app, *words, typed="no\n", person=True)
    assert (4, True) == (code, "into project:b, which has 1 record" in shown)
    code, out, _shown = at_terminal(app, *words, "--json", typed="yes\n", person=True)
    assert (0, "tacit.scope_move/1", 1) == (code, json.loads(out)["schema"], json.loads(out)["records"])


def test_a_project_that_is_switched_off_stays_off(tacit, app, own_home):
    """A remote gives it another id, not another owner."""
    tacit("memorize", TEXT)
    switch = own_home / "off" / str(app).strip("/")
    switch.parent.mkdir(parents=True)
    switch.touch()
    git_remote(app, REMOTE)

    assert (4, "switched_off") == ((kept := tacit("memorize", "x y z", "--json")).code, kept.json["error"]["code"])
    switch.unlink()
    assert [TEXT] == found(tacit)


def test_the_memory_directory_moves_along(tacit, app, own_home):
    """Its files are where the project looks for them, and a sync finds nothing to do."""
    tacit("memdir", "add", "Deploys are manual.", "--type", "project", "--name", "deploys")
    tacit("memdir", "sync")
    folder = own_home / "memdir" / str(app).replace("/", "_")
    files = sorted(path.name for path in folder.rglob("*.md"))
    git_remote(app, REMOTE)
    tacit("list")
    moved = own_home / "memdir" / "example.org_team_app"

    assert files
    assert (files, False) == (sorted(path.name for path in moved.rglob("*.md")), folder.exists())
    after = tacit("memdir", "sync", "--json").json
    assert files == sorted(path.name for path in moved.rglob("*.md")), after
