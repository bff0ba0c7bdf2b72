"""Written memory from both sides: taken in, written out, merged, kept twice, and never lost; on both stores."""

from __future__ import annotations

import errno
import os
import resource
import shutil
from pathlib import Path

import pytest

from tacit.errors import Conflict, NotFound, PersonNeeded, Refused, SwitchedOff, TacitError, UsageError
from tacit.files import safe_paths as inside_module
from tacit.memdir.folder_lock import locked
from tacit.memdir.rules.lint import fixed_index
from tacit.model.lesson import Evidence, Narrative
from tacit.model.settings import MemdirRules
from tacit.testing import FakeClock, temporary_memory

KEY = "ghp_" + "a1B2c3D4" * 5
TOP = "---\nname: Freeze\ndescription: no deploys on Friday\ntype: project\n---\n"
TEXT = f"{TOP}one\ntwo\nthree\n"


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "mem" / "ory"
    made.mkdir(parents=True)
    return made


@pytest.fixture
def opened(tmp_path, folder):
    """Return `opened(actor="agent", **settings)`: the same store and folder, as somebody."""
    clock = FakeClock()

    def open_(actor="agent", **settings):
        clock.advance(minutes=1)
        return temporary_memory(
            folder=tmp_path / "home", clock=clock, actor=actor, **{"memdir": str(folder)} | settings
        )

    return open_


@pytest.fixture
def memory(opened):
    with opened() as made:
        yield made


def note(memory, status="active"):
    [one] = memory.list(kinds=["note"], statuses=[status]).records
    return one


def asides(folder):
    return sorted(path.name for path in folder.glob("*.conflict-*"))


def test_a_file_is_taken_in_as_the_files_word(memory, folder):
    """Its path is the key, its hash a facet, its trust that of a file, and the log has the difference."""
    (folder / "team").mkdir()
    (folder / "team" / "freeze.md").write_text(TEXT)
    found = memory.memdir.sync()
    one = note(memory)
    [event] = [event for event in memory.events(one.id) if event.type == "memdir.taken"]

    assert ("team/freeze.md",) == found.taken
    assert ("team/freeze.md", "Freeze", "one\ntwo\nthree\n", "file", 1) == (
        one.key, one.title, one.body, one.origin.actor, one.trust,
    )  # fmt: skip
    assert ("project", "no deploys on Friday", TOP) == (one.payload.type, one.payload.description, one.payload.top)
    assert "+two" in event.payload["diff"]
    assert one.id == memory.recall("friday deploys").hits[0].id


def test_a_second_sync_has_nothing_to_do(memory, folder):
    """Nor has a third, and nothing is written."""
    (folder / "a.md").write_text(TEXT)
    memory.memdir.sync()
    before = len(memory.events(limit=1_000))
    found = memory.memdir.sync()

    assert {()} == {getattr(found, name) for name in ("taken", "written", "merged", "conflicts", "problems", "agreed")}
    assert before == len(memory.events(limit=1_000))


def test_an_edit_here_is_written_there_with_all_the_file_says_at_its_top(memory, folder):
    """Byte for byte, line ends too; another title goes into the top, and what else stands there stays."""
    text = TEXT.replace("type: project\n", "type: project\nmodified: 2026-01-01\n").replace("\n", "\r\n")
    (folder / "a.md").write_bytes(text.encode())
    memory.memdir.sync()
    one = note(memory)
    memory.revise(one.id, body=one.body.replace("two", "2"))
    found = memory.memdir.sync()

    assert (("a.md",), text.replace("two", "2").encode()) == (found.written, (folder / "a.md").read_bytes())
    memory.revise(one.id, title="Thaw")
    memory.memdir.sync()
    assert "name: Thaw\n" in (folder / "a.md").read_text()
    assert "modified: 2026-01-01" in (folder / "a.md").read_text()


def test_changes_in_different_places_are_merged(memory, folder):
    """Both sides have both; the parts of a file are the file's word."""
    (folder / "a.md").write_text(TEXT)
    memory.memdir.sync()
    one = note(memory)
    memory.revise(one.id, body=one.body.replace("one", "ONE"))
    (folder / "a.md").write_text(TEXT.replace("three", "THREE"))
    found = memory.memdir.sync()

    assert (("a.md",), ()) == (found.merged, found.conflicts)
    assert f"{TOP}ONE\ntwo\nTHREE\n" == (folder / "a.md").read_text()
    assert ("ONE\ntwo\nTHREE\n", "file") == (note(memory).body, note(memory).origin.actor)


