"""`tacit bench episodes`: what logging, completing, learning and searching cost, and whether anything is learned."""

from __future__ import annotations

import random
import sqlite3
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from tacit.app.memory import Memory
from tacit.bench.corpus import Corpus
from tacit.bench.episode_samples import of_transcripts, regained
from tacit.bench.figures import Figure, answer, say
from tacit.bench.scratch_home import Scratch, scratch
from tacit.bench.sessions import root_of
from tacit.bench.timing import Timing, one_thread, timed
from tacit.episodes.episodes import log, step_of
from tacit.episodes.open_episode import OpenEpisode
from tacit.model.episode import EpisodeStep
from tacit.model.event import NewEvent
from tacit.model.link import DERIVED_FROM
from tacit.model.record import Record, replace

SCOPE = "project:bench"
STEPS = 100
CALLS = 100
AGAIN = 20
LOGGED = 500
LEARNED = 1_000
PLANTED = 300
LARGE = 100_000
PLAYED = 2_000
TOGETHER = 500
_BARE_TABLE = "CREATE TABLE bare(id TEXT PRIMARY KEY, at TEXT NOT NULL, body TEXT NOT NULL)"
_BARE_INDEX = "CREATE INDEX bare_at ON bare(at)"
_BARE_INSERT = "INSERT INTO bare VALUES (?, ?, ?)"

# Three families of tasks, each with its tools, its error, and the fix.
FAMILIES = (
    ("web", "python", "endpoint", ("grep", "edit", "pytest", "git"), "AssertionError: status {n} != 200", "edit"),
    ("data", "sql", "migration", ("psql", "edit", "alembic", "psql"), 'relation "t{n}" does not exist', "alembic"),
    ("infra", "hcl", "deployment", ("terraform", "kubectl", "helm", "curl"), "timeout after {n} s", "kubectl"),
)
_VERBS = ("Add", "Fix", "Build", "Move", "Test", "Rename", "Speed up", "Document", "Remove", "Check", "Wire", "Port")
_PARTS = (
    "handler",
    "schema",
    "cache",
    "worker",
    "form",
    "parser",
    "client",
    "queue",
    "index",
    "report",
    "login",
    "log",
)


def run(episodes: int, *, as_json: bool, large: bool = False, data: Path | None = None) -> None:
    """Measure and print. With `large`, also search 100,000 episodes; with `data`, learn from its transcripts."""
    one_thread()
    root = root_of(data) if data else None
    with scratch() as place:
        say(f"logging steps, completing episodes of {STEPS}", quiet=as_json)
        figures = [*_steps(place), _complete(place)]
        say(f"learning from {LEARNED:,} episodes", quiet=as_json)
        figures += [*_learning(place), *_planted(place)]
        if root:
            say(f"learning from {LEARNED:,} episodes made of transcripts", quiet=as_json)
            figures.append(_transcripts(place, root))
        for count, target in ((episodes, 10.0), *(((LARGE, 60.0),) if large else ())):
            say(f"searching {count:,} episodes", quiet=as_json)
            figures += _relevant(place, count, target)
        answer("episodes", {"episodes": episodes, "large": LARGE if large else 0}, figures, as_json=as_json)


def _steps(place: Scratch) -> list[Figure]:
    """Measure a durable step and a bare FULL insert of the same text alternately; then steps in batches."""
    bare = _bare(place.folder / "bare.db")
    inserts, steps = Timing(), Timing()
    said = "3 passed in 1.2 s; " * 10
    with place.memory(SCOPE, vectors=False) as memory:
        trying = memory.episodes.start("bench a step")
        for number in range(LOGGED):
            with inserts.clocked():
                bare.execute(_BARE_INSERT, (f"event_{number:026}", f"2026-03-01T10:00:00.{number:06}Z", said))
            with steps.clocked():
                trying.step("pytest", "run tests", result="success", observation=f"{number} {said}", latency_ms=12)
        bare.close()
        rate, wall = _batched(memory)
    note = f"{steps.cpu_ms:.3f} / {inserts.cpu_ms:.3f} ms; wall {steps.wall_ms:.2f} / {inserts.wall_ms:.2f} ms"
    return [
        Figure(
            "a durable step / bare FULL insert", steps.wall_ms / inserts.wall_ms, "x", 2.5, note=f"wall; CPU {note}"
        ),
        Figure("steps in batches of 500", rate, "steps/s", 20_000, "at least", f"{wall:,.0f} wall"),
    ]


