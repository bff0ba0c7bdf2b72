"""`tacit memdir`: the prompt, the status and the list of what is written."""

import os
import subprocess

import pytest


def test_the_prompt_comes_with_the_index_and_its_folder(tacit, own_home):
    """The folder is there when the prompt says so; secrets in the index do not leave; off means nothing."""
    first = tacit("memdir", "prompt", "--json").json
    folder = own_home / "memdir"
    place = next(folder.iterdir())
    (place / "MEMORY.md").write_text("- [a](a.md): b\n- ghp_" + "a1B2c3D4" * 5)
    said = tacit("memdir", "prompt")

    assert first["folder"] == str(place)
    assert "- [a](a.md): b" in said.out
    assert "ghp_" not in said.out
    assert "tokens" in said.err


@pytest.mark.parametrize("name", ["TACIT_MEMDIR_OFF", "CLAUDE_CODE_DISABLE_AUTO_MEMORY"])
def test_off_is_off(tacit, own_home, monkeypatch, name):
    """No prompt, and no folder."""
    monkeypatch.setenv(name, "1")

    assert None is tacit("memdir", "prompt", "--json").json["prompt"]
    assert not (own_home / "memdir").exists()


def test_all_folders_of_a_repository_share_one_memory(tacit, tmp_path, monkeypatch):
    """Subfolders and worktrees too."""
    root = tmp_path / "work"
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / "deep" / "er").mkdir(parents=True)
    one = tacit("memdir", "status", "--json").json["folder"]
    monkeypatch.chdir(root / "deep" / "er")

    assert one == tacit("memdir", "status", "--json").json["folder"]


def test_topic_files_are_listed_and_links_are_not_followed(tacit, tmp_path, monkeypatch):
    """Subfolders count, links lead nowhere, and a directory named MEMORY.md is refused in a sentence."""
    place = tmp_path / "m" / "mem"
    (place / "team").mkdir(parents=True)
    monkeypatch.setenv("TACIT_MEMDIR", str(place))
    (place / "a.md").write_text("---\nname: a\ndescription: about a\ntype: user\n---\nx")
    (place / "team" / "b.md").write_text("no front matter")
    (tmp_path / "secret.md").write_text("description: stolen")
    (place / "c.md").symlink_to(tmp_path / "secret.md")
    os.mkfifo(place / "d.md")
    found = tacit("memdir", "list", "--json").json["files"]

    assert {"a.md": "about a", "team/b.md": ""} == {one["path"]: one["description"] for one in found}
    (place / "MEMORY.md").mkdir()
    assert 2 == tacit("memdir", "prompt").code
    for wrong in ("relative/x", "/", "/x"):
        monkeypatch.setenv("TACIT_MEMDIR", wrong)
        assert 2 == tacit("memdir", "status").code


def test_the_types_that_claude_code_writes_count(tacit, tmp_path, own_home, monkeypatch):
    """They are shown, and a type that is switched off is not chosen."""
    place = tmp_path / "m" / "mem"
    place.mkdir(parents=True)
    monkeypatch.setenv("TACIT_MEMDIR", str(place))
    for name, kind in (("prefers-pnpm", "feedback"), ("pnpm-release", "project")):
        top = f"name: {name}\ndescription: how pnpm is used\nmetadata: \n  node_type: memory\n  type: {kind}\n"
        (place / f"{name}.md").write_text(f"---\n{top}  originSessionId: 25b7d8dc\n---\n\nUse pnpm.\n")

    def types():
        return {one["path"]: one["type"] for one in tacit("memdir", "select", "use pnpm", "--json").json["files"]}

    assert {"prefers-pnpm.md": "feedback", "pnpm-release.md": "project"} == types()
    own_home.mkdir(exist_ok=True)
    (own_home / "config.toml").write_text('[memdir]\ntypes = ["project"]\n')
    assert {"pnpm-release.md": "project"} == types()


