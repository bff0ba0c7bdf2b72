"""Writers that log and complete episodes and workers that learn from them, killed again and again."""

from __future__ import annotations

import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tacit import Conflict
from tacit.app.memory import Memory
from tacit.clock import SystemClock
from tacit.model.episode import LearningJob
from tacit.model.record import payload_of
from tacit.testing import temporary_memory
from tests.crash.nursery import Child

STEPS = (("grep", "success", ""), ("pytest", "error", "AssertionError: 3 != 4"), ("edit", "success", ""),
         ("pytest", "success", ""))  # fmt: skip
EVERY = 1_000_000


def rounds(folder: str, rounds: int, writers: int, workers: int, seed: int) -> dict[str, Any]:
    """Let writers and workers run, kill all of them, look at what is there; again and again on one store."""
    dice = random.Random(seed)
    outcome: dict[str, Any] = {"errors": [], "lost": [], "doubled": [], "steps": 0, "completed": 0, "unsound": []}
    acked: Counter[str] = Counter()
    completed: set[str] = set()
    for number in range(rounds):
        children = [Child(_writer(folder)) for _ in range(writers)] + [Child(_worker(folder)) for _ in range(workers)]
        # Some are through before the end comes, which may be anywhere in an episode.
        wanted = dice.randint(2, 12)
        Child.hear(children, lambda said, wanted=wanted: sum(said) >= wanted, "complete")
        time.sleep(dice.uniform(0.0, 0.05))
        for child in dice.sample(children, len(children)):
            child.kill()
        for line in (line for child in children for line in child.wait()):
            match line.split():
                case ["step", id]:
                    acked[id] += 1
                case ["complete", id]:
                    completed.add(id)
                case _:
                    outcome["errors"].append(line)
        outcome["unsound"] += _unsound(folder, number)
    _look(folder, acked, completed, outcome)
    return outcome


def _opened(folder: str) -> Any:
    return temporary_memory(folder=Path(folder), clock=SystemClock())  # type: ignore[arg-type]


def _writer(folder: str) -> Callable[[Callable[[str], None]], None]:
    def work(say: Callable[[str], None]) -> None:
        with _opened(folder) as memory:
            while True:
                trying = memory.episodes.start("Mend the endpoint", domain="web", language="python")
                for tool, result, said in STEPS:
                    trying.step(tool, f"run {tool}", result=result, observation=said)
                    say(f"step {trying.id}")
                trying.complete("success", result="done")
                say(f"complete {trying.id}")

    return work


def _worker(folder: str) -> Callable[[Callable[[str], None]], None]:
    def work(_say: Callable[[str], None]) -> None:
        with _opened(folder) as memory:
            while True:
                memory.episodes.learn(limit=7)

    return work


def _unsound(folder: str, number: int) -> list[str]:
    with _opened(folder) as memory:
        return [f"round {number}: {finding.message}" for finding in memory.verify().findings]


def _look(folder: str, acked: Counter[str], completed: set[str], outcome: dict[str, Any]) -> None:
    """Go on to the end, then compare: every acknowledged step is there, every episode was learned from once."""
    with _opened(folder) as memory:
        for record in memory.episodes.list(statuses=["open"], limit=EVERY):
            outcome["errors"] += _finished(memory, record.id)
        memory.episodes.learn(limit=EVERY)
        done = {record.id for record in memory.episodes.list(statuses=["complete"], limit=EVERY)}
        outcome["lost"] += sorted(completed - done)
        outcome["lost"] += [id for id, count in acked.items() if memory.episodes.step_count(id) < count]
        jobs = memory.list(kinds=["job"], statuses=["complete"], limit=EVERY).records
        learned = Counter(payload_of(job, LearningJob).episode for job in jobs)
        outcome["doubled"] += [id for id, count in learned.items() if count != 1]
        store = memory._c.store
        for pattern in memory.list(kinds=["pattern"], limit=EVERY).records:
            events = store.events(subject=pattern.id, types=("pattern.succeeded", "pattern.failed"), limit=EVERY)
            counts = Counter((event.payload or {})["episode"] for event in events)
            outcome["doubled"] += [f"{pattern.key} of {id}" for id, count in counts.items() if count != 1]
            # Episodes whose four steps were all logged have every pattern.
            whole = [id for id in learned if memory.episodes.step_count(id) == len(STEPS)]
            outcome["lost"] += [f"{pattern.key} of {id}" for id in whole if id not in counts]
        waiting = memory.list(kinds=["job"], statuses=["open", "archived"], limit=EVERY).records
        outcome["lost"] += [f"job of {job.key}" for job in waiting]
        outcome |= {"steps": sum(acked.values()), "completed": len(completed), "learned": len(learned)}
    outcome["unsound"] += _unsound(folder, -1)


def _finished(memory: Memory, id: str) -> list[str]:
    """Complete an episode whose writer was killed; its steps are there, so it only has to end."""
    try:
        memory.episodes.resume(id).complete("success")
    except Conflict as conflict:
        return [str(conflict)]
    return []


if __name__ == "__main__":
    sys.stdout.write(json.dumps(rounds(**json.loads(sys.argv[1]))))
