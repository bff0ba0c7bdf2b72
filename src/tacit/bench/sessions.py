"""`tacit bench sessions`: transcripts compared with counts made by hand, and a large one read in little memory."""

from __future__ import annotations

import gzip
import json
import random
import time
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tacit.agents.transcripts import Transcript, transcripts
from tacit.bench.figures import Figure, answer, console, say
from tacit.bench.scratch_home import Scratch, scratch
from tacit.bench.timing import resident_mb
from tacit.errors import UsageError
from tacit.model.settings import SessionRules

MEGABYTES = 200
SCOPE = "project:bench"
SESSIONS = 400
_EXCHANGES = 25
_PROGRAMS = ("git status", "pytest -q tests/", "npm run build --", "rg -n", "cat src/", "docker compose up", "ls -la")
_LOOK_EVERY = 200
_AGENTS = {"claude-code": "claude", "copilot-cli": "copilot", "gemini-cli": "gemini"}


class TranscriptCounts(NamedTuple):
    """Counts of a transcript: turns, commands run, calls that failed."""

    turns: int
    commands: int
    failures: int


# Counted in the raw files, line by line and without this reader. A turn is a text by anybody (also one the program
# inserted), a tool call, or a result without a call; what is repeated, or has the same id, counts once.
BY_HAND: dict[str, TranscriptCounts] = {
    "aider/aider/.aider.chat.history.md": TranscriptCounts(5, 0, 0),
    "aider/aider_bugfix.jsonl": TranscriptCounts(25, 1, 0),
    "claude-code/claude_agent.jsonl": TranscriptCounts(2, 0, 0),
    "claude-code/claude_session.jsonl": TranscriptCounts(12, 3, 1),
    "claude-code/large.jsonl": TranscriptCounts(10, 1, 0),
    "claude-code/schema_drift.jsonl": TranscriptCounts(4, 1, 0),
    "claude-code/small.jsonl": TranscriptCounts(20, 2, 0),
    "claude-code/subagent/0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f.jsonl": TranscriptCounts(3, 0, 0),
    "claude-code/subagent/0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f/subagents/"
    "agent-a0ad4f44468bdf20d.jsonl": TranscriptCounts(3, 1, 0),
    "cline/agentic.compaction.json": TranscriptCounts(3, 0, 0),
    "cline/basic.compaction.json": TranscriptCounts(10, 0, 0),
    "cline/session.messages.json": TranscriptCounts(30, 1, 0),
    "codex/codex_050_legacy.jsonl": TranscriptCounts(0, 0, 0),
    "codex/codex_051_usage.jsonl": TranscriptCounts(0, 0, 0),
    "codex/codex_052_raw.jsonl": TranscriptCounts(0, 0, 0),
    "codex/codex_053_rate_limit.jsonl": TranscriptCounts(0, 0, 0),
    "codex/codex_parent_with_spawns.jsonl": TranscriptCounts(4, 0, 0),
    "codex/codex_session.jsonl": TranscriptCounts(10, 4, 2),
    "codex/codex_subagent_matched.jsonl": TranscriptCounts(1, 0, 0),
    "codex/large.jsonl": TranscriptCounts(15, 1, 0),
    "codex/schema_drift.jsonl": TranscriptCounts(3, 0, 0),
    "codex/session_branch.jsonl": TranscriptCounts(3, 0, 0),
    "codex/session_toolcall.jsonl": TranscriptCounts(3, 0, 0),
    "codex/small.jsonl": TranscriptCounts(17, 2, 1),
    "copilot-cli/large.jsonl": TranscriptCounts(9, 2, 0),
    "copilot-cli/schema_drift.jsonl": TranscriptCounts(3, 1, 1),
    "copilot-cli/small.jsonl": TranscriptCounts(13, 1, 3),
    "copilot-cli/subdir_v1/aaaabbbb-1111-2222-3333-ccccddddeeee/events.jsonl": TranscriptCounts(3, 1, 0),
    "cursor/large.jsonl": TranscriptCounts(9, 1, 0),
    "cursor/schema_drift.jsonl": TranscriptCounts(4, 0, 0),
    "cursor/small.jsonl": TranscriptCounts(5, 1, 0),
    "cursor/subagent-session.jsonl": TranscriptCounts(3, 1, 0),
    "cursor/subagent/parent.jsonl": TranscriptCounts(3, 0, 0),
    "cursor/subagent/subagents/child.jsonl": TranscriptCounts(2, 0, 0),
    "cursor/test-session.jsonl": TranscriptCounts(8, 2, 0),
    "cursor/test-store.db": TranscriptCounts(0, 0, 0),
    "gemini-cli/gemini_session.json": TranscriptCounts(14, 4, 1),
    "gemini-cli/jsonl_v040.jsonl": TranscriptCounts(3, 1, 0),
    "gemini-cli/large.json": TranscriptCounts(7, 2, 1),
    "gemini-cli/schema_drift.json": TranscriptCounts(2, 0, 0),
    "gemini-cli/small.json": TranscriptCounts(2, 0, 0),
    "opencode/storage_legacy/session/proj_test/ses_s_stage0_drift.json": TranscriptCounts(3, 1, 0),
    "opencode/storage_v2/session/proj_test/ses_s_stage0_large.json": TranscriptCounts(5, 1, 1),
    "opencode/storage_v2/session/proj_test/ses_s_stage0_small.json": TranscriptCounts(3, 1, 0),
}


