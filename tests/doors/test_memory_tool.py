"""The memory tool: six commands with the texts models were trained on, and nothing outside the memory."""

import os

import pytest

from tacit.doors.memory_tool import memory_tool, reply
from tacit.errors import SwitchedOff, TacitError
from tacit.memdir.memory_tool import MOST_BYTES, MemoryTool

KEY = "ghp_" + "a1B2c3D4" * 5


@pytest.fixture
def tool(tmp_path):
    return MemoryTool(tmp_path / "memory", lambda text: text.replace(KEY, "[secret]"))


def run(tool, name, **fields):
    """The text a model gets, marked when it is an error."""
    text, failed = reply(tool, {"command": name, **fields})
    return f"! {text}" if failed else text


def made(tool, path, text):
    return run(tool, "create", path=path, file_text=text)


def test_create_makes_a_file_once(tool, tmp_path):
    """For the owner alone, with its folders, and never over another."""
    first, again = made(tool, "/memories/notes/a.md", "one"), made(tool, "/memories/notes/a.md", "two")
    path = tmp_path / "memory" / "notes" / "a.md"

    assert "File created successfully at: /memories/notes/a.md" == first
    assert "! File /memories/notes/a.md already exists" == again
    assert ("one", 0o600, 0o700) == (path.read_text(), path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777)


def test_view_shows_two_levels_without_what_is_hidden_or_linked(tool, tmp_path):
    """An empty memory too."""
    empty = run(tool, "view", path="/memories")
    made(tool, "/memories/a.md", "x" * 1536)
    made(tool, "/memories/d/e/f.md", "")
    root = tmp_path / "memory"
    (root / ".hidden").write_text("h")
    (root / "link").symlink_to(tmp_path)
    os.mkfifo(root / "fifo")
    head, whole, *lines = run(tool, "view", path="/memories").split("\n")

    assert "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:" == head
    assert whole.endswith("\t/memories")
    assert ["/memories/a.md", "/memories/d/", "/memories/d/e/"] == [line.split("\t")[1] for line in lines]
    assert "1.5K\t/memories/a.md" == lines[0]
    assert f"{head}\n0B\t/memories" == empty


def test_view_numbers_lines_and_takes_a_range(tool):
    """Six wide, a tab; -1 is the end; a wrong range is said."""
    made(tool, "/memories/a.md", "one\ntwo\nthree")
    head = "Here's the content of /memories/a.md with line numbers:\n"

    assert f"{head}     1\tone\n     2\ttwo\n     3\tthree" == run(tool, "view", path="/memories/a.md")
    assert f"{head}     2\ttwo" == run(tool, "view", path="/memories/a.md", view_range=[2, 2])
    assert f"{head}     2\ttwo\n     3\tthree" == run(tool, "view", path="/memories/a.md", view_range=[2, -1])
    assert run(tool, "view", path="/memories/a.md", view_range=["x"]).startswith("! Invalid `view_range` parameter")
    missing = "! The path /memories/b.md does not exist. Please provide a valid path."
    assert missing == run(tool, "view", path="/memories/b.md")


def test_str_replace_changes_one_place(tool):
    """None and several are refused with the lines named; a snippet shows the change."""
    made(tool, "/memories/a.md", "a\nb\nc\nb2\nd\ne")

    def swap(old, new="x", path="/memories/a.md"):
        return run(tool, "str_replace", path=path, old_str=old, new_str=new)

    nothing = "! No replacement was performed, old_str `{}` did not appear verbatim in /memories/a.md."
    assert nothing.format("zz") == swap("zz")
    assert nothing.format("") == swap("")
    several = "! No replacement was performed. Multiple occurrences of old_str `b` in lines: 2, 4. "
    assert f"{several}Please ensure it is unique" == swap("b")
    said = "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
    assert f"{said}     1\ta\n     2\tb\n     3\tnew\n     4\tb2\n     5\td" == swap("c", "new")
    assert "! The path /memories/n does not exist. Please provide a valid path." == swap("a", path="/memories/n")
    assert "! The path /memories is not a file." == swap("a", path="/memories")


def test_insert_puts_a_line_after_another(tool):
    """0 is the top, the count of lines the end; the text's last line break does not double."""
    made(tool, "/memories/a.md", "one\ntwo\n")

    def insert(line, text="new\n", path="/memories/a.md"):
        return run(tool, "insert", path=path, insert_line=line, insert_text=text)

    assert "The file /memories/a.md has been edited." == insert(2)
    insert(0, "top")
    assert run(tool, "view", path="/memories/a.md").endswith("1\ttop\n     2\tone\n     3\ttwo\n     4\tnew\n     5\t")
    wrong = "! Invalid `insert_line` parameter: {}. It should be within the range [0, 4]."
    assert [wrong.format(5), wrong.format(-1)] == [insert(5), insert(-1)]
    assert "! The path /memories/n does not exist. Please provide a valid path." == insert(0, path="/memories/n")


