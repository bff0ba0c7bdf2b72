"""SpecStory's Markdown: whose session it is, what is a heading and what only looks like one, and how calls ended."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacit.agents.transcripts import detect, transcripts
from tests.agents import made
from tests.agents.test_readers import only, prompts, ran


def write(folder: Path, content: str) -> Path:
    """Write a file of SpecStory's in its folder."""
    return made.text_file(folder / ".specstory" / "history" / "2026-10-11_04-00-00Z-x.md", content)


def block(*lines: str, kind: str = "shell", name: str = "Bash") -> str:
    """Write a tool's block."""
    opening = f'<tool-use data-tool-type="{kind}" data-tool-name="{name}"><details>'
    before = ("_**Agent (opus 2026-10-11 04:00:03Z)**_", "", opening, f"<summary>Tool use: **{name}**</summary>")
    return "\n".join([*before, *lines, "</details></tool-use>", "", ""])


def test_a_session_is_its_agents(tmp_path: Path) -> None:
    """A file says whose session it is, and lies in the project; one that says nothing is SpecStory's."""
    known, _turns = only(write(tmp_path / "shop", made.SPECSTORY))
    unknown, _turns = only(write(tmp_path / "zoo", made.SPECSTORY_OLD))
    other, _turns = only(write(tmp_path / "bar", made.SPECSTORY.replace("Claude Code Session", "Droid CLI Session")))

    assert ("claude", made.SPECSTORY_ID, str(tmp_path / "shop")) == (known.head.agent, known.head.id, known.head.cwd)
    assert ("specstory", "Round the till") == (unknown.head.agent, unknown.head.title)
    assert ("specstory", made.SPECSTORY_ID, "") == (other.head.agent, other.head.id, other.head.title)


def test_what_only_looks_like_a_heading(tmp_path: Path) -> None:
    """Headings in fences and thoughts are text; a prompt keeps its rulers; what was not sent is no prompt."""
    transcript, turns = only(made.specstory(tmp_path))

    assert ["round the till\n\n---\n\nand mind the cents"] == prompts(turns)
    assert [False] * 4 + [True] + [False] * 6 == [turn.sidechain for turn in turns]
    assert ("claude-opus-5", 0) == (transcript.head.model, transcript.reading.broken)


def test_commands_and_files_of_every_writer(tmp_path: Path) -> None:
    """A command is in the summary, on a line, in a fence or in a list; a file in the summary, on a line or reported."""
    writers = (made.specstory, made.specstory_cursor, made.specstory_codex, made.specstory_old)
    turns = [turn for write_it in writers for turn in only(write_it(tmp_path))[1]]

    assert [
        "make test | tail -3", "cd till\nmake check", "rm -rf x", "make test && make check", 'make "till\ntwice"',
        "make test", "make test", "make check", "make bake",
    ] == [turn.tool.command for turn in turns if turn.tool and turn.tool.command]  # fmt: skip
    assert [
        ("read", "./till.py"), ("edit", "/srv/shop/till.py"), ("read", "/srv/shop/till.py"),
        ("edit", "/srv/shop/till.py"), ("edit", "till.py"), ("read", "/srv/shop/till.py"),
        ("edit", "/srv/shop/till.py"),
    ] == [(turn.tool.kind, *turn.tool.paths) for turn in turns if turn.tool and turn.tool.paths]  # fmt: skip


def test_an_outcome_is_known_only_if_it_is_written_down(tmp_path: Path) -> None:
    """Exit codes stand where each agent puts them; a program may print one; what nobody says is unknown."""
    claude = ran(only(made.specstory(tmp_path))[1])
    codex = ran(only(made.specstory_codex(tmp_path))[1])
    printed = block(
        "", "`make test`", "", "```text", "Exit code 4", "boom", "Exit Code: 3", "```", name="run_shell_command"
    )
    head = made.SPECSTORY.partition("<!-- Claude")[0] + "<!-- Gemini CLI Session g1 (2026-10-11 04:00:00Z) -->\n\n"
    gemini = ran(only(write(tmp_path, head + printed))[1])

    assert {
        "make test | tail -3": (False, 2, False), "cd till\nmake check": (None, None, False),
        "rm -rf x": (None, None, True),
    } == claude  # fmt: skip
    assert {"make test": (False, 2, False)} == codex
    assert {"make test": (False, 3, False)} == gemini


@pytest.mark.parametrize("end", ["tool", "said", "file"])
def test_an_odd_fence_costs_nothing(end: str, tmp_path: Path) -> None:
    """An output with a fence that is never closed ends where the block ends: before a tool, a heading or the end."""
    first = block("", "`make test`", "", "```text", "Exit code 1", "````", "```odd")
    second = {"tool": block("", "`make check`"), "said": "_**User (2026-10-11 05:00Z)**_\n\nthanks\n", "file": ""}[end]
    transcript, turns = only(write(tmp_path, f"{made.SPECSTORY.partition('---')[0]}---\n\n{first}{second}"))

    assert {"tool": 3, "said": 3, "file": 2}[end] == len(turns)
    assert ((False, 1, False), 0) == (ran(turns)["make test"], transcript.reading.broken)


def test_a_block_that_never_ends_is_counted(tmp_path: Path) -> None:
    """A file that was cut off in a tool's block, or in a thought, gives the call and one broken record."""
    cut_off = made.SPECSTORY[: made.SPECSTORY.index("boom")]
    in_thought = made.SPECSTORY[: made.SPECSTORY.index("</details></think>")]
    (one, calls), (two, thoughts) = only(write(tmp_path / "a", cut_off)), only(write(tmp_path / "b", in_thought))

    assert ({"make test | tail -3": (False, 2, False)}, 1) == (ran(calls), one.reading.broken)
    assert (1, 1) == (len(thoughts), two.reading.broken)


def test_a_folder_of_other_markdown_holds_no_sessions(tmp_path: Path) -> None:
    """Notes, and a page that shows what SpecStory writes, are nobody's; a history with its mark taken away is its."""
    made.text_file(tmp_path / "notes" / "README.md", "# Till\n\n_**Note**_\n\nSee `_**User**_` in SpecStory.\n")
    bare = made.text_file(tmp_path / "bare.md", made.SPECSTORY.partition("-->")[2])

    assert ("", []) == (detect(tmp_path / "notes"), list(transcripts(tmp_path / "notes")))
    assert "specstory" == detect(bare)


def test_hostile_lines_take_no_time(tmp_path: Path) -> None:
    """Lines of a megabyte that look like headings, titles and blocks are read, and what is too long is cut and said."""
    long = "1" * 900_000
    begins = ("# x (", "_**User (", '<tool-use data-tool-type="', "- a: `", "<summary>")
    lines = [begin + long for begin in begins]
    path = write(tmp_path, "\n\n".join([lines[0], made.SPECSTORY, *lines * 3, block("", *lines), *lines]))
    transcript, turns = only(path, "specstory")

    assert "Rounded." in turns[10].text
    assert ["a message was cut after 4 MB"] == list(transcript.reading.notes)
