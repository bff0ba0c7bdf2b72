"""The network's edge: a socket between a client and the server that can lose a connection at any message.

It knows the frame of the protocol and nothing more: each message has a kind and a body, and a judge says of each
whether the connection ends before it or behind it.
"""

from __future__ import annotations

import shutil
import socket
import struct
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qs, urlsplit, urlunsplit

from tests.memory_folder import short_folder

SERVER_SOCKET = ".s.PGSQL.5432"
BEFORE, BEHIND, DEAF = "before", "behind", "deaf"
"""The connection ends before the message, behind it, or for the client only: the server hears it out and goes on."""

Judge = Callable[[str, bytes, bytes], str]
"""Given who speaks (`client` or `server`), the kind and the body; empty lets the message through."""


def faithful(_side: str, _kind: bytes, _body: bytes) -> str:
    """Let everything through."""
    return ""


def commit_request(fate: str) -> Judge:
    """Lose the connection at the first request for a commit of a write; what is read is not touched."""
    return _once(lambda side, kind, body: side == "client" and kind == b"P" and b"\0COMMIT\0" in body, fate, _Writes())


def commit_answer(fate: str = BEFORE) -> Judge:
    """Lose the connection when the server answers a commit of a write."""
    return _once(lambda side, kind, body: side == "server" and kind == b"C" and body == b"COMMIT\0", fate, _Writes())


class _Writes:
    """Tells a write from a read: only a write claims its key."""

    def __init__(self) -> None:
        self.on = False

    def see(self, side: str, kind: bytes, body: bytes) -> bool:
        if side == "client" and kind == b"P":
            self.on = self.on or b"INSERT INTO once" in body
        return self.on


def _once(wanted: Callable[[str, bytes, bytes], bool], fate: str, writes: _Writes) -> Judge:
    lock, left = threading.Lock(), [fate]

    def judge(side: str, kind: bytes, body: bytes) -> str:
        with lock:
            if writes.see(side, kind, body) and wanted(side, kind, body) and left:
                return left.pop()
        return ""

    return judge


class Proxy:
    """Listens in a folder of its own, as the server does in its."""

    def __init__(self, target: str | tuple[str, int]) -> None:
        self.judge: Judge = faithful
        self.lost = 0
        self._target = target
        self.folder = Path(tempfile.mkdtemp(prefix="tacit-proxy-", dir=short_folder()))
        self._open: list[socket.socket] = []
        self._closed = False
        self._lock = threading.Lock()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.folder / SERVER_SOCKET))
        self._listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, url: str) -> str:
        """Give a server's URL with this in the server's place."""
        parts = urlsplit(url)
        login = parts.netloc.rpartition("@")[0]
        return urlunsplit((parts.scheme, f"{login}@", parts.path, f"host={self.folder}", ""))

    def _accept(self) -> None:
        while not self._closed:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX if isinstance(self._target, str) else socket.AF_INET)
            try:
                server.connect(self._target)
            except OSError:
                client.close()
                continue
            with self._lock:
                self._open += [client, server]
            deaf = threading.Event()
            for pump in (self._hear, self._answer):
                threading.Thread(target=pump, args=(client, server, deaf), daemon=True).start()

    def _hear(self, client: socket.socket, server: socket.socket, deaf: threading.Event) -> None:
        """Carry what the client says to the server."""
        with suppress(OSError):
            # The first thing a client says has no kind.
            bare = True
            while (message := _message(client, bare=bare)) is not None:
                bare, fate = False, "" if deaf.is_set() else self._judged("client", message)
                if fate == DEAF:
                    deaf.set()
                    client.shutdown(socket.SHUT_WR)
                if fate != BEFORE:
                    server.sendall(message[2])
                if fate in (BEFORE, BEHIND):
                    break
        if not deaf.is_set():
            _end(client, server)

    def _answer(self, client: socket.socket, server: socket.socket, deaf: threading.Event) -> None:
        """Carry what the server says to the client, if it still listens."""
        with suppress(OSError):
            while (message := _message(server, bare=False)) is not None:
                fate = "" if deaf.is_set() else self._judged("server", message)
                if fate != BEFORE and not deaf.is_set():
                    client.sendall(message[2])
                if fate:
                    break
        _end(client, server)

    def _judged(self, side: str, message: tuple[bytes, bytes, bytes]) -> str:
        fate = self.judge(side, *message[:2])
        self.lost += bool(fate)
        return fate

    def cut(self) -> None:
        """End every connection there is."""
        with self._lock:
            _end(*self._open)
            self._open.clear()

    def close(self) -> None:
        """Stop listening and end every connection."""
        self._closed = True
        _end(self._listener)
        self.cut()
        shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def between(url: str) -> Iterator[Proxy]:
    """Put a proxy in front of the server of a URL."""
    parts = urlsplit(url)
    folder = parse_qs(parts.query).get("host", [""])[0]
    proxy = Proxy(f"{folder}/{SERVER_SOCKET}" if folder else (parts.hostname or "localhost", parts.port or 5432))
    try:
        yield proxy
    finally:
        proxy.close()


def _message(source: socket.socket, *, bare: bool) -> tuple[bytes, bytes, bytes] | None:
    """Read one message: kind, body, and all of it as it came."""
    kind = b"" if bare else _exactly(source, 1)
    length = _exactly(source, 4)
    if kind is None or length is None:
        return None
    body = _exactly(source, struct.unpack("!I", length)[0] - 4)
    return None if body is None else (kind, body, kind + length + body)


def _exactly(source: socket.socket, size: int) -> bytes | None:
    parts: list[bytes] = []
    while size:
        part = source.recv(min(size, 1 << 16))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _end(*sockets: socket.socket) -> None:
    for one in sockets:
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        one.close()