def test_a_few_files_are_chosen_for_a_task_or_none(tacit, tmp_path, monkeypatch):
    """Best first with their age, without what was shown, subfolders too; an unrelated task gets nothing."""
    place = tmp_path / "m" / "mem"
    (place / "team").mkdir(parents=True)
    monkeypatch.setenv("TACIT_MEMDIR", str(place))
    for number in range(12):
        (place / f"d{number}.md").write_text(f"---\nname: deploy {number}\ndescription: deploying to staging\n---\nx")
    best = place / "team" / "freeze.md"
    best.write_text("---\nname: Merge freeze\ndescription: no deploys on Friday <b>\ntype: project\n---\n**Why:** x")
    os.utime(best, (1, best.stat().st_mtime - 47 * 86_400 - 60))
    (place / "odd.md").write_text("---\nname: [\n---\nsomething about a zebra")

    def chosen(*words):
        return tacit("memdir", "select", *words, "--json").json["files"]

    first = chosen("may I deploy on friday during the freeze?")
    assert ("team/freeze.md", "project", "47 days old, verify", 47) == tuple(
        first[0][key] for key in ("path", "type", "age", "age_days")
    )
    assert "no deploys on Friday \u2039b>" == first[0]["description"]
    assert "team/freeze.md" not in [one["path"] for one in chosen("deploy friday freeze", "--shown", "team/freeze.md")]
    assert (5, "today") == (len(chosen("deploy to staging")), chosen("deploy to staging")[0]["age"])
    assert [] == chosen("paint a zebra", "--limit", "2")
    assert [] == chosen("quarterly tax report")
    assert "no topic file matches" in tacit("memdir", "select", "quarterly tax report").out
    monkeypatch.setenv("TACIT_MEMDIR_OFF", "1")
    assert [] == chosen("deploy to staging")


def test_lint_says_what_is_wrong(tacit, tmp_path, monkeypatch):
    """Each rule once, with its line; a sound directory is exit 0, and nothing is changed."""
    place, work = tmp_path / "m" / "mem", tmp_path / "work"
    place.mkdir(parents=True)
    monkeypatch.setenv("TACIT_MEMDIR", str(place))
    (work / "CLAUDE.md").write_text("- Always run the tests before you commit anything.\n")
    (work / "src").mkdir()
    (work / "src" / "here.py").write_text("")
    top = "---\nname: n\ndescription: d\n---\n"
    index = (
        "- [a](a.md): a\n- [gone](gone.md): b\n- [a](./a.md) again\n- [b](b.md) [c](c.md) [d](d.md) [e](e.md)"
        + "x" * 200
    )
    (place / "MEMORY.md").write_text(index)
    (place / "a.md").write_text(f"{top}see `src/here.py` and `src/gone.py`\n")
    (place / "b.md").write_text("---\nname: n\n")
    (place / "c.md").write_text(f"{top}token ghp_{'a1B2c3D4' * 5}\n")
    (place / "d.md").write_text(f"{top}* always run the tests before you commit anything\n")
    (place / "e.md").write_text(f"{top}See `src/here.py`  and `src/gone.py`")
    (place / "f.md").write_text(f"{top}f")
    said = tacit("memdir", "lint", "--json")
    rules = {(one["file"], one["line"], one["rule"]) for one in said.json["findings"]}

    assert {
        ("MEMORY.md", 2, "dead-link"), ("MEMORY.md", 3, "listed-twice"), ("MEMORY.md", 4, "long-line"),
        ("a.md", 5, "gone"), ("b.md", 1, "front-matter"), ("c.md", 5, "secret"), ("d.md", 5, "repeated"),
        ("e.md", 0, "duplicate"), ("e.md", 5, "gone"), ("f.md", 0, "orphan"),
    } == rules  # fmt: skip
    assert (5, index) == (said.code, (place / "MEMORY.md").read_text())
    assert 5 == tacit("memdir", "lint").code
    monkeypatch.setenv("TACIT_MEMDIR", str(tmp_path / "m" / "none"))
    assert 0 == tacit("memdir", "lint").code


def test_fix_mends_the_index_and_shows_the_difference(tacit, tmp_path, monkeypatch):
    """A dry run changes nothing; text that is no entry stays; a second run has nothing to do."""
    place = tmp_path / "m" / "mem"
    place.mkdir(parents=True)
    monkeypatch.setenv("TACIT_MEMDIR", str(place))
    index = "# Mine\nsee [x](gone.md) in prose\n- [gone](gone.md): b\n- [a](a.md) and [gone](gone.md)\n"
    (place / "MEMORY.md").write_text(index)
    (place / "a.md").write_text("a")
    (place / "b.md").write_text("---\nname: B [1](x)\ndescription: about b\n---\n")
    dry = tacit("memdir", "fix", "--dry-run", "--json").json

    assert (False, index) == (dry["changed"], (place / "MEMORY.md").read_text())
    assert {"-- [gone](gone.md): b", "+- [B 1x](b.md): about b"} <= set(dry["diff"].splitlines())
    assert tacit("memdir", "fix", "--json").json["changed"]
    expected = index.replace("- [gone](gone.md): b\n", "") + "- [B 1x](b.md): about b\n"
    assert expected == (place / "MEMORY.md").read_text()
    assert "nothing to fix" in tacit("memdir", "fix").out
    os.mkfifo(place / "c.md")
    (place / "MEMORY.md").unlink()
    (place / "MEMORY.md").mkdir()
    assert 6 == tacit("memdir", "fix").code
