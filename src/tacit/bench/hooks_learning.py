"""`tacit bench hooks --learning`: what a hook costs over the socket while the server learns from a session."""

from __future__ import annotations

import json
import socket
import time
from pathlib import Path
from typing import Any

from tacit.bench.figures import Figure, answer, say
from tacit.bench.hook_home import HookHome, payload
from tacit.bench.hooks import COMMANDS, server
from tacit.bench.scratch_home import scratch
from tacit.doors.hooks.surroundings import SOCKET

_SESSION = "bench-learning"
_MOST_S = 60.0


def run(calls: int, *, as_json: bool) -> None:
    """Measure and print: idle first, then while a session of as many commands is learned from."""
    with scratch() as folder, server(place := HookHome(folder)):
        idle = [_timed(place, number) for number in range(calls)]
        say(f"learning from a session of {calls:,} commands", quiet=as_json)
        transcript = _written(place, calls)
        _ask(place, {"hook_event_name": "SessionEnd", "transcript_path": str(transcript), "session_id": _SESSION})
        jobs, busy, until = place.home / "jobs", list[float](), time.monotonic() + _MOST_S
        while any(jobs.glob("*.json")) and time.monotonic() < until:
            busy.append(_timed(place, len(busy)))
        note = f"p50 {_ms(busy, 0.5):.1f} ms, {len(busy)} calls; idle p95 {_ms(idle, 0.95):.1f} ms"
        figures = [
            Figure("before a command, while learning, p95", _ms(busy, 0.95), "ms", 10.0, note=note),
            Figure("while learning / idle, p95", _ms(busy, 0.95) / _ms(idle, 0.95), "x"),
        ]
        answer("hooks-learning", {"calls": calls}, figures, as_json=as_json)


def _written(place: HookHome, commands: int) -> Path:
    """Write a transcript as Claude Code does: every third command fails, and the next one is its fix."""
    path = Path(place.environ["HOME"]) / ".claude" / "projects" / "bench" / f"{_SESSION}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for number in range(commands):
            failed = number % 3 == 0
            command = f"npm run target{number}x" if failed else f"npm run target{number}"
            common: dict[str, Any] = {
                "sessionId": _SESSION, "cwd": str(place.folder), "version": "2.1.197", "isSidechain": False,
                "timestamp": "2026-03-01T10:00:00Z", "userType": "external",
            }  # fmt: skip
            use = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": command}}
            said = f'Exit code 1\nnpm error Missing script: "target{number}x"' if failed else "built"
            result = {"type": "tool_result", "tool_use_id": f"t{number}", "is_error": failed, "content": said}
            for kind, role, block in (("assistant", "assistant", use), ("user", "user", result)):
                line = {
                    **common,
                    "type": kind,
                    "uuid": f"{kind}{number}",
                    "message": {"role": role, "content": [block]},
                }
                file.write(json.dumps(line) + "\n")
    return path


def _timed(place: HookHome, number: int) -> float:
    data = payload(COMMANDS[number % len(COMMANDS)], place.folder, f"l{number}")
    started = time.perf_counter()
    _ask(place, data)
    return time.perf_counter() - started


def _ask(place: HookHome, data: dict[str, Any]) -> bytes:
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(_MOST_S)
        line.connect(str(place.home / SOCKET))
        line.sendall(b"hook claude\n" + json.dumps({"cwd": str(place.folder), **data}).encode())
        line.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: line.recv(65_536), b""))


def _ms(times: list[float], share: float) -> float:
    ranked = sorted(times) or [0.0]
    return 1_000 * ranked[min(len(ranked) - 1, int(share * len(ranked)))]
