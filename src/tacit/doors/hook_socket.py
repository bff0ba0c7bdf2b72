"""The Unix socket of the helper: one call per line and payload, from processes of the same user only."""

from __future__ import annotations

import errno
import os
import queue
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote_to_bytes

from tacit.app.backlog import HELD
from tacit.doors.hooks.answer import NotStored
from tacit.doors.hooks.surroundings import MOST_BYTES
from tacit.files.peer import peer_of

# Who is silent for so long is gone; a thread is not to wait for them for ever.
_LINE_TIMEOUT_S = 10.0
_FULL_S = 0.05
_FIRST_LINE = 100_000
MOST_CALLERS = 64
"""Callers at once. One more gets no answer, and does the work itself."""


class HookDesk(Protocol):
    """Who answers hooks."""

    def hook(
        self, agent: str, event: str, data: bytes, place: str = "/", pid: int = 0, send: Callable[[bytes], None] = ...
    ) -> bytes:
        """Answer a hook, and send the answer."""

    def held(self) -> int:
        """Return how many calls are kept in memory, as there is no room on the disk."""


class IdleThreads:
    """Threads that are used again: each keeps its connection to the store, which takes longer to open than a hook."""

    def __init__(self) -> None:
        self._tasks: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._idle = threading.Semaphore(0)

    def do(self, task: Callable[[], None]) -> None:
        """Run a task in an idle thread, or in a new one."""
        if not self._idle.acquire(blocking=False):
            threading.Thread(target=self._work, daemon=True).start()
        self._tasks.put(task)

    def _work(self) -> None:
        while True:
            self._tasks.get()()
            self._idle.release()


class HookSocket:
    """The Unix socket: a first line `hook AGENT [EVENT] [name=value…]`, then the payload up to its end.

    Values are percent-encoded. `cwd` is the caller's folder; `off` says that everything is switched off for the caller.
    Only processes of the same user are answered.
    """

    def __init__(self, path: Path, desk: HookDesk) -> None:
        self._desk = desk
        self._room = threading.BoundedSemaphore(MOST_CALLERS)
        self._threads = IdleThreads()
        path.unlink(missing_ok=True)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.bind(str(path))
        path.chmod(0o600)
        self.socket.listen(128)
        self.socket.setblocking(False)

    def accept(self) -> None:
        """Take the next caller, and answer it in a thread of its own."""
        try:
            line, _address = self.socket.accept()
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                time.sleep(_FULL_S)  # until a caller has left; the others wait, and do the work themselves
            return  # or gone before we were there
        if not self._room.acquire(blocking=False):
            line.close()
            return
        try:
            self._threads.do(lambda: self._handle(line))
        except RuntimeError:  # no more threads
            line.close()
            self._room.release()

    def _handle(self, line: socket.socket) -> None:
        try:
            with line:
                line.settimeout(_LINE_TIMEOUT_S)
                peer = peer_of(line)
                if peer.uid == os.geteuid():
                    self._answer(line, peer.pid)
        except (OSError, ValueError, MemoryError, NotStored):
            return  # the caller went away or sent nonsense; or there is no room left, and it does the work itself
        finally:
            self._room.release()

    def _answer(self, line: socket.socket, pid: int) -> None:
        with line.makefile("rb") as source:
            words = source.readline(_FIRST_LINE).decode(errors="replace").split()
            data = source.read(MOST_BYTES + 1)
        named = dict(word.split("=", 1) for word in words if "=" in word)
        agent, event = (*(word for word in words[1:] if "=" not in word), "", "")[:2]
        if words == HELD.decode().split():
            line.sendall(b"%d\n" % self._desk.held())
        if words[:1] != ["hook"] or not agent:
            return
        if named.get("off", "0") not in ("", "0"):
            line.sendall(b"{}\n")
            return
        place = unquote_to_bytes(named.get("cwd", "/")).decode(errors="surrogateescape")

        def send(answer: bytes) -> None:
            line.sendall(answer + b"\n")
            line.shutdown(socket.SHUT_WR)

        self._desk.hook(agent, event, data, place, pid, send)
