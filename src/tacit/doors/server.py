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
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from tacit.app.open import home_folder, hook_caller, settings_in
from tacit.doors.background_learning import BackgroundLearner
from tacit.doors.hooks.answer import catch_up, explained, record, respond_in
from tacit.doors.hooks.project_cache import HookEnvironments
from tacit.doors.hooks.surroundings import MOST_BYTES, SOCKET, folder_of, surroundings
from tacit.errors import ConfigError, Conflict, UsageError
from tacit.files.atomic import write_atomic

PORT = 7842
TOKEN = "run/token"  # noqa: S105  (where it lies, not what it is)
FACTS = "run/serve.json"
LOCK = "run/serve.lock"
PLACE = "Tacit-Cwd"
"""The header with the folder whose memory a message is for."""
_HOSTS = ("127.0.0.1", "localhost", "[::1]")
_POLL_S = 0.1
_WORK_EVERY_S = 2.0
# Who is silent for so long is gone; a thread is not to wait for them for ever.
_LINE_TIMEOUT_S = 10.0
_HTTP_TIMEOUT_S = 60.0
# A call that is being answered when the end comes is answered; what takes longer is begun anew by the next server.
_LAST_CALLS_S = 10.0
# What is learned meanwhile is not waited for: it is left where it is, and known again.
_LAST_WORK_S = 0.5
_LONGEST_SOCKET = 100
_FIRST_LINE = 100_000


class ServerAddress(NamedTuple):
    """The addresses at which a server listens."""

    pid: int
    port: int
    socket: str
    token_file: str


class _Desk:
    """What HTTP and the socket share: the projects that the server answers for, and the time of the last call."""

    def __init__(self, token: str) -> None:
        self.environments = HookEnvironments()
        self.token = token
        self.last = time.monotonic()
        self.busy = 0
        self.learner = BackgroundLearner(time.monotonic)
        self._lock = threading.Lock()

    def hook(self, agent: str, event: str, data: bytes, place: str = "/") -> bytes:
        """Answer a hook."""
        with self._lock:
            self.busy += 1
        try:
            return json.dumps(respond_in(agent, data, self.environments.find, place, event)).encode()
        finally:
            with self._lock:
                self.busy -= 1
                self.last = time.monotonic()
                self.learner.wake()

    def rpc(self, data: bytes, place: str) -> bytes:
        """Answer a message of JSON-RPC for the project of a folder; the caller counts as an agent."""
        from tacit.doors.rpc.methods import methods_of
        from tacit.doors.rpc.protocol import reply, troubled

        with self._lock:
            self.busy += 1
        try:
            environment = self.environments.find(folder_of(place, "/"))
            if environment.memory is None:
                raise ConfigError("the settings are broken", "`tacit doctor` shows where")
            memory = environment.memory(True)
            try:
                return reply(methods_of(memory), data)
            finally:
                environment.done(memory)
        except Exception as error:
            # Whoever serves goes on serving; the caller is told, and so is status.
            record(home_folder(), hook_caller().clock, explained(error))
            return troubled(explained(error))
        finally:
            with self._lock:
                self.busy -= 1
                self.last = time.monotonic()

    def work(self, stop: threading.Event) -> None:
        """Process deferred hook work and the learning queue, repeatedly."""
        caller, home = hook_caller(), home_folder()
        said = set[str]()

        def tell(problem: str) -> None:
            # What has to wait is told once, not with every look at it.
            if problem not in said:
                said.add(problem)
                record(home, caller.clock, problem)

        while not stop.wait(_WORK_EVERY_S):
            for act in (
                lambda: catch_up(settings_in(Path("/")), caller.clock, enough=stop.is_set, tell=tell),
                lambda: self.learner.work(settings_in(Path("/")), caller, stop.is_set),
            ):
                try:
                    act()
                except Exception as error:
                    # Who serves goes on serving: what could not be taken in waits, and status tells of it.
                    tell(explained(error))


class _Http(BaseHTTPRequestHandler):
    """POST /hook/AGENT or /rpc with the token; anything a browser could send from a page is refused."""

    protocol_version = "HTTP/1.1"
    server_version = "tacit"
    # Head and body leave as one piece, at once: in two, the other side waits 40 ms for the second.
    wbufsize = -1
    disable_nagle_algorithm = True
    timeout = _HTTP_TIMEOUT_S

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
        desk: _Desk = self.server.desk  # type: ignore[attr-defined]
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
        if not secrets.compare_digest(given.encode(), self.server.desk.token.encode()):  # type: ignore[attr-defined]
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


class _SocketHandler(socketserver.StreamRequestHandler):
    """A first line `hook AGENT [EVENT] [name=value…]`, then the payload up to the end of the writing side.

    `for` encodes the environment that the answer depends on, `cwd` is the caller's folder. A caller that was started
    with other variables than this server gets no answer, and does the work itself.
    """

    timeout = _LINE_TIMEOUT_S

    def handle(self) -> None:
        """Answer one call."""
        words = self.rfile.readline(_FIRST_LINE).decode(errors="replace").split()
        data = self.rfile.read(MOST_BYTES + 1)
        named = dict(word.split("=", 1) for word in words if "=" in word)
        agent, event = (*(word for word in words[1:] if "=" not in word), "", "")[:2]
        if words[:1] != ["hook"] or not agent or named.get("for", surroundings()) != surroundings():
            return
        place = bytes.fromhex(named.get("cwd", "2f")).decode(errors="surrogateescape")
        self.wfile.write(self.server.desk.hook(agent, event, data, place) + b"\n")  # type: ignore[attr-defined]


