"""Turns for the measurements of recall: those of a public dialogue, and many generated ones to time it with."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from tacit.app.memory import Memory
from tacit.bench.cli import started, tacit_command
from tacit.bench.corpus import Corpus, CorpusText
from tacit.bench.figures import Figure, say
from tacit.bench.question_sets import Dialogue
from tacit.bench.scratch_home import Scratch, scratch
from tacit.bench.timing import Timing, timed
from tacit.errors import UsageError
from tacit.search.rules.ranking_trees import RankingTrees, TreeFile

TURNS = 100_000
SCOPE = "project:bench"
BATCH = 10_000
TURNS_OF_A_THREAD = 40
QUERIES, STARTS = 100, 9
_START = datetime(2026, 1, 1, tzinfo=UTC)


def add_turns(memory: Memory, dialogue: Dialogue) -> dict[str, str]:
    """Add a dialogue's turns, and return the turn of each record: a session is a thread, the speaker the author."""
    ids = memory.add_many(
        {"kind": "turn", "body": turn.said or "…", "at": turn.at, "thread": turn.thread, "author": turn.speaker}
        for turn in dialogue.turns
    )
    return dict(zip(ids, (turn.id for turn in dialogue.turns), strict=True))


def read_folds(path: Path) -> tuple[RankingTrees, ...]:
    """Read the trees that `make ranker` trained without a part of the questions each."""
    try:
        parts = msgspec.json.decode(path.read_bytes(), type=list[TreeFile])
    except (OSError, msgspec.DecodeError) as error:
        raise UsageError(
            f"{path} has no ranking trees: {error}", "`make ranker` writes build/ranker/folds.json"
        ) from None
    return tuple(RankingTrees(part) for part in parts)


def speed(count: int, *, quiet: bool, vectors: bool) -> list[Figure]:
    """Time recall among generated turns, in one process and from a cold start."""
    with scratch() as place:
        corpus = Corpus()
        say(f"adding {count:,} generated turns", quiet=quiet)
        asked = _fill(place, corpus, count, vectors=vectors)
        queries = corpus.queries(asked, QUERIES)
        with place.memory(SCOPE, vectors=vectors) as memory:
            memory.recall(queries[0], kinds=["turn"])
            warm = timed(lambda query: memory.recall(query, kinds=["turn"]), queries)
        say(f"starting `tacit recall` {STARTS} times", quiet=quiet)
        cold = Timing()
        for query in queries[:STARTS]:
            started(place, [*tacit_command(), "recall", query, "--kind", "turn", "--scope", SCOPE], cold)
    note = f"{warm.cpu_ms:.1f} ms CPU, all threads"
    return [
        Figure(f"recall among {count:,} turns, p50", warm.wall_ms, "ms", 40.0, note=note),
        Figure("the same, cold", cold.wall_ms / 1000, "s", 0.6, note=f"{cold.cpu_ms / 1000:.2f} s CPU"),
    ]


def _fill(place: Scratch, corpus: Corpus, count: int, *, vectors: bool) -> list[CorpusText]:
    """Add generated turns, and return some of them to ask for."""
    asked: list[CorpusText] = []
    with place.memory(SCOPE, vectors=vectors) as memory:
        for start in range(0, count, BATCH):
            texts = corpus.texts(min(BATCH, count - start))
            memory.add_many(_items(texts, start))
            asked += texts[:100]
        memory.maintain()
    return asked


def _items(texts: Sequence[CorpusText], first: int) -> list[dict[str, object]]:
    return [
        {
            "kind": "turn", "body": text.body, "thread": f"session {number // TURNS_OF_A_THREAD}",
            "author": ("user", "agent")[number % 2], "at": _START + timedelta(seconds=20 * number),
        }
        for number, text in enumerate(texts, first)
    ]  # fmt: skip