def test_a_conflict_keeps_both_and_says_so_once(memory, folder):
    """The file stays, ours lies beside it and in the history; it is no memory of its own, and lint names it."""
    (folder / "a.md").write_text(TEXT)
    memory.memdir.sync()
    memory.revise(note(memory).id, body="ours\n")
    (folder / "a.md").write_text(f"{TOP}theirs\n")
    found, after = memory.memdir.sync(), memory.memdir.sync()
    [aside] = asides(folder)

    assert [("a.md", f"changed on both sides: the text of the note is in {aside}")] == [
        (one.path, one.message) for one in found.conflicts
    ]
    assert (f"{TOP}theirs\n", f"{TOP}ours\n") == ((folder / "a.md").read_text(), (folder / aside).read_text())
    assert ["one\ntwo\nthree\n", "ours\n", "theirs\n"] == [one.body for one in memory.history(note(memory).id)]
    assert ((), (), (aside,)) == (after.taken, after.conflicts, memory.memdir.status().conflicts)


def test_a_conflict_file_that_was_edited_is_not_overwritten(memory, folder):
    """The same text in conflict again gets another place."""
    for number in range(2):
        (folder / "a.md").write_text(TEXT)
        memory.memdir.sync()
        memory.revise(note(memory).id, body="ours\n")
        (folder / "a.md").write_text(f"{TOP}theirs\n")
        memory.memdir.sync()
        if number == 0:
            (folder / asides(folder)[0]).write_text("a person's own words")

    assert 2 == len(asides(folder))
    assert {"a person's own words", f"{TOP}ours\n"} == {(folder / name).read_text() for name in asides(folder)}


def test_a_deleted_file_is_retired_and_comes_back_with_its_history(memory, folder):
    """Written anew, it is the same note."""
    (folder / "a.md").write_text(TEXT)
    memory.memdir.sync()
    (folder / "a.md").unlink()
    gone = memory.memdir.sync()
    one = note(memory, "retired")
    (folder / "a.md").write_text("again")
    memory.memdir.sync()

    assert ("a.md",) == gone.retired
    assert (one.id, "again", 3) == (note(memory).id, note(memory).body, note(memory).version)


def test_a_retired_note_takes_its_file_with_it_unless_that_says_something_new(memory, folder):
    """Then the file lives, and that is said."""
    for name in ("a.md", "b.md"):
        (folder / name).write_text(TEXT + name)
    memory.memdir.sync()
    for one in memory.list(kinds=["note"]).records:
        memory.retire(one.id)
    (folder / "b.md").write_text("changed")
    found = memory.memdir.sync()

    assert (("a.md",), ["b.md"]) == (found.removed, [one.path for one in found.conflicts])
    assert (["b.md"], "changed") == ([path.name for path in folder.iterdir()], note(memory).body)


def test_deleted_there_and_changed_here_is_written_again(memory, folder):
    """An edit outlives a deletion, and that is said."""
    (folder / "a.md").write_text(TEXT)
    memory.memdir.sync()
    memory.revise(note(memory).id, body="changed\n")
    (folder / "a.md").unlink()
    found = memory.memdir.sync()

    assert (("a.md",), 1, f"{TOP}changed\n") == (found.written, len(found.conflicts), (folder / "a.md").read_text())


