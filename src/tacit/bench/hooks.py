"""`tacit bench hooks`: what a hook costs, event by event, without the helper and through it, beside `true` and Python.

Every process is started in the same loop, so that all figures share the state of the machine.
"""

from __future__ import annotations

import json
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from tacit.app.hook_client import hook_program
from tacit.app.open import replay_environment
from tacit.bench.figures import Figure, answer, say
from tacit.bench.hook_home import EVENTS, HookHome, payload
from tacit.bench.scratch_home import scratch
from tacit.doors.hooks.answer import HookEnvironment, respond_in
from tacit.errors import UsageError
from tacit.files.helper_wanted import SERVING
from tacit.model.failure import Failure
from tacit.model.record import payload_of

COMMANDS = (
    "npm run build", "git status", "cargo build --release", "cd app && make deploy ENV=staging", "npm run biuld",
    "python -m http.server 8000", "rg --files src | head -20", "kubectl get pods -n web", "docker compose up -d",
    "terraform plan -out plan.bin",
)  # fmt: skip
AT_ONCE = 100
PROGRAM = Path(sys.executable).with_name("tacit")
_TRUE, _PYTHON = "true", "python -c pass"
_TOOL_RATIO = 4.0


class Cost(NamedTuple):
    """What one process cost, in milliseconds."""

    cpu: float
    wall: float


def run(facts: int, failures: int, corrections: int, runs: int, *, client: str, as_json: bool) -> None:
    """Measure and print."""
    with scratch() as place:
        say(f"adding {facts:,} facts, {failures:,} failures and {corrections:,} corrections", quiet=as_json)
        home = HookHome(place)
        home.fill(facts, failures, corrections)
        figures = _in_process(home, runs)
        say("starting hooks without the helper", quiet=as_json)
        bare, cold = _measured(home, shlex.join([str(PROGRAM), "hook"]), runs)
        figures += [_figure(name, bare[name], bare[_TRUE]) for name in (_TRUE, _PYTHON)]
        figures += [_figure(f"cold, {one.name}", cold[one.name], bare[_TRUE], one.cold_cpu_ms) for one in EVENTS]
        line = client or hook_program(place.home, str(PROGRAM)).line
        say(f"starting hooks with the helper: {line}", quiet=as_json)
        with server(home):
            bare, served = _measured(home, line, runs)
            for one in EVENTS:
                figures += _served(one.name, served[one.name], bare[_TRUE], one.served_wall_ms)
            figures += _at_once(home, "through the helper")
        figures += _at_once(home, "without it")
        sizes = {"facts": facts, "failures": failures, "corrections": corrections, "runs": runs}
        answer("hooks", {**sizes, "client": Path(shlex.split(line)[0]).name}, figures, as_json=as_json)


def _in_process(home: HookHome, runs: int) -> list[Figure]:
    """Answer prompts and starts in this process, warm, as the helper does."""
    rules = replay_environment(home.settings)
    figures = []
    with home.memory() as memory:
        environment = HookEnvironment(home.settings, lambda: rules, lambda _makes: memory, done=lambda _memory: None)

        def asked(data: bytes) -> object:
            return respond_in("claude", data, lambda _cwd: environment, "/")

        for one in EVENTS:
            asked(json.dumps(home.payload(one, -1)).encode())
            times = [_timed(asked, json.dumps(home.payload(one, number)).encode()) for number in range(runs)]
            note = f"p95 {_share(times, 0.95):.1f} ms"
            figures.append(Figure(f"in process, {one.name}", median(times), "ms", one.warm_ms, note=note))
    return figures


def _measured(home: HookHome, line: str, runs: int) -> tuple[dict[str, list[Cost]], dict[str, list[Cost]]]:
    """Start each hook once a round, after a program that does nothing and a bare interpreter."""
    bare: dict[str, list[Cost]] = defaultdict(list)
    found: dict[str, list[Cost]] = defaultdict(list)
    for number in range(-1, runs):
        for name, command in ((_TRUE, ["/bin/true"]), (_PYTHON, [sys.executable, "-c", "pass"])):
            bare[name].append(_started(home, command, b""))
        for one in EVENTS:
            sent = home.payload(one, number)
            words = [*shlex.split(line), "claude", sent["hook_event_name"]]
            found[one.name].append(_started(home, words, json.dumps(sent).encode()))
    return _settled(bare), _settled(found)


