"""Transcripts that mean harm, or look as if they did: no crash, no time without end, no outcome that nobody had."""

from __future__ import annotations

import io
import json
import re
import sqlite3
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from tacit.agents.reading.tagged_text import inside, tagged, without
from tacit.agents.reading.tool_call_pairing import ToolCallPairing
from tacit.agents.transcripts import Transcript, transcripts
from tacit.model.session import ToolCall, ToolOutcome, Turn
from tacit.text.loose_fields import folder_at
from tests.agents import made

# So many that a look from each of them to the end of the text would take minutes.
MANY = 60_000
OPENING = re.compile(r"<(a|b)>")


def only(path: Path) -> tuple[Transcript, list[Turn]]:
    """Read the one session of a file."""
    (transcript,) = transcripts(path)
    return transcript, list(transcript)


# -- tags -------------------------------------------------------------------------------------------------------------


@given(st.lists(st.sampled_from(["<a>", "</a>", "<b>", "</b>", "x", " ", "<", ">"]), max_size=40).map("".join))
def test_tags_are_what_a_pattern_finds(text: str) -> None:
    """One pass finds what the plain pattern with a back-reference finds."""
    plain = re.compile(r"<(a|b)>(.*?)</\1>", re.S)

    assert [(one[1], one[2]) for one in plain.finditer(text)] == [(t.name, t.inner) for t in tagged(text, OPENING)]
    assert plain.sub("", text) == without(text, OPENING)


def test_a_tag_that_is_not_there_holds_nothing() -> None:
    """Neither does one that nothing closes."""
    assert ("", "", "x") == (inside("plain", "a"), inside("<a>x", "a"), inside("<b>y</b><a> x </a>", "a"))


@pytest.mark.parametrize(
    "said",
    [
        "<system-reminder>" * MANY,
        "<bash-stdout>" * MANY,
        "<command-name>x</command-name>" + "<command-args>" * MANY,
        "<command-name>" * MANY + "<command-args>x</command-args>",
        "<task-notification>exit code 1 " + "<tool-use-id>" * MANY,
    ],
    ids=["reminder", "stdout", "arguments", "name", "task"],
)
def test_claude_tags_without_end_take_no_time_without_end(said: str, tmp_path: Path) -> None:
    """Tags that are opened again and again and never closed are read once."""
    row = {"type": "user", "uuid": "u", "sessionId": "s", "cwd": "/x", "message": {"role": "user", "content": said}}
    _transcript, turns = only(made.lines(tmp_path / "s.jsonl", [row]))

    assert 1 == len(turns)


@pytest.mark.parametrize("said", ["<read_file>", "<task>", "<task ", "<execute_command><x>"])
def test_cline_tags_without_end_take_no_time_without_end(said: str, tmp_path: Path) -> None:
    """In what the agent says, and in what is said to it."""
    path = tmp_path / "api_conversation_history.json"
    messages = [{"role": role, "content": [{"type": "text", "text": said * MANY}]} for role in ("assistant", "user")]
    path.write_text(json.dumps(messages))
    _transcript, turns = only(path)

    assert ["assistant", "user"] == [turn.role for turn in turns]


# -- joining ----------------------------------------------------------------------------------------------------------


def test_results_behind_a_waiting_call_are_counted_too() -> None:
    """A command in the background holds back what comes after it: by the size of results as well."""
    joiner = ToolCallPairing(most_chars=1_000)
    joiner.call(Turn(role="assistant", tool=ToolCall(name="t", call="background")))
    for number in range(3):
        joiner.call(Turn(role="assistant", tool=ToolCall(name="t", call=f"c{number}")))
        joiner.result(f"c{number}", ToolOutcome(ok=True, output="x" * 600))

    assert 4 == len(list(joiner.ready()))


# -- gemini -----------------------------------------------------------------------------------------------------------

HEAD = {"sessionId": "g", "projectHash": "p"}


