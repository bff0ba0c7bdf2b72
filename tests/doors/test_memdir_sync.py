"""`tacit memdir`, its second half: every command through the command line, and no way outside."""

from __future__ import annotations

import os
import subprocess
import threading
from contextlib import suppress

import pytest

from tacit.doors.memory_tool import memory_tool, reply
from tacit.errors import TacitError, UsageError
from tacit.memdir.adopted import adopt, adopted, claude_folder, release
from tacit.memdir.folder import memdir_path
from tacit.memdir.memory_tool import MemoryTool
from tacit.testing import temporary_memory
from tests.files.test_inside import UPWARDS

KEY = "ghp_" + "a1B2c3D4" * 5


@pytest.fixture
def place(tmp_path, monkeypatch):
    folder = tmp_path / "m" / "mem"
    folder.mkdir(parents=True)
    monkeypatch.setenv("TACIT_MEMDIR", str(folder))
    return folder


@pytest.fixture
def person(monkeypatch):
    """Let the command line see a person."""
    monkeypatch.setattr("tacit.app.open._actor", lambda _env, _settings: "user")


def test_a_memory_goes_through_all_commands(tacit, place):
    """Written, edited in the file, looked at, taken in, restored, forgotten: one document each, and a sentence."""
    made = tacit("memdir", "add", "Deploys need two reviews", "--type", "user", "--name", "Deploys", "--json")
    assert ("tacit.memdir.remember/1", "deploys.md", False) == tuple(
        made.json[name] for name in ("schema", "path", "waiting")
    )
    (place / "deploys.md").write_text((place / "deploys.md").read_text() + "and a third on Friday\n")
    status = tacit("memdir", "status", "--json").json
    assert (["deploys.md"], 1) == (status["pending"]["taken"], status["kept"])
    assert "a sync would find: 1 taken" in tacit("memdir", "status").out
    assert "+and a third on Friday" in tacit("memdir", "diff", "deploys.md", "--json").json["file"]
    dry = tacit("memdir", "sync", "--dry-run", "--json").json
    done = tacit("memdir", "sync", "--json").json
    assert (["deploys.md"], ["deploys.md"], True, False) == (
        dry["taken"], done["taken"], dry["dry_run"], done["dry_run"],
    )  # fmt: skip
    assert "nothing to do" in tacit("memdir", "sync").out
    assert ["agent", "file"] == [
        one["actor"] for one in tacit("memdir", "history", "deploys.md", "--json").json["versions"]
    ]
    assert "version 2" in tacit("memdir", "history", "deploys.md").out
    chosen = tacit("memdir", "select", "deploys reviews", "--json").json["files"][0]
    assert (1, "unverified", []) == (chosen["trust"], chosen["trust_label"], chosen["gone"])
    assert 3 == tacit("memdir", "restore", "deploys.md", "--version", "1", "--json").json["record"]["version"]
    assert "Friday" not in (place / "deploys.md").read_text()
    assert "no difference" in tacit("memdir", "diff", "deploys.md").out
    assert ["deploys.md"] == tacit("memdir", "forget", "deploys.md", "--json").json["files"]
    assert (0, "logs/") == (tacit("memdir", "log", "done").code, tacit("memdir", "log", "x", "--json").json["path"][:5])
    assert [3, 3, 3, 2] == [
        tacit("memdir", *words).code
        for words in (["diff", "no.md"], ["history", "no.md"], ["forget", "no.md"], ["remember", " ", "--type", "user"])
    ]


def test_a_conflict_leaves_with_six_and_a_problem_with_five(tacit, place):
    """The document is there all the same."""
    (place / "a.md").write_text("one\n")
    tacit("memdir", "sync")
    [note] = tacit("list", "--kind", "note", "--json").json["records"]
    tacit("revise", note["id"], "--body", "ours\n")
    (place / "a.md").write_text("theirs\n")
    (place / "b.md").write_bytes(b"\xff\0")
    conflict, problem = tacit("memdir", "sync", "--json"), tacit("memdir", "sync")

    assert (6, "a.md", "b.md") == (
        conflict.code, conflict.json["conflicts"][0]["path"], conflict.json["problems"][0]["path"],
    )  # fmt: skip
    assert (5, True) == (problem.code, "problem: b.md: b.md is not UTF-8 text" in problem.out)
    assert "unsettled conflict: a.conflict-" in tacit("memdir", "status").out
    assert "1 unresolved conflict between files and store" in tacit("doctor").out
    assert {"conflict"} <= {one["rule"] for one in tacit("memdir", "lint", "--json").json["findings"]}


