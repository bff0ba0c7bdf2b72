"""The dashboard served inside this process. `test_process.py` runs these in an interpreter of their own."""

from __future__ import annotations

import re
import socket
import threading
from contextlib import contextmanager, nullcontext
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tacit.doors import loopback_http
from tacit.doors.lazy_memory import LazyMemory
from tacit.doors.web.app import Memories
from tacit.doors.web.control_socket import ask
from tacit.doors.web.server import WebPlace, serve_web
from tacit.errors import Conflict
from tacit.testing import temporary_memory

AWAKE_S = 600


@contextmanager
def serving(folder: Path, is_person: bool = True):
    """Serve a memory in a thread; give the place and the first link."""
    place = WebPlace(folder / "run", "test", "demo")
    told: list[str] = []
    is_up, over = threading.Event(), threading.Event()

    def tell(url: str) -> None:
        told.append(url)
        is_up.set()

    with temporary_memory(folder=folder) as agent, temporary_memory(folder=folder, actor="user") as person:
        memories = Memories(LazyMemory(lambda _c: nullcontext(agent)), LazyMemory(lambda _c: nullcontext(person)))
        thread = threading.Thread(
            target=lambda: (serve_web(memories, place, 0, None, lambda _pid: is_person, tell), over.set())
        )
        thread.start()
        assert is_up.wait(AWAKE_S)
        try:
            yield place, told[0]
        finally:
            place.lock.unlink(missing_ok=True)  # a home that is gone ends the process
            thread.join(AWAKE_S)
            assert not thread.is_alive()


def test_a_person_gets_a_code_and_a_second_process_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("tacit.doors.web.server.signal.signal", lambda *_: None)
    monkeypatch.setattr("tacit.doors.web.server.LOOK_EVERY_S", 0.05)
    monkeypatch.setattr("uvicorn.Server.capture_signals", lambda _server: nullcontext())
    with serving(tmp_path) as (place, _url):
        code = ask(place.socket, "code")["person_code"]
        with pytest.raises(Conflict):
            serve_web(None, place, 0, None, lambda _pid: True, lambda _url: None)

    assert re.fullmatch("[A-Z2-9]{4}-[A-Z2-9]{4}", code)
    assert ask(place.socket, "link") is None


def test_connections_are_capped_before_anything_is_read(tmp_path, monkeypatch):
    """One connection more than there is room for is closed at once; when others leave there is room again."""
    monkeypatch.setattr("tacit.doors.web.server.signal.signal", lambda *_: None)
    monkeypatch.setattr("tacit.doors.web.server.LOOK_EVERY_S", 0.05)
    monkeypatch.setattr("uvicorn.Server.capture_signals", lambda _server: nullcontext())
    monkeypatch.setattr(loopback_http, "MOST_CONNECTIONS", 3)
    monkeypatch.setattr(loopback_http, "FIRST_REQUEST_S", AWAKE_S)  # nobody is hung up on for another reason
    with serving(tmp_path) as (_place, url):
        address = (urlsplit(url).hostname, urlsplit(url).port)
        held = [socket.create_connection(address, timeout=AWAKE_S) for _ in range(3)]
        # In the order in which they came, so these are taken before the next one is looked at.
        with socket.create_connection(address, timeout=AWAKE_S) as late:
            assert b"" == closed(late)
        for one in held:
            one.close()
        while True:
            with socket.create_connection(address, timeout=AWAKE_S) as next_one:
                try:
                    next_one.sendall(f"GET / HTTP/1.1\r\nHost: {address[0]}:{address[1]}\r\n\r\n".encode())
                    if next_one.recv(10_000).startswith(b"HTTP/1.1 404"):
                        break
                except OSError:
                    continue


def test_who_says_nothing_is_hung_up_on(tmp_path, monkeypatch):
    monkeypatch.setattr("tacit.doors.web.server.signal.signal", lambda *_: None)
    monkeypatch.setattr("tacit.doors.web.server.LOOK_EVERY_S", 0.05)
    monkeypatch.setattr("uvicorn.Server.capture_signals", lambda _server: nullcontext())
    monkeypatch.setattr(loopback_http, "FIRST_REQUEST_S", 0.05)
    with serving(tmp_path) as (_place, url):
        address = (urlsplit(url).hostname, urlsplit(url).port)
        with socket.create_connection(address, timeout=AWAKE_S) as silent:
            silent.sendall(b"GET / HT")
            assert b"" == closed(silent)


def closed(line: socket.socket) -> bytes:
    """Return what comes until the other side closes; a reset is a close too."""
    try:
        return line.recv(1)
    except ConnectionResetError:
        return b""