class _Quiet:
    """Ignores errors of callers that disconnect or send invalid data."""

    daemon_threads = True
    request_queue_size = 128
    desk: _Desk

    def handle_error(self, request: object, client_address: object) -> None:
        """Never log payloads."""


class _HttpServer(_Quiet, ThreadingHTTPServer):
    pass


class _LineServer(_Quiet, socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    pass


def serve(
    port: int,
    idle_s: float | None,
    ready: threading.Event | None = None,
    tell: Callable[[ServerAddress], None] | None = None,
) -> ServerAddress:
    """Serve until a signal arrives, or until there were no calls for the idle time.

    Raises Conflict if another process serves this home.
    """
    folder = home_folder() / "run"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = home_folder() / SOCKET
    if len(os.fsencode(path)) > _LONGEST_SOCKET:
        raise UsageError(f"{path} is too long for the path of a socket", "choose a shorter TACIT_HOME")
    with _alone(home_folder() / LOCK):
        # Before a socket is there, nobody else may have a look at the folder it will be in.
        folder.chmod(0o700)
        desk = _Desk(_token(home_folder() / TOKEN))
        path.unlink(missing_ok=True)
        http, line = _HttpServer(("127.0.0.1", port), _Http), _LineServer(str(path), _SocketHandler)
        path.chmod(0o600)
        http.desk = line.desk = desk
        facts = ServerAddress(os.getpid(), http.server_address[1], str(path), str(home_folder() / TOKEN))
        write_atomic(home_folder() / FACTS, json.dumps(facts._asdict()).encode(), durable=False)
        try:
            if tell:
                tell(facts)
            _run([http, line], desk, idle_s, ready)
        finally:
            # First of all nobody is sent here any more; then who is here is answered.
            path.unlink(missing_ok=True)
            (home_folder() / FACTS).unlink(missing_ok=True)
            _last_calls(desk)
            for one in (http, line):
                one.server_close()
            desk.environments.close()
    return facts


def _last_calls(desk: _Desk) -> None:
    until = time.monotonic() + _LAST_CALLS_S
    while desk.busy and time.monotonic() < until:
        time.sleep(_POLL_S / 10)


def _run(servers: list[Any], desk: _Desk, idle_s: float | None, ready: threading.Event | None) -> None:
    stop = threading.Event()
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in _signals()}
    threads = [threading.Thread(target=one.serve_forever, args=(_POLL_S,), daemon=True) for one in servers]
    # What waits may take long; it is left where it is when the end comes, and known again by its name.
    worker = threading.Thread(target=desk.work, args=(stop,), daemon=True)
    for thread in (*threads, worker):
        thread.start()
    if ready:
        ready.set()
    try:
        while not stop.wait(_POLL_S):
            if idle_s is not None and not desk.busy and time.monotonic() - desk.last > idle_s:
                break
    finally:
        stop.set()
        for one in servers:
            one.shutdown()
        worker.join(_LAST_WORK_S)
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
            raise Conflict("another `tacit serve` runs for this home", "`tacit status` shows where") from None
        os.ftruncate(handle, 0)
        os.pwrite(handle, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(handle)


def _token(path: Path) -> str:
    """Return the token of this home; it is created if there is none, or if other users could have read the old one."""
    with suppress(OSError):
        if not path.stat().st_mode & 0o077 and (kept := path.read_text().strip()):
            return kept
    fresh = secrets.token_urlsafe(32)
    write_atomic(path, fresh.encode())
    return fresh


def serving(folder: Path) -> ServerAddress | None:
    """Return the address of the server of a home, or None if none is running."""
    try:
        facts = ServerAddress(**json.loads((folder / FACTS).read_text()))
    except (OSError, ValueError, TypeError):
        return None
    return facts if _is_held(folder / LOCK) else None  # what nobody holds was left behind


def stop(folder: Path, wait_s: float = 60.0) -> ServerAddress | None:
    """Stop the server of a home and wait until it ends. Returns None if none is running."""
    facts = serving(folder)
    if facts is None:
        return None
    # Numbers are used again: only the process that holds the lock is the server.
    if (folder / LOCK).read_text().strip() != str(facts.pid):
        raise Conflict(f"process {facts.pid} is not the server of this home", "stop it by hand; `ps` shows it")
    os.kill(facts.pid, signal.SIGTERM)
    until = time.monotonic() + wait_s
    while _is_held(folder / LOCK):
        if time.monotonic() > until:
            raise Conflict(
                f"process {facts.pid} was asked to stop but still runs", "it finishes its current work first"
            )
        time.sleep(_POLL_S / 2)
    return facts


def _is_held(path: Path) -> bool:
    """Return whether a server holds the lock of a home, without changing any file."""
    try:
        handle = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False
