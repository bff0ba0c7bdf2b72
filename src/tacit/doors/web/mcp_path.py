"""MCP over HTTP in the process of the dashboard: the same app as `tacit mcp --http`, below its own path and token."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tacit.doors.call_activity import CallActivity
from tacit.doors.loopback_token import MCP_PATH, MCP_TOKEN, TokenNeeded, token_in


class WithMcp:
    """Passes requests for the path of MCP on to the app of MCP, and all others to the dashboard.

    The SDK is loaded by the first request that has the token: most people who look at the pages need none of it.
    """

    def __init__(self, pages: ASGIApp, tools: Callable[[], ASGIApp], home: Path, activity: CallActivity) -> None:
        self._pages = pages
        self._tools = TokenNeeded(_LazyApp(tools), token_in(home / MCP_TOKEN))
        self._activity = activity

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http" and scope["path"] == MCP_PATH:
            with self._activity.call():
                pass  # a stream may stay open for hours: only its beginning is somebody asking
            await self._tools(scope, receive, send)
        else:
            await self._pages(scope, receive, send)


class _LazyApp:
    """An app that is made by the first request, and then runs until the process ends."""

    def __init__(self, make: Callable[[], ASGIApp]) -> None:
        self._make = make
        self._app: ASGIApp | None = None
        self._turn = asyncio.Lock()
        self._life: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        async with self._turn:
            if self._app is None:
                made = await run_in_threadpool(self._make)
                await self._begin(made)
                self._app = made
        await self._app(scope, receive, send)

    async def _begin(self, app: ASGIApp) -> None:
        """Tell the app that the server has started; it is ended with the process."""
        told, asked = asyncio.Event(), 0

        async def receive() -> Message:
            nonlocal asked
            asked += 1
            if asked > 1:
                await asyncio.Event().wait()
            return {"type": "lifespan.startup"}

        async def send(_message: Message) -> None:
            told.set()

        self._life = asyncio.ensure_future(_lived(app, receive, send))
        self._life.add_done_callback(lambda _life: told.set())
        await told.wait()


async def _lived(app: ASGIApp, receive: Receive, send: Send) -> None:
    await app({"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}, receive, send)