def test_asking_is_a_setting_that_a_project_may_tighten(tacit, place, own_home, tmp_path, person):
    """In config.toml, and in the project's own file; an unknown word is said."""
    own_home.mkdir(exist_ok=True)
    subprocess.run(["git", "init", "-q", str(tmp_path / "work")], check=True)
    (tmp_path / "work" / ".tacit.toml").write_text("[memdir]\nask = true\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tacit.app.open._actor", lambda _env, _settings: "agent")
        made = tacit("memdir", "add", "Zebras", "--type", "user", "--json").json
        assert (True, 4) == (made["waiting"], tacit("memdir", "accept", "zebras.md").code)
        assert "propose the memory" in tacit("memdir", "prompt").out
        tool = memory_tool()
        assert [True, False] == [reply(tool, call)[1] for call in (
            {"command": "create", "path": A, "file_text": "x"}, {"command": "view", "path": "/memories"},
        )]  # fmt: skip
    assert not list(place.iterdir())
    assert "1 proposal of agents" in tacit("doctor").out
    assert "waits for a person: zebras.md (new, " in tacit("memdir", "status").out
    assert ["zebras.md"] == tacit("memdir", "accept", "zebras.md", "--json").json["written"]
    assert 3 == tacit("memdir", "reject", "zebras.md").code
    (own_home / "config.toml").write_text('[memdir]\ntypes = ["user"]\nbudget_files = 1\n')
    assert 4 == tacit("memdir", "add", "x", "--type", "project").code
    assert "**feedback**" not in tacit("memdir", "prompt").out
    tacit("memdir", "add", "second thing", "--type", "user")
    assert "over budget: 2 files (budget: 1)" in tacit("memdir", "status").out
    (own_home / "config.toml").write_text("[memdir]\noff = true\n")
    assert (None, 4) == (tacit("memdir", "prompt", "--json").json["prompt"], tacit("memdir", "sync").code)
    (own_home / "config.toml").write_text("[memdir]\nasking = true\n")
    assert 2 == tacit("memdir", "status").code


def test_an_agent_has_a_prompt_of_its_own(tacit, place):
    """The folder is there when the prompt names it; odd names are refused."""
    said = tacit("memdir", "prompt", "--agent", "reviewer")

    assert str(place / "agents" / "reviewer") in said.out
    assert (place / "agents" / "reviewer").is_dir()
    assert [2, 2] == [tacit("memdir", "prompt", "--agent", name).code for name in ("../x", "/etc")]
    outside = place.parent / "outside"
    (outside / "spy").mkdir(parents=True)
    (outside / "spy" / "MEMORY.md").write_text("stolen")
    (place / "agents" / "linked").symlink_to(outside)
    (place / "team").symlink_to(outside)
    said = [
        tacit("memdir", "prompt", *words) for words in (["--agent", "linked/spy"], ["--agent", "linked"], ["--team"])
    ]
    assert ([4, 4, 4], False) == ([one.code for one in said], any("stolen" in one.out for one in said))
    assert ["spy"] == [path.name for path in outside.iterdir()]


# -- adopting ----------------------------------------------------------------------------------------------------


def test_a_person_adopts_a_folder_and_an_agent_does_not(tacit, tmp_path, own_home, monkeypatch):
    """Claude Code's own too; it is where the prompt says, until it is released; no file moves."""
    root = tmp_path / "work"
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    home = own_home.parent
    folder = claude_folder(home, root)
    folder.mkdir(parents=True)
    (folder / "a.md").write_text("---\nname: a\ndescription: about a\n---\ntext")
    before = tacit("memdir", "status", "--json").json["folder"]
    assert 4 == tacit("memdir", "adopt", "--claude").code
    monkeypatch.setattr("tacit.app.open._actor", lambda _env, _settings: "user")
    assert 2 == tacit("memdir", "adopt").code
    found = tacit("memdir", "adopt", "--claude", "--json").json

    assert str(folder.resolve()) == found["folder"] == tacit("memdir", "status", "--json").json["folder"]
    (root / "deep").mkdir()
    monkeypatch.chdir(root / "deep")
    assert ["a.md"] == tacit("memdir", "sync", "--json").json["taken"]
    assert before == tacit("memdir", "adopt", "--release", "--json").json["folder"]
    after = tacit("memdir", "sync", "--json").json
    assert ([], ["a.md"], True) == (after["retired"], after["unwritten"], (folder / "a.md").exists())


def test_claudes_own_setting_says_where_its_memory_lies(tmp_path):
    """Absolute or below the home; anything else, or a broken file, is as if it said nothing."""
    (tmp_path / ".claude").mkdir()
    usual = tmp_path / ".claude" / "projects" / "-srv-shop-2" / "memory"
    root = type(tmp_path)("/srv/shop.2")
    found = []
    for value in ('"/data/mem"', '"~/mem"', '"~"', "5", "{", '"rel"'):
        (tmp_path / ".claude" / "settings.json").write_text(f'{{"autoMemoryDirectory": {value}}}')
        found.append(claude_folder(tmp_path, root))

    assert [type(tmp_path)("/data/mem"), tmp_path / "mem", usual, usual, usual, usual] == found


