"""`tacit share` at the command line: two homes of a person, as they read it."""

import json

import pytest

from tacit.model.record import short_id

SCOPE = ("--scope", "project:acme/app")


@pytest.fixture
def at(tacit, person, monkeypatch, tmp_path):
    """Return `at(home, *words)`: what a person's command line in a home answers."""
    person()

    def run(home, *words):
        monkeypatch.setenv("TACIT_HOME", str(tmp_path / home))
        return tacit(*words)

    return run


def test_two_homes_of_a_person(at, tmp_path):
    """Init, push, accept, pull, a key, list and remove say what they did and what comes next."""
    shared = tmp_path / "shared"
    shared.mkdir()
    made = at("one", "share", "init", str(shared), *SCOPE)
    at("one", "memorize", "the staging port is 8443", *SCOPE)
    pushed = at("one", "share", "push")
    accepted = at("two", "share", "accept", str(shared), "project:acme/app")
    pulled, again = at("two", "share", "pull", str(shared)), at("two", "share", "pull", "--json").json
    recalled = at("two", "recall", "which port does staging use?", *SCOPE)
    logged = at("two", "log", *SCOPE)
    exported = at("one", "share", "key", "export", str(tmp_path / "key"))
    imported = at("two", "share", "key", "import", str(tmp_path / "key"))
    listed = at("two", "share", "list")
    status, doctor = at("two", "status"), at("two", "doctor")
    removed, none = at("two", "share", "remove", str(shared)), at("two", "share", "list")

    assert "pushes to it and pulls from it, project:acme/app" in made.out
    assert "1 record written" in pushed.out
    assert "pulls from it" in accepted.out
    assert "1 new record, 0 changed" in pulled.out
    assert ("tacit.share_pull/1", 1) == (again["schema"], again["folders"][0]["unchanged"])
    assert "8443" in recalled.out
    assert "took from a shared folder" in logged.out
    assert "carry it to your other machine yourself" in exported.out
    assert "this home signs with it" in imported.out
    assert "project:acme/app" in listed.out
    assert f"shares  {shared}: pull, project:acme/app, pulled 20" in status.out
    assert f"{shared}: pull, project:acme/app, pulled 20" in doctor.out
    assert "is not used any more" in removed.out
    assert "no folder is shared" in none.out
    assert json.loads((tmp_path / "key").read_text())["secret"] not in exported.out + imported.out


def test_what_is_not_there_is_said(at, tmp_path):
    """A folder that is missing or not shared, a user scope and a file that is no key end with a sentence and a code."""
    empty = tmp_path / "empty"
    empty.mkdir()
    (tmp_path / "nokey").write_text("{}")

    for words, code, said in [
        (["share", "init", str(tmp_path / "gone"), *SCOPE], 3, "there is no folder"),
        (["share", "init", str(empty)], 4, "never shared"),
        (["share", "accept", str(empty), *SCOPE], 3, "is not a shared folder"),
        (["share", "pull"], 3, "no shared folder was accepted here"),
        (["share", "push", str(empty)], 3, "is not a folder that a person accepted here"),
        (["share", "key", "import", str(tmp_path / "nokey")], 2, "not a share key"),
        (["share", "key", "import", str(tmp_path / "nofile")], 3, "does not exist"),
        (["share", "key", "export", str(tmp_path / "gone" / "key")], 3, "there is no folder"),
    ]:
        answer = at("one", *words)

        assert (code, True) == (answer.code, said in answer.err), answer


def test_a_project_that_gets_its_remote_later(at, tmp_path, monkeypatch):
    """The folder follows to the project's new name, and the other home is told what to type."""
    shared, project = tmp_path / "shared", tmp_path / "app"
    shared.mkdir()
    (project / ".git").mkdir(parents=True)
    monkeypatch.chdir(project)
    made = at("one", "share", "init", str(shared))
    at("one", "memorize", "the staging port is 8443")
    at("one", "share", "push")
    (project / ".git" / "config").write_text('[remote "origin"]\n\turl = https://git.example.com/me/app.git\n')
    pushed, again = at("one", "share", "push"), at("one", "share", "push")
    monkeypatch.chdir(tmp_path)
    at("two", "share", "accept", str(shared), "team:other")
    refused = at("two", "share", "pull")
    accepted = at("two", "share", "accept", str(shared), "project:git.example.com/me/app")
    pulled = at("two", "share", "pull")

    assert "no other home has a scope of this name" in made.out
    assert "written anew as project:git.example.com/me/app" in pushed.out
    assert ("1 unchanged" in again.out, "anew" in again.out) == (True, False)
    assert f"`tacit share accept {shared} project:git.example.com/me/app`" in refused.out
    assert "team:other, project:git.example.com/me/app" in accepted.out
    assert "1 new record" in pulled.out
    assert "they are unverified" in pulled.out