def _batched(memory: Memory) -> tuple[float, float]:
    timing, episodes = Timing(), 5
    for number in range(episodes):
        trying = memory.episodes.start(f"bench batches {number}", batch=499)
        with timing.clocked():
            for at in range(1_000):
                trying.step("pytest", "run tests", result="success", observation=f"{at} passed", latency_ms=at)
            trying.flush()
    return episodes * 1_000 / sum(timing.cpu), episodes * 1_000 / sum(timing.wall)


def _bare(path: Path) -> sqlite3.Connection:
    """Make a table with a key, an index and a text: the least a durable step can cost."""
    bare = sqlite3.connect(path, isolation_level=None)
    for sql in ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", _BARE_TABLE, _BARE_INDEX):
        bare.execute(sql)
    return bare


def _complete(place: Scratch) -> Figure:
    """Complete episodes of 100 steps in a domain with a history: reward, reflection, quality and digest."""
    with place.memory(SCOPE, store="complete", vectors=False) as memory:
        open_ones = [
            _logged(memory, task, family, list(steps) * (STEPS // len(steps) + 1), STEPS)
            for task, family, steps in _generated(CALLS, seed=1)
        ]
        timing = timed(lambda one: one.complete("success", result="done", duration_ms=5000), open_ones)
    return Figure(f"complete at {STEPS} steps, p50", timing.cpu_ms, "ms", 10.0, note=f"{timing.wall_ms:.2f} ms wall")


def _logged(memory: Memory, task: str, family: int, steps: Sequence[EpisodeStep], most: int = 1_000) -> OpenEpisode:
    domain, language = FAMILIES[family][:2]
    trying = memory.episodes.start(task, domain=domain, language=language)
    log(memory._c, trying.id, steps[:most])
    return trying


def _generated(count: int, seed: int) -> Iterator[tuple[str, int, list[EpisodeStep]]]:
    """Return tasks of the three families, each with its family's steps, including errors and fixes.

    A task has realistic words: a verb, a part, and some from a vocabulary in which few words are common.
    """
    dice = random.Random(seed)  # noqa: S311 - a draw that can be repeated
    words = iter([word for text in Corpus(seed).texts(count // 3 + 5) for word in text.content])
    for number in range(count):
        family = dice.randrange(len(FAMILIES))
        _domain, _language, noun, tools, error, repair = FAMILIES[family]
        steps = [step_of(tool, f"run {tool}", result="success", latency_ms=dice.randrange(900)) for tool in tools]
        if dice.random() < 0.6:
            said = error.format(n=dice.randrange(100, 999))
            at = dice.randrange(1, len(steps))
            mend = step_of(repair, f"mend with {repair}", result="success")
            steps[at:at] = [step_of(tools[at], f"run {tools[at]}", result="error", observation=said), mend]
        about = " ".join(islice(words, 5))
        task = f"{dice.choice(_VERBS)} the {about} {dice.choice(_PARTS)}" + (f" {noun}" if number % 5 == 0 else "")
        yield task, family, steps


def _learning(place: Scratch) -> list[Figure]:
    with place.memory(SCOPE, store="learning", vectors=False) as memory:
        for task, family, steps in _generated(LEARNED, seed=2):
            _logged(memory, task, family, steps).complete("success", duration_ms=5000)
        started, cpu = time.perf_counter(), time.process_time()
        worked = memory.episodes.learn(limit=LEARNED)
        wall, used = time.perf_counter() - started, time.process_time() - cpu
        patterns = len(memory.list(kinds=["pattern"], limit=10_000).records)
        advice = len(memory.list(kinds=["heuristic"], limit=10_000).records)
    return [
        Figure("learning", worked.learned / used, "episodes/s", 200, "at least", f"{worked.learned / wall:,.0f} wall"),
        Figure(f"patterns of {LEARNED:,} episodes", patterns, "", 1, "at least", f"and {advice} heuristics"),
    ]


def _planted(place: Scratch) -> list[Figure]:
    """Learn from a world of three families of tasks: are the planted regularities found, and little else?"""
    with place.memory(SCOPE, store="planted", vectors=False) as memory:
        found = regained(memory, PLANTED, seed=5)
    return [
        Figure("planted recoveries, precision", found.recovery_precision, "", note=f"{PLANTED} episodes"),
        Figure("planted recoveries, recall", found.recovery_recall),
        Figure("planted tool sequences, precision", found.sequence_precision),
        Figure("planted tool pairs, recall", found.pair_recall, note=f"{found.advised} of 3 fixes advised"),
    ]


def _transcripts(place: Scratch, root: Path) -> Figure:
    with place.memory(SCOPE, store="transcripts", vectors=False) as memory:
        made = of_transcripts(memory, root, LEARNED, seed=6)
        learned = memory.episodes.learn(limit=LEARNED).learned
        patterns = len(memory.list(kinds=["pattern"], limit=100_000).records)
        advice = len(memory.list(kinds=["heuristic"], limit=10_000).records)
    note = f"of {made.sessions} sessions; {made.ended} ended, {learned} learned from; {advice} heuristics"
    return Figure(f"patterns of {made.episodes:,} episodes made of transcripts", patterns, "", 1, "at least", note)


def _relevant(place: Scratch, count: int, target: float) -> list[Figure]:
    """Search among many learned episodes, by words alone and with the available embedder."""
    figures = []
    with place.memory(SCOPE, store=f"many-{count}", vectors=False) as memory:
        _fill(memory, count)
    for vectors in (False, True):
        with place.memory(SCOPE, store=f"many-{count}", vectors=vectors) as memory:
            tasks = [task for task, _family, _steps in _generated(CALLS, seed=4)]
            memory.episodes.relevant(tasks[0])
            timing = timed(lambda task: memory.episodes.relevant(task, {"domain": "web"}), tasks)
            # Few enough that all of them are still cached when they are searched again.
            again = timed(lambda task: memory.episodes.relevant(task, {"domain": "web"}), tasks[-AGAIN:] * 4)
        how = "" if vectors else ", words only"
        name = f"relevant among {count:,}{how}, p50"
        figures.append(Figure(name, timing.cpu_ms, "ms", target, note=f"{timing.wall_ms:.2f} ms wall"))
        name = f"asked again among {count:,}{how}, p50"
        figures.append(Figure(name, again.cpu_ms, "ms", note=f"{again.wall_ms:.2f} ms wall"))
    return figures


def _fill(memory: Memory, count: int) -> None:
    """Play some episodes and learn from them; the others are copies with other names, linked to the same patterns."""
    tasks = _generated(count, seed=3)
    models: dict[int, Record] = {}
    for task, family, steps in islice(tasks, PLAYED):
        models[family] = _logged(memory, task, family, steps).complete("success", duration_ms=5000)
    memory.episodes.learn(limit=10_000)
    c = memory._c
    ties = {family: c.store.links([one.id], c.walls, relation=DERIVED_FROM) for family, one in models.items()}
    while some := list(islice(tasks, TOGETHER)):
        now = c.clock.now()
        with c.store.transaction(c.origin, now) as tx:
            fresh = []
            for task, family, _steps in some:
                model = models.get(family, next(iter(models.values())))
                rest = model.body.partition("\n")[2]
                fresh.append(
                    replace(model, id=c.clock.new_id("episode"), version=1, title=task, body=f"{task}\n{rest}")
                )
            tx.add(fresh)
            for record, (_task, family, _steps) in zip(fresh, some, strict=True):
                for tie in ties.get(family, ()):
                    tx.link(replace(tie, target=record.id))
            tx.append(NewEvent(type="episodes.copied", scope=SCOPE))
