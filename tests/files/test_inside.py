"""Files inside a folder: no spelling, no link and no race leads outside it."""

import errno
import os
import threading
from contextlib import suppress

import pytest
from hypothesis import given, strategies as st

from tacit.errors import Conflict, NotFound, Refused, StoreFull, StoreReadOnly, TacitError, UsageError
from tacit.files import safe_paths as module
from tacit.files.safe_paths import SafeFolder, parts_inside
from tacit.memdir.folder import read_inside

SECRET = b"outside"
UPWARDS = (
    "..", "../x", "a/../x", "a/..", "./x", ".", "a/./b", "...", "a/.../b", "..;/x", ". ./x", ".. /x", "a/.. ", "a//b",
    "/a", "a/", "//host/share", "\\\\host\\share", "\\x", "a\\..\\x", "..\\x", "C:x", "c:/x", "C:\\x", "a:stream",
    "~", "~/x", "~root/x", "%2e%2e/x", "%2E%2E%2Fx", "..%2fx", "%252e%252e/x", "..%c0%af", "%c0%ae%c0%ae/x",
    "%u002e%u002e/x", "a%00.md", "a\0.md", "a\n.md", "a\x7f", "\uff0e\uff0e/x", "\u2024\u2024/x", "\u2025/x",
    "\ufe52\ufe52/x", "..\uff0fx", "a\u2215x", "a\u2044x", "a\uff3cx", "a\ufe68x", "a\u2216x", "a\u200b", "\u202ea",
    "a\ud800", "x\u2100", "CON", "nul.md", "com1.txt", "LPT9", "aux", "name.", "name ", " name", "", ".git/config",
    "a/.hidden", "x" * 300, "é" * 150, "/".join("d" * 20), "\uff43:\\x", "C\uff1ax",
)  # fmt: skip


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("name", UPWARDS, ids=ascii)
def test_no_spelling_leads_outside(tmp_path, name):
    """Reading, writing, moving and removing refuse alike, and nothing comes to be anywhere."""
    root = tmp_path / "r" / "root"
    root.mkdir(parents=True)
    (root / "a").write_bytes(b"1")
    (tmp_path / "r" / "x").write_bytes(SECRET)
    files = SafeFolder(root)
    calls = (
        lambda: files.read(name, 100), lambda: files.write(name, b"2"), lambda: files.remove(name),
        lambda: files.move("a", name), lambda: files.move(name, "b"), lambda: parts_inside(name),
    )  # fmt: skip
    for call in calls:
        with pytest.raises(UsageError):
            call()

    assert ["a"] == names(root)
    assert ["root", "x"] == names(tmp_path / "r")
    assert SECRET == (tmp_path / "r" / "x").read_bytes()


@given(
    st.lists(
        st.sampled_from(["..", ".", "a", "/", "\\", "%2e", "%2f", "\0", "C:", "~", "\uff0e", "…", " ", "b.md"]),
        max_size=8,
    )
)
def test_what_is_accepted_is_a_plain_way_down(pieces):
    """Whatever names are made of, each accepted one is its own normal form below the folder."""
    name = "".join(pieces)
    try:
        parts = parts_inside(name)
    except UsageError:
        return

    assert name == os.path.normpath(name) == "/".join(parts)
    assert not name.startswith("/")


@pytest.mark.parametrize(
    "name", ["a.md", "notes/a.md", "Überblick.md", "メモ/日本.md", "a b.md", "x-1_2.md", "100%.md", "team/v1.2.md"]
)
def test_plain_names_work(tmp_path, name):
    """Written, read, moved and removed; folders on the way are made for the owner alone."""
    files = SafeFolder(tmp_path / "root")
    files.write(name, b"one", new=True)
    files.write(name, b"two")
    modes = {oct(path.stat().st_mode & 0o777) for path in (tmp_path / "root").rglob("*") if path.is_dir()}
    mode = (tmp_path / "root" / name).stat().st_mode & 0o777
    files.move(name, "elsewhere/b.md")

    assert (b"two", 0o600, modes <= {"0o700"}) == (files.read("elsewhere/b.md", 3), mode, True)
    assert None is files.status(name)
    files.remove("elsewhere")
    with pytest.raises(NotFound):
        files.read("elsewhere/b.md", 3)


def test_nothing_is_overwritten_by_a_new_file_or_a_move(tmp_path):
    """What is there stays, byte for byte."""
    files = SafeFolder(tmp_path)
    files.write("a", b"a")
    files.write("b", b"b")
    files.write("d/c", b"c")
    for call in (lambda: files.write("a", b"x", new=True), lambda: files.move("a", "b"), lambda: files.move("d", "b")):
        with pytest.raises(Conflict):
            call()
    with pytest.raises(UsageError, match="is inside"):
        files.move("d", "d/e")

    assert [b"a", b"b", b"c"] == [files.read(name, 9) for name in ("a", "b", "d/c")]
    assert ["a", "b", "d"] == names(tmp_path)