MOVES = {
    # the index before; old path; new path; the index after; the other index after
    "the line that tacit wrote": (
        "- [Freeze](a.md): no deploys on Friday\n", "a.md", "deep/b.md",
        "- [Freeze](deep/b.md): no deploys on Friday\n", "",
    ),
    "a line in other words, among others": (
        "# Index\n\n* [When not to deploy](./a.md#why), since May\n- [Other](other.md): x\n", "a.md", "b.md",
        "# Index\n\n* [When not to deploy](b.md#why), since May\n- [Other](other.md): x\n", "",
    ),
    "a sentence": ("Read [this](a.md) and [that](c.md).\r\n", "a.md", "x/a.md",
                   "Read [this](x/a.md) and [that](c.md).\r\n", ""),
    "to the team": ("- [Freeze](a.md): mine\n- [Other](o.md)\n", "a.md", "team/a.md", "- [Other](o.md)\n",
                    "- [Freeze](a.md): mine\n"),
    "to a name with spaces": ("- [Freeze](a.md#why): mine\n", "a.md", "x/my notes (v2).md",
                              "- [Freeze](<x/my notes (v2).md#why>): mine\n", ""),
    "from a name with spaces": ("- [One](<my notes (v2).md>)\n", "my notes (v2).md", "b.md", "- [One](b.md)\n", ""),
    "with its spaces encoded": ("- [Freeze](my%20notes.md)\n", "my notes.md", "a.md", "- [Freeze](a.md)\n", ""),
    "with a title": ('- [Freeze](a.md "since May"): mine\n', "a.md", "b.md",
                     '- [Freeze](b.md "since May"): mine\n', ""),
    "not listed": ("# Index\n", "a.md", "b.md", "# Index\n", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(MOVES))
def test_a_moved_file_keeps_its_line_in_the_index(memory, folder, name):
    """S27: whoever wrote the line; it leads to the new path, in the index of the folder where the file is now."""
    index, old, new, after, other = MOVES[name]
    (folder / old).write_text(TEXT)
    memory.memdir.sync()
    (folder / "MEMORY.md").write_bytes(index.encode())
    (folder / new).parent.mkdir(parents=True, exist_ok=True)
    (folder / old).rename(folder / new)
    found = memory.memdir.sync()

    assert ((new,), ()) == (found.moved, found.problems)
    assert after == (folder / "MEMORY.md").read_bytes().decode()
    assert other == ((folder / "team" / "MEMORY.md").read_text() if other else "")
    assert memory.memdir.sync().moved == ()


def test_a_file_that_is_moved_and_edited_keeps_its_note_and_its_line(memory, folder):
    """S27: it was another file, so its line fell out of the index and its history ended; a new file is a new note."""
    (folder / "a.md").write_text(TEXT)
    (folder / "b.md").write_text("---\nname: Ports\ndescription: of staging\ntype: project\n---\nThe API is on 8443.\n")
    memory.memdir.sync()
    (folder / "MEMORY.md").write_text("- [Freeze](a.md): mine\n- [Ports](b.md): of staging\n")
    kept = {one.payload.path: one.id for one in memory.notes.list()}
    (folder / "x").mkdir()
    (folder / "a.md").rename(folder / "x" / "c.md")
    (folder / "x" / "c.md").write_text(f"{TEXT}One more line.\n")
    (folder / "b.md").unlink()
    (folder / "new.md").write_text("---\nname: Mail\ndescription: relay\ntype: project\n---\nThe relay is on 2525.\n")
    found = memory.memdir.sync()

    assert (("x/c.md",), ("new.md",), ("b.md",)) == (found.moved, found.taken, found.retired)
    assert kept["a.md"] == {one.payload.path: one.id for one in memory.notes.list()}["x/c.md"]
    assert (folder / "MEMORY.md").read_text().startswith("- [Freeze](x/c.md): mine\n")


def test_a_name_with_spaces_is_listed_once():
    """S27: its line was no link, so `lint` called the file an orphan, and each `fix` added the line again."""
    files = {"my notes (v2).md": TEXT}
    first = fixed_index(files)

    assert (True, first) == ("(<my notes (v2).md>)" in first, fixed_index({**files, "MEMORY.md": first}))


def test_a_file_that_leaves_a_folder_with_an_index_is_listed_in_the_other(memory, folder):
    """S27: out of an agent's folder into the common one, and the other way round."""
    place = folder / "agents" / "bo"
    place.mkdir(parents=True)
    (place / "a.md").write_text(TEXT)
    memory.memdir.sync()
    (place / "MEMORY.md").write_text("- [Freeze](a.md): of Bo\n")
    (place / "a.md").rename(folder / "b.md")
    memory.memdir.sync()

    assert ("- [Freeze](b.md): of Bo\n", "") == ((folder / "MEMORY.md").read_text(), (place / "MEMORY.md").read_text())
    (folder / "b.md").rename(place / "c.md")
    memory.memdir.sync()
    assert ("", "- [Freeze](c.md): of Bo\n") == ((folder / "MEMORY.md").read_text(), (place / "MEMORY.md").read_text())


def test_files_with_one_content_are_moved_by_their_names(memory, folder):
    """S27: a folder that is renamed takes its files along, also where two have the same text."""
    (folder / "old").mkdir()
    for name in ("a.md", "b.md"):
        (folder / "old" / name).write_text(TEXT)
    memory.memdir.sync()
    (folder / "MEMORY.md").write_text("- [A](old/a.md)\n- [B](old/b.md)\n")
    (folder / "old").rename(folder / "new")
    found = memory.memdir.sync()

    assert (("new/a.md", "new/b.md"), ()) == (tuple(sorted(found.moved)), found.retired)
    assert "- [A](new/a.md)\n- [B](new/b.md)\n" == (folder / "MEMORY.md").read_text()


def test_a_dry_run_moves_no_line(memory, folder):
    """S27: it says that a file was moved, and changes nothing."""
    (folder / "a.md").write_text(TEXT)
    memory.memdir.sync()
    (folder / "MEMORY.md").write_text("- [Freeze](a.md)\n")
    (folder / "a.md").rename(folder / "b.md")

    assert ("b.md",) == memory.memdir.sync(dry_run=True).moved
    assert "- [Freeze](a.md)\n" == (folder / "MEMORY.md").read_text()


def test_a_moved_file_keeps_its_note(memory, folder):
    """Also without a name at its top."""
    (folder / "a.md").write_text("plain words")
    memory.memdir.sync()
    one = note(memory)
    (folder / "deep").mkdir()
    (folder / "a.md").rename(folder / "deep" / "b.md")
    found = memory.memdir.sync()

    assert (("deep/b.md",), (), ()) == (found.moved, found.taken, found.retired)
    assert (one.id, "deep/b.md", "b") == (note(memory).id, note(memory).key, note(memory).title)


def test_when_everything_is_gone_nothing_is_retired_unasked(memory, folder):
    """A folder that was not mounted is no deletion."""
    for number in range(6):
        (folder / f"{number}.md").write_text(f"text {number}")
    memory.memdir.sync()
    kept = folder.with_name("kept")
    folder.rename(kept)
    gone = memory.memdir.sync()
    folder.mkdir()
    empty = memory.memdir.sync()

    assert [((), 1), ((), 1)] == [(found.retired, len(found.notices)) for found in (gone, empty)]
    assert 6 == len(memory.memdir.sync(deletions=True).retired)


def test_secrets_stay_in_the_file_and_out_of_the_store(memory, folder):
    """An edit here leaves them where they are; a file that holds one is not removed."""
    (folder / "a.md").write_text(f"one\ntwo\nkey {KEY}\n")
    memory.memdir.sync()
    one = note(memory)
    memory.revise(one.id, body=one.body.replace("one", "ONE"))
    memory.memdir.sync()

    assert f"ONE\ntwo\nkey {KEY}\n" == (folder / "a.md").read_text()
    assert KEY not in b"".join(memory.export_lines()).decode()
    assert KEY not in "".join(memory.memdir.diff("a.md"))
    memory.retire(one.id)
    found = memory.memdir.sync()
    assert (["a.md"], True) == ([said.path for said in found.problems], (folder / "a.md").exists())


def test_two_folders_of_one_store_do_not_retire_each_other(opened, folder, tmp_path):
    """What another folder agreed on says nothing about this one; asked for, its notes are written here."""
    (folder / "a.md").write_text(TEXT)
    with opened() as memory:
        memory.memdir.sync()
    other = tmp_path / "other" / "place"
    with opened(memdir=str(other)) as memory:
        found, asked = memory.memdir.sync(), memory.memdir.sync(notes=True)

    assert (("a.md",), ("a.md",), ()) == (found.unwritten, asked.written, asked.retired)
    assert TEXT == (other / "a.md").read_text()


def test_notes_without_a_file_are_written_when_asked_for(memory, folder):
    """With a top, a place of their own and a line in the index; what is imported keeps its identity."""
    memory.add_many([
        {"kind": "note", "title": "Same", "body": "first"}, {"kind": "note", "title": "Same", "body": "second"},
        {"kind": "note", "body": "# No title\ntext", "key": "pack/7"},
    ])  # fmt: skip
    silent, found = memory.memdir.sync(), memory.memdir.sync(notes=True)

    assert ((), {"no-title.md", "same.md", "same-02.md"}) == (silent.written, set(found.written))
    assert "---\nname: Same\ndescription: first\n---\nfirst" == (folder / "same.md").read_text()
    assert 3 == (folder / "MEMORY.md").read_text().count("\n")
    assert {"same.md", "same-02.md", "pack/7"} == {one.key for one in memory.list(kinds=["note"]).records}
    assert () == memory.memdir.sync(notes=True).written


def test_nobody_hands_in_a_path(memory):
    """A note from outside has none: only a sync says where a file lies."""
    with pytest.raises(UsageError, match="path"):
        memory.add_many([{"kind": "note", "body": "x", "path": "../x"}])


# -- single files ------------------------------------------------------------------------------------------------


def test_remember_writes_a_file_and_a_line(memory, folder):
    """Once; hand-written lines stay where they are; secrets go nowhere; reasons are asked for."""
    (folder / "MEMORY.md").write_text("# Mine\n- by hand")
    done = memory.memdir.remember(f"Use tabs {KEY}", type="feedback", name="Tabs", description="tabs, not spaces")
    again = memory.memdir.remember(f"Use tabs {KEY}", type="feedback", name="Tabs")

    assert "# Mine\n- by hand\n- [Tabs](tabs.md): tabs, not spaces\n" == (folder / "MEMORY.md").read_text()
    assert ("tabs.md", True, "tabs.md") == (done.path, again.known, again.path)
    assert "**Why:**" in done.notices[0]
    text = (folder / "tabs.md").read_text()
    assert text.startswith("---\nname: Tabs\ndescription: tabs, not spaces\ntype: feedback\n---\nUse tabs [redacted:")
    assert () == memory.memdir.sync().taken


def test_each_agent_and_the_team_have_an_index_of_their_own(memory, folder):
    """And what lies in an agent's folder is chosen for that agent alone."""
    memory.memdir.remember("Run the linter first", type="user", agent="reviewer")
    chosen = [
        [one.path for one in memory.memdir.select("run the linter", agent=agent)] for agent in ("", "reviewer", "other")
    ]

    assert (
        "- [Run the linter first](run-the-linter-first.md): Run the linter first\n"
        == (folder / "agents" / "reviewer" / "MEMORY.md").read_text()
    )
    assert [[], ["agents/reviewer/run-the-linter-first.md"], []] == chosen
    for wrong in ("../x", "a/b", "", ".git"):
        with pytest.raises(UsageError):
            memory.memdir.remember("x y z", type="user", agent=wrong or " ")


def test_history_and_restore(memory, folder):
    """What was edited in the file and not yet read is read first, so that it can be restored as well."""
    (folder / "a.md").write_text("first\n")
    memory.memdir.sync()
    (folder / "a.md").write_text("second\n")
    record = memory.memdir.restore("a.md", 1)
    versions = memory.memdir.history("a.md")

    assert ["first\n", "second\n", "first\n"] == [one.text for one in versions]
    assert ("+second", "first\n", 3) == (
        versions[1].diff.split("\n")[-1],
        (folder / "a.md").read_text(),
        record.version,
    )
    (folder / "a.md").unlink()
    memory.memdir.sync()
    memory.memdir.restore("a.md", 2)
    assert "second\n" == (folder / "a.md").read_text()
    for call in (lambda: memory.memdir.restore("a.md", 99), lambda: memory.memdir.history("none.md")):
        with pytest.raises(NotFound):
            call()


def test_forget_leaves_nothing(memory, folder):
    """File, note, versions, what lay beside it, our line; a line of somebody else is named."""
    done = memory.memdir.remember("The zebra is striped", type="user", name="Zebra")
    memory.revise(done.record.id, body="ours zebra\n")
    (folder / done.path).write_text("theirs zebra\n")
    memory.memdir.sync()
    (folder / "MEMORY.md").write_text((folder / "MEMORY.md").read_text() + "see [it](zebra.md)\n")
    gone = memory.memdir.forget("zebra.md")

    assert 2 == len(gone.files)
    assert ["MEMORY.md"] == [path.name for path in folder.iterdir()]
    assert "MEMORY.md still lists it" in gone.notices[0]
    assert b"zebra is striped" not in b"".join(memory.export_lines())
    assert () == memory.memdir.sync().taken
    with pytest.raises(NotFound):
        memory.memdir.forget("zebra.md")


def test_forgetting_the_note_forgets_its_file(memory, folder):
    """By its id too; a file with words that nobody has read yet stays, and is named."""
    for name in ("a.md", "b.md"):
        (folder / name).write_text(f"text of {name}")
    memory.memdir.sync()
    (folder / "b.md").write_text("changed since")
    gone = memory.forget(*(one.id for one in memory.list(kinds=["note"]).records))

    assert (["b.md"], True) == ([path.name for path in folder.iterdir()], str(folder / "b.md") in gone.backups)


def test_what_a_persons_lesson_cites_is_written_again_and_not_forgotten(opened, folder):
    """Whoever deletes the file; and a refusal to forget leaves the file where it is."""
    (folder / "a.md").write_text(TEXT)
    with opened("user") as person:
        person.memdir.sync()
        cited = (Evidence(kind="note", ref=note(person).id),)
        told = Narrative(trigger="t", failure_mode="f", correction="c", evidence=cited)
        person.lessons.create("Keep the freeze", narrative=told)
    with opened() as memory:
        with pytest.raises(Refused, match="cited"):
            memory.memdir.forget("a.md")
        assert TEXT == (folder / "a.md").read_text()
        (folder / "a.md").unlink()
        found = memory.memdir.sync()

        assert (("a.md",), (), TEXT) == (found.written, found.retired, (folder / "a.md").read_text())
        assert "is cited by" in found.conflicts[0].message


def test_only_a_person_forgets_what_a_person_wrote(opened, folder):
    """Nor may an agent restore over it."""
    with opened("user") as memory:
        memory.memdir.remember("mine", type="user", name="mine")
    with opened() as memory:
        for call in (lambda: memory.memdir.forget("mine.md"), lambda: memory.memdir.restore("mine.md", 1)):
            with pytest.raises(PersonNeeded):
                call()
        assert 3 == memory.memdir.select("mine")[0].trust
        (folder / "mine.md").write_text("---\nname: mine\n---\nchanged by somebody")
        assert 1 == memory.memdir.select("mine")[0].trust


def test_a_log_is_added_to_and_is_no_note(memory, folder):
    """Line by line, without secrets."""
    path = memory.memdir.log("started")
    memory.memdir.log(f"used {KEY}\nand went on")

    assert "logs/2026/03/2026-03-01.md" == path
    head, _, first, second = (folder / path).read_text().splitlines()
    assert ("# 2026-03-01", True, True) == (head, first.endswith(" started"), second.endswith(" and went on"))
    assert KEY not in second
    assert () == memory.memdir.sync().taken


# -- asking, types, budget ---------------------------------------------------------------------------------------

ASK = MemdirRules(ask=True)


def test_in_ask_mode_an_agent_proposes_and_a_person_accepts(opened, folder):
    """New memories, changes and removals wait; nothing of them is in a file, or recalled, before."""
    (folder / "a.md").write_text(TEXT)
    (folder / "b.md").write_text("b\n")
    with opened(memdir_rules=ASK) as memory:
        memory.memdir.sync()
        done = memory.memdir.remember("Zebras are striped", type="user", name="Zebra")
        by_key = {one.key: one for one in memory.list(kinds=["note"]).records}
        memory.revise(by_key["a.md"].id, body="changed\n")
        memory.retire(by_key["b.md"].id)
        found = memory.memdir.sync()
        assert (True, ("a.md", "b.md"), ()) == (done.waiting, found.waiting, found.written)
        assert [] == list(memory.recall("zebra striped").hits)
        assert {"zebra.md": "new", "a.md": "change", "b.md": "removal"} == {
            one.path: one.what for one in memory.memdir.status().proposals
        }
        for call in (memory.memdir.accept, memory.memdir.reject):
            with pytest.raises(PersonNeeded):
                call("a.md")
        with pytest.raises(Refused):
            memory.memdir.log("x")
        assert {"a.md", "b.md"} == {path.name for path in folder.iterdir()}
    with opened("user", memdir_rules=ASK) as memory:
        for name in (done.record.id, "a.md", "b.md"):
            memory.memdir.accept(name)
        assert {"a.md", "zebra.md", "MEMORY.md"} == {path.name for path in folder.iterdir()}
        assert f"{TOP}changed\n" == (folder / "a.md").read_text()
        assert () == memory.memdir.status().proposals
        with pytest.raises(NotFound):
            memory.memdir.accept("a.md")


def test_in_ask_mode_a_person_rejects(opened, folder):
    """A file is as it was, and so is its note."""
    (folder / "a.md").write_text(TEXT)
    (folder / "b.md").write_text("b\n")
    with opened(memdir_rules=ASK) as memory:
        memory.memdir.sync()
        memory.memdir.remember("Zebras are striped", type="user", name="Zebra")
        by_key = {one.key: one for one in memory.list(kinds=["note"]).records}
        memory.revise(by_key["a.md"].id, body="changed\n")
        memory.retire(by_key["b.md"].id)
    with opened("user", memdir_rules=ASK) as memory:
        for name in ("zebra.md", "a.md", "b.md"):
            memory.memdir.reject(name)
        bodies = {one.key: one.body for one in memory.list(kinds=["note"]).records}
        assert ({"a.md": "one\ntwo\nthree\n", "b.md": "b\n"}, ()) == (bodies, memory.memdir.status().proposals)
        assert {"a.md", "b.md"} == {path.name for path in folder.iterdir()}
        direct = memory.memdir.remember("I say so", type="user")
        assert not direct.waiting


def test_types_can_be_switched_off(opened, folder):
    """Neither kept, nor taken in, nor chosen."""
    (folder / "a.md").write_text(TEXT)
    with opened(memdir_rules=MemdirRules(types=("user",))) as memory:
        found = memory.memdir.sync()
        assert ((), ("skipped 1 file of a type that is switched off",)) == (found.taken, found.notices)
        assert [] == memory.memdir.select("freeze friday deploys")
        with pytest.raises(Refused):
            memory.memdir.remember("x", type="project")
    with opened(memdir_rules=MemdirRules(off=True)) as memory, pytest.raises(SwitchedOff):
        memory.memdir.sync()


def test_over_budget_something_is_proposed_and_nothing_goes(opened, folder):
    """The oldest first."""
    for number, name in enumerate(("new.md", "old.md")):
        (folder / name).write_text("text " * 100)
        os.utime(folder / name, (10_000 - number, 10_000 - number))
    with opened(memdir_rules=MemdirRules(budget_files=1)) as memory:
        memory.memdir.sync()
        state = memory.memdir.status()
        assert (["old.md"], "2 files (budget: 1)") == ([one.path for one in state.evict], state.over_budget)
    assert {"new.md", "old.md"} == {path.name for path in folder.iterdir()}


def test_what_is_gone_from_the_tree_is_said_in_recall_and_selection(memory, folder, tmp_path):
    """A path that is there is not."""
    (tmp_path / "home" / "src").mkdir()
    (tmp_path / "home" / "src" / "here.py").write_text("x")
    (folder / "a.md").write_text("---\nname: zebra\n---\nzebra in `src/here.py` and `src/gone.py`")
    memory.memdir.sync()
    [hit] = memory.recall("zebra").hits
    [chosen] = memory.memdir.select("zebra")

    assert ("src/gone.py",) == chosen.gone
    assert "names src/gone.py, which no longer exists" in hit.why.labels
    assert "names src/here.py, which no longer exists" not in hit.why.labels


# -- bad input ---------------------------------------------------------------------------------------------------


def test_what_cannot_be_read_is_a_problem_and_no_deletion(memory, folder):
    """Binary, half a character, too large, a link, a fifo, a folder: each said, the rest goes on, none is retired."""
    names = [f"{letter}.md" for letter in "abcdefg"]
    for name in names:
        (folder / name).write_text(f"text of {name}")
    memory.memdir.sync()
    (folder / "a.md").write_bytes(b"a\0b")
    (folder / "b.md").write_bytes(b"\xff\xfe")
    with (folder / "c.md").open("wb") as sparse:
        sparse.truncate(1 << 30)
    for name in "defg":
        (folder / f"{name}.md").unlink()
    (folder / "d.md").symlink_to(folder / "a.md")
    os.mkfifo(folder / "e.md")
    (folder / "f.md").mkdir()
    (folder / "g.md").write_text("changed")
    found = memory.memdir.sync()

    assert (("g.md",), ()) == (found.taken, found.retired)
    assert names[:6] == [one.path for one in found.problems]
    assert 7 == len(memory.list(kinds=["note"]).records)


def test_an_unreadable_folder_or_file_is_no_deletion(memory, folder, monkeypatch):
    """Whoever may not look does not conclude."""
    (folder / "sub").mkdir()
    (folder / "sub" / "a.md").write_text("text")
    memory.memdir.sync()
    real = os.open

    def refuse(path, *args, **kwargs):
        if path == "sub":
            raise PermissionError(errno.EACCES, "no", path)
        return real(path, *args, **kwargs)

    monkeypatch.setattr(os, "open", refuse)
    found = memory.memdir.sync()

    assert ((), ["sub", "sub/a.md"]) == (found.retired, [one.path for one in found.problems])


def test_a_directory_named_memory_md_is_said(memory, folder):
    """The memory is written all the same."""
    (folder / "MEMORY.md").mkdir()
    done = memory.memdir.remember("a text", type="user", name="text")

    assert "a text\n" in (folder / "text.md").read_text()
    assert "MEMORY.md" in done.notices[0]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES], ids=["full", "read-only", "forbidden"])
