"""Files of settings, rules and words: plain text, bounded; links only in one's own home and to one's own files."""

import os

import pytest

from tacit.errors import ConfigError
from tacit.files import settings_files as module
from tacit.files.home_folder import tighten_home
from tacit.files.plain_file import NotPlain, open_plain, read_plain
from tacit.files.settings_files import KG, MOST_BYTES, settings_file, settings_files
from tacit.text.safe_toml import MOST_PARTS, read_toml


def read(root, *, own, place="lexicon"):
    """Return what was read, by name: the text, or what is wrong."""
    found = settings_files(root, place, ".md", own=own)
    return {one.path.rpartition("/")[2]: one.problem or one.text for one in found}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "root" / "lexicon").mkdir(parents=True)
    return tmp_path / "root" / "lexicon"


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null", "/", "fifo"])
def test_only_a_regular_file_is_opened(tmp_path, path):
    """A device, a folder and a pipe are refused at once; nobody waits for the other end of a pipe."""
    os.mkfifo(tmp_path / "fifo")

    with pytest.raises(NotPlain, match="not a regular file"):
        open_plain(tmp_path / path)


def test_a_file_is_bounded_while_it_is_read():
    """A file of the kernel says that it has 0 bytes, and has more."""
    with pytest.raises(NotPlain, match="over 10 bytes"):
        read_plain("/proc/self/status", 10)


def test_in_the_home_links_to_own_files_are_followed(folder, tmp_path):
    """As a manager of dotfiles makes them, for files and for folders; what is not a plain file of ours is named."""
    (tmp_path / "mine.md").write_text("mine")
    for name, target in (("a", "mine.md"), ("b", "gone"), ("c", "/dev/zero"), ("d", "d.md")):
        (folder / f"{name}.md").symlink_to(tmp_path / target if name != "d" else target)
    found = read(folder.parent, own=True)
    (folder.parent / "linked").symlink_to(folder)

    assert {"a.md": "mine", "b.md": "it is a link to nothing", "c.md": "it is not a regular file"} == {
        name: text for name, text in found.items() if name != "d.md"
    }
    assert found["d.md"]
    assert found == read(folder.parent, own=True, place="linked")


def test_in_the_home_a_link_to_a_file_of_somebody_else_is_refused(folder, tmp_path, monkeypatch):
    """Whoever owns the file could say what the guard lets pass."""
    (tmp_path / "theirs.md").write_text("theirs")
    os.chown(tmp_path / "theirs.md", 12_345, -1) if os.geteuid() == 0 else monkeypatch.setattr(os, "geteuid", lambda: 1)
    (folder / "a.md").symlink_to(tmp_path / "theirs.md")

    assert {"a.md": "it is a link to a file of another user"} == read(folder.parent, own=True)


def test_in_a_project_no_link_is_followed(tmp_path):
    """Neither to a file, nor to a folder, nor on the way to it."""
    (tmp_path / "repo").mkdir()
    (tmp_path / "other" / "src" / "kg").mkdir(parents=True)
    (tmp_path / "other" / "src" / "kg" / "x.md").write_text("x")
    (tmp_path / "repo" / "docs").symlink_to(tmp_path / "other")
    (tmp_path / "repo" / ".tacit.toml").symlink_to(tmp_path / "other" / "src" / "kg" / "x.md")
    found = settings_files(tmp_path / "repo", KG, ".md", own=False)

    assert [("", True)] == [(one.text, "link" in one.problem) for one in found]
    assert "symbolic link" in settings_file(tmp_path / "repo", ".tacit.toml", own=False).problem


def test_size_and_number_are_bounded_and_that_is_said(folder, monkeypatch):
    """A file that is too large is left out alone; of too many files the first count."""
    monkeypatch.setattr(module, "MOST_FILES", 3)
    for name in "abcde":
        (folder / f"{name}.md").write_text(name)
    (folder / "a.md").write_bytes(b"x" * (MOST_BYTES + 1))
    few = read(folder.parent, own=False)
    monkeypatch.setattr(module, "MOST_FOLDER_BYTES", 1)

    assert {"a.md": f"it is over {MOST_BYTES:,} bytes", "b.md": "b", "c.md": "c"} == {
        name: text for name, text in few.items() if name != "lexicon"
    }
    assert few["lexicon"].startswith("only the first 3 files count")
    assert ["a.md", "b.md", "lexicon"] == list(read(folder.parent, own=False))


def test_a_file_that_vanishes_is_no_problem(folder, monkeypatch):
    """It was there when the folder was listed, and is gone when it is read."""
    for name in "ab":
        (folder / f"{name}.md").write_text(name)
    reading = module._text

    def vanishing(opened, name, own):
        (folder / "b.md").unlink(missing_ok=True)
        return reading(opened, name, own)

    monkeypatch.setattr(module, "_text", vanishing)

    assert {"a.md": "a"} == read(folder.parent, own=True)


def test_a_byte_order_mark_is_no_text(folder):
    """Some editors begin every file with one."""
    (folder / "a.md").write_bytes(b"\xef\xbb\xbf# a")

    assert {"a.md": "# a"} == read(folder.parent, own=True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_named(folder):
    """A file and a folder without permission."""
    (folder / "a.md").write_text("a")
    (folder / "a.md").chmod(0)
    alone = read(folder.parent, own=True)
    folder.chmod(0)

    assert {"a.md": "Permission denied"} == alone
    assert ["lexicon"] == list(read(folder.parent, own=True))
    folder.chmod(0o700)


DOTS = "a." * 32_000


@pytest.mark.parametrize("text", [f'a = "{DOTS}"', f"# {DOTS}", f'a = """\n{DOTS}"""', f"a = '{DOTS}'", "a.b.c = 1.5"])
def test_dots_that_are_no_key_do_not_count(text):
    """They are in strings and comments, where the parser reads them once."""
    assert read_toml(text, "x") is not None


@pytest.mark.parametrize("parts", [MOST_PARTS, MOST_PARTS + 1])
def test_a_key_of_too_many_parts_is_not_parsed(parts):
    """The time of the parser grows with their square."""
    text = ".".join("a" * parts) + " = 1"
    if parts == MOST_PARTS:
        assert read_toml(text, "x")
        return
    with pytest.raises(ConfigError, match=f"x cannot be read: a key in it has over {MOST_PARTS} parts"):
        read_toml(text, "x")


@pytest.mark.parametrize(("mode", "known", "after"), [
    (0o777, True, 0o700), (0o775, True, 0o700), (0o755, True, 0o755), (0o777, False, 0o777), (0o1777, True, 0o1777),
])  # fmt: skip
def test_a_home_that_others_can_write_is_tightened_and_that_is_said_once(tmp_path, mode, known, after):
    """Only if it is certainly one: it holds the list of stores, belongs to us, and is no shared folder."""
    if known:
        (tmp_path / "stores.json").write_text("{}")
    tmp_path.chmod(mode)
    said, again = tighten_home(tmp_path), tighten_home(tmp_path)

    assert after == tmp_path.stat().st_mode & 0o7777
    assert bool(mode & 0o022) == bool(said)
    assert bool(after & 0o022) == bool(again)