def run(data: Path, *, as_json: bool, megabytes: int = MEGABYTES, small: int = SESSIONS) -> None:
    """Measure and print."""
    root = root_of(data)
    rows = [(name, counted(root / name), BY_HAND[name]) for name in BY_HAND if (root / name).is_file()]
    agreed = sum(read == known for _name, read, known in rows)
    with scratch() as place:
        figures = [
            Figure("files that agree with the count by hand", agreed, "", len(rows), "at least", f"{len(rows)} files"),
            *_large(place, megabytes, as_json),
            *dense_sessions(place, data, as_json, small),
        ]
    listed = [
        {"file": name, "read": read._asdict(), "by_hand": known._asdict(), "agrees": read == known}
        for name, read, known in rows
    ]
    if not as_json:
        _print(rows)
    answer("sessions", {"files": listed, "megabytes": megabytes}, figures, as_json=as_json)


def root_of(data: Path) -> Path:
    """Return the folder that contains a folder per agent."""
    for place in (data / "transcripts", data):
        if (place / "codex").is_dir():
            return place
    raise UsageError(f"{data} contains no transcripts", "expected: a folder per agent, such as codex/ and cursor/")


def agent_of(path: Path) -> str:
    """Return the agent that wrote a transcript, judged by the folders of the file."""
    return next((_AGENTS.get(part, part) for part in path.parts if part in (*_AGENTS, *_NAMES)), "")


def counted(path: Path) -> TranscriptCounts:
    """Count what the reader finds in a file."""
    return tally(turn for transcript in transcripts(path, agent_of(path)) for turn in transcript)


_NAMES = ("aider", "cline", "codex", "cursor", "opencode")


def tally(turns: Iterable[Any]) -> TranscriptCounts:
    """Count turns, commands and failures."""
    count = TranscriptCounts(0, 0, 0)
    for turn in turns:
        command = bool(turn.tool and turn.tool.command)
        failed = bool(turn.outcome and turn.outcome.ok is False)
        count = TranscriptCounts(count.turns + 1, count.commands + command, count.failures + failed)
    return count


def _print(rows: list[tuple[str, TranscriptCounts, TranscriptCounts]]) -> None:
    out = console()
    out.print("turns, commands, failures: as read, and as counted by hand if different")
    for name, read, known in rows:
        out.print(f"  {read.turns:>4} {read.commands:>3} {read.failures:>3}  {name}" + _differs(read, known))


def _differs(read: TranscriptCounts, known: TranscriptCounts) -> str:
    return "" if read == known else f"   DIFFERS: {known.turns} {known.commands} {known.failures}"


