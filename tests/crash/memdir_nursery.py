"""Syncs and edits through the memory tool, killed again and again: every acknowledged line is somewhere."""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tacit.clock import SystemClock
from tacit.errors import TacitError
from tacit.memdir.file_notes import text_of
from tacit.memdir.memory_tool import MemoryTool
from tacit.memdir.rules.topic_file import is_kept
from tacit.testing import temporary_memory
from tests.crash.nursery import Child

FILES = ("a.md", "b.md")
TEXT = "".join(f"line {number}\n" for number in range(8))


def rounds(folder: str, rounds: int, seed: int) -> dict[str, Any]:
    """Let two sync and revise and one edit the files, kill all three, reconcile; again and again."""
    dice = random.Random(seed)
    memory = Path(folder) / "mem" / "ory"
    memory.mkdir(parents=True)
    for name in FILES:
        (memory / name).write_text(TEXT)
    acked: set[str] = set()
    outcome: dict[str, Any] = {"errors": [], "lost": [], "doubled": [], "unsettled": [], "acked": 0, "rounds": rounds}
    for number in range(rounds):
        works = [_syncing(folder, f"s{number}x"), _syncing(folder, f"s{number}y"), _editing(memory, f"e{number}")]
        children = [Child(work) for work in works]
        # Each has been heard before the end comes, which may be anywhere in what they do.
        wanted = dice.randint(10, 60)
        Child.hear(children, lambda said, wanted=wanted: min(said) > 0 and sum(said) >= wanted)
        time.sleep(dice.uniform(0.0, 0.05))
        for child in dice.sample(children, len(children)):
            child.kill()
        for line in (line for child in children for line in child.wait()):
            acked.add(line) if line.startswith("mark ") else outcome["errors"].append(line)
        _look(folder, memory, acked, outcome)
    outcome["acked"] = len(acked)
    return outcome


def _opened(folder: str) -> Any:
    return temporary_memory(
        folder=Path(folder) / "home",
        clock=SystemClock(),
        memdir=str(Path(folder) / "mem" / "ory"),  # type: ignore[arg-type]
    )


def _syncing(folder: str, name: str) -> Callable[[Callable[[str], None]], None]:
    def work(say: Callable[[str], None]) -> None:
        dice = random.Random(name)
        with _opened(folder) as memory:
            for number in range(1_000_000):
                memory.memdir.sync()
                for note in memory.list(kinds=["note"]).records:
                    mark, lines = f"mark {name} {number}", note.body.splitlines()
                    lines.insert(dice.randrange(len(lines) + 1), mark)
                    try:
                        memory.revise(note.id, body="\n".join(lines) + "\n")
                    except TacitError:
                        continue
                    say(mark)

    return work


def _editing(folder: Path, name: str) -> Callable[[Callable[[str], None]], None]:
    def work(say: Callable[[str], None]) -> None:
        dice, tool = random.Random(name), MemoryTool(folder, lambda text: text)
        for number in range(1_000_000):
            path, mark = f"/memories/{dice.choice(FILES)}", f"mark {name} {number}"
            tool.call({"command": "insert", "path": path, "insert_line": dice.randrange(8), "insert_text": mark})
            say(mark)

    return work


def _look(folder: str, place: Path, acked: set[str], outcome: dict[str, Any]) -> None:
    """Reconcile, and look for every line."""
    with _opened(folder) as memory:
        memory.memdir.sync()
        again = memory.memdir.sync()
        if again.taken or again.written or again.merged or again.problems:
            outcome["unsettled"].append(repr(again))
        notes = list(memory.list(kinds=["note"], statuses=(), limit=1_000).records)
        texts = [path.read_text() for path in place.rglob("*.md")]
        texts += [text_of(version) for note in notes for version in memory.history(note.id)]
    kept = {line for text in texts for line in text.splitlines()}
    outcome["lost"] += sorted(acked - kept)
    files = sorted(str(path.relative_to(place)) for path in place.rglob("*.md") if is_kept(path.name))
    if files != sorted(note.key for note in notes):
        outcome["doubled"].append(f"{files} {[note.key for note in notes]}")


if __name__ == "__main__":
    sys.stdout.write(json.dumps(rounds(**json.loads(sys.argv[1]))))
