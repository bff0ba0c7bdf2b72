"""`tacit bench store --size N`: one large scope of short records, filled by one process and asked by fresh ones."""

from __future__ import annotations

import multiprocessing
import random
import resource
import time
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tacit.app.memory import Memory
from tacit.bench.corpus import Corpus
from tacit.bench.figures import Figure, answer, say
from tacit.bench.scratch_home import Scratch, scratch
from tacit.bench.store import SCOPE
from tacit.bench.timing import one_thread, resident_mb, timed

BATCH = 10_000
QUERIES = 100
_WORDS = (10, 18)
_MILLION, _HUNDRED_THOUSAND = 1_000_000, 100_000


def run(size: int, *, as_json: bool) -> None:
    """Fill a scope, maintain it, and measure it."""
    one_thread()

    def tell(message: str) -> None:
        say(message, quiet=as_json)

    with scratch() as place:
        tell(f"adding {size:,} records in batches of {BATCH:,}")
        filled = _elsewhere(_fill, place.folder, size)
        tell("maintaining: word index, segments of vectors")
        maintained = _elsewhere(_maintain, place.folder, size)
        tell("asking")
        asked = _elsewhere(_ask, place.folder, size)
    answer("store", {"size": size, "queries": QUERIES}, _figures(size, filled, maintained, asked), as_json=as_json)


def _figures(size: int, filled: dict[str, float], kept: dict[str, float], asked: dict[str, float]) -> list[Figure]:
    def target(million: float, hundred_thousand: float | None = None) -> float | None:
        return million if size >= _MILLION else hundred_thousand if size >= _HUNDRED_THOUSAND else None

    after, hybrid = asked["after"], asked["hybrid"]
    return [
        Figure("ingest with vectors", filled["rate"], "records/s", 10_000.0, "at least", f"{filled['wall']:,.0f} wall"),
        Figure("ingest, peak memory", filled["peak"], "MB", 500.0),
        Figure("maintain afterwards", kept["seconds"], "s", note=f"peak {kept['peak']:,.0f} MB"),
        Figure("recall by words, p50", asked["lexical"], "ms", target(15.0)),
        Figure("recall by meaning, p50", asked["semantic"], "ms"),
        Figure("hybrid recall, p50", hybrid, "ms", target(40.0, 10.0), note=f"{asked['hybrid_wall']:.1f} ms wall"),
        Figure("hybrid right after a write / before", after / hybrid, "x", 1.5, note=f"{after:.1f} ms"),
        Figure("memorize, p50", asked["memorize"], "ms", target(15.0, 12.0)),
        Figure("context, p50", asked["context"], "ms", target(20.0)),
        Figure("first hybrid of a process", asked["cold"], "s", target(1.0), note=f"{asked['cold_wall']:.2f} s wall"),
        Figure("asking process", asked["resident"], "MB", target(400.0)),
        Figure("database, files beside it", asked["database"], "MB", note=f"{asked['files']:,.0f} MB of files"),
    ]  # fmt: skip


def _elsewhere(work: Callable[[Path, int], dict[str, float]], folder: Path, size: int) -> dict[str, float]:
    """Run a part in a process of its own, whose memory is its own."""
    ours, theirs = multiprocessing.Pipe()
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=_run, args=(work, folder, size, theirs))
    process.start()
    theirs.close()
    found: dict[str, float] = ours.recv()
    process.join()
    return found


def _run(work: Callable[[Path, int], dict[str, float]], folder: Path, size: int, out: Connection) -> None:
    one_thread()
    out.send(work(folder, size))


def _short(corpus: Corpus, count: int, chance: random.Random) -> list[dict[str, Any]]:
    return [
        {"kind": "fact", "body": " ".join(text.body.split()[: chance.randint(*_WORDS)])} for text in corpus.texts(count)
    ]


def _fill(folder: Path, size: int) -> dict[str, float]:
    corpus, chance = Corpus(), random.Random(1)  # noqa: S311 (texts have to be the same every time)
    cpu = wall = 0.0
    with Scratch(folder).memory(SCOPE) as memory:
        memory.add_many(_short(corpus, 1, chance))  # the embedder is loaded with the first text
        for start in range(1, size, BATCH):
            items = _short(corpus, min(BATCH, size - start), chance)
            cpu_before, wall_before = time.process_time(), time.perf_counter()
            memory.add_many(items)
            cpu += time.process_time() - cpu_before
            wall += time.perf_counter() - wall_before
    return {"rate": size / cpu, "wall": size / wall, "peak": _peak_mb()}


def _maintain(folder: Path, size: int) -> dict[str, float]:
    before = time.perf_counter()
    with Scratch(folder).memory(SCOPE) as memory:
        memory.maintain()
    return {"seconds": time.perf_counter() - before, "peak": _peak_mb()}


def _ask(folder: Path, size: int) -> dict[str, float]:
    corpus, chance = Corpus(), random.Random(1)  # noqa: S311
    bodies = [item["body"] for item in _short(corpus, min(size, 5_000), chance)]
    queries = [" ".join(chance.sample(body.split(), 6)) for body in chance.sample(bodies, QUERIES)]
    cpu, wall = time.process_time(), time.perf_counter()
    with Scratch(folder).memory(SCOPE) as memory:
        memory.recall(queries[0])
        found = {"cold": time.process_time() - cpu, "cold_wall": time.perf_counter() - wall}
        for mode in ("lexical", "semantic", "hybrid"):
            timing = timed(partial(_asked, memory, mode), queries)
            found |= {mode: timing.cpu_ms, f"{mode}_wall": timing.wall_ms}
        found["resident"] = resident_mb()
        kept, after = [], []
        for number, query in enumerate(queries[:30]):
            kept.append(timed(memory.memorize, [f"Note {number}: {query} was seen at {chance.random()}"]).cpu_ms)
            after.append(timed(memory.recall, [query]).cpu_ms)
        found |= {"memorize": sorted(kept)[15], "after": sorted(after)[15]}
        found["context"] = timed(lambda _number: memory.context(), range(10)).cpu_ms
    files = sum(path.stat().st_size for path in (folder / "home" / "vectors").rglob("*") if path.is_file())
    return found | {"database": (folder / "memory.db").stat().st_size / 1e6, "files": files / 1e6}


def _asked(memory: Memory, mode: str, query: str) -> None:
    memory.recall(query, mode=mode)


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