def test_a_disk_that_says_no_leaves_everything_as_it_was(memory, folder, monkeypatch, number):
    """A typed refusal, no half file; when it says yes again, the sync goes on."""
    (folder / "a.md").write_text(TEXT)
    memory.memdir.sync()
    memory.revise(note(memory).id, body="changed\n")

    def refuse(*_args, **_kwargs):
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(inside_module, "_write_at", refuse)
        found = memory.memdir.sync()
        assert ((), ["a.md"]) == (found.written, [one.path for one in found.problems])
        with pytest.raises(TacitError):
            memory.memdir.remember("more", type="user", name="more")

    assert ([TEXT], ["a.md"]) == ([path.read_text() for path in folder.iterdir()], os.listdir(folder))  # noqa: PTH208
    assert {"a.md", "more.md"} == set(memory.memdir.sync().written)
    assert "more\n" in (folder / "more.md").read_text()


@pytest.mark.sqlite_only
def test_a_real_quota_leaves_no_half_file(folder, tmp_path):
    """The kernel refuses the bytes of a large file: it is a problem, and the old text stands."""
    pid = os.fork()
    if pid == 0:  # pragma: no cover - a process of its own, for the limit is the process's
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
        try:
            inside_module.SafeFolder(folder).write("a.md", b"x" * 5_000)
        except TacitError as error:
            os._exit(0 if type(error).__name__ == "StoreFull" and not list(folder.iterdir()) else 2)
        os._exit(1)

    assert 0 == os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_a_path_no_door_would_take_stays_a_problem(memory, folder):
    """A file with an odd name is not taken in; nor is one whose name holds a secret."""
    for name in ("a:b.md", "nul.md", f"{KEY}.md"):
        (folder / name).write_text("x")
    found = memory.memdir.sync()

    assert ((), 3) == (found.taken, len(found.problems))
    assert KEY not in b"".join(memory.export_lines()).decode()