def test_links_and_devices_are_refused(tmp_path):
    """As the file, on the way, hard, and what is no file at all; read_inside too."""
    root, out = tmp_path / "root", tmp_path / "out"
    (out / "deep").mkdir(parents=True)
    root.mkdir()
    (out / "x").write_bytes(SECRET)
    (root / "link").symlink_to(out / "x")
    (root / "dir").symlink_to(out)
    (root / "dangling").symlink_to(out / "new")
    os.link(out / "x", root / "hard")
    os.mkfifo(root / "fifo")
    (root / "folder").mkdir()
    files = SafeFolder(root)
    for name in ("link", "dir/x", "dangling", "dir/deep/y"):
        for call in (
            lambda n=name: files.read(n, 99),
            lambda n=name: files.write(n, b"!"),
            lambda n=name: read_inside(root, n),
        ):
            with pytest.raises(Refused):
                call()
    for name in ("link", "dir", "dangling", "fifo"):
        with pytest.raises(Refused):
            files.remove(name)
    for call in (lambda: files.write("hard", b"!"), lambda: files.move("hard", "mine")):
        with pytest.raises(Refused, match="hard link"):
            call()
    for name in ("fifo", "folder"):
        with pytest.raises(UsageError):
            files.read(name, 99)
        with pytest.raises(UsageError):
            files.write(name, b"!")

    assert (SECRET, ["deep", "x"]) == ((out / "x").read_bytes(), names(out))


def test_a_large_file_is_refused_unread(tmp_path):
    """A gigabyte, which takes no room, is refused by its size."""
    with (tmp_path / "big").open("wb") as big:
        big.truncate(1_000_000_000)

    with pytest.raises(UsageError, match="at most"):
        SafeFolder(tmp_path).read("big", 1_000_000)


@pytest.mark.parametrize(
    ("code", "error"), [(errno.ENOSPC, StoreFull), (errno.EROFS, StoreReadOnly), (errno.EIO, UsageError)]
)
def test_a_full_or_read_only_disk_changes_nothing(tmp_path, monkeypatch, code, error):
    """The old content stays, nothing is left beside it, and the error has a type."""
    files = SafeFolder(tmp_path)
    files.write("a", b"old")

    def fails(_handle):
        raise OSError(code, "said the disk")

    monkeypatch.setattr(module.os, "fsync", fails)
    with pytest.raises(error):
        files.write("a", b"new")

    assert (["a"], b"old") == (names(tmp_path), (tmp_path / "a").read_bytes())


@pytest.mark.soak
def test_no_swap_of_a_folder_or_file_for_a_link_leads_outside(tmp_path, budget, figures):
    """While a component turns into a link and back, nothing outside is read, written, moved or removed."""
    swaps = budget(500, soak=10_000)
    root, out = tmp_path / "root", tmp_path / "out"
    for place, content in ((root / "sub", b"inside"), (out, SECRET)):
        place.mkdir(parents=True)
        (place / "f").write_bytes(content)
    done, ended = threading.Event(), []

    def swap():
        made = tries = 0
        while made < swaps and tries < 20 * swaps:
            tries += 1
            name, target = (root / "sub", out) if tries % 2 else (root / "sub" / "f", out / "f")
            # What a write makes anew meanwhile disturbs a swap; then it is tried again.
            with suppress(OSError):
                name.rename(root / f"kept{tries}")
                name.symlink_to(target)
                made += 1
                done.wait(0.0002)
            with suppress(OSError):
                name.unlink()
            with suppress(OSError):
                (root / f"kept{tries}").rename(name)
            with suppress(OSError):
                (root / "sub").mkdir(exist_ok=True)
                (root / "sub" / "f").write_bytes(b"inside")
        ended.append(made)
        done.set()

    other = threading.Thread(target=swap)
    other.start()
    files, reads, refusals, escapes = SafeFolder(root), 0, 0, 0
    while not done.is_set():
        for call in (
            lambda: files.read("sub/f", 99),
            lambda: files.write("sub/f", b"inside"),
            lambda: read_inside(root, "sub/f"),
        ):
            try:
                got = call()
                reads += 1
                escapes += got in (SECRET, SECRET.decode())
            except TacitError:
                refusals += 1
    other.join()
    figures("path swaps", swaps)
    figures("path escapes", escapes)

    assert (0, SECRET, ["f"]) == (escapes, (out / "f").read_bytes(), names(out))
    assert swaps == ended[0]
    assert min(reads, refusals) > 0
