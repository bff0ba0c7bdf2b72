"""All doors at once on one home: the command line, hooks, JSON-RPC, MCP and the library. Nothing is lost or doubled."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from tests.doors.speakers import memory_here
from tests.doors.test_serve import ask, failed, line, serving

TACIT = [sys.executable, "-m", "tacit"]
START = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def named(number: int) -> str:
    """Return a name made of letters: numbers in commands are taken for alike."""
    return "".join(LETTERS[number // 26**place % 26] for place in range(4))


@contextmanager
def spoken(door: str) -> Iterator[Callable[..., dict]]:
    """Start a process that answers JSON-RPC line by line; yield `call(method, **params)`."""
    with subprocess.Popen([*TACIT, door], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:

        def send(message: dict) -> None:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            process.stdin.flush()

        def call(method: str, **params: object) -> dict:
            send({"id": 1, "method": method, "params": params})
            return json.loads(process.stdout.readline())

        if door == "mcp":
            call("initialize", **START)
            send({"method": "notifications/initialized"})
        yield call
        process.stdin.close()
        process.wait(600)


class Visitor:
    """Calls one door again and again, and notes what was acknowledged and what was not."""

    def __init__(self, name: str, until: float) -> None:
        self.name, self._until = name, until
        self.kept: list[str] = []
        self.refused: list[object] = []

    def run(self, write: Callable[[str], object]) -> None:
        """Write until the time is over, at least twice; `write` returns something if it was not acknowledged."""
        number = 0
        while number < 2 or time.monotonic() < self._until:
            name, number = f"{self.name} {named(number)}", number + 1
            if (trouble := write(name)) is None:
                self.kept.append(name)
            else:
                self.refused.append(trouble)


def by_library(visitor: Visitor) -> None:
    with memory_here() as memory:
        visitor.run(lambda name: memory.memorize(f"The port of {name} is open") and None)


def by_command_line(visitor: Visitor) -> None:
    def write(name: str) -> object:
        done = subprocess.run([*TACIT, "memorize", f"The port of {name} is open"], capture_output=True, check=False)
        return done.stderr if done.returncode else None

    visitor.run(write)


def by_rpc(visitor: Visitor) -> None:
    with spoken("rpc") as call:
        visitor.run(lambda name: call("fact.memorize", content=f"The port of {name} is open").get("error"))


def by_mcp(visitor: Visitor) -> None:
    with spoken("mcp") as call:

        def write(name: str) -> object:
            answer = call("tools/call", name="remember", arguments={"text": f"The port of {name} is open"})
            return None if not answer.get("result", {}).get("isError", True) else answer

        visitor.run(write)


@pytest.mark.soak
def test_all_doors_at_once_lose_and_double_nothing(work, own_home, monkeypatch, budget, figures):
    """Every write that was acknowledged is there once, whichever way it came, and the store is sound."""
    monkeypatch.delenv("TACIT_EMBEDDER")
    own_home.mkdir(parents=True, exist_ok=True)
    (own_home / "config.toml").write_text('[embedder]\nuse = "off"\n')
    with serving() as (_server, facts):
        until = time.monotonic() + budget(2, soak=300)
        doors = {name: Visitor(name, until) for name in ("library", "shell", "rpc", "mcp", "socket", "web")}

        def by_hook(visitor: Visitor, say: Callable[[bytes], object]) -> None:
            def write(name: str) -> object:
                data = failed(f"deploy {name.replace(' ', '-')}", work, name)
                return None if say(data) else "no answer"

            visitor.run(write)

        with ThreadPoolExecutor(len(doors)) as pool:
            ends = [
                pool.submit(by_library, doors["library"]), pool.submit(by_command_line, doors["shell"]),
                pool.submit(by_rpc, doors["rpc"]), pool.submit(by_mcp, doors["mcp"]),
                pool.submit(by_hook, doors["socket"], lambda data: line(facts, data)),
                pool.submit(by_hook, doors["web"], lambda data: ask(facts, own_home, data)[0] == 200),
            ]  # fmt: skip
            for end in ends:
                end.result()
    with memory_here() as memory:
        memory.sync()
        facts_kept = Counter(one.body for one in all_of(memory, "fact"))
        failures = Counter(one.payload.command for one in all_of(memory, "failure"))
        verified = memory.verify()
    said = [f"The port of {name} is open" for door in ("library", "shell", "rpc", "mcp") for name in doors[door].kept]
    ran = [f"deploy {name.replace(' ', '-')}" for door in ("socket", "web") for name in doors[door].kept]
    for name, door in doors.items():
        figures(f"all doors: {name}", len(door.kept))

    assert [] == [trouble for door in doors.values() for trouble in door.refused]
    assert Counter(said) == facts_kept
    assert Counter(ran) == failures
    assert verified.ok


def all_of(memory, kind: str) -> Iterator:
    """Return all records of a kind."""
    after = ""
    while True:
        page = memory.list(kinds=[kind], limit=1_000, after=after)
        yield from page.records
        after = page.next
        if not after:
            return
