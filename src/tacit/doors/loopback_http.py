"""What the HTTP servers on loopback share: the address, the names they answer to, and limits on connections."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from tacit.errors import UsageError

HOST = "127.0.0.1"
_NAMES = (HOST, "localhost")
MOST_CONNECTIONS = 64
"""Connections at once. One more is closed before anything of it is read."""
MOST_HEAD_BYTES = 32_768
FIRST_REQUEST_S = 15.0
"""Who has sent no request for so long is hung up on."""
_PATIENCE_S = 5


def allowed_hosts(port: int) -> list[str]:
    """Return the values of `Host` that a server on this port answers to; any other is a page with a foreign name."""
    return [f"{name}:{port}" for name in _NAMES]


def listening(port: int) -> socket.socket:
    """Return a socket that listens on a port of the loopback interface; 0 is any free one."""
    # With the protocol named, asyncio sends answers at once; without it, each waits 40 ms for the other side.
    line = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        line.bind((HOST, port))
        line.listen(128)  # who is told the address may connect at once
    except OSError as error:
        line.close()
        raise UsageError(f"cannot listen on port {port}: {error.strerror}", "choose another with --port") from None
    return line


class CappedProtocol(H11Protocol):
    """HTTP with a limit on connections, and on the time until the first request."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Take a connection, or close it if there are too many."""
        if len(self.connections) >= MOST_CONNECTIONS:
            self.transport = transport
            transport.abort()
            return
        super().connection_made(transport)
        self._waiting = self.loop.call_later(FIRST_REQUEST_S, self._hang_up)

    def _hang_up(self) -> None:
        if getattr(self, "cycle", None) is None and not self.transport.is_closing():
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection; one that was never taken is not known."""
        if self._waiting is None:
            return
        self._waiting.cancel()
        super().connection_lost(exc)


def quiet_config(app: ASGIApp) -> uvicorn.Config:
    """Return the settings of a server that logs no requests, and bounds connections and the heads of requests."""
    return uvicorn.Config(
        app, http=CappedProtocol, ws="none", lifespan="auto", log_config=None, access_log=False, server_header=False,
        h11_max_incomplete_event_size=MOST_HEAD_BYTES, timeout_graceful_shutdown=_PATIENCE_S, proxy_headers=False,
    )  # fmt: skip
