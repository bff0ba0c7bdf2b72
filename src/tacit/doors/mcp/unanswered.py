"""Answer what was asked before the input ended: the SDK drops calls in progress when its input ends."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

_CANCELLED = "notifications/cancelled"
_LAST_ANSWERS_S = 60.0
Asked = MemoryObjectReceiveStream[SessionMessage | Exception]
Answers = MemoryObjectSendStream[SessionMessage]


@asynccontextmanager
async def answering_all(reads: Any, writes: Any) -> AsyncIterator[tuple[Asked, Answers]]:
    """Return streams like those given, except that the input ends only after all requests are answered."""
    open_requests: set[str | int] = set()
    changed = anyio.Event()
    to_server, asked = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    answers, from_server = anyio.create_memory_object_stream[SessionMessage](0)

    async def take() -> None:
        async with to_server, reads:
            async for one in reads:
                message = one.message if isinstance(one, SessionMessage) else None
                if isinstance(message, JSONRPCRequest):
                    open_requests.add(message.id)
                elif isinstance(message, JSONRPCNotification) and message.method == _CANCELLED:
                    # What the client no longer wants is not answered.
                    open_requests.discard((message.params or {}).get("requestId", ""))
                await to_server.send(one)
            with anyio.move_on_after(_LAST_ANSWERS_S):
                while open_requests:
                    await changed.wait()

    async def give() -> None:
        nonlocal changed
        async with from_server, writes:
            async for one in from_server:
                await writes.send(one)
                if isinstance(one.message, JSONRPCResponse | JSONRPCError) and one.message.id is not None:
                    open_requests.discard(one.message.id)
                    changed.set()
                    changed = anyio.Event()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(take)
        tasks.start_soon(give)
        yield asked, answers
