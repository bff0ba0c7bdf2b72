"""Broken transcripts: counted, never fatal, and nothing lost that could be read."""

from __future__ import annotations

import json
import random
import secrets
import shutil
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tacit.agents.transcripts import detect, transcripts
from tacit.model.session import Turn
from tests.agents import made
from tests.agents.made import MADE

AS_LINES = {
    "claude": made.claude_rows,
    "codex": made.codex_rows,
    "cursor": made.cursor_rows,
    "copilot": made.copilot_rows,
    "gemini": lambda: [{"sessionId": "g", "projectHash": "p"}, *made.gemini_messages(), {"$rewindTo": "g9"}],
}
AS_PAGES = {
    "cline": ("api_conversation_history.json", made.cline_task),
    "gemini": ("session-x.json", lambda: {"sessionId": "g", "projectHash": "p", "messages": made.gemini_messages()}),
    "opencode": ("session.json", made.opencode_exported),
}
AS_MARKDOWN = {
    "aider": (".aider.chat.history.md", made.AIDER),
    "specstory": ("s.md", made.SPECSTORY + made.SPECSTORY_CURSOR + made.SPECSTORY_CODEX + made.SPECSTORY_OLD),
}
ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    1e308,
    10**30,
    "",
    "x" * 500,
    "\x00",
    "\ud800",
    [],
    {},
    [[]],
    {"type": {}},
    [None],
    ["", 3],
]


def read(path: Path, agent: str = "") -> tuple[list[Turn], Any]:
    """Read every session of a file, as a door would: all of it must be plain JSON in the end."""
    turns: list[Turn] = []
    reading = None
    for transcript in transcripts(path, agent):
        turns += list(transcript)
        reading = transcript.reading
        msgspec.json.encode([transcript.head, reading])
    for turn in turns:
        msgspec.json.encode(turn)
    return turns, reading


# -- lines ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", AS_LINES)
def test_a_line_cut_off_costs_that_line(agent: str, tmp_path: Path) -> None:
    """A file whose last line was being written gives everything before it, and counts one broken line."""
    path = made.lines(tmp_path / "s.jsonl", AS_LINES[agent]())
    whole, _reading = read(path, agent)
    path.write_bytes(path.read_bytes() + b'{"type": "user", "message": {"role": "us')
    turns, reading = read(path, agent)

    assert (whole, 1) == (turns, reading.broken)


def test_two_records_on_one_line_are_two(tmp_path: Path) -> None:
    """Records that were written without a newline between them, or after one that was cut off, are read."""
    rows = [made.claude_user(n, f"prompt {n}") for n in range(1, 5)]
    one, two, three, four = (json.dumps(row) for row in rows)
    path = tmp_path / "s.jsonl"
    path.write_text(f"{one}{two}\n{one[:90]}{three}\n{four}\n")
    turns, reading = read(path, "claude")

    assert ["prompt 1", "prompt 2", "prompt 3", "prompt 4"] == [turn.text for turn in turns]
    assert 1 == reading.broken


def test_encodings_are_mixed(tmp_path: Path) -> None:
    """Latin-1 in one line, a byte order mark, Windows line ends, NULs after a crash: every line is read."""
    rows = [
        json.dumps(made.claude_user(n, text), ensure_ascii=False)
        for n, text in enumerate(["café", "naïve", "plain", "end"])
    ]
    data = b"\xef\xbb\xbf" + rows[0].encode() + b"\r\n" + rows[1].encode("latin-1") + b"\r\n" + b"\x00" * 4096
    path = tmp_path / "s.jsonl"
    path.write_bytes(data + rows[2].encode() + b"\n\n" + rows[3].encode())
    turns, reading = read(path)

    assert ["café", "na�ve", "plain", "end"] == [turn.text for turn in turns]
    assert 0 == reading.broken


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_utf16(encoding: str, tmp_path: Path) -> None:
    """A file in UTF-16 with its mark is read like any other."""
    content = "".join(json.dumps(made.claude_user(n, f"größer {n}"), ensure_ascii=False) + "\n" for n in range(3))
    path = tmp_path / "s.jsonl"
    path.write_bytes((b"\xfe\xff" if encoding == "utf-16-be" else b"") + content.encode(encoding))
    turns, _reading = read(path, "claude")

    assert ["größer 0", "größer 1", "größer 2"] == [turn.text for turn in turns]


def test_a_first_line_beyond_the_sample(tmp_path: Path) -> None:
    """A file that begins with a picture of half a megabyte, or is in UTF-16, is known all the same."""
    rows = [made.claude_user(1, "x" * 500_000), made.claude_user(2, "and this")]
    path = made.lines(tmp_path / "s.jsonl", rows)
    other = tmp_path / "t.jsonl"
    other.write_bytes(path.read_text().encode("utf-16"))

    assert ["claude", "claude"] == [detect(path), detect(other)]
    assert 2 == len(read(path)[0]) == len(read(other)[0])


