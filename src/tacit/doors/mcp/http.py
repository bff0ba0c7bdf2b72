"""MCP over HTTP: on loopback only, with a token that the user's processes can read."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp

from tacit.doors.lazy_memory import LazyMemory
from tacit.doors.loopback_http import HOST, allowed_hosts, listening, quiet_config
from tacit.doors.loopback_token import MCP_PATH, MCP_TOKEN, TokenNeeded, token_in
from tacit.doors.mcp.sdk_server import build
from tacit.files.atomic import write_atomic
from tacit.files.plain_file import read_plain

ADDRESS = "run/mcp.json"


class HttpAddress(NamedTuple):
    """Where a server listens, and where its token is kept."""

    pid: int
    url: str
    token_file: str


def http_app(server: Any, port: int) -> ASGIApp:
    """Return the app of a server, which answers only requests to loopback from pages of loopback."""
    hosts = allowed_hosts(port)
    checks = TransportSecuritySettings(
        enable_dns_rebinding_protection=True, allowed_hosts=hosts, allowed_origins=[f"http://{one}" for one in hosts]
    )
    app: ASGIApp = server.streamable_http_app(streamable_http_path=MCP_PATH, host=HOST, transport_security=checks)
    return app


def serve_http(memory: LazyMemory, home: Path, port: int, tell: Callable[[HttpAddress], None]) -> None:
    """Answer over HTTP until a signal asks to stop. Port 0 is any free one; the address is noted in the home."""
    token = token_in(home / MCP_TOKEN)
    noted = home / ADDRESS
    with listening(port) as line:
        address = HttpAddress(os.getpid(), f"http://{HOST}:{line.getsockname()[1]}{MCP_PATH}", str(home / MCP_TOKEN))
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


def _forget(noted: Path) -> None:
    """Remove the noted address, unless another server has noted its own since."""
    try:
        if json.loads(read_plain(noted, 10_000))["pid"] == os.getpid():
            noted.unlink(missing_ok=True)
    except (OSError, ValueError, KeyError, TypeError):
        return
