"""`tacit bench cli`: cold starts of the command line, each in a new process, compared with a bare interpreter."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tacit.bench.corpus import Corpus
from tacit.bench.figures import Figure, answer, say
from tacit.bench.scratch_home import Scratch, scratch
from tacit.bench.store import SCOPE, items
from tacit.bench.timing import Timing
from tacit.errors import TacitError

RUNS = 15


class ColdStart(NamedTuple):
    """A command to start cold, and its target in seconds."""

    name: str
    words: tuple[str, ...]
    target_s: float | None = None


def run(records: int, *, as_json: bool, runs: int = RUNS) -> None:
    """Measure and print."""
    with scratch() as place:
        corpus = Corpus()
        say(f"adding {records:,} records", quiet=as_json)
        texts = corpus.texts(records)
        with place.memory(SCOPE) as memory:
            memory.add_many(items(texts))
        queries = corpus.queries(texts, runs)
        fresh = [text.body for text in corpus.texts(runs)]
        say(f"starting each command {runs} times", quiet=as_json)
        figures = [_against_python(place, runs), *_cold(place, queries, fresh, records)]
        answer("cli", {"records": records, "runs": runs}, figures, as_json=as_json)


def tacit_command() -> list[str]:
    """Return the installed command, else the module."""
    script = Path(sys.executable).with_name("tacit")
    return [str(script)] if script.exists() else [sys.executable, "-m", "tacit"]


def _against_python(place: Scratch, runs: int) -> Figure:
    """Measure tacit and a bare Python alternately, so that both meet the same load."""
    bare, version = Timing(), Timing()
    for _ in range(runs):
        started(place, [sys.executable, "-c", "pass"], bare)
        started(place, [*tacit_command(), "--version"], version)
    note = f"{version.cpu_ms:.1f} / {bare.cpu_ms:.1f} ms; wall {version.wall_ms:.1f} / {bare.wall_ms:.1f} ms"
    return Figure("tacit --version / python -c pass", version.cpu_ms / bare.cpu_ms, "x", 1.5, note=note)


def _cold(place: Scratch, queries: Sequence[str], fresh: Sequence[str], records: int) -> list[Figure]:
    """Start each command once for every query, alternating the commands."""
    timings: dict[str, tuple[Timing, float | None]] = {}
    for query, fact in zip(queries, fresh, strict=True):
        for start in _starts(query, fact):
            timing, _ = timings.setdefault(start.name, (Timing(), start.target_s))
            started(place, [*tacit_command(), *start.words, "--scope", SCOPE], timing)
    figures = []
    for name, (timing, target) in timings.items():
        note = f"{timing.wall_ms / 1000:.2f} s wall"
        figures.append(Figure(f"{name}, cold, {records:,} records", timing.cpu_ms / 1000, "s", target, note=note))
    return figures


def _starts(query: str, fact: str) -> list[ColdStart]:
    return [
        ColdStart("recall, lexical", ("recall", query, "--mode", "lexical"), 0.3),
        ColdStart("recall, hybrid", ("recall", query), 1.0),
        ColdStart("memorize", ("memorize", fact)),
        ColdStart("context", ("context",)),
        ColdStart("status", ("status",)),
    ]


def started(place: Scratch, command: Sequence[str], timing: Timing) -> None:
    """Run a process to its end, and record its CPU time."""
    before, wall = _children_s(), time.perf_counter()
    done = place.process(command)
    timing.wall.append(time.perf_counter() - wall)
    timing.cpu.append(_children_s() - before)
    if done.returncode:
        problem = done.stderr.decode(errors="replace").strip()
        raise TacitError(f"`{' '.join(command)[:80]}` failed: {problem[:200]}", "nothing was measured")


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
