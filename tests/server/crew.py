"""Processes at one server: a small process that forks them all at once and gathers what they met.

Run by `crew`, in a process of its own, so that forking touches no test runner. Nothing is connected before the fork.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tacit.app.config import Settings
from tacit.app.copy_store import copy_store
from tacit.app.memory import Memory
from tacit.app.open import Caller, connect
from tacit.clock import SystemClock
from tacit.errors import Conflict, StoreBusy
from tacit.model.origin import Origin
from tacit.model.settings import EmbedderSettings
from tacit.records.drafts import entity_key
from tacit.records.scopes import take_along
from tacit.store.postgres.store import PostgresStore
from tests.contracts.makers import AGENT, HERE, at, happened, here, id_of, record, revised
from tests.crash.nursery import Child

ROOT = Path(__file__).parents[2]
Say = Callable[[str], None]


def crew(task: str, *, timeout: float = 1_800, **arguments: Any) -> Any:
    """Run a task below in a process of its own and give what it returned."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.server.crew", task, json.dumps(arguments)],
        cwd=ROOT, capture_output=True, text=True, timeout=timeout, check=False,
    )  # fmt: skip
    assert 0 == done.returncode, done.stderr[-4000:]
    return json.loads(done.stdout)


def settings_of(url: str, tenant: str, home: str | Path, **more: Any) -> Settings:
    """Give the settings of a memory on a server, without an embedder."""
    given = {"embedder": EmbedderSettings(use="off"), "user": "tester", "cwd": Path(home)} | more
    return Settings(home=Path(home) / "home", store=url, tenant=tenant, **given)


def memory_of(url: str, tenant: str, home: str | Path, *, scope: str = HERE, **more: Any) -> Memory:
    """Open a memory on a server."""
    embedder = more.pop("embedder_of", None)
    origin = Origin(actor=more.pop("actor", "agent"), session="test")
    return connect(settings_of(url, tenant, home, **more), Caller(origin, SystemClock(), embedder), scope=scope)


def _together(works: list[Callable[[Say], None]]) -> list[list[str]]:
    """Let processes do their work; none begins before all are there."""
    ready, go = os.pipe()

    def waiting(work: Callable[[Say], None]) -> Callable[[Say], None]:
        def run(say: Say) -> None:
            os.close(go)
            os.read(ready, 1)
            work(say)

        return run

    children = [Child(waiting(work)) for work in works]
    os.close(go)
    return [child.wait() for child in children]


# -- writing ----------------------------------------------------------------------------------------------------


def writers(url: str, tenant: str, processes: int, writes: int) -> dict[str, Any]:
    """Let many processes write at once, some of them several events and revisions; one more verifies all the while."""

    def work(number: int) -> Callable[[Say], None]:
        def run(say: Say) -> None:
            store = PostgresStore(url, tenant)
            for write in range(writes):
                one = record(number * 100_000 + write + 1, f"process {number} write {write}", tenant=tenant)
                with store.transaction(AGENT, one.updated_at) as tx:
                    tx.put(one)
                    for _ in range(1 + (number + write) % 3):
                        happened(tx, "fact.memorized", one.id)
                if write % 5 == 0:
                    with store.transaction(AGENT, at(1)) as tx:
                        tx.put(revised(one, body="revised"), expected=1)
                        happened(tx, subject=one.id)
            store.close()
            say("done")

        return run

    def watch(say: Say) -> None:
        store = PostgresStore(url, tenant)
        while store.count(here()) < processes * writes:
            report = store.verify()
            say(f"verified {report.unsealed} {report.seals}")
            for finding in report.findings:
                say(f"alarm {finding.message}")
        store.close()

    *said, watched = _together([*(work(number) for number in range(processes)), watch])
    lines = [line for lines in said for line in lines]
    return {
        "errors": [line for line in lines + watched if line.startswith("error")], "done": lines.count("done"),
        "alarms": [line for line in watched if line.startswith("alarm")],
        "tails": [int(line.split()[1]) for line in watched if line.startswith("verified")],
    }  # fmt: skip


def revisers(url: str, tenant: str, processes: int, rounds: int) -> dict[str, Any]:
    """Let processes revise one record as fast as they can, each from the version it read."""

    def work(number: int) -> Callable[[Say], None]:
        def run(say: Say) -> None:
            store = PostgresStore(url, tenant)
            for turn in range(rounds):
                old = store.get(id_of(1), [HERE])
                try:
                    with store.transaction(AGENT, old.updated_at) as tx:
                        tx.put(revised(old, body=f"{number}/{turn}"), expected=old.version)
                        happened(tx, subject=old.id)
                    say(f"won {old.version + 1} {number}/{turn}")
                except (Conflict, StoreBusy) as error:
                    say(f"lost {type(error).__name__}")
            store.close()

        return run

    return {"said": [line for lines in _together([work(number) for number in range(processes)]) for line in lines]}


# -- flows ------------------------------------------------------------------------------------------------------


def flows(url: str, tenant: str, home: str, processes: int, what: str) -> dict[str, Any]:
    """Let processes run the same flow at the same moment."""

    def work(number: int) -> Callable[[Say], None]:
        def run(say: Say) -> None:
            with memory_of(url, tenant, f"{home}/{number}") as memory:
                say(_FLOWS[what](memory, number))

        return run

    return {"said": [line for lines in _together([work(number) for number in range(processes)]) for line in lines]}


def _relation(memory: Memory, number: int) -> str:
    memory.relations.add("service/api", "calls", "service/db", strength=number / 10)
    return "done"


_FLOWS: dict[str, Callable[[Memory, int], str]] = {
    "same fact": lambda memory, _number: memory.memorize("the staging api listens on port 8443").id,
    "same entity": lambda memory, _number: memory.entities.add("service", "api").id,
    "same relation": _relation,
    "same term": lambda memory, _number: memory.terms.add("SLO", "service level objective").id,
    "facts of one entity": lambda memory, number: (
        memory.memorize(f"host {number} keeps rack {number * 7}", entity=("service", "api")).entity
    ),
    "take along": lambda memory, _number: "moved" if take_along(memory._c, "project:/old") else "found it moved",
    "similar facts": lambda memory, number: memory.memorize(f"the staging api listens on port 844{number}").id,
}
KEY = entity_key("service", "api")


# -- stores -----------------------------------------------------------------------------------------------------


def openers(url: str, processes: int) -> dict[str, Any]:
    """Let processes open one empty database at the same moment; each says which store it got."""

    def run(say: Say) -> None:
        store = PostgresStore(url, "local")
        say(store.id)
        store.close()

    return {"said": _together([run] * processes)}


def copying(tenant: str, home: str, source: str, target: str) -> dict[str, Any]:
    """Copy a store in a child that is killed in the middle."""

    def run(say: Say) -> None:
        def progress(_done: int, _total: int) -> None:
            say("begun")
            os.kill(os.getpid(), 9)

        copy_store(settings_of("", tenant, home), source, target, progress=progress)
        say("whole")

    return {"said": _together([run])[0]}


def main() -> None:
    """Run the task named on the command line and print its outcome."""
    name, arguments = sys.argv[1], json.loads(sys.argv[2])
    sys.stdout.write(json.dumps(globals()[name](**arguments)))


if __name__ == "__main__":
    main()
