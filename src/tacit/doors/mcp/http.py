"""MCP over HTTP: on loopback only, with a token that the user's processes can read."""

from __future__ import annotations

import hmac
import json
import os
import secrets
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from tacit.doors.lazy_memory import LazyMemory
from tacit.doors.loopback_http import HOST, allowed_hosts, listening, quiet_config
from tacit.doors.mcp.sdk_server import build
from tacit.files.atomic import write_atomic
from tacit.files.plain_file import read_plain

PATH = "/mcp"
TOKEN = "run/mcp.token"  # noqa: S105 - where it is kept, not what it is
ADDRESS = "run/mcp.json"
_TOKEN_CHARS = 43


class HttpAddress(NamedTuple):
    """Where a server listens, and where its token is kept."""

    pid: int
    url: str
    token_file: str


class TokenNeeded:
    """Lets only requests with the token through."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        given = Headers(scope=scope).get("authorization", "") if scope["type"] == "http" else ""
        if scope["type"] == "http" and not hmac.compare_digest(given.encode(errors="replace"), self._expected):
            refused = JSONResponse({"error": "a bearer token is needed"}, 401, {"WWW-Authenticate": "Bearer"})
            await refused(scope, receive, send)
            return
        await self._app(scope, receive, send)


def http_app(server: Any, port: int) -> ASGIApp:
    """Return the app of a server, which answers only requests to loopback from pages of loopback."""
    hosts = allowed_hosts(port)
    checks = TransportSecuritySettings(
        enable_dns_rebinding_protection=True, allowed_hosts=hosts, allowed_origins=[f"http://{one}" for one in hosts]
    )
    app: ASGIApp = server.streamable_http_app(streamable_http_path=PATH, host=HOST, transport_security=checks)
    return app


def serve_http(memory: LazyMemory, home: Path, port: int, tell: Callable[[HttpAddress], None]) -> None:
    """Answer over HTTP until a signal asks to stop. Port 0 is any free one; the address is noted in the home."""
    token = _token(home / TOKEN)
    noted = home / ADDRESS
    with listening(port) as line:
        address = HttpAddress(os.getpid(), f"http://{HOST}:{line.getsockname()[1]}{PATH}", str(home / TOKEN))
        app = TokenNeeded(http_app(build(memory, over_http=True), line.getsockname()[1]), token)
        config = quiet_config(app)
        write_atomic(noted, json.dumps(address._asdict()).encode() + b"\n")
        tell(address)
        for number in (signal.SIGTERM, signal.SIGINT):
            # uvicorn ends by itself on these, and then raises them once more.
            signal.signal(number, lambda _number, _frame: None)
        try:
            anyio.run(uvicorn.Server(config).serve, [line])
        finally:
            _forget(noted)
            memory.close()


def _token(path: Path) -> str:
    """Return the token in a file for its owner only; made on first use, and again if others could read it."""
    try:
        found = path.lstat()
        if found.st_mode & 0o077 == 0 and found.st_uid == os.getuid():
            token = read_plain(path, 1_000).decode().strip()
            if len(token) >= _TOKEN_CHARS:
                return token
    except (OSError, UnicodeDecodeError):
        pass  # there is none yet, or none that can be used
    token = secrets.token_urlsafe(32)
    write_atomic(path, token.encode() + b"\n")
    return token


def _forget(noted: Path) -> None:
    """Remove the noted address, unless another server has noted its own since."""
    try:
        if json.loads(read_plain(noted, 10_000))["pid"] == os.getpid():
            noted.unlink(missing_ok=True)
    except (OSError, ValueError, KeyError, TypeError):
        return
