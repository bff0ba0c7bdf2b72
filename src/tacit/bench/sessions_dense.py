"""Many small sessions that are dense, taken in with their turns: real ones where a set has them, else made-up ones."""

from __future__ import annotations

import gzip
import json
import random
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tacit.bench.figures import Figure, say
from tacit.bench.scratch_home import Scratch
from tacit.bench.timing import resident_mb
from tacit.model.settings import SessionRules

SESSIONS = 400
_EXCHANGES = 25
_SCOPE = "project:dense"
_PROGRAMS = ("git status", "pytest -q tests/", "npm run build --", "rg -n", "cat src/", "docker compose up", "ls -la")


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
    with place.memory(_SCOPE, store=f"{name}-turns", sessions=SessionRules(keep="turns", keep_days=36_500)) as memory:
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
    shared = {
        "sessionId": session, "cwd": "/work", "gitBranch": "main", "version": "2.1.0", "isSidechain": False,
        "timestamp": f"2026-11-01T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}.000Z",
    }  # fmt: skip
    if event["t"] == "prompt":
        said = {"role": "user", "content": event["text"]}
        yield {**shared, "type": "user", "uuid": f"u{number}", "message": said}
        return
    call = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": event["cmd"]}}
    failed, output = bool(event.get("code")), event.get("out") or ""
    said = {"id": f"m{number}", "role": "assistant", "model": "claude", "content": [call]}
    yield {**shared, "type": "assistant", "uuid": f"a{number}", "message": said}
    text = f"Exit code {event['code']}\n{output}" if failed else output
    result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": text, "is_error": failed}
    outcome: Any = f"Error: {text}" if failed else {"stdout": output, "stderr": "", "interrupted": False}
    yield {**shared, "type": "user", "uuid": f"r{number}", "message": {"role": "user", "content": [result]},
           "toolUseResult": outcome}  # fmt: skip
