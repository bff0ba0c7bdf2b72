"""`python -m tests.bench memdir`: choosing among many topic files, new to it and known, and building the prompt."""

from __future__ import annotations

import time
from pathlib import Path

from tacit.bench.corpus import Corpus
from tacit.bench.figures import Figure, answer, say
from tacit.bench.scratch_home import scratch
from tacit.bench.timing import Timing, timed
from tacit.memdir.choose_topics import TopicChooser
from tacit.memdir.folder import TopicFolder, read_inside
from tacit.memdir.rules.index import NAME, load_index
from tacit.memdir.rules.prompt import memory_prompt

_RUNS = 9
_FOLDERS = 20
_TYPES = ("user", "feedback", "project", "reference")


def run(files: int, *, as_json: bool, runs: int = _RUNS) -> None:
    """Measure and print."""
    with scratch() as place:
        say(f"writing {files:,} topic files", quiet=as_json)
        corpus = Corpus()
        folder = place.folder / "memory"
        queries = _fill(folder, corpus, files, runs)
        figures = [*_selecting(folder, queries, files), _prompt(folder, runs)]
        answer(
            "memdir", {"files": files, "runs": runs}, figures, as_json=as_json, command="python -m tests.bench memdir"
        )


def _fill(folder: Path, corpus: Corpus, files: int, runs: int) -> list[str]:
    texts = corpus.texts(files)
    for number in range(_FOLDERS):
        (folder / f"part{number}").mkdir(parents=True)
    for number, text in enumerate(texts):
        line = " ".join(text.body.split())
        top = f"---\nname: memory {number}\ndescription: {line[:100]}\ntype: {_TYPES[number % 4]}\n---\n"
        (folder / f"part{number % _FOLDERS}" / f"m{number}.md").write_text(top + text.body)
    lines = (f"- [memory {number}](part{number % _FOLDERS}/m{number}.md): about {number}" for number in range(200))
    (folder / NAME).write_text("\n".join(lines))
    return corpus.queries(texts, runs)


def _selecting(folder: Path, queries: list[str], files: int) -> list[Figure]:
    now_ns = time.time_ns()
    cold = timed(lambda query: TopicChooser(TopicFolder(folder)).choose(query, now_ns), queries)
    known = TopicChooser(TopicFolder(folder))
    known.choose(queries[0], now_ns)
    warm = timed(lambda query: known.choose(query, now_ns), queries)
    return [
        _figure(f"scan and select, {files:,} files, warm", warm, 150),
        _figure(f"scan and select, {files:,} files, cold", cold, 1_000),
    ]


def _prompt(folder: Path, runs: int) -> Figure:
    def build(_number: int) -> str:
        return memory_prompt(str(folder), load_index(read_inside(folder, NAME)).content)

    return _figure("prompt, 200 lines of index", timed(build, range(10 * runs)), 2)


def _figure(name: str, timing: Timing, target_ms: float) -> Figure:
    return Figure(name, timing.cpu_ms, "ms", target_ms, note=f"{timing.wall_ms:.1f} ms wall")