def test_nul_and_half_characters_leave_the_text(tmp_path: Path) -> None:
    """What neither a store nor JSON may hold is taken out of a text; the text stays."""
    path = tmp_path / "s.jsonl"
    row = json.dumps(made.claude_user(1, "MARK")).replace("MARK", "a\\u0000b\\ud83dc")
    path.write_text(row + "\n")
    turns, _reading = read(path)

    assert ["ab�c"] == [turn.text for turn in turns]


def test_numbers_times_and_nesting_beyond_reason(tmp_path: Path) -> None:
    """Times that are none, numbers of a thousand digits, NaN, and lists ten thousand deep cost themselves only."""
    odd_times = [None, "", "yesterday", 10**400, -5, [], "9999-99-99T00:00:00Z", float("nan"), True, "2026-10-04"]
    rows = [made.claude_user(n % 60, f"prompt {n}", timestamp=time) for n, time in enumerate(odd_times)]
    path = tmp_path / "s.jsonl"
    deep = '{"type": "user", "message": ' + "[" * 10_000 + "]" * 10_000 + "}\n"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + deep)
    turns, reading = read(path, "claude")

    assert (len(odd_times), 1) == (len(turns), reading.broken)


def test_cyclic_and_dangling_parents(tmp_path: Path) -> None:
    """Lines that name each other, themselves or nobody as their parents are read in the order they stand in."""
    rows = [
        made.claude_user(n, f"{n}", uuid=own, parentUuid=parent)
        for n, (own, parent) in enumerate([("a", "b"), ("b", "a"), ("c", "c"), ("d", "nobody")])
    ]
    for row in rows:
        row["forkedFrom"] = {"sessionId": made.CLAUDE_ID}
    path = made.lines(tmp_path / "s.jsonl", rows)
    transcript = next(iter(transcripts(path)))

    assert ["0", "1", "2", "3"] == [turn.text for turn in transcript]
    assert "" == transcript.head.parent


def test_a_line_without_end_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line that is too long is never held whole; it is counted, and those around it are read."""
    monkeypatch.setattr("tacit.agents.reading.json_lines.MOST_LINE_BYTES", 2_000)
    rows = [made.claude_user(1, "before"), made.claude_user(2, "x" * 50_000), made.claude_user(3, "after")]
    turns, reading = read(made.lines(tmp_path / "s.jsonl", rows), "claude")

    assert (["before", "after"], 1) == ([turn.text for turn in turns], reading.broken)
    assert "skipped" in reading.notes[0]


def test_names_of_unknown_records_have_an_end(tmp_path: Path) -> None:
    """A file with thousands of unknown types is counted in full, under a bounded number of bounded names."""
    rows = [made.claude_row(f"type-{n}-{'y' * 200}", 1) for n in range(3_000)]
    _turns, reading = read(made.lines(tmp_path / "s.jsonl", rows), "claude")

    assert 3_000 == sum(reading.unknown.values())
    assert (True, True) == (len(reading.unknown) <= 101, max(map(len, reading.unknown)) <= 60)


# -- documents and folders --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", AS_PAGES)
def test_a_document_cut_off_gives_what_is_whole(agent: str, tmp_path: Path) -> None:
    """Of a document whose end is missing, every message that is whole is read."""
    name, make = AS_PAGES[agent]
    path = made.page(tmp_path / "tasks" / "1" / name, make())
    whole, _reading = read(path, agent)
    path.write_text(path.read_text()[:-40])
    turns, reading = read(path, agent)

    assert (whole[: len(turns)], 1) == (turns, reading.broken)
    assert len(whole) - 2 <= len(turns) < len(whole)


@pytest.mark.parametrize(
    "content", [b"", b"\x00" * 100, b"{", b"[]", b"{}", b"null", b"hello\nworld\n", b"\xff\xfe", b"# x\n"]
)
def test_files_of_nobody(content: bytes, tmp_path: Path) -> None:
    """A file with nothing in it, or with something else, is nobody's transcript; every reader survives it."""
    for name in ("s.jsonl", "s.json", "s.db", "state.vscdb", "s.md", "s.messages.json"):
        path = tmp_path / name
        path.write_bytes(content)
        for agent in ("", *{one.shape or one.agent for one in MADE.values()}, "aider"):
            assert [] == [turn for turn in read(path, agent)[0] if turn.role != "assistant"]
        if name != "s.messages.json":
            assert "" == detect(path)


def test_what_is_not_there(tmp_path: Path) -> None:
    """A path that does not exist, or a folder with nothing in it, holds no sessions."""
    (tmp_path / "empty").mkdir()

    assert [[], []] == [read(tmp_path / "gone.jsonl")[0], read(tmp_path / "empty", "claude")[0]]


def test_a_damaged_database(tmp_path: Path) -> None:
    """A database with its pages overwritten is a note, and what comes before the damage is read."""
    for write in (made.opencode_database, made.cursor_chat, made.cursor_editor):
        path = write(tmp_path / write.__name__)
        data = bytearray(path.read_bytes())
        data[4096:] = b"\xa5" * (len(data) - 4096)
        path.write_bytes(bytes(data))
        read(path)
        path.write_bytes(bytes(data[:3000]))
        read(path)


