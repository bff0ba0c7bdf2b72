"""The HTTP door of `tacit serve --port`: hooks and JSON-RPC on loopback, with the token of this home."""

from __future__ import annotations

import json
import os
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Protocol

from tacit.doors.hooks.surroundings import MOST_BYTES
from tacit.files.atomic import write_atomic

TOKEN = "run/token"  # noqa: S105  (where it lies, not what it is)
PLACE = "Tacit-Cwd"
"""The header with the folder whose memory a message is for."""
_HOSTS = ("127.0.0.1", "localhost", "[::1]")
# Who is silent for so long is gone; a thread is not to wait for them for ever.
_TIMEOUT_S = 60.0
_POLL_S = 0.1
MOST_CALLERS = 64
"""How many are answered at once. Each is a thread, whether or not it has shown the token yet."""


class Desk(Protocol):
    """Who answers what comes in."""

    def hook(self, agent: str, event: str, data: bytes, place: str = "/", pid: int = 0) -> bytes:
        """Answer a hook."""

    def rpc(self, data: bytes, place: str) -> bytes:
        """Answer a message of JSON-RPC."""


class _Http(BaseHTTPRequestHandler):
    """POST /hook/AGENT or /rpc with the token; anything a browser could send from a page is refused."""

    protocol_version = "HTTP/1.1"
    server_version = "tacit"
    # Head and body leave as one piece, at once: in two, the other side waits 40 ms for the second.
    wbufsize = -1
    disable_nagle_algorithm = True
    timeout = _TIMEOUT_S

    def do_POST(self) -> None:
        """Answer a hook, or a message of JSON-RPC."""
        length = self.headers.get("Content-Length", "")
        known = length.isascii() and length.isdigit()
        if not known or len(length) > 9 or int(length) > MOST_BYTES:
            self.close_connection = True
            self._say(413 if known else 411, {"error": "a Content-Length of at most 10 MiB is required"})
            return
        if not self._is_ours():
            # Not read: whoever has no token cannot make us take in ten megabytes.
            self.close_connection = True
            return
        data = self.rfile.read(int(length))
        first, _, rest = self.path.removeprefix("/").partition("/")
        agent, _, event = rest.partition("/")
        desk: Desk = self.server.desk  # type: ignore[attr-defined]
        if first == "rpc" and not rest:
            answer = desk.rpc(data, self.headers.get(PLACE, "/"))
            self._send(200 if answer else 204, answer)
        elif first == "hook" and "/" not in event:
            self._send(200, desk.hook(agent, event, data))
        else:
            self._say(404, {"error": "the only paths are /hook/AGENT[/EVENT] and /rpc"})

    def do_GET(self) -> None:
        """Answer that the server runs."""
        if self._is_ours():
            self._say(200, {"ok": True, "pid": os.getpid()})

    def _is_ours(self) -> bool:
        host = self.headers.get("Host", "").rsplit(":", 1)[0]
        if "Origin" in self.headers or host not in _HOSTS:
            self._say(403, {"error": "requests from web pages are refused"})
            return False
        given = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if not secrets.compare_digest(given.encode(), self.server.token.encode()):  # type: ignore[attr-defined]
            self._say(401, {"error": f"send the token from the file $TACIT_HOME/{TOKEN}"})
            return False
        return True

    def _say(self, code: int, value: dict[str, Any]) -> None:
        self._send(code, json.dumps(value).encode())

    def _send(self, code: int, body: bytes) -> None:
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:
        """Never log payloads."""


class _HttpServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    desk: Desk
    token: str

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._room = threading.BoundedSemaphore(MOST_CALLERS)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer a caller in a thread of its own; one more than there is room for is hung up on."""
        if not self._room.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except RuntimeError:  # no more threads
            self._room.release()
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer a caller, and make room for the next one."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore callers that disconnect or send invalid data, and never log payloads."""


@contextmanager
def http_door(port: int, home: Path, desk: Desk) -> Iterator[tuple[int, str]]:
    """Listen on a port of the loopback interface, 0 for any free one; give the port and the file of the token."""
    server = _HttpServer(("127.0.0.1", port), _Http)
    server.desk, server.token = desk, _token(home / TOKEN)
    thread = threading.Thread(target=server.serve_forever, args=(_POLL_S,), daemon=True)
    thread.start()
    try:
        yield server.server_address[1], str(home / TOKEN)
    finally:
        server.shutdown()
        server.server_close()


def _token(path: Path) -> str:
    """Return the token of this home; it is created if there is none, or if other users could have read the old one."""
    with suppress(OSError):
        if not path.stat().st_mode & 0o077 and (kept := path.read_text().strip()):
            return kept
    fresh = secrets.token_urlsafe(32)
    write_atomic(path, fresh.encode())
    return fresh
