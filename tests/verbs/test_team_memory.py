"""The team's folder of the memory directory: written with `--team`, and never with what is private."""

import pytest

from tacit import Refused, UsageError
from tacit.model.settings import MemdirRules
from tacit.testing import temporary_memory

USER = "---\nname: Ann\ndescription: who she is\ntype: user\n---\nAnn likes tabs.\n"


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "mem" / "ory"
    made.mkdir(parents=True)
    return made


@pytest.fixture
def memory(tmp_path, folder):
    with temporary_memory(folder=tmp_path / "home", memdir=str(folder)) as made:
        yield made


@pytest.mark.parametrize("type", ["", "project", "reference"])
def test_remember_keeps_something_for_the_team(memory, folder, type):
    """S27: a file in team/ with its line in the team's index, found by recall; said twice, it is one file."""
    more = {"type": type} if type else {}
    kept = memory.remember("Deploys are frozen on Fridays because of the bank.", team=True, **more)
    again = memory.remember("Deploys are frozen on Fridays because of the bank.", team=True, **more)
    (file,) = [path for path in (folder / "team").glob("*.md") if path.name != "MEMORY.md"]

    assert f"type: {type or 'project'}" in file.read_text()
    assert file.name in (folder / "team" / "MEMORY.md").read_text()
    assert not (folder / "MEMORY.md").exists()
    assert (kept.id, True) == (again.id, again.merged)
    assert kept.id in [hit.id for hit in memory.recall("when are deploys frozen")]


@pytest.mark.parametrize("write", [
    lambda m: m.remember("The team lead likes long meetings.", team=True, type="user"),
    lambda m: m.remember("Ask before you commit.", team=True, type="feedback"),
    lambda m: m.memdir.remember("Answer in short sentences.", type="feedback", team=True),
    lambda m: m.remember("I prefer tabs over spaces", team=True),
    lambda m: m.remember("On Fridays my working day ends at noon.", team=True, type="project"),
    lambda m: m.memdir.remember("Since May I'm the owner of billing", type="project", team=True),
])  # fmt: skip
def test_what_is_private_is_refused_there(memory, folder, write):
    """S27: the types user and feedback, and what speaks of whoever says it; nothing is written anywhere."""
    with pytest.raises(Refused, match="everybody"):
        write(memory)

    assert not list(folder.rglob("*.md"))
    assert not memory.list(kinds=["note"]).records


@pytest.mark.parametrize("text", ["The I/O limits are low.", "Use the MY_KEY variable", "see myself.py", "Iain is it"])
def test_what_only_looks_like_it_is_kept(memory, text):
    """S27: words that contain one of those words are not about anybody."""
    assert memory.remember(text, team=True).id


@pytest.mark.parametrize("kind", ["user", "feedback"])
def test_a_private_file_that_lies_there_is_not_read_in(memory, folder, kind):
    """S27: put there by hand, or moved there: the sync and lint say so, and recall does not find it."""
    (folder / "ann.md").write_text(USER.replace("type: user", f"type: {kind}"))
    memory.memdir.sync()
    (folder / "team").mkdir()
    (folder / "ann.md").rename(folder / "team" / "ann.md")
    (folder / "team" / "bob.md").write_text(USER.replace("Ann", "Bob").replace("type: user", f"type: {kind}"))
    found = memory.memdir.sync()

    assert {"team/ann.md", "team/bob.md"} == {one.path for one in found.problems if "private" in one.message}
    assert [] == [one for one in memory.list(kinds=["note"]).records if one.payload.path.startswith("team/")]
    assert (folder / "team" / "ann.md").exists()


def test_the_memory_tool_refuses_it_too(memory, folder):
    """S27: creating, editing, inserting and renaming, of a file and of a folder with one."""
    tool = memory.memdir.tool()
    run = lambda command, **given: tool.call({"command": command, **given})  # noqa: E731
    run("create", path="/memories/me/ann.md", file_text=USER)
    run("create", path="/memories/team/fine.md", file_text=USER.replace("type: user", "type: project"))
    for command, given in (
        ("create", {"path": "/memories/team/ann.md", "file_text": USER}),
        ("str_replace", {"path": "/memories/team/fine.md", "old_str": "type: project", "new_str": "type: feedback"}),
        ("rename", {"old_path": "/memories/me/ann.md", "new_path": "/memories/team/ann.md"}),
        ("rename", {"old_path": "/memories/me", "new_path": "/memories/team/me"}),
    ):
        with pytest.raises(Refused, match="private"):
            run(command, **given)

    assert ["fine.md"] == [path.name for path in (folder / "team").iterdir()]


def test_a_type_is_of_a_file_and_a_file_is_in_one_folder(memory):
    """S27: a type without --team, and two folders at once, are errors."""
    with pytest.raises(UsageError, match="type"):
        memory.remember("x y z", type="project")
    with pytest.raises(UsageError, match="folder"):
        memory.memdir.remember("x y z", type="project", team=True, agent="bo")


def test_an_agents_text_waits_where_a_person_is_asked(tmp_path, folder):
    """S27: in ask mode nothing is written for the team before a person accepts it."""
    with temporary_memory(folder=tmp_path / "home", memdir=str(folder), memdir_rules=MemdirRules(ask=True)) as memory:
        kept = memory.remember("Deploys are frozen on Fridays.", team=True)

        assert "waits for a person" in kept.said
        assert not list(folder.rglob("*.md"))
