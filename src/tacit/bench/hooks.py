"""`tacit bench hooks`: what a hook costs in process, over HTTP, through a thin client, and from a cold start."""

from __future__ import annotations

import http.client
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tacit.app.guard_setup import guard_place, load_guard
from tacit.app.memory import Memory
from tacit.app.open import replay_environment
from tacit.bench.figures import Figure, answer, say
from tacit.bench.scratch_home import Scratch, scratch
from tacit.doors.hooks.answer import HookEnvironment, respond_in
from tacit.doors.hooks.surroundings import SOCKET
from tacit.doors.http_door import TOKEN
from tacit.doors.server import FACTS
from tacit.failures.rules.failure_and_fix import signatures_in
from tacit.guard.judge import judge
from tacit.loop.warnings import warnings_for
from tacit.model.event import NewEvent
from tacit.model.failure import Correction, Failure
from tacit.model.record import Draft, payload_of
from tacit.records.write import new_record

SCOPE = "user:bench"
COMMANDS = (
    "npm run build", "git status", "cargo build --release", "cd app && make deploy ENV=staging", "npm run biuld",
    "python -m http.server 8000", "rg --files src | head -20", "kubectl get pods -n web", "docker compose up -d",
    "terraform plan -out plan.bin",
)  # fmt: skip
_PLAIN = "whoami"
AT_ONCE = 100
_PROGRAM = Path(sys.executable).with_name("tacit")
_PARSED = "npm run build && ls | head"


