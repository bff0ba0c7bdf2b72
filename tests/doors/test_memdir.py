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
