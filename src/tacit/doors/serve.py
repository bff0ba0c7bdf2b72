"""`tacit serve`: one process that answers hooks over loopback HTTP and a Unix socket, and stops cleanly."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import signal
import socketserver
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from tacit.doors.hooks.cold import MOST_BYTES, SOCKET
from tacit.doors.hooks.door import drain_spool, open_for_writing, respond_in
from tacit.doors.hooks.jobs import work
from tacit.doors.hooks.warm import Houses
from tacit.errors import Conflict
from tacit.files.atomic import write_atomic
from tacit.house import agent_visitor, home_folder, settings_in

PORT = 7842
TOKEN = "run/token"  # noqa: S105  (where it lies, not what it is)
FACTS = "run/serve.json"
LOCK = "run/serve.lock"
_HOSTS = ("127.0.0.1", "localhost", "[::1]")
_POLL_S = 0.1
_WORK_EVERY_S = 2.0


class Serving(NamedTuple):
    """Where a server listens."""

    pid: int
    port: int
    socket: str
    token_file: str


class _Desk:
    """What both doors of the server share: the houses, and when the last call came."""

    def __init__(self, token: str) -> None:
        self.houses = Houses()
        self.token = token
        self.last = self.worked = time.monotonic()

    def work(self) -> None:
        """Take in what hooks left behind."""
        clock = agent_visitor().clock
        drain_spool(settings_in(Path("/")), clock)
        work(home_folder(), clock, open_for_writing)
        self.worked = time.monotonic()

    def hook(self, agent: str, data: bytes) -> bytes:
        """Answer a hook."""
        self.last = time.monotonic()
        return json.dumps(respond_in(agent, data, self.houses.find)).encode()


class _Http(BaseHTTPRequestHandler):
    """POST /hook/AGENT with the token; anything a browser could send from a page is refused."""

    protocol_version = "HTTP/1.1"
    server_version = "tacit"
    # Head and body leave as one piece, at once: in two, the other side waits 40 ms for the second.
    wbufsize = -1
    disable_nagle_algorithm = True
    desk: _Desk

    def do_POST(self) -> None:
        """Answer a hook."""
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > MOST_BYTES:
            self._say(413 if length.isdigit() else 411, {"error": "a length of at most 10 MiB is needed"})
            self.close_connection = True
            return
        data = self.rfile.read(int(length))
        if not self._is_ours():
            return
        _, first, *rest = self.path.split("/")
        if first != "hook" or len(rest) != 1:
            self._say(404, {"error": "there is only /hook/AGENT"})
            return
        self._send(200, self.server.desk.hook(rest[0], data))  # type: ignore[attr-defined]

    def do_GET(self) -> None:
        """Say that the server is here."""
        if self._is_ours():
            self._say(200, {"ok": True, "pid": os.getpid()})

    def _is_ours(self) -> bool:
        host = self.headers.get("Host", "").rsplit(":", 1)[0]
        if "Origin" in self.headers or host not in _HOSTS:
            self._say(403, {"error": "this is not for pages"})
            return False
        given = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if not secrets.compare_digest(given.encode(), self.server.desk.token.encode()):  # type: ignore[attr-defined]
            self._say(401, {"error": f"send the token that lies in $TACIT_HOME/{TOKEN}"})
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
        """Keep quiet: payloads are nobody's business."""


class _Line(socketserver.StreamRequestHandler):
    """The socket's own tongue: a first line `hook AGENT`, then the payload up to the end of the writing side."""

    def handle(self) -> None:
        """Answer one call."""
        words = self.rfile.readline(200).decode(errors="replace").split()
        data = self.rfile.read(MOST_BYTES + 1)
        if len(words) == 2 and words[0] == "hook":
            self.wfile.write(self.server.desk.hook(words[1], data) + b"\n")  # type: ignore[attr-defined]


class _HttpServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    desk: _Desk


class _LineServer(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = 128
    desk: _Desk


def serve(port: int, idle_s: float | None, ready: threading.Event | None = None) -> Serving:
    """Serve until a signal, or until nobody called for a while. Raises Conflict when another one serves this home."""
    folder = home_folder() / "run"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _alone(home_folder() / LOCK):
        desk = _Desk(_token(home_folder() / TOKEN))
        path = home_folder() / SOCKET
        path.unlink(missing_ok=True)
        http, line = _HttpServer(("127.0.0.1", port), _Http), _LineServer(str(path), _Line)
        path.chmod(0o600)
        http.desk = line.desk = desk
        facts = Serving(os.getpid(), http.server_address[1], str(path), str(home_folder() / TOKEN))
        write_atomic(home_folder() / FACTS, json.dumps(facts._asdict()).encode(), durable=False)
        try:
            _run([http, line], desk, idle_s, ready)
        finally:
            for one in (http, line):
                one.server_close()
            path.unlink(missing_ok=True)
            (home_folder() / FACTS).unlink(missing_ok=True)
            desk.houses.close()
    return facts


def _run(servers: list[Any], desk: _Desk, idle_s: float | None, ready: threading.Event | None) -> None:
    stop = threading.Event()
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in _signals()}
    threads = [threading.Thread(target=one.serve_forever, args=(_POLL_S,), daemon=True) for one in servers]
    for thread in threads:
        thread.start()
    if ready:
        ready.set()
    try:
        while not stop.wait(_POLL_S):
            if time.monotonic() - desk.worked > _WORK_EVERY_S:
                desk.work()
            if idle_s is not None and time.monotonic() - desk.last > idle_s:
                break
    finally:
        for one in servers:
            one.shutdown()
        for number, handler in before.items():
            signal.signal(number, handler)


def _signals() -> tuple[int, ...]:
    # Only the main thread hears signals; a test that serves in another stops it otherwise.
    main = threading.current_thread() is threading.main_thread()
    return (signal.SIGTERM, signal.SIGINT) if main else ()


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Conflict("another `tacit serve` runs for this home", "`tacit status` tells where") from None
        yield
    finally:
        os.close(handle)


def _token(path: Path) -> str:
    """Give the token of this home, made the first time."""
    with suppress(OSError):
        if kept := path.read_text().strip():
            return kept
    fresh = secrets.token_urlsafe(32)
    write_atomic(path, fresh.encode())
    return fresh


def serving(folder: Path) -> Serving | None:
    """Say where the server of a home listens; None when there is none."""
    try:
        facts = Serving(**json.loads((folder / FACTS).read_text()))
        os.kill(facts.pid, 0)
    except (OSError, ValueError, TypeError):
        return None
    return facts
