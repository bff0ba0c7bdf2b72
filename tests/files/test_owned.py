"""A folder of ours: a crash half way makes no strangers of our files, and what cannot be read stays."""

import json

import pytest

from tacit.errors import Conflict, StoreFull
from tacit.files.owned_folder import LIST, write_owned_files
from tacit.files.safe_paths import SafeFolder


def contents(folder):
    return {one.name: one.read_text() for one in folder.iterdir() if one.name != LIST}


@pytest.mark.parametrize("writes", range(1, 6))
def test_a_crash_anywhere_is_mended_by_the_next_time(tmp_path, monkeypatch, writes):
    """Old and new content are both ours until all is done; then only the new."""
    folder = tmp_path / "out"
    write_owned_files(folder, "x", {"a.md": b"one", "b.md": b"one", "c.md": b"one"})
    write, left = SafeFolder.write, [writes]

    def failing(self, *args, **options):
        left[0] -= 1
        if left[0] < 0:
            raise StoreFull("no room", "")
        write(self, *args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(SafeFolder, "write", failing)
        with pytest.raises(StoreFull) if writes < 5 else pytest.MonkeyPatch.context():
            write_owned_files(folder, "x", {"a.md": b"two", "b.md": b"two", "d.md": b"two"})
    done = write_owned_files(folder, "x", {"a.md": b"three", "d.md": b"three"})

    assert () == done.kept
    assert {"a.md": "three", "d.md": "three"} == contents(folder)


def test_what_is_no_file_any_more_is_kept(tmp_path):
    """A folder or a link in the place of a page is somebody's."""
    folder, outside = tmp_path / "out", tmp_path / "outside.md"
    outside.write_text("theirs")
    write_owned_files(folder, "x", {"a.md": b"one", "b.md": b"one"})
    for name in ("a.md", "b.md"):
        (folder / name).unlink()
    (folder / "a.md").mkdir()
    (folder / "b.md").symlink_to(outside)
    done = write_owned_files(folder, "x", {"a.md": b"two"})

    assert (("a.md", "b.md"), "theirs") == (done.kept, outside.read_text())


@pytest.mark.parametrize("told", ["[]", "{", '{"schema": "tacit.files/1", "what": "y", "files": {}}', '{"schema": 5}'])
def test_a_list_that_is_not_ours_is_no_licence(tmp_path, told):
    """Broken, or of something else: nothing is written."""
    (tmp_path / LIST).write_text(told)
    with pytest.raises(Conflict):
        write_owned_files(tmp_path, "x", {"a.md": b"one"})

    assert not (tmp_path / "a.md").exists()


@pytest.mark.parametrize("files", [{"../x.md": ["0" * 64]}, {"/etc/hostname": ["0" * 64]}, {"theirs": ["unread"]}])
def test_a_list_cannot_name_what_is_not_ours(tmp_path, files):
    """Whoever writes `../x`, or a folder, into it gets nothing removed."""
    folder, outside = tmp_path / "out", tmp_path / "x.md"
    outside.write_text("theirs")
    write_owned_files(folder, "x", {})
    (folder / "theirs").mkdir()
    (folder / "theirs/x.md").write_text("theirs")
    told = json.loads((folder / LIST).read_text()) | {"files": files}
    (folder / LIST).write_text(json.dumps(told))
    with pytest.raises(Conflict):
        write_owned_files(folder, "x", {})

    assert ("theirs", True) == (outside.read_text(), (folder / "theirs/x.md").exists())
