"""What `sessions show` and `sessions import` say: when a session was, what is private, and what could not be read."""

import errno
import os

import pytest

from tests.agents import made

PRIVATE = [
    made.claude_user(1, "round the till"), made.claude_says(2, "m1", made.said("it is rounded")),
    made.claude_user(3, "#private my salary"), made.claude_says(4, "m2", made.said("it is high")),
    made.claude_user(5, "paint the fence"),
]  # fmt: skip


@pytest.fixture
def keeps(own_home):
    """Keep the turns of sessions."""
    own_home.mkdir(exist_ok=True)
    (own_home / "config.toml").write_text('[sessions]\nkeep = "turns"\n')


@pytest.fixture
def refused(monkeypatch):
    """Return `refused(path)`: from now on the system does not let anybody read this file."""
    real, closed = os.open, set()

    def opened(path, *rest, **named):
        if str(path) in closed:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return real(path, *rest, **named)

    monkeypatch.setattr(os, "open", opened)
    return lambda path: closed.add(str(path))


# -- show --------------------------------------------------------------------------------------------------------------


def test_a_session_is_shown_with_its_time_and_each_new_day(tacit, tmp_path):
    """A newcomer's trial: there was no date at all."""
    rows = [made.claude_user(1, "round the till"), made.claude_user(2, "once more"), made.claude_user(3, "good night")]
    for row, at in zip(rows, ("2026-11-10T12:38:00Z", "2026-11-10T13:00:00Z", "2026-11-11T12:03:00Z"), strict=True):
        row["timestamp"] = at
    path = made.lines(tmp_path / "t" / "s.jsonl", rows)
    tacit("sessions", "import", str(path))
    shown = [tacit("sessions", "show", *words).out for words in (("--last",), ("--file", str(path)))]
    last = tacit("sessions", "show", "--last", "--turn", "3").out

    for one in shown:
        lines = one.splitlines()

        assert "  2026-11-10 12:38 to 2026-11-11 12:03" == lines[1]
        assert ["    2  user: once more", "2026-11-11", "    3  user: good night"] == lines[-3:]
    assert ["  2026-11-10 12:38 to 2026-11-11 12:03", "2026-11-11", "    3  user: good night"] == last.splitlines()[1:]


def test_a_session_of_one_day_and_one_without_times(tacit, tmp_path):
    """The day is not said twice, and what nobody knows is not made up."""
    timed = [made.claude_user(1, "round the till"), made.claude_user(2, "once more")]
    timed[0]["timestamp"], timed[1]["timestamp"] = "2026-11-10T12:38:00Z", "2026-11-10T13:05:00Z"
    undated = [{name: value for name, value in row.items() if name != "timestamp"} for row in timed]
    paths = [made.lines(tmp_path / f"{name}.jsonl", rows) for name, rows in (("timed", timed), ("undated", undated))]
    heads = [tacit("sessions", "show", "--file", str(path)).out.splitlines()[1] for path in paths]

    assert ["  2026-11-10 12:38 to 13:05", "  without a date"] == heads


def test_what_is_private_is_marked(tacit, tmp_path):
    """A newcomer's trial: it was shown like any other turn, as if it were kept."""
    path = made.lines(tmp_path / "s.jsonl", PRIVATE)
    turns = tacit("sessions", "show", "--file", str(path)).out.splitlines()[2:]

    assert [
        "    1  user: round the till", "    2  assistant: it is rounded",
        "    3  user: #private my salary   (private, not kept)", "    4  assistant: it is high   (private, not kept)",
        "    5  user: paint the fence",
    ] == turns  # fmt: skip


def test_a_turn_that_was_not_kept_is_said_to_be_so(tacit, tmp_path, keeps):
    """A newcomer's trial: the turns around it were shown without a word."""
    path = made.lines(tmp_path / "t" / "s.jsonl", PRIVATE)
    tacit("sessions", "import", str(path))
    path.unlink()
    between, after = (tacit("sessions", "show", "--last", "--turn", number) for number in ("3", "6"))

    assert (0, 3) == (between.code, after.code)
    assert "turn 3 was not kept" in between.err and "salary" not in between.out
    assert "was not kept" in after.err and "the last is 5" in after.err


def test_a_transcript_that_may_not_be_read_is_shown_from_what_was_kept(tacit, tmp_path, keeps, refused):
    """A newcomer's trial: a header, an error number, and no turns."""
    path = made.lines(tmp_path / "t" / "s.jsonl", PRIVATE)
    tacit("sessions", "import", str(path))
    refused(path)
    shown, document = tacit("sessions", "show", "--last"), tacit("sessions", "show", "--last", "--json").json

    assert 0 == shown.code and "    1  user: round the till" in shown.out
    assert f"{path} could not be read: permission denied; what was kept of it is shown" in shown.err
    assert ("turns", 3) == (document["kept"], len(document["turns"]))