def test_delete_takes_files_and_folders_but_not_the_memory(tool):
    """The root stays."""
    made(tool, "/memories/d/a.md", "x")

    assert "Successfully deleted /memories/d" == run(tool, "delete", path="/memories/d")
    assert "! The path /memories/d does not exist" == run(tool, "delete", path="/memories/d")
    for root in ("/memories", "/memories/"):
        assert "! Cannot delete the /memories directory itself" == run(tool, "delete", path=root)


def test_rename_moves_and_never_overwrites(tool):
    """Nor does it move the root, or a folder into itself."""
    made(tool, "/memories/a.md", "a")
    made(tool, "/memories/b.md", "b")

    def move(old, new):
        return run(tool, "rename", old_path=old, new_path=new)

    assert "! The destination /memories/b.md already exists" == move("/memories/a.md", "/memories/b.md")
    assert "Successfully renamed /memories/a.md to /memories/d/c.md" == move("/memories/a.md", "/memories/d/c.md")
    assert "! The path /memories/a.md does not exist" == move("/memories/a.md", "/memories/x.md")
    assert "! Cannot rename the /memories directory itself" == move("/memories", "/memories/x")
    assert move("/memories/d", "/memories/d/e").startswith("! ")
    assert run(tool, "view", path="/memories/d/c.md").endswith("\ta")


def test_secrets_are_neither_written_nor_shown(tool, tmp_path):
    """By any command that writes; what was there before is cleaned when it is shown."""
    made(tool, "/memories/a.md", f"key {KEY}\n")
    run(tool, "insert", path="/memories/a.md", insert_line=1, insert_text=KEY)
    shown = run(tool, "str_replace", path="/memories/a.md", old_str="key", new_str=KEY)
    (tmp_path / "memory" / "old.md").write_text(KEY)

    assert KEY not in (tmp_path / "memory" / "a.md").read_text() + shown + run(tool, "view", path="/memories/old.md")


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "/memories/../x", "/memories/%2e%2e/x", "/memoriesx", "memories/a", "/memories/a\0", "/memories//x",
     "", "/memories/..\\x", "/memories/\uff0e\uff0e/x", "/memories/link/x", "/memories/.git/config"],
)  # fmt: skip
def test_no_command_leaves_the_memory(tool, tmp_path, path):
    """Every command refuses, and nothing outside is made or changed."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "x").write_text("outside")
    (tmp_path / "memory" / "link").symlink_to(tmp_path)
    calls = [
        ("view", {"path": path}), ("create", {"path": path, "file_text": "!"}), ("delete", {"path": path}),
        ("str_replace", {"path": path, "old_str": "outside", "new_str": "!"}),
        ("insert", {"path": path, "insert_line": 0, "insert_text": "!"}),
        ("rename", {"old_path": path, "new_path": "/memories/y"}),
        ("rename", {"old_path": "/memories/link", "new_path": path}),
    ]  # fmt: skip

    assert [] == [name for name, fields in calls if not run(tool, name, **fields).startswith("! ")]
    assert ("outside", ["link"]) == ((tmp_path / "x").read_text(), os.listdir(tmp_path / "memory"))  # noqa: PTH208


@pytest.mark.parametrize(
    "command",
    [{}, {"command": None}, {"command": "drop"}, {"command": ["view"]}, {"command": "view"},
     {"command": "view", "path": 1},
     {"command": "insert", "path": "/memories/a", "insert_line": True, "insert_text": ""},
     {"command": "create", "path": "/memories/a", "file_text": "\ud800"},
     {"command": "create", "path": "/memories/a", "file_text": "x" * (MOST_BYTES + 1)},
     {"command": "create", "path": "/memories/a", "file_text": "\n" * 999_999}],
    ids=range(10),
)  # fmt: skip
def test_a_wrong_command_is_a_sentence(tool, command, tmp_path):
    """Unknown, incomplete, of wrong types, too large: typed, and nothing is written."""
    with pytest.raises(TacitError):
        tool.call(command)

    assert not (tmp_path / "memory").exists()


def test_binary_is_said_to_be_binary(tool, tmp_path):
    """And stays as it is."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "b").write_bytes(b"\xff\xfe\0")

    assert "! The file /memories/b is not UTF-8 text." == run(tool, "view", path="/memories/b")


def test_the_tool_of_a_project_is_its_memory_directory(own_home, tmp_path, monkeypatch):
    """The same folder the prompt names; none when written memory is off."""
    monkeypatch.chdir(tmp_path)
    made(memory_tool(), "/memories/a.md", f"token: {KEY}")
    [written] = (own_home / "memdir").rglob("a.md")

    assert KEY not in written.read_text()
    monkeypatch.setenv("TACIT_MEMDIR_OFF", "1")
    with pytest.raises(SwitchedOff):
        memory_tool()