def test_what_holds_more_than_a_memory_is_not_adopted(tmp_path):
    """Links, files, repositories, homes and what lies above them, and what is not there."""
    home, outside = tmp_path / "x" / "home", tmp_path / "x" / "mem"
    for made in (home / "memdir", outside / ".git", tmp_path / "x" / "fine"):
        made.mkdir(parents=True)
    (tmp_path / "x" / "link").symlink_to(tmp_path / "x" / "fine")
    (tmp_path / "x" / "file").write_text("x")
    wrong = [
        outside, home, home.parent, home / "memdir", tmp_path / "x" / "link", tmp_path / "x" / "file",
        tmp_path / "x" / "none", tmp_path / "x" / "fine" / ".." / "fine", tmp_path / "x\0", type(tmp_path)("fine"),
        type(tmp_path)("/"), type(tmp_path)("/etc"),
    ]  # fmt: skip
    for folder in wrong:
        with pytest.raises(UsageError):
            adopt(home, "p", folder)

    assert None is adopted(home, "p")
    assert tmp_path / "x" / "fine" == adopt(home, "p", tmp_path / "x" / "fine") == memdir_path(home, "p", {})
    assert (True, False, None) == (release(home, "p"), release(home, "p"), adopted(home, "p"))
    (home / "memdirs.json").write_text("[")
    with pytest.raises(TacitError, match=r"memdirs\.json"):
        adopted(home, "p")


# -- no way outside ----------------------------------------------------------------------------------------------


def spellings(wanted):
    """Give hostile spellings of paths: those known to be, and made ones."""
    pieces = (
        "..",
        "%2e%2e",
        "..%2f",
        "\uff0e\uff0e",
        "..\\",
        "C:",
        "~",
        "\0",
        "%c0%ae",
        "....//",
        ".git",
        "//h",
        "\u2024\u2024",
    )
    tails = ("x", "etc/passwd", "a.md", "x\0.md", "b/../../x.md", "\u202ex.md")
    made = [f"{head}/{tail}" for head in pieces for tail in tails]
    made += [f"a/{one}" for one in made] + [f"{one}/" for one in made] + [f"./{one}" for one in made]
    made += [f"/{one}" for one in made]
    # A slash at the end of a name means the same name to the memory tool.
    return [name for name in dict.fromkeys([*UPWARDS, *made]) if name != "a/"][:wanted]


A = "/memories/a.md"
FIELDS = {"file_text": "!", "insert_line": 0, "insert_text": "!", "old_str": "outside", "new_str": "!"}