def test_what_a_killed_process_left_half_written_is_removed(memory, folder):
    """Only that: not what a living process writes, nor what is new, nor anybody's hidden files."""
    names = [".a.md.999999999.0a1b2c3d", f".a.md.{os.getpid()}.0a1b2c3d", ".a.md.999999998.0a1b2c3d", ".notes", "a.md"]
    for name in names:
        (folder / name).write_text("x")
        os.utime(folder / name, (1, 1))
    os.utime(folder / names[2], (2**33, 2**33))
    memory.memdir.sync()

    assert set(names[1:]) == {path.name for path in folder.iterdir()}


def test_another_sync_is_waited_for(memory, folder, monkeypatch):
    """And after a while that is said, in a sentence."""
    monkeypatch.setattr("tacit.memdir.folder_lock.WAIT_S", 0.0)
    with locked(folder), pytest.raises(TacitError, match="another process"), locked(folder, wait_s=0.01):
        pass


def test_a_copy_of_an_agents_own_memory_is_adopted_edited_and_reconciled(memory, folder):
    """The layout Claude Code keeps: an index, topics with a stamp at their top, a folder; from both sides."""
    shutil.rmtree(folder)
    shutil.copytree(Path(__file__).parent / "auto_memory", folder)
    before = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    first = memory.memdir.sync()
    assert before == {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert (4, ()) == (len(first.taken), first.problems)
    by_key = {one.key: one for one in memory.list(kinds=["note"]).records}
    tests = by_key["feedback_testing.md"]
    memory.revise(tests.id, body=tests.body.replace("real database", "real PostgreSQL"))
    (folder / "project_freeze.md").write_text((folder / "project_freeze.md").read_text().replace("5 March", "12 March"))
    (folder / "reference_boards.md").unlink()
    memory.memdir.remember("Prefers short answers", type="user", name="Answers")
    found = memory.memdir.sync()

    assert (("project_freeze.md",), ("feedback_testing.md",), ("reference_boards.md",)) == (
        found.taken, found.written, found.retired,
    )  # fmt: skip
    assert "real PostgreSQL" in (folder / "feedback_testing.md").read_text()
    assert "modified: 2026-02-11T09:30:00Z" in (folder / "feedback_testing.md").read_text()
    index = (folder / "MEMORY.md").read_text()
    assert index.startswith((Path(__file__).parent / "auto_memory" / "MEMORY.md").read_text())
    assert index.endswith("- [Answers](answers.md): Prefers short answers\n")
    assert () == (*memory.memdir.sync().taken, *memory.memdir.sync().written)


def test_restore_and_remember_do_not_pretend(memory, folder, monkeypatch):
    """A file that could not be written is an error, and says that the store has it."""
    monkeypatch.setattr(
        inside_module.SafeFolder, "write", lambda *_a, **_k: (_ for _ in ()).throw(Conflict("no", "no"))
    )
    with pytest.raises(Conflict, match="was not written"):
        memory.memdir.remember("a text", type="user", name="text")

    assert ("text.md",) == memory.memdir.sync(dry_run=True).written
