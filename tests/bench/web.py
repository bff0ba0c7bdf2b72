"""`python -m tests.bench web`: how long the pages of the dashboard take over a large memory."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from tacit.app.memory import Memory
from tacit.bench.corpus import Corpus, CorpusText
from tacit.bench.figures import Figure, answer, say
from tacit.bench.scratch_home import scratch
from tacit.bench.timing import Timing, one_thread
from tacit.model.lesson import Narrative
from tests.web.dashboards import Web

_SCOPE = "project:bench"
_BATCH = 10_000
_LOADS = 7
_TARGET_MS = 200.0
_START = datetime(2026, 1, 1, tzinfo=UTC)


def run(records: int, *, as_json: bool) -> None:
    """Measure and print."""
    one_thread()
    with scratch() as place:
        say(f"writing {records:,} records", quiet=as_json)
        corpus = Corpus()
        texts = corpus.texts(records)
        with place.memory(_SCOPE) as memory:
            id = _fill(memory, texts)
            memory.maintain()
            web = Web(memory, memory, place.folder).enter()
            paths = _paths(corpus.queries(texts, _LOADS), id)
            figures = [_figure(web, name, addresses) for name, addresses in paths.items()]
        answer("web", {"records": records}, figures, as_json=as_json, command="python -m tests.bench web")


def _fill(memory: Memory, texts: list[CorpusText]) -> str:
    """Store facts, notes and turns, a few lessons and a procedure; return the id of a record."""
    drafts = list(_drafts(texts))
    ids = [id for first in range(0, len(drafts), _BATCH) for id in memory.add_many(drafts[first : first + _BATCH])]
    for number, text in enumerate(texts[:20]):
        told = Narrative(trigger=f"run {text.content[0]} {number}", failure_mode="it fails", correction="run it again")
        memory.lessons.create(f"{text.content[0]} {text.content[1]} {number}", narrative=told)
    memory.procedures.record("Greet", steps=["echo hello"])
    return ids[0]


def _drafts(texts: list[CorpusText]) -> Iterator[dict[str, Any]]:
    """Return six facts, three turns and a note of each ten."""
    for number, text in enumerate(texts):
        if number % 10 < 6:
            yield {"kind": "fact", "body": text.body}
        elif number % 10 < 9:
            at = (_START + timedelta(minutes=number)).isoformat()
            yield {"kind": "turn", "body": text.body, "at": at, "thread": f"t{number // 400}", "author": "user"}
        else:
            yield {"kind": "note", "title": " ".join(text.content[:4]), "body": text.body}


def _paths(queries: list[str], id: str) -> dict[str, list[str]]:
    asked = [query.replace(" ", "+") for query in queries]
    once = {
        "today": "/", "what is known and waits": "/known", "conflicts": "/conflicts", "sessions": "/sessions",
        "search, newest": "/search", "record": f"/record/{id}", "review": "/review", "procedures": "/procedures",
        "condition": "/condition",
    }  # fmt: skip
    searches = {
        "search, a question": [f"/search?q={query}" for query in asked],
        "search, what sessions say": [f"/search/sessions?q={query}" for query in asked],
    }
    return {name: [path] * _LOADS for name, path in once.items()} | searches


def _figure(web: Web, name: str, paths: list[str]) -> Figure:
    web.get(paths[0])
    timing = Timing()
    for path in paths:
        with timing.clocked():
            assert 200 == web.get(path).status_code
    return Figure(name, timing.cpu_ms, "ms", _TARGET_MS, note=f"{timing.wall_ms:.0f} ms wall")