def seen(folder):
    """Everything under a folder but the memory itself: names, kinds and contents."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in sorted(folder.rglob("*")) if "m" not in path.relative_to(folder).parts[:1]
    }  # fmt: skip


def test_four_hundred_spellings_lead_nowhere_through_any_door(tacit, place, tmp_path, figures):
    """The command line, the library and the memory tool refuse each; nothing outside is made, read or changed."""
    (tmp_path / "x").write_text("outside")
    (tmp_path / "x.md").write_text("outside")
    (place.parent / "x.md").write_text("outside")
    tacit("memdir", "add", "a text", "--type", "user", "--name", "a")
    before, inside = seen(tmp_path), sorted(path.name for path in place.iterdir())
    wanted = spellings(400)
    tool = MemoryTool(place, lambda text: text)
    with temporary_memory(folder=tmp_path / "m" / "home", memdir=str(place)) as memory:
        memory.memdir.sync()
        part = memory.memdir
        calls = [
            part.diff, part.history, part.forget, lambda name: part.restore(name, 1),
            lambda name: part.remember("x y z", type="user", agent=name or "/"),
            *(lambda name, call=call: tool.call({"command": call, "path": f"/memories/{name}"} | FIELDS)
              for call in ("view", "create", "str_replace", "insert", "delete")),
            lambda name: tool.call({"command": "rename", "old_path": f"/memories/{name}", "new_path": "/memories/b"}),
            lambda name: tool.call({"command": "rename", "old_path": A, "new_path": f"/memories/{name}"}),
        ]  # fmt: skip
        escapes = []
        for name in wanted:
            for number, call in enumerate(calls):
                with suppress(TacitError):
                    got = call(name)
                    # An empty name is the memory itself, which may be looked at.
                    if name or number != 5:
                        escapes.append((name, number, got))
    shell = [name for name in wanted if name and "\0" not in name and not name.startswith("-")][::8]
    for name in shell:
        with suppress(UnicodeEncodeError):
            os.fsencode(name)
            for words in (["diff"], ["history"], ["forget"], ["restore", "--version", "1"]):
                assert tacit("memdir", *words, "--", name).code in (2, 3, 4)
    figures("hostile path spellings", len(wanted))
    figures("memdir door calls with them", len(wanted) * len(calls))
    figures("memdir door escapes", len(escapes))

    assert (400, []) == (len(wanted), escapes)
    assert (before, inside) == (seen(tmp_path), sorted(path.name for path in place.iterdir()))


@pytest.mark.soak
def test_no_swap_for_a_link_lets_a_sync_out(place, tmp_path, budget, figures):
    """While a file and its folder turn into links and hard links and back, nothing outside is taken in or written."""
    swaps = budget(500, soak=10_000)
    out = tmp_path / "out"
    (place / "sub").mkdir()
    (place / "sub" / "f.md").write_text("inside\n")
    out.mkdir()
    (out / "f.md").write_text("outside\n")
    (out / "hard.md").write_text("hard\n")
    done, made = threading.Event(), []

    def swap():
        count = tries = 0
        while count < swaps and tries < 20 * swaps:
            tries += 1
            with suppress(OSError):
                if tries % 3 == 0:
                    (place / "sub").rename(tmp_path / "aside")
                    (place / "sub").symlink_to(out)
                else:
                    (place / "sub" / "f.md").unlink()
                    if tries % 3 == 1:
                        (place / "sub" / "f.md").symlink_to(out / "f.md")
                    else:
                        os.link(out / "hard.md", place / "sub" / "f.md")
                count += 1
                done.wait(0.0002)
            with suppress(OSError):
                (place / "sub").unlink()
            with suppress(OSError):
                (tmp_path / "aside").rename(place / "sub")
            with suppress(OSError):
                (place / "sub" / "f.md").unlink()
            with suppress(OSError):
                (place / "sub" / "f.md").write_text(f"inside\n{tries}\n")
        made.append(count)
        done.set()

    other = threading.Thread(target=swap)
    syncs = 0
    with temporary_memory(folder=tmp_path / "h", memdir=str(place)) as memory:
        other.start()
        while not done.is_set():
            memory.memdir.sync(deletions=True)
            for note in memory.list(kinds=["note"]).records:
                memory.revise(note.id, body=f"{note.body[:40]}ours {syncs}\n")
            syncs += 1
        other.join()
        by_link = [
            version.body for note in memory.list(kinds=["note"], statuses=()).records
            for version in memory.history(note.id) if "outside" in version.body
        ]  # fmt: skip
    figures("memdir sync swaps", made[0])

    left = {path.name: path.read_text() for path in out.iterdir()}
    assert (swaps, {"f.md": "outside\n", "hard.md": "hard\n"}, []) == (made[0], left, by_link)
    assert syncs > 0


# -- the memory tool ---------------------------------------------------------------------------------------------


def test_two_edits_at_once_are_both_kept(place, figures):
    """Each replaces a line of its own; without a lock the slower would write over the quicker."""
    tool = memory_tool()
    edits, writers = 25, 4
    lines = [f"w{writer} {number} open" for writer in range(writers) for number in range(edits)]
    reply(tool, {"command": "create", "path": "/memories/a.md", "file_text": "\n".join(lines) + "\n"})
    failed = []

    def work(writer):
        own = memory_tool()
        for number in range(edits):
            old = f"w{writer} {number} open"
            said, wrong = reply(own, {"command": "str_replace", "path": "/memories/a.md", "old_str": f"{old}\n",
                                      "new_str": f"w{writer} {number} done\n"})  # fmt: skip
            failed.extend([said] if wrong else [])

    threads = [threading.Thread(target=work, args=(writer,)) for writer in range(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    figures("simultaneous str_replace", edits * writers)

    assert ([], 0) == (failed, (place / "a.md").read_text().count("open"))


def test_what_the_tool_wrote_the_next_sync_takes_in(tacit, place):
    """Created, edited, renamed and deleted."""
    tool = memory_tool()
    reply(tool, {"command": "create", "path": "/memories/a.md", "file_text": "one\n"})
    first = tacit("memdir", "sync", "--json").json
    reply(tool, {"command": "str_replace", "path": "/memories/a.md", "old_str": "one", "new_str": "two"})
    second = tacit("memdir", "sync", "--json").json
    reply(tool, {"command": "rename", "old_path": "/memories/a.md", "new_path": "/memories/b.md"})
    third = tacit("memdir", "sync", "--json").json
    reply(tool, {"command": "delete", "path": "/memories/b.md"})
    fourth = tacit("memdir", "sync", "--json").json

    assert [["a.md"], ["a.md"], ["b.md"], ["b.md"]] == [
        first["taken"], second["taken"], third["moved"], fourth["retired"],
    ]  # fmt: skip
