"""`python -m tests.bench share`: many facts pushed into a shared folder by one home and pulled by another."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from tacit.bench.corpus import Corpus
from tacit.bench.figures import Figure, answer, say
from tacit.bench.scratch_home import scratch
from tacit.clock import SystemClock
from tacit.testing import temporary_memory

_SCOPE = "project:bench"


def run(records: int, *, as_json: bool) -> None:
    """Measure and print."""
    with scratch() as place:
        shared = place.folder / "shared"
        shared.mkdir()
        say(f"writing {records:,} facts", quiet=as_json)
        figures = [*_pushing(place.folder, shared, records), *_pulling(place.folder, shared, records)]
        answer("share", {"records": records}, figures, as_json=as_json, command="python -m tests.bench share")


def _pushing(folder: Path, shared: Path, records: int) -> list[Figure]:
    with temporary_memory(folder=folder / "one", actor="user", scope=_SCOPE, clock=SystemClock()) as memory:  # type: ignore[arg-type]
        memory.share.init(shared)
        memory.add_many([{"kind": "fact", "body": text.body} for text in Corpus().texts(records)])
        return [_figure(f"push, {records:,} facts", memory.share.push, 10)]


def _pulling(folder: Path, shared: Path, records: int) -> list[Figure]:
    with temporary_memory(folder=folder / "two", actor="user", scope=_SCOPE, clock=SystemClock()) as memory:  # type: ignore[arg-type]
        memory.share.accept(shared)
        pulled = _figure(f"pull, {records:,} facts", memory.share.pull, 10)
        memory.share.sync()
        return [pulled, _figure("a look at a folder without news", memory.share.sync)]


def _figure(name: str, act: Callable[[], object], target_s: float | None = None) -> Figure:
    wall, cpu = time.perf_counter(), time.process_time()
    act()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return Figure(name, cpu, "s", target_s, note=f"{wall:.2f} s wall")