# -- fuzz -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def seed(figures: Callable[..., None], request: pytest.FixtureRequest) -> random.Random:
    """Draw by a seed that is printed, so that what failed can be drawn again."""
    number = secrets.randbits(32)
    figures("transcript fuzz seeds", f"{request.node.callspec.id}:{number}")
    return random.Random(number)


@pytest.mark.soak
@pytest.mark.parametrize("agent", [*AS_LINES, *AS_MARKDOWN])
def test_mutated_lines(
    agent: str, seed: random.Random, budget: Callable[..., int], figures: Callable[..., None], tmp_path: Path
) -> None:
    """Whatever happens to lines, reading goes on: no crash, plain JSON, no more turns than there could be."""
    name, written = AS_MARKDOWN.get(agent, ("s.jsonl", ""))
    rows = [line.encode() for line in written.splitlines()] if written else _encoded(AS_LINES[agent]())
    path = tmp_path / name
    left = budget(5_000, soak=200_000)
    while left > 0:
        chosen = [_mutated(seed, seed.choice(rows)) for _ in range(seed.randrange(1, 100))]
        left -= len(chosen)
        path.write_bytes(b"\n".join(chosen))
        turns, _reading = read(path, agent)

        assert len(turns) <= 40 * len(chosen)
    figures("mutated lines of transcripts", budget(5_000, soak=200_000))


@pytest.mark.soak
@pytest.mark.parametrize(
    "name",
    [
        "cline",
        "cline session",
        "gemini page",
        "opencode tree",
        "opencode export",
        "cursor editor",
        "cursor chat",
        "specstory",
        "specstory cursor",
        "specstory codex",
        "specstory old",
    ],
)
def test_mutated_documents(
    name: str, seed: random.Random, budget: Callable[..., int], figures: Callable[..., None], tmp_path: Path
) -> None:
    """Whatever happens to documents and databases, reading goes on."""
    for number in range(budget(60, soak=2_000)):
        folder = tmp_path / f"{number}"
        made_of = MADE[name].write(folder)
        files = sorted(file for file in folder.rglob("*") if file.is_file())
        for file in seed.sample(files, min(3, len(files))):
            data = file.read_bytes()
            file.write_bytes(_mutated(seed, data) if file.suffix == ".json" else _scratched(seed, data))
        read(made_of, MADE[name].shape or MADE[name].agent)
        shutil.rmtree(folder)
    figures("mutated transcripts", budget(60, soak=2_000))


def _encoded(rows: list[Any]) -> list[bytes]:
    return [json.dumps(row, ensure_ascii=False).encode() for row in rows]


def _mutated(draw: random.Random, line: bytes) -> bytes:
    """Do something to a line: to its bytes, or to a value in it."""
    how = draw.randrange(6)
    if how < 3:
        try:
            value = json.loads(line)
        except ValueError:
            return _scratched(draw, line)
        for _ in range(draw.randrange(1, 4)):
            value = _swapped(draw, value)
        return json.dumps(value, ensure_ascii=True).encode()
    return line if how == 3 else _scratched(draw, line)


def _swapped(draw: random.Random, value: Any) -> Any:
    """Put something odd in the place of a value somewhere inside."""
    if isinstance(value, dict) and value and draw.random() < 0.9:
        name = draw.choice(list(value))
        return {**value, name: _swapped(draw, value[name])}
    if isinstance(value, list) and value and draw.random() < 0.9:
        place = draw.randrange(len(value))
        return [*value[:place], _swapped(draw, value[place]), *value[place + 1 :]]
    return draw.choice(ODD)


def _scratched(draw: random.Random, line: bytes) -> bytes:
    data = bytearray(line)
    for _ in range(draw.randrange(1, 6)):
        place = draw.randrange(len(data) + 1)
        match draw.randrange(4):
            case 0:
                del data[place : place + draw.randrange(1, 30)]
            case 1:
                data[place:place] = draw.randbytes(draw.randrange(1, 8))
            case 2:
                data[place : place + 1] = b"\x00"
            case _:
                data[place:] = b""
    return bytes(data).replace(b"\n", b" ") if len(line) < 20_000 else bytes(data)


# -- memory -----------------------------------------------------------------------------------------------------------


def test_a_long_transcript_streams(tmp_path: Path, budget: Callable[..., int], figures: Callable[..., None]) -> None:
    """Reading takes the memory of what is held back, not of the file."""
    from tacit.bench.sessions import tally, write_large

    path = tmp_path / "large.jsonl"
    written = write_large(path, budget(12, soak=100))
    tracemalloc.start()
    found = tally(_one_by_one(path))
    _now, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    figures("peak MB reading a transcript", round(most / 1e6, 1), fold="max")

    assert (written, True) == (found, most < 8_000_000)


def _one_by_one(path: Path) -> Iterator[Turn]:
    (transcript,) = transcripts(path)
    yield from transcript
