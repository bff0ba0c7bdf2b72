"""`tacit bench store --store postgresql://…`: the same work on a server and on SQLite, and many clients at once.

Records are short, as in `--size`.

All times are wall times: a server works in its own processes.
"""

from __future__ import annotations

import multiprocessing
import random
import time
from collections.abc import Callable, Sequence
from multiprocessing.synchronize import Barrier
from statistics import median

from tacit.app.memory import Memory
from tacit.bench.corpus import SHORT, Corpus, CorpusText
from tacit.bench.figures import Figure, answer, say
from tacit.bench.scratch_home import Scratch, scratch
from tacit.bench.store import SCOPE, items
from tacit.bench.timing import Timing, one_thread, timed

CLIENTS = 16
CALLS = 100
BATCH = 5_000
MORE = 1_000
SHARE_OF_WRITES = 0.2
MODES = ("hybrid", "lexical", "semantic")


def run(url: str, records: int, *, as_json: bool) -> None:
    """Measure and print."""
    one_thread()

    def tell(message: str) -> None:
        say(message, quiet=as_json)

    with scratch() as place:
        corpus = Corpus()
        tell(f"drawing {records:,} texts")
        texts = corpus.texts(records, SHORT)
        with place.on(url) as server:
            figures = _filled(place, server, texts, tell)
            figures += _single(place, server, corpus)
            tell("maintaining it, as the helper does")
            figures += _index(server)
            figures += _recall(place, server, corpus.queries(texts, CALLS), records)
            figures += _more(server, corpus)
            tell(f"{CLIENTS} clients at once")
            figures += _mixed(server, corpus.queries(texts, CALLS))
        answer("server", {"records": records, "clients": CLIENTS}, figures, as_json=as_json)


def _filled(place: Scratch, server: Scratch, texts: Sequence[CorpusText], tell: Callable[[str], None]) -> list[Figure]:
    rates = {}
    for name, home in (("SQLite", place), ("PostgreSQL", server)):
        tell(f"adding {len(texts):,} records to {name}")
        timing = Timing()
        with home.memory(SCOPE) as memory:
            memory.add_many(items(texts[:1]))
            for start in range(1, len(texts), BATCH):
                with timing.clocked():
                    memory.add_many(items(texts[start : start + BATCH]))
        rates[name] = (len(texts) - 1) / sum(timing.wall)
    note = f"SQLite {rates['SQLite']:,.0f}; both with vectors"
    return [Figure("batch", rates["PostgreSQL"], "records/s", 5_000.0, "at least", note)]


def _single(place: Scratch, server: Scratch, corpus: Corpus) -> list[Figure]:
    """Measure one record per transaction, and memorize with its comparison, alternately."""
    writes, facts = {"a": Timing(), "b": Timing()}, {"a": Timing(), "b": Timing()}
    with place.memory(SCOPE) as here, server.memory(SCOPE) as there:
        for text in corpus.texts(CALLS, SHORT):
            for name, memory in (("a", here), ("b", there)):
                with writes[name].clocked():
                    memory.add_many(items([text]))
        for text in corpus.texts(CALLS, SHORT):
            for name, memory in (("a", here), ("b", there)):
                with facts[name].clocked():
                    memory.memorize(text.body)
    return [_beside("single write, p50", writes), _beside("memorize, p50", facts)]


def _beside(name: str, timings: dict[str, Timing], target: float | None = None) -> Figure:
    one, other = timings["a"].wall_ms, timings["b"].wall_ms
    return Figure(f"{name}, against SQLite", other / one, "x", target, note=f"{other:.2f} / {one:.2f} ms")


def _index(server: Scratch) -> list[Figure]:
    timing = Timing()
    with server.memory(SCOPE) as memory, timing.clocked():
        memory.maintain()
    return [Figure("maintain, which writes the files of this home", timing.wall[0], "s")]


def _more(server: Scratch, corpus: Corpus) -> list[Figure]:
    """Add to a store whose files have been written."""
    timing, more = Timing(), items(corpus.texts(MORE, SHORT))
    with server.memory(SCOPE) as memory, timing.clocked():
        memory.add_many(more)
    return [Figure("batch after that", MORE / timing.wall[0], "records/s")]


def _recall(place: Scratch, server: Scratch, queries: Sequence[str], records: int) -> list[Figure]:
    figures = []
    with place.memory(SCOPE) as here, server.memory(SCOPE) as there:
        here.maintain()
        for mode in MODES:
            timings = {}
            for name, memory in (("a", here), ("b", there)):
                memory.recall(queries[0], mode=mode)
                timings[name] = timed(_asking(memory, mode), queries)
            target = 1.5 if mode == "hybrid" else None
            figures.append(_beside(f"{mode} recall among {records:,}, p50", timings, target))
    return figures


def _asking(memory: Memory, mode: str) -> Callable[[str], object]:
    return lambda query: memory.recall(query, mode=mode)


def _mixed(server: Scratch, queries: Sequence[str]) -> list[Figure]:
    """Let processes read and write at the same time, once all of them have opened the store."""
    context = multiprocessing.get_context("spawn")
    begun = time.monotonic()
    with context.Pool(CLIENTS, _meet, [context.Barrier(CLIENTS)]) as pool:
        work = [(server, seed, list(queries)) for seed in range(CLIENTS)]
        ran = pool.map(_client, work, chunksize=1)
    started = min(start for start, _end, _waits in ran)
    spent = max(end for _start, end, _waits in ran) - started
    waits = sorted(wait for _start, _end, some in ran for wait in some)
    worst = waits[int(0.99 * len(waits))]
    note = f"p50 {1000 * median(waits):.1f} ms, p99 {1000 * worst:.1f} ms; {started - begun:.1f} s to start them"
    return [Figure(f"{CLIENTS} clients, a fifth of it writes", len(waits) / spent, "calls/s", 150.0, "at least", note)]


_meeting: list[Barrier] = []


def _meet(barrier: Barrier) -> None:
    """Note where the clients wait for each other."""
    _meeting.append(barrier)


def _client(work: tuple[Scratch, int, list[str]]) -> tuple[float, float, list[float]]:
    """Run one client's calls, and return when they began and ended, and how long each took."""
    server, seed, queries = work
    dice = random.Random(seed)  # noqa: S311 - which call comes next, no secret
    waits = []
    with server.memory(SCOPE) as memory:
        # The first call of a process loads modules, which is measured by `bench hooks`.
        memory.recall(queries[0])
        memory.memorize(f"client {seed} is here")
        _meeting[-1].wait()
        start = time.monotonic()
        for number, query in enumerate(queries):
            begun = time.perf_counter()
            if dice.random() < SHARE_OF_WRITES:
                memory.memorize(f"client {seed} noted {number}: {query}")
            else:
                memory.recall(query)
            waits.append(time.perf_counter() - begun)
        end = time.monotonic()
    return start, end, waits
