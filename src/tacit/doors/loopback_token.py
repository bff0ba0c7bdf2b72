"""A bearer token that the processes of one user share: kept in a file that nobody else can read."""

from __future__ import annotations

import hmac
import os
import secrets
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from tacit.files.atomic import write_atomic
from tacit.files.plain_file import read_plain

MCP_PATH = "/mcp"
MCP_TOKEN = "run/mcp.token"  # noqa: S105 - where it is kept, not what it is
_TOKEN_CHARS = 43


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


def token_in(path: Path) -> str:
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
