"""`python -m tests.bench replay`: what a step costs beside plain `sh -c`, much output, many procedures."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable
from statistics import median

from tacit.bench.figures import Figure, answer, say
from tacit.bench.scratch_home import Scratch, scratch
from tacit.bench.timing import resident_mb

SCOPE = "project:bench"
STEP = "true"


def run(steps: int, megabytes: int, procedures: int, *, as_json: bool) -> None:
    """Measure and print."""
    with scratch() as place:
        say(f"replaying {steps} steps beside plain shells", quiet=as_json)
        figures = _steps(place, steps)
        say(f"reading {megabytes:,} MB of output", quiet=as_json)
        figures.append(_memory(place, megabytes))
        say(f"recording {procedures:,} procedures", quiet=as_json)
        figures += _many(place, procedures)
        document = {"steps": steps, "megabytes": megabytes, "procedures": procedures}
        answer("replay", document, figures, as_json=as_json, command="python -m tests.bench replay")


def _steps(place: Scratch, count: int) -> list[Figure]:
    """Time replays of one step and of two, in turns with plain shells: the difference is what a step adds."""
    bare, one, two = [], [], []
    with place.memory(SCOPE, vectors=False) as memory:
        memory.procedures.record("One", steps=[STEP])
        memory.procedures.record("Two", steps=[STEP, STEP])
        for _ in range(count):
            bare.append(_timed(lambda: subprocess.run(["/bin/sh", "-c", STEP], stdin=subprocess.DEVNULL, check=True)))
            one.append(_timed(lambda: memory.procedures.replay("one")))
            two.append(_timed(lambda: memory.procedures.replay("two")))
    step = median(second - first for first, second in zip(one, two, strict=True))
    plain = median(bare)
    note = f"{1000 * step:.1f} / {1000 * plain:.1f} ms wall"
    return [
        Figure("a step over plain sh -c, p50", 1000 * (step - plain), "ms", 5.0, note=note),
        Figure("a replay of one step, p50", 1000 * median(one), "ms", note="record, step and outcome kept durably"),
    ]


def _memory(place: Scratch, megabytes: int) -> Figure:
    """Replay a step that says much, and look at this process while it does."""
    held: list[float] = []
    over = threading.Event()

    def look() -> None:
        # What is told of the output ends long before the output does.
        while not over.wait(0.02):
            held.append(resident_mb())

    with place.memory(SCOPE, vectors=False) as memory:
        memory.procedures.record("Much", steps=[f"head -c {megabytes * 1_000_000} /dev/zero"])
        memory.procedures.replay("one")
        before, started = resident_mb(), time.perf_counter()
        watcher = threading.Thread(target=look, daemon=True)
        watcher.start()
        run = memory.procedures.replay("much").run
        over.set()
        watcher.join()
    size_mb = run.steps[0].output_bytes / 1e6
    note = f"{size_mb / (time.perf_counter() - started):,.0f} MB/s"
    return Figure(
        f"memory for {size_mb:,.0f} MB of output", max([*held, resident_mb()]) - before, "MB", 50.0, note=note
    )


def _many(place: Scratch, count: int) -> list[Figure]:
    with place.memory(SCOPE, store="many") as memory:
        for number in range(count):
            topic = f"service {number % 97} in region {number % 13}"
            steps = [f"make build-{number % 31}", f"deploy --to region-{number % 13} svc-{number % 97}", "make check"]
            key = memory.procedures.record(f"Deploy {topic}", description=f"roll out {topic}", steps=steps).key
            memory.procedures.report(key, succeeded=number % 5 != 0)
        return [
            _listed("list", count, memory.procedures.list),
            _listed("search by task", count, lambda: memory.procedures.search("roll out service 12")),
            _listed("search by command", count, lambda: memory.procedures.search("make build-1")),
            _listed("health of all", count, memory.procedures.health),
        ]


def _listed(name: str, count: int, call: Callable[[], object]) -> Figure:
    call()
    return Figure(
        f"{name}, {count:,} procedures", 1000 * median(_timed(call) for _ in range(7)), "ms", 200.0, note="wall"
    )


def _timed(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started