def gemini(tmp_path: Path, *calls: dict[str, Any]) -> list[ToolOutcome]:
    """Write a chat with these calls; gives how they ended."""
    rows = [HEAD, {"id": "1", "type": "gemini", "content": "", "toolCalls": list(calls)}]
    _transcript, turns = only(made.lines(tmp_path / "session-1.jsonl", rows))
    return [turn.outcome for turn in turns if turn.outcome]


def call(name: str, output: str, **args: str) -> dict[str, Any]:
    """Give a call of Gemini's that it takes for a success."""
    result = [{"functionResponse": {"response": {"output": output}}}]
    return {"id": name, "name": name, "args": args, "status": "success", "result": result}


def test_gemini_exit_codes_are_those_of_commands(tmp_path: Path) -> None:
    """A file that speaks of an exit code did not fail, and a command's own code comes after all it printed."""
    found = gemini(
        tmp_path,
        call("read_file", "log\nExit Code: 3\n", path="log"),
        call("run_shell_command", "Output: run\nExit Code: 3\ndone\nExit Code: 0\nSignal: 0", command="./x"),
        call("run_shell_command", "Output: Exit Code: 0\nExit Code: 4", command="./y"),
    )

    assert [(True, None), (True, 0), (False, 4)] == [(one.ok, one.exit_code) for one in found]


def test_gemini_takes_back_in_one_step(tmp_path: Path) -> None:
    """A chat with many messages in which each of many is taken back at once is read in the time of its length."""
    rows: list[dict[str, Any]] = [HEAD, *({"id": f"m{n}", "type": "user", "content": "x"} for n in range(MANY))]
    for number in range(MANY):
        rows += [{"id": f"z{number}", "type": "user", "content": "y"}, {"$rewindTo": f"z{number}"}]
    _transcript, turns = only(made.lines(tmp_path / "session-1.jsonl", rows))

    assert (MANY, {"x"}) == (len(turns), {turn.text for turn in turns})


