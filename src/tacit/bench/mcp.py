"""`tacit bench mcp`: a recall over MCP, from process to process, compared with the same call of the library."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tacit.app.memory import Memory
from tacit.bench.cli import tacit_command
from tacit.bench.corpus import Corpus
from tacit.bench.figures import Figure, answer, say
from tacit.bench.scratch_home import Scratch, scratch
from tacit.bench.store import SCOPE, items
from tacit.bench.timing import Timing
from tacit.doors.mcp.tool_types import MOST_BUDGET
from tacit.doors.mcp.tools import listed, offered
from tacit.errors import TacitError
from tacit.model.query import near_best
from tacit.model.record import short_id
from tacit.text.token_budget import estimate_tokens

TIMES, PLUS_MS = 3, 2.0
MOST_TOKENS = 1_500
WARM = 10


def run(records: int, calls: int, *, as_json: bool) -> None:
    """Measure and print."""
    with scratch() as place:
        corpus = Corpus()
        say(f"adding {records:,} records", quiet=as_json)
        texts = corpus.texts(records)
        with place.memory(SCOPE) as memory:
            memory.add_many(items(texts))
            queries = corpus.queries(texts, calls + WARM)
            say(f"asking {calls:,} times over MCP and in this process, in turn", quiet=as_json)
            started, library, over_mcp = anyio.run(_measured, place, memory, queries)
    limit = TIMES * library.wall_ms + PLUS_MS
    ratio = over_mcp.wall_ms / library.wall_ms
    note = f"{ratio:.2f} x the library's {library.wall_ms:.2f} ms; target {TIMES} x + {PLUS_MS:g} ms"
    tokens = estimate_tokens(json.dumps({"tools": listed(offered())}, ensure_ascii=False, separators=(",", ":")))
    figures = [
        Figure(f"recall over MCP, p50 wall, {records:,} records", over_mcp.wall_ms, "ms", limit, note=note),
        Figure("recall over MCP, p95 wall", _p95(over_mcp), "ms", note=f"the library's: {_p95(library):.2f} ms"),
        Figure("start of the server to its first answer", started, "s", note="the SDK's imports"),
        Figure("tokens of the list of tools", tokens, "", MOST_TOKENS),
    ]
    answer("mcp", {"records": records, "calls": calls}, figures, as_json=as_json)


async def _measured(place: Scratch, memory: Memory, queries: Sequence[str]) -> tuple[float, Timing, Timing]:
    program, *words = tacit_command()
    server = StdioServerParameters(
        command=program, args=[*words, "mcp", "--scope", SCOPE], env=place.environment(), cwd=place.folder
    )
    library, over_mcp = Timing(), Timing()
    began = time.perf_counter()
    async with Client(stdio_client(server)) as client:
        await client.list_tools()
        started = time.perf_counter() - began
        for number, query in enumerate(queries):
            # The first calls load the model of meaning, on both sides.
            here, there = (Timing(), Timing()) if number < WARM else (library, over_mcp)
            # Whoever comes second pays for what the first left behind on the cores, so they take turns.
            if number % 2:
                asked, found = await _over_mcp(client, query, there), _in_process(memory, query, here)
            else:
                found, asked = _in_process(memory, query, here), await _over_mcp(client, query, there)
            if asked != found:
                raise TacitError(f"MCP and the library answered {query[:80]!r} differently", "nothing was measured")
    return started, library, over_mcp


async def _over_mcp(client: Client, query: str, timing: Timing) -> list[str]:
    with timing.clocked():
        result: Any = await client.call_tool("recall", {"query": query, "budget": MOST_BUDGET})
    if result.is_error:
        raise TacitError(f"recall failed over MCP: {result.content[0].text[:200]}", "nothing was measured")
    return [row["id"] for row in result.structured_content["rows"]]


def _in_process(memory: Memory, query: str, timing: Timing) -> list[str]:
    with timing.clocked():
        hits = memory.recall(query)
    return [short_id(hit.id) for hit in (*near_best(hits.first), *hits.said)]


def _p95(timing: Timing) -> float:
    return 1_000 * sorted(timing.wall)[int(0.95 * len(timing.wall))]
