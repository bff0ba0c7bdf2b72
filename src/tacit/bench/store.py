"""`tacit bench store`: writes against a bare SQLite insert, memorize, bulk adding, recall in small and large scopes."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tacit.app.memory import Memory
from tacit.bench.corpus import Corpus, CorpusText
from tacit.bench.figures import Figure, answer, say
from tacit.bench.scratch_home import Scratch, scratch
from tacit.bench.timing import Timing, one_thread, resident_mb, timed

SCOPE = "project:bench"
OTHER_SCOPES = 10
TIMES = 10
"""How many times larger the other scopes together, and the large scope, are."""
MOST_LARGE = 100_000
CALLS = 300
MODES = ("hybrid", "lexical", "semantic")

_BARE_TABLE = "CREATE TABLE bare(id TEXT PRIMARY KEY, at TEXT NOT NULL, body TEXT NOT NULL)"
_BARE_INDEX = "CREATE INDEX bare_at ON bare(at)"
_BARE_INSERT = "INSERT INTO bare VALUES (?, ?, ?)"


def run(records: int, *, as_json: bool, large: bool = False) -> None:
    """Measure and print. With `large`, also one scope of ten times as many records."""
    one_thread()

    def tell(message: str) -> None:
        say(message, quiet=as_json)

    with scratch() as place:
        start_mb = resident_mb()
        corpus = Corpus()
        tell(f"drawing {records:,} texts")
        texts = corpus.texts(records)
        calls = min(CALLS, records)
        figures = [*_bulk(place, texts, tell), *_writes(place, corpus, calls), _memorize(place, corpus, calls)]
        queries = corpus.queries(texts, calls)
        figures += _recall(place, queries, f"in a scope of {records:,}", 5.0)
        others = min(TIMES * records, max(MOST_LARGE, records))
        tell(f"adding {others:,} records in {OTHER_SCOPES} other scopes")
        _add_others(place, corpus, others)
        tell("maintaining it, as the helper does")
        with place.memory(SCOPE) as memory:
            memory.maintain()
        figures += _recall(place, queries, f"with {others:,} in other scopes", 5.0, modes=("hybrid",))
        figures.append(
            Figure("resident memory", resident_mb(), "MB", note=f"{start_mb:.0f} MB before; corpus included")
        )
        if large:
            tell(f"adding {others:,} records in one scope")
            figures += _large(place, corpus, others, calls)
        sizes = {"records": records, "others": others, "calls": calls, "large": others if large else 0}
        answer("store", {**sizes, "semantic": _semantic(place)}, figures, as_json=as_json)


def items(texts: Sequence[CorpusText], kind: str = "fact") -> list[dict[str, Any]]:
    """Return texts in the form that `add_many` takes."""
    return [{"kind": kind, "body": text.body} for text in texts]


def _semantic(place: Scratch) -> bool:
    with place.memory(SCOPE) as memory:
        return bool(memory.status()["semantic"]["on"])


def _bulk(place: Scratch, texts: Sequence[CorpusText], tell: Callable[[str], None]) -> list[Figure]:
    """Fill the stores, with vectors and without."""
    figures = []
    for store, vectors, target in (("memory", True, 5_000.0), ("plain", False, None)):
        tell(f"adding {len(texts):,} records with{'' if vectors else 'out'} vectors")
        timing = Timing()
        with place.memory(SCOPE, store=store, vectors=vectors) as memory:
            memory.add_many(items(texts[:1]))  # the embedder is loaded with the first text
            with timing.clocked():
                memory.add_many(items(texts[1:]))
        rate = (len(texts) - 1) / timing.cpu[0]
        wall = (len(texts) - 1) / timing.wall[0]
        name = f"add_many, with{'' if vectors else 'out'} vectors"
        figures.append(Figure(name, rate, "records/s", target, "at least", f"{wall:,.0f} wall"))
    return figures


def _writes(place: Scratch, corpus: Corpus, calls: int) -> list[Figure]:
    """Measure one record per transaction and a bare FULL insert of the same text alternately, under the same load."""
    bare = _bare_database(place.folder / "bare.db")
    inserts, puts, plains = Timing(), Timing(), Timing()
    texts = corpus.texts(calls)
    with place.memory(SCOPE) as memory, place.memory(SCOPE, store="plain", vectors=False) as plain:
        memory.add_many(items(corpus.texts(1)))
        for number, text in enumerate(texts):
            with inserts.clocked():
                bare.execute(_BARE_INSERT, (f"fact_{number:026}", f"2026-03-01T10:00:00.{number:06}Z", text.body))
            for target, timing in ((memory, puts), (plain, plains)):
                item = items([text])
                with timing.clocked():
                    target.add_many(item)
    bare.close()
    one = inserts.cpu_ms
    return [
        Figure("put with all indexes / bare FULL insert", puts.cpu_ms / one, "x", 4.0,
               note=f"{puts.cpu_ms:.3f} / {one:.3f} ms; wall {puts.wall_ms:.2f} / {inserts.wall_ms:.2f} ms"),
        Figure("the same without vectors", plains.cpu_ms / one, "x", note=f"{plains.cpu_ms:.3f} ms"),
    ]  # fmt: skip


def _bare_database(path: Path) -> sqlite3.Connection:
    """Make a table with a key, an index and a text: the least a durable record can cost."""
    bare = sqlite3.connect(path, isolation_level=None)
    for sql in ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", _BARE_TABLE, _BARE_INDEX):
        bare.execute(sql)
    return bare


def _memorize(place: Scratch, corpus: Corpus, calls: int) -> Figure:
    """Measure new facts, each about one of a few entities."""
    numbered = list(enumerate(text.body for text in corpus.texts(calls)))
    with place.memory(SCOPE) as memory:
        memory.memorize("The first call loads the embedder.", entity=("service", "none"))

        def keep(fact: tuple[int, str]) -> None:
            memory.memorize(fact[1], entity=("service", f"service-{fact[0] % 20}"))

        timing = timed(keep, numbered)
    return Figure("memorize, p50", timing.cpu_ms, "ms", 10.0, note=f"{timing.wall_ms:.2f} ms wall")


def _recall(
    place: Scratch, queries: Sequence[str], where: str, target: float, *, store: str = "memory",
    modes: Sequence[str] = MODES,
) -> list[Figure]:  # fmt: skip
    """Run every query in every mode; the first one opens files and is not counted."""
    figures = []
    with place.memory(SCOPE, store=store) as memory:
        for mode in modes:
            timing = _asked(memory, queries, mode)
            note = f"{timing.wall_ms:.2f} ms wall"
            aim = target if mode == "hybrid" else None
            figures.append(Figure(f"{mode} recall {where}, p50", timing.cpu_ms, "ms", aim, note=note))
    return figures


def _asked(memory: Memory, queries: Sequence[str], mode: str) -> Timing:
    memory.recall(queries[0], mode=mode)
    return timed(lambda query: memory.recall(query, mode=mode), queries)


def _add_others(place: Scratch, corpus: Corpus, count: int) -> None:
    share = count // OTHER_SCOPES
    for number in range(OTHER_SCOPES):
        with place.memory(f"project:other-{number}") as memory:
            memory.add_many(items(corpus.texts(share)))


def _large(place: Scratch, corpus: Corpus, count: int, calls: int) -> list[Figure]:
    """Measure one large scope, in a separate store."""
    texts: list[CorpusText] = []
    with place.memory(SCOPE, store="large") as memory:
        for start in range(0, count, 10_000):
            part = corpus.texts(min(10_000, count - start))
            memory.add_many(items(part))
            texts += part[:100]
    figures = _recall(place, corpus.queries(texts, calls), f"in a scope of {count:,}", 60.0, store="large")
    return [*figures, Figure("resident memory after that", resident_mb(), "MB")]