def test_a_pull_names_what_it_removed(at, tmp_path):
    """Up to 20 removed records are on the screen, each with its kind, short id and first words; JSON has all."""
    shared = tmp_path / "shared"
    shared.mkdir()
    for home in ("one", "two", "three"):
        at(home, "share", "init", str(shared), *SCOPE)
    ids = [at("one", "memorize", f"door {n} opens at {n}:00", *SCOPE, "--json").json["id"] for n in range(1, 23)]
    at("one", "share", "push")
    for home in ("two", "three"):
        at(home, "share", "pull")
    for id in ids:
        at("one", "remove", id, *SCOPE)
    at("one", "share", "push")
    screen, document = at("two", "share", "pull"), at("three", "share", "pull", "--json").json
    listed = screen.out.partition("removed by the author:")[2].splitlines()

    assert f"  fact {short_id(ids[0])}: door 1 opens at 1:00" in listed
    assert (20, "  and 2 more; --json lists them") == (sum("opens" in line for line in listed), listed[-1])
    assert set(ids) == {one["id"] for one in document["folders"][0]["removed_records"]}


def test_what_is_taken_has_to_be_there(at, tmp_path):
    """An id that no pulled folder has is not found; one that nothing waits for is told so; a short id does anywhere."""
    shared = tmp_path / "shared"
    shared.mkdir()
    for home in ("one", "two"):
        at(home, "share", "init", str(shared), *SCOPE)
    id = at("one", "memorize", "the staging port is 8443", *SCOPE, "--json").json["id"]
    at("one", "share", "push")
    at("two", "share", "pull")
    unknown = [at("two", "share", "pull", "--take", text) for text in ("nonsense", "fact_01ARZ3NDEKTSV4RRFFQ69G5FAV")]
    idle = at("two", "share", "pull", "--take", short_id(id))
    at("two", "edit", id, "--body", "the staging port is 9443", *SCOPE)
    at("two", "share", "push")
    taken = at("one", "share", "pull", "--take", short_id(id))

    assert [3, 3] == [one.code for one in unknown]
    assert all("is no record of a folder that would be pulled; nothing was pulled" in one.err for one in unknown)
    assert (0, True) == (idle.code, f"{short_id(id)}: nothing waits to be taken" in idle.out)
    assert "1 changed" in taken.out
    assert "nothing waits" not in taken.out


def test_a_second_machine_pulls_first(at, tmp_path):
    """Init of an empty folder is followed by a push, of one that others wrote to by a pull."""
    shared = tmp_path / "shared"
    shared.mkdir()
    first = at("one", "share", "init", str(shared), *SCOPE)
    at("one", "memorize", "the staging port is 8443", *SCOPE)
    at("one", "share", "push")
    own, second = (at(home, "share", "init", str(shared), *SCOPE) for home in ("one", "two"))

    assert ["next: tacit share push"] * 2 == [one.out.splitlines()[-1] for one in (first, own)]
    assert "next: tacit share pull" == second.out.splitlines()[-1]


def test_every_screen_says_that_a_change_waits(at, tmp_path):
    """A pull that nobody watched left a change: `tacit`, status and the list of folders name the command."""
    shared = tmp_path / "shared"
    shared.mkdir()
    for home in ("one", "two"):
        at(home, "share", "init", str(shared), *SCOPE)
    id = at("one", "memorize", "deploys need two approvals", *SCOPE, "--json").json["id"]
    at("one", "share", "push")
    at("two", "share", "pull")
    at("two", "edit", id, "--body", "deploys need no approval", *SCOPE)
    at("two", "share", "push")
    at("one", "share", "pull")
    screens = [at("one", *words).out for words in ([], ["status"], ["share", "list"])]
    at("one", "share", "pull", "--take", id)
    after = [at("one", *words).out for words in ([], ["status"], ["share", "list"])]

    assert "needs your attention\n  1 change by other homes waits: tacit share pull" in screens[0]
    assert "pending 1 change by other homes waits: tacit share pull" in screens[1]
    assert "1 change by other homes waits: `tacit share pull` shows it" in screens[2]
    assert not any("by other homes" in screen for screen in after)