def _settled(costs: dict[str, list[Cost]]) -> dict[str, list[Cost]]:
    """Leave the first round out, because it fills caches."""
    return {name: some[1:] for name, some in costs.items()}


def _started(home: HookHome, words: Sequence[str], data: bytes) -> Cost:
    with tempfile.TemporaryFile() as given:
        given.write(data)
        given.seek(0)
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(
            words, stdin=given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=home.folder,
            env=home.environ, check=False,
        )  # fmt: skip
        wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(1000 * cpu, 1000 * wall)


def _figure(name: str, costs: list[Cost], bare: list[Cost], target: float | None = None) -> Figure:
    """Return the CPU time of a process, with its wall time and how it compares with `true` in a note."""
    cpu, wall = [one.cpu for one in costs], [one.wall for one in costs]
    ratio = median(wall) / median(one.wall for one in bare)
    note = f"p95 {_share(cpu, 0.95):.0f}; wall {median(wall):.1f}, p95 {_share(wall, 0.95):.0f} ms; {ratio:.1f} x true"
    return Figure(f"{name}: CPU", median(cpu), "ms", target, note=note)


def _served(name: str, costs: list[Cost], bare: list[Cost], target_ms: float | None) -> list[Figure]:
    """Return the wall time of a hook through the helper: in milliseconds, and as a multiple of `true`."""
    wall, true = [one.wall for one in costs], [one.wall for one in bare]
    cpu = median(one.cpu for one in costs)
    note = f"p95 {_share(wall, 0.95):.1f} ms; CPU of the client {cpu:.1f} ms"
    found = [Figure(f"served, {name}: wall", median(wall), "ms", target_ms, note=note)]
    if target_ms is None:
        late = _share(wall, 0.95) / _share(true, 0.95)
        ratio = median(wall) / median(true)
        found.append(Figure(f"served, {name} / true", ratio, "x", _TOOL_RATIO, note=f"p95 / p95 of true {late:.1f} x"))
    return found


@contextmanager
def server(home: HookHome) -> Iterator[dict[str, Any]]:
    """Run the helper of a scratch home."""
    with subprocess.Popen(
        [PROGRAM, "serve"], cwd=home.folder, env=home.environ, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as started:  # fmt: skip
        try:
            until = time.monotonic() + 20
            while not (home.home / SERVING).exists() and started.poll() is None and time.monotonic() < until:
                time.sleep(0.02)
            if not (home.home / SERVING).exists():
                started.terminate()
                said = started.communicate()[1].decode(errors="replace").strip()
                raise UsageError(f"the helper did not start: {said[-300:]}", "run the benchmark with a shorter TMPDIR")
            yield json.loads((home.home / SERVING).read_text())
        finally:
            started.terminate()


def _at_once(home: HookHome, how: str) -> list[Figure]:
    """Start many hooks at once, each with its own failure; count those that are not in the store afterwards."""
    names = [f"ship {how.replace(' ', '-')}-{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(AT_ONCE)]
    began = time.perf_counter()
    running = [_failing(home, command) for command in names]
    for one in running:
        one.wait(120)
    took = time.perf_counter() - began
    subprocess.run([PROGRAM, "sync"], cwd=home.folder, env=home.environ, capture_output=True, check=False)
    with home.memory() as memory:
        asked = [("signature", command) for command in names]
        records = memory._c.store.having(asked, ("failure",), memory._c.walls)
        kept = {payload_of(record, Failure).signature for record in records}
    lost = len(set(names) - kept)
    return [Figure(f"{AT_ONCE} hooks at once {how}: lost captures", lost, "", 0.0, note=f"{took:.1f} s for all")]


def _failing(home: HookHome, command: str) -> subprocess.Popen[bytes]:
    event = {"hook_event_name": "PostToolUseFailure", "error": "Exit code 1\nboom"}
    data = json.dumps(payload(command, home.folder, command) | event).encode()
    with tempfile.TemporaryFile() as given:
        given.write(data)
        given.seek(0)
        return subprocess.Popen([PROGRAM, "hook", "claude"], cwd=home.folder, env=home.environ, stdin=given,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip


def _timed(call: Callable[[bytes], object], data: bytes) -> float:
    began = time.perf_counter()
    call(data)
    return 1000 * (time.perf_counter() - began)


def _share(times: Sequence[float], share: float) -> float:
    ranked = sorted(times)
    return ranked[min(len(ranked) - 1, int(share * len(ranked)))]