def run(failures: int, phrases: int, calls: int, *, as_json: bool) -> None:
    """Measure and print."""
    with scratch() as place:
        say(f"adding {failures:,} failures and {phrases:,} corrections", quiet=as_json)
        with place.memory(SCOPE, vectors=False) as memory:
            _fill(memory, failures, phrases)
            figures = _in_process(place, memory, calls)
        say("starting processes", quiet=as_json)
        with server(place) as facts:
            figures += [*_over_http(place, facts, calls), *_thin(place, max(20, calls // 20))]
            figures += _at_once(place, "through the server")
        figures += _at_once(place, "without one")
        figures += _cold(place, max(10, calls // 50))
        answer("hooks", {"failures": failures, "phrases": phrases, "calls": calls}, figures, as_json=as_json)


def _fill(memory: Memory, failures: int, phrases: int) -> None:
    c, now = memory._c, memory._c.clock.now()
    drafts = [_failure(number) for number in range(failures)] + [_correction(number) for number in range(phrases)]
    with c.store.transaction(c.origin, now) as tx:
        tx.add([new_record(c, draft, now) for draft in drafts])
        tx.append(NewEvent(type="bench.filled", scope=SCOPE))


def _failure(number: int) -> Draft:
    signature = f"deploy target{number} --region r{number % 97}"
    failure = Failure(signature=signature, command=signature, cause="other", subject=f"deploy target{number}")
    return Draft(kind="failure", scope=SCOPE, key=f"other {signature}", title=signature, payload=failure)


def _correction(number: int) -> Draft:
    said = Correction(type="tool-preference", original=f"tool{number} install", corrected=f"other{number} install")
    return Draft(kind="correction", scope=SCOPE, key=f"bench-{number}", title="x", payload=said)


def payload(command: str, folder: Path, call: str = "c") -> bytes:
    """Return what Claude Code sends before a command runs."""
    return json.dumps({
        "session_id": "bench", "transcript_path": "/x", "cwd": str(folder), "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": call,
    }).encode()  # fmt: skip


def _in_process(place: Scratch, memory: Memory, calls: int) -> list[Figure]:
    settings = place.settings()
    packs, where = load_guard(settings).packs, guard_place(settings)
    rules = replay_environment(settings)
    environment = HookEnvironment(settings, lambda: rules, lambda _makes: memory, done=lambda _memory: None)
    looked, guarded, whole = [], [], []
    for number in range(calls):
        command = COMMANDS[number % len(COMMANDS)]
        data = payload(command, place.folder, f"c{number}")
        parsed = _timed(signatures_in, command)
        looked.append(_timed(warnings_for, memory._c, command) - parsed)
        guarded.append(_timed(judge, command, where, packs))
        whole.append(_timed(respond_in, "claude", data, lambda _cwd: environment, "/"))
    more = [one - two for one, two in zip(whole, guarded, strict=True)]
    look_note = f"p50 {_ms(looked, 0.5):.3f} ms; without the parser"
    return [
        Figure("look-up in process, p99", _ms(looked, 0.99), "ms", 0.1, note=look_note),
        Figure("guard, p50", _ms(guarded, 0.5), "ms"),
        Figure("whole decision over the guard, p50", _ms(more, 0.5), "ms", 0.2, note=f"p99 {_ms(more, 0.99):.2f} ms"),
        Figure("whole decision, p99", _ms(whole, 0.99), "ms", note=f"p50 {_ms(whole, 0.5):.2f} ms"),
    ]


@contextmanager
def server(place: Scratch) -> Iterator[dict[str, Any]]:
    started = subprocess.Popen(
        [sys.executable, "-m", "tacit", "serve", "--port", "0"], cwd=place.folder, env=place.environment(),
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        until = time.monotonic() + 20
        while not (place.home / FACTS).exists() and time.monotonic() < until:
            time.sleep(0.02)
        yield json.loads((place.home / FACTS).read_text())
    finally:
        stopping = time.monotonic()
        started.terminate()
        started.wait(10)
        say(f"the server stopped within {time.monotonic() - stopping:.2f} s")


def _over_http(place: Scratch, facts: dict[str, Any], calls: int) -> list[Figure]:
    line = http.client.HTTPConnection("127.0.0.1", facts["port"])
    head = {"Authorization": f"Bearer {(place.home / TOKEN).read_text()}"}
    times = []
    for number in range(calls + 20):
        data = payload(COMMANDS[number % len(COMMANDS)], place.folder, f"h{number}")
        times.append(_timed(_ask, line, data, head))
    line.close()
    warm = times[20:]
    note = f"p50 {_ms(warm, 0.5):.2f} ms"
    return [Figure("a hook over keep-alive HTTP, p99", _ms(warm, 0.99), "ms", 5.0, note=note)]


def _ask(line: http.client.HTTPConnection, data: bytes, head: dict[str, str]) -> bytes:
    line.request("POST", "/hook/claude", data, head)
    return line.getresponse().read()


def _thin(place: Scratch, runs: int) -> list[Figure]:
    """Start a shell that sends the payload to a socket, and compare it with starting a program that does nothing."""
    if not shutil.which("nc"):
        return []
    (place.folder / "payload").write_bytes(b"hook claude\n" + payload(COMMANDS[0], place.folder, "nc"))
    client = ["/bin/sh", "-c", f"exec nc -U -N {place.home / SOCKET} < payload"]
    bare, thin = [], []
    for _ in range(runs):
        bare.append(_timed(place.process, ["/bin/true"]))
        thin.append(_timed(place.process, client))
    ratio, note = _share(thin, 0.5) / _share(bare, 0.5), f"p99 {_ms(thin, 0.99):.1f} ms"
    return [Figure("sh and nc / true, p50", ratio, "x", 3.0, note=note),
            Figure("sh and nc, p99", _ms(thin, 0.99), "ms", 5.0)]  # fmt: skip


def _at_once(place: Scratch, how: str) -> list[Figure]:
    """Start many hooks at once, each with its own failure; count those that are not in the store afterwards."""
    names = [f"ship {how.replace(' ', '-')}-{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(AT_ONCE)]
    started = time.perf_counter()
    running = [_started(place, command) for command in names]
    for one in running:
        one.wait(120)
    took = time.perf_counter() - started
    place.process([str(_PROGRAM), "maintain"])
    with place.memory(SCOPE, vectors=False) as memory:
        asked = [("signature", command) for command in names]
        records = memory._c.store.having(asked, ("failure",), memory._c.walls)
        kept = {payload_of(record, Failure).signature for record in records}
    lost = len(set(names) - kept)
    return [Figure(f"{AT_ONCE} hooks at once {how}: lost captures", lost, "", 0.0, note=f"{took:.1f} s for all")]


def _started(place: Scratch, command: str) -> subprocess.Popen[bytes]:
    event = {"hook_event_name": "PostToolUseFailure", "error": "Exit code 1\nboom"}
    data = json.dumps({**json.loads(payload(command, place.folder, command)), **event}).encode()
    with tempfile.TemporaryFile() as given:
        given.write(data)
        given.seek(0)
        return subprocess.Popen([_PROGRAM, "hook", "claude"], cwd=place.folder, env=place.environment(), stdin=given,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip


def _cold(place: Scratch, runs: int) -> list[Figure]:
    figures = []
    for name, command, target in (("plainly harmless", _PLAIN, 4.0), ("parsed", _PARSED, 8.0)):
        (place.folder / "payload").write_bytes(payload(command, place.folder))
        start = ["/bin/sh", "-c", f"exec {_PROGRAM} hook claude < payload"]
        place.process(start)
        bare, cold = [], []
        for _ in range(runs):
            bare.append(_timed(place.process, [sys.executable, "-c", "pass"]))
            cold.append(_timed(place.process, start))
        ratio = _share(cold, 0.5) / _share(bare, 0.5)
        note = f"{_ms(cold, 0.5):.0f} / {_ms(bare, 0.5):.0f} ms wall"
        figures.append(Figure(f"cold start, {name} / python -c pass, p50", ratio, "x", target, note=note))
    return figures


def _timed(call: Callable[..., object], *arguments: object) -> float:
    started = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - started


def _ms(times: Sequence[float], share: float) -> float:
    return 1000 * _share(times, share)


def _share(times: Sequence[float], share: float) -> float:
    ranked = sorted(times)
    return ranked[min(len(ranked) - 1, int(share * len(ranked)))]