def _large(place: Scratch, megabytes: int, quiet: bool) -> list[Figure]:
    """Read one large transcript and store it, measuring this process meanwhile."""
    path = place.folder / "large.jsonl"
    say(f"writing a transcript of {megabytes} MB", quiet=quiet)
    known = write_large(path, megabytes)
    size_mb = path.stat().st_size / 1e6
    next(iter(transcripts(path, "claude"))).peek()
    before, started = resident_mb(), time.perf_counter()
    most = [before]
    read = tally(_watched(next(iter(transcripts(path, "claude"))), most))
    rate = size_mb / (time.perf_counter() - started)
    with place.memory(SCOPE, vectors=False) as memory:
        found = memory.sessions.discover([(path, "claude")], named=True)
        started = time.perf_counter()
        memory.sessions.import_found(found)
        taken = size_mb / (time.perf_counter() - started)
    with place.memory(SCOPE, store="turns", sessions=SessionRules(keep="turns")) as memory:
        found = memory.sessions.discover([(path, "claude")], named=True)
        before_turns, started = resident_mb(), time.process_time()
        memory.sessions.import_found(found)
        kept = size_mb / (time.process_time() - started)
        grown = resident_mb() - before_turns
    exact = "as many turns as were written" if read == known else f"READ {read}, WRITTEN {known}"
    return [
        Figure(f"memory for a transcript of {size_mb:,.0f} MB", max(most) - before, "MB", 150, note=exact),
        Figure("a transcript read", rate, "MB/s", 8, "at least", "wall"),
        Figure("a transcript taken into a store", taken, "MB/s", note="wall; with redaction of what is kept"),
        Figure(
            "a transcript taken in with its turns", kept, "MB/s", 6, "at least", f"CPU; memory grew by {grown:,.0f} MB"
        ),
    ]


def _watched(transcript: Transcript, most: list[float]) -> Iterator[Any]:
    for number, turn in enumerate(transcript):
        if number % _LOOK_EVERY == 0:
            most[0] = max(most[0], resident_mb())
        yield turn


def write_large(path: Path, megabytes: int) -> TranscriptCounts:
    """Write a Claude Code transcript: prompts, answers, commands with much output, one in ten of them failing."""
    draw = random.Random(11)  # noqa: S311 - a transcript, not a key
    said = " ".join(f"word{draw.randrange(5_000)}" for _ in range(4_000))
    count = TranscriptCounts(0, 0, 0)
    with path.open("w", encoding="utf-8") as file:
        number = 0
        while file.tell() < megabytes * 1_000_000:
            number += 1
            failed = number % 10 == 0
            size = 200_000 if number % 100 == 0 else draw.randrange(500, 20_000)
            for line in _exchange(number, said[: draw.randrange(50, 2_000)], (said * 9)[:size], failed=failed):
                file.write(json.dumps(line) + "\n")
            count = TranscriptCounts(count.turns + 3, count.commands + 1, count.failures + failed)
    return count


def _shared(session: str, number: int) -> dict[str, Any]:
    """Return the fields of every line, as Claude Code 2.1.197 writes them."""
    return {
        "parentUuid": _uuid(session, number), "isSidechain": False, "userType": "external", "entrypoint": "cli",
        "cwd": "/work", "sessionId": _uuid(session, 0), "version": "2.1.197", "gitBranch": "main",
        "timestamp": f"2026-11-01T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}.000Z",
    }  # fmt: skip


def _uuid(*parts: object) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_OID, " ".join(map(str, parts))))


def _answered(number: int, *content: dict[str, Any]) -> dict[str, Any]:
    """Return a message of the agent, with what the model's service says of it."""
    usage = {
        "input_tokens": 10, "cache_creation_input_tokens": 1_250, "cache_read_input_tokens": 40_960,
        "output_tokens": 90, "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
        "service_tier": "standard",
        "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 1_250},
        "inference_geo": "", "iterations": [], "speed": "standard",
    }  # fmt: skip
    return {
        "id": f"msg_{number:020}", "type": "message", "role": "assistant", "model": "claude-opus-4-8",
        "content": list(content), "stop_reason": "tool_use", "stop_sequence": None, "usage": usage,
        "stop_details": None,
    }  # fmt: skip


def _exchange(number: int, said: str, output: str, *, failed: bool) -> Iterator[dict[str, Any]]:
    shared = _shared("large", number)
    result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": output, "is_error": failed}
    if failed:
        result["content"] = f"Exit code 1\n{output}"
    call = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": f"make part-{number}"}}
    outcome: Any = f"Error: Exit code 1\n{output}" if failed else {"stdout": output, "stderr": "", "interrupted": False}
    yield {**shared, "type": "user", "uuid": f"u{number}", "message": {"role": "user", "content": said}}
    yield {**shared, "type": "assistant", "uuid": f"a{number}",
           "message": _answered(number, {"type": "text", "text": said})}  # fmt: skip
    yield {**shared, "type": "assistant", "uuid": f"b{number}", "message": _answered(number, call)}
    yield {**shared, "type": "user", "uuid": f"r{number}", "message": {"role": "user", "content": [result]},
           "toolUseResult": outcome}  # fmt: skip