def test_gemini_in_utf16(tmp_path: Path) -> None:
    """A chat in UTF-16 is read though nothing in it can be gone back to."""
    path = tmp_path / "session-1.jsonl"
    rows = [HEAD, *({"id": f"m{n}", "type": "user", "content": f"ä{n}"} for n in range(3)), {"$rewindTo": "m2"}]
    path.write_bytes("\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode("utf-16"))
    _transcript, turns = only(path)

    assert ["ä0", "ä1"] == [turn.text for turn in turns]


# -- codex ------------------------------------------------------------------------------------------------------------


def test_codex_what_ran_was_not_refused(tmp_path: Path) -> None:
    """A command that printed such words ended with its exit code; one without a code was refused."""
    said = ["Exit code: 0\nWall time: 1 seconds\nOutput:\nfix: rejected by user", "exec command rejected by user"]
    rows = [made.codex_row("session_meta", 0, id="c", cwd="/x")]
    for number, output in enumerate(said):
        rows += [
            made.codex_row("response_item", 1, type="function_call", name="shell", call_id=f"k{number}",
                           arguments=json.dumps({"command": ["bash", "-lc", "git log"]})),
            made.codex_row("response_item", 2, type="function_call_output", call_id=f"k{number}", output=output),
        ]  # fmt: skip
    _transcript, turns = only(made.lines(tmp_path / "rollout-x.jsonl", rows))

    assert [(True, 0, False), (None, None, True)] == [
        (turn.outcome.ok, turn.outcome.exit_code, turn.outcome.refused) for turn in turns if turn.outcome
    ]


def test_codex_json_inside_of_json_is_readable_too(tmp_path: Path) -> None:
    """A zero or half a character in a command's own JSON reaches no store."""
    arguments = json.dumps({"command": "echo \x00 \ud800 x", "path": "/a\x00\ud800"})
    rows = [made.codex_row("response_item", 1, type="function_call", name="shell", call_id="k", arguments=arguments)]
    _transcript, (turn,) = only(made.lines(tmp_path / "rollout-x.jsonl", rows))

    assert turn.tool is not None
    assert ("echo  \ufffd x", ("/a\ufffd",)) == (turn.tool.command, turn.tool.paths)


class Stream:
    """What zstandard's `open` gives: bytes, and no lines; damage has an error of its own."""

    def __init__(self, data: bytes, error: type[Exception] | None) -> None:
        self._file, self._error = io.BytesIO(data), error

    def read(self, size: int = -1) -> bytes:
        """Give bytes, and then the damage."""
        found = self._file.read(size)
        if not found and self._error:
            raise self._error("corrupted")
        return found

    def close(self) -> None:
        """Let go of it."""
        self._file.close()


@pytest.mark.parametrize("damaged", [False, True])
def test_codex_packed_rollouts_are_read(damaged: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By whichever module is there; damage costs what comes after it, and is told."""

    class ZstdError(Exception):
        pass

    rows = [made.codex_row("event_msg", n, type="user_message", message=f"hello {n}") for n in range(3)]
    plain = "".join(json.dumps(row) + "\n" for row in rows).encode()
    module = SimpleNamespace(
        open=lambda _path, _mode: Stream(plain, ZstdError if damaged else None), ZstdError=ZstdError
    )
    monkeypatch.setattr("tacit.agents.reading.json_lines.importlib.import_module", lambda _name: module)
    path = tmp_path / "rollout-x.jsonl.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfd")
    transcript, turns = only(path)

    assert (3, damaged) == (len(turns), any("corrupted" in note for note in transcript.reading.notes))


# -- cursor -----------------------------------------------------------------------------------------------------------


def test_cursor_lists_of_anything(tmp_path: Path) -> None:
    """A conversation that lists numbers, and a folder that is no URI, cost themselves only."""
    path = tmp_path / "state.vscdb"
    listed = {"fullConversationHeadersOnly": [5, None, "x", {"bubbleId": "b"}]}
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE cursorDiskKV (key TEXT PRIMARY KEY, value BLOB)")
        bubble = {"type": 1, "text": "hi", "workspaceUris": ["file://[x"]}
        values = {"composerData:a": listed, "bubbleId:a:b": bubble}
        db.executemany("INSERT INTO cursorDiskKV VALUES (?, ?)", [(k, json.dumps(v)) for k, v in values.items()])
    db.close()
    transcript, turns = only(path)

    assert (["hi"], 3, "") == ([turn.text for turn in turns], transcript.reading.broken, transcript.head.cwd)


@given(st.text())
def test_a_folder_is_a_path_or_nothing(place: str) -> None:
    """Whatever a URI is, a folder comes of it or none."""
    assert all(not folder_at(one) or folder_at(one).startswith("/") for one in (place, f"file:{place}", f"/{place}"))
    assert ("/a b", "/x", "") == (folder_at("file:///a%20b"), folder_at("/x"), folder_at("x"))


# -- aider ------------------------------------------------------------------------------------------------------------


def test_aider_holds_no_more_than_is_ever_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An output without end is cut, that is told, and what comes after it is read."""
    monkeypatch.setattr("tacit.agents.aider._MOST_CHARS", 1_000)
    path = tmp_path / ".aider.chat.history.md"
    lines = ["# aider chat started at 2026-11-01 10:00:00", "", "#### /run make", ""]
    path.write_text("\n".join([*lines, *["> out"] * 5_000, "", "#### and now?", ""]))
    transcript, (ran, asked) = only(path)

    assert ran.outcome is not None and len(ran.outcome.output) <= 2_000
    assert ("and now?", True) == (asked.text, "cut" in transcript.reading.notes[0])


# -- what holds no session --------------------------------------------------------------------------------------------


def test_a_database_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    """As a transcript without turns: who takes it in hears why nothing came of it."""
    path = tmp_path / "opencode.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE session (id TEXT PRIMARY KEY, directory TEXT) WITHOUT ROWID")
        db.execute("CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, data TEXT) WITHOUT ROWID")
        db.execute("CREATE TABLE part (id TEXT, message_id TEXT, data TEXT)")
        db.execute("INSERT INTO session VALUES ('s', '/x')")
    db.close()
    transcript, turns = only(path)

    assert [] == turns
    assert "could not be read to its end" in transcript.reading.notes[0]