def test_a_transcript_that_may_not_be_read_and_was_not_kept(tacit, tmp_path, refused):
    """Not found, and why, once."""
    path = made.lines(tmp_path / "t" / "s.jsonl", PRIVATE)
    tacit("sessions", "import", str(path))
    refused(path)
    answers = [tacit("sessions", "show", *words) for words in (("--last",), ("--file", str(path)))]

    assert [3, 3] == [one.code for one in answers]
    for one in answers:
        assert f"tacit: {path} could not be read: permission denied\n" in one.err and "make it readable" in one.err


# -- import ------------------------------------------------------------------------------------------------------------


def test_an_import_tells_what_may_not_be_read(tacit, own_home, tmp_path, refused):
    """A newcomer's trial: it was a session of the user's scope, or one in which nothing was asked or run."""
    folder = own_home.parent / ".claude" / "projects" / "-work"
    row = made.claude_user(1, "round the till") | {"cwd": str(tmp_path / "work")}
    paths = [made.lines(folder / f"{id}.jsonl", [row | {"sessionId": id}]) for id in ("one", "two")]
    refused(paths[1])
    told, document = tacit("sessions", "import").out, tacit("sessions", "import", "--json").json

    assert 1 == told.count(str(paths[1])) and f"  {paths[1]} could not be read: permission denied\n" in told
    assert "  1 transcript left out: not readable; make it readable" in told
    assert "nothing was asked" not in told and "--all" not in told and "Errno" not in told
    assert (0, {}, [str(paths[1])]) == (document["empty"], document["elsewhere"], [
        one["path"] for one in document["unread"]
    ])  # fmt: skip


def test_a_transcript_that_was_imported_and_may_not_be_read_any_more(tacit, tmp_path, refused):
    """It is told, in a folder too, and what was imported stays."""
    path = made.lines(tmp_path / "t" / "s.jsonl", PRIVATE)
    tacit("sessions", "import", str(path))
    refused(path)
    alone, folder = tacit("sessions", "import", str(path)), tacit("sessions", "import", str(tmp_path / "t"))

    for one in (alone, folder):
        assert 3 == one.code and f"no session was imported: {path} could not be read: permission denied" in one.err
        assert "make it readable" in one.err and "--agent" not in one.err
    assert 1 == len(tacit("sessions", "list", "--json").json["sessions"])


def test_an_import_that_finds_nothing_says_where_it_looked(tacit, own_home, tmp_path):
    """A newcomer's trial: "0 new sessions", and no word on what to do."""
    (tmp_path / "empty").mkdir()
    (own_home.parent / ".codex" / "sessions").mkdir(parents=True)
    named, codex, gemini = (
        tacit("sessions", "import", *words) for words in ((str(tmp_path / "empty"),), ("--agent", "codex"),
                                                          ("--agent", "gemini"))
    )  # fmt: skip

    assert [0, 0, 0] == [one.code for one in (named, codex, gemini)]
    assert f"no session was found in {tmp_path / 'empty'}" in named.out and "`tacit sessions sources`" in named.out
    assert f"looked in {own_home.parent / '.codex' / 'sessions'}" in codex.out
    assert "which is not there" in gemini.out or "of which none is there" in gemini.out
    assert "`tacit sessions import PATH`" in codex.out and "`tacit sessions import PATH`" in gemini.out


def test_files_of_a_folder_that_are_no_transcripts_are_counted(tacit, tmp_path):
    """A newcomer's trial: not a word on them."""
    folder = tmp_path / "t"
    made.claude(folder)
    for name, content in (("notes.txt", b"hello"), ("package.json", b"{}"), ("odd.jsonl", b"\x00\xff"), ("no.md", b"")):
        (folder / name).write_bytes(content)
    told, again = tacit("sessions", "import", str(folder)).out, tacit("sessions", "import", str(folder), "--json").json

    assert f"  4 files in {folder} left out: no transcript that tacit knows\n" in told
    assert (1, 0) == (again["unchanged"], again["empty"])


def test_no_part_of_a_session_counts_as_a_file_that_is_none(tacit, tmp_path):
    """The files of OpenCode's tree make sessions together."""
    made.MADE["opencode tree"].write(tmp_path / "t")
    told = tacit("sessions", "import", str(tmp_path / "t")).out

    assert "new session" in told and "no transcript" not in told


def test_a_pipe_and_an_empty_file_are_said_to_be_so(tacit, tmp_path):
    """A newcomer's trial: a pipe was passed over in silence, and an empty file needed an agent's name."""
    pipe, empty = tmp_path / "pipe", tmp_path / "empty.jsonl"
    os.mkfifo(pipe)
    empty.touch()
    answers = [tacit("sessions", "import", str(path)) for path in (pipe, empty)]

    assert [3, 3] == [one.code for one in answers]
    assert "not a regular file" in answers[0].err and "an empty file" in answers[1].err