def dense_sessions(place: Scratch, data: Path, quiet: bool, sessions: int = SESSIONS) -> list[Figure]:
    """Measure how quickly small sessions are taken in with their turns."""
    figures = [_taken_in(place, "made-up", _made_up(sessions), quiet)]
    real = data / "learning" / "dev.jsonl.gz"
    return [*figures, _taken_in(place, "real", _rows(real), quiet)] if real.is_file() else figures


def _taken_in(place: Scratch, name: str, sessions: Iterable[list[dict[str, Any]]], quiet: bool) -> Figure:
    folder = place.folder / f"{name}-sessions"
    folder.mkdir()
    for number, events in enumerate(sessions):
        lines = (json.dumps(line) for at, event in enumerate(events) for line in _lines(f"{name}-{number}", at, event))
        (folder / f"{name}-{number}.jsonl").write_text("".join(f"{line}\n" for line in lines))
    files = sorted(folder.iterdir())
    size_mb = sum(path.stat().st_size for path in files) / 1e6
    say(f"taking in {len(files)} {name} sessions of {size_mb:.1f} MB", quiet=quiet)
    with place.memory(SCOPE, store=f"{name}-turns", sessions=SessionRules(keep="turns", keep_days=36_500)) as memory:
        found = memory.sessions.discover([(path, "claude") for path in files], named=True)
        before, started = resident_mb(), time.process_time()
        memory.sessions.import_found(found)
        rate = size_mb / (time.process_time() - started)
        note = f"CPU; {len(files)} files, {size_mb:.1f} MB; memory grew by {resident_mb() - before:,.0f} MB"
    return Figure(f"small {name} sessions taken in with their turns", rate, "MB/s", 6, "at least", note)


def _made_up(sessions: int) -> Iterator[list[dict[str, Any]]]:
    """Return sessions of prompts and commands with outputs of a few lines, one in eight of them failing."""
    draw = random.Random(12)  # noqa: S311 - sessions, not keys
    for _ in range(sessions):
        events: list[dict[str, Any]] = []
        for _ in range(_EXCHANGES):
            said = " ".join(f"word{draw.randrange(5_000)}" for _ in range(draw.randrange(4, 60)))
            output = "\n".join(f"src/part{draw.randrange(900)}.py:{line}: {said[:80]}" for line in range(8))
            fails = draw.randrange(8) == 0
            command = f"{draw.choice(_PROGRAMS)} part{draw.randrange(900)}"
            events.append({"t": "prompt", "text": said})
            events.append({"t": "cmd", "cmd": command, "out": output, "code": int(fails)})
        yield events


def _rows(path: Path) -> Iterator[list[dict[str, Any]]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)["events"]


def _lines(session: str, number: int, event: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Return the lines of a Claude Code transcript for a prompt, or for a command and its result."""
    shared = _shared(session, number)
    if event["t"] == "prompt":
        said = {"role": "user", "content": event["text"]}
        yield {**shared, "type": "user", "uuid": _uuid(session, number, "u"), "message": said}
        return
    id = f"toolu_{number:020}"
    call = {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": event["cmd"]}}
    failed, output = bool(event.get("code")), event.get("out") or ""
    asked = _uuid(session, number, "a")
    yield {**shared, "type": "assistant", "uuid": asked, "message": _answered(number, call)}
    text = f"Exit code {event['code']}\n{output}" if failed else output
    result = {"type": "tool_result", "tool_use_id": id, "content": text, "is_error": failed}
    printed = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": False}
    yield {**shared, "type": "user", "uuid": _uuid(session, number, "r"), "promptId": _uuid(session, "p"),
           "message": {"role": "user", "content": [result]}, "sourceToolAssistantUUID": asked,
           "toolUseResult": f"Error: {text}" if failed else printed}  # fmt: skip
