"""`tacit serve`: the helper. It answers hooks on a Unix socket, learns from ended sessions, and ends by itself."""

from __future__ import annotations

import fcntl
import gc
import json
import os
import selectors
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import NamedTuple

from tacit.app.open import home_folder, hook_caller
from tacit.doors.background_work import BackgroundWork
from tacit.doors.call_activity import LOOK_EVERY_S, CallActivity
from tacit.doors.hook_socket import HookSocket
from tacit.doors.hooks.answer import explained, record, respond_in
from tacit.doors.hooks.held_calls import HeldCalls
from tacit.doors.hooks.project_cache import HookEnvironments
from tacit.doors.hooks.surroundings import SOCKET, folder_of
from tacit.errors import ConfigError, Conflict, Refused, UsageError
from tacit.files.atomic import write_atomic
from tacit.files.helper_wanted import SERVING
from tacit.files.peer import one_arena
from tacit.loop.answer_hook import preload
from tacit.text.plural import plural

LOCK = "run/serve.lock"
_POLL_S = 0.05
# Whoever looks whether a server runs holds the lock for a moment; one that starts waits for that.
_PROBED_S = 0.3
# A call that is being answered when the end comes is answered; what takes longer is begun anew by the next server.
_LAST_CALLS_S = 10.0
_LONGEST_SOCKET = 100


class ServerAddress(NamedTuple):
    """The addresses at which a server listens; the port is 0 without HTTP."""

    pid: int
    port: int
    socket: str
    token_file: str


class _Desk(CallActivity):
    """What HTTP and the socket share: the projects that the server answers for, and the time of the last call."""

    def __init__(self, environments: HookEnvironments, wake: Callable[[], None]) -> None:
        super().__init__(wake)
        self.environments = environments

    def hook(
        self, agent: str, event: str, data: bytes, place: str = "/", pid: int = 0,
        send: Callable[[bytes], None] = lambda _answer: None,
    ) -> bytes:  # fmt: skip
        """Answer a hook: send the answer, then do what could wait; `pid` is the process that asks."""
        with self.call():
            after: list[Callable[[], None]] = []
            found = respond_in(agent, data, self.environments.find, place, event, pid, after)
            answer = json.dumps(found).encode()
            send(answer)
            for act in after:
                act()
            return answer

    def held(self) -> int:
        """Return how many calls are kept in memory, or were beyond it, as there is no room on the disk."""
        return self.environments.held.left_behind()

    def warm_up(self) -> None:
        """Load what the first hooks need, before anybody waits for it."""
        preload()
        payload = b'{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "git status"}}'
        self.hook("claude", "PreToolUse", payload)
        try:
            environment = self.environments.find("/")
            if environment.memory is not None:
                memory = environment.memory(False)
                try:
                    memory.recall("what is known here", limit=1)
                    memory.context()
                    # Nobody was shown this.
                    memory.take_uses()
                finally:
                    environment.done(memory)
        except Exception as error:
            record(home_folder(), hook_caller().clock, explained(error), once=True)
        # What is loaded by now stays: the collector need not look at it again while a hook waits.
        gc.collect()
        gc.freeze()

    def rpc(self, data: bytes, place: str) -> bytes:
        """Answer a message of JSON-RPC for the project of a folder; the caller counts as an agent."""
        from tacit.doors.rpc.methods import methods_of
        from tacit.doors.rpc.protocol import reply, troubled

        with self.call():
            try:
                environment = self.environments.find(folder_of(place, "/"))
                if environment.memory is None:
                    raise ConfigError("the settings are broken", "`tacit doctor` shows where")
                memory = environment.memory(True)
                try:
                    answer = reply(methods_of(memory), data)
                    memory.take_uses()()
                    return answer
                finally:
                    environment.done(memory)
            except MemoryError:
                raise
            except Exception as error:
                # Whoever serves goes on serving; the caller is told, and so is status.
                record(home_folder(), hook_caller().clock, explained(error))
                return troubled(explained(error))


def serve(
    port: int | None, idle_s: float | None, ready: threading.Event | None = None,
    tell: Callable[[ServerAddress], None] | None = None,
) -> ServerAddress:  # fmt: skip
    """Serve until a signal arrives, the home is gone, or there were no calls for the idle time.

    HTTP is served too if a port is given. Raises Conflict if another process serves this home.
    """
    os.umask(0o077)
    one_arena()
    home = home_folder()
    folder, path = home / "run", home / SOCKET
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if home.stat().st_uid != os.geteuid():
        raise Refused(f"{home} belongs to another user", "set TACIT_HOME to a folder of your own")
    if len(os.fsencode(path)) > _LONGEST_SOCKET:
        raise UsageError(f"{path} is too long for the path of a socket", "choose a shorter TACIT_HOME")
    with _alone(home / LOCK) as lock:
        # Before a socket is there, nobody else may have a look at the folder it will be in.
        folder.chmod(0o700)
        environments = HookEnvironments()
        work = BackgroundWork(environments.held)
        desk = _Desk(environments, work.wake)
        desk.warm_up()
        door = HookSocket(path, desk)
        try:
            with _http(port, home, desk) as (found, token):
                facts = ServerAddress(os.getpid(), found, str(path), token)
                write_atomic(home / SERVING, json.dumps(facts._asdict()).encode(), durable=False)
                if tell:
                    tell(facts)
                _run(door, desk, work, idle_s, lambda: _is_held_by(lock, home / LOCK), ready)
                # First of all nobody is sent here any more; then who is here is answered.
                if _is_held_by(lock, home / LOCK):
                    path.unlink(missing_ok=True)
                    (home / SERVING).unlink(missing_ok=True)
                _last_calls(desk)
        finally:
            door.socket.close()
            _last_try(environments.held, home)
            environments.close()
    return facts


def _http(port: int | None, home: Path, desk: _Desk) -> AbstractContextManager[tuple[int, str]]:
    """Serve HTTP if a port is given, and give the port and the file of the token."""
    if port is None:
        return nullcontext((0, ""))
    from tacit.doors.http_door import http_door

    return http_door(port, home, desk)


def _last_calls(desk: _Desk) -> None:
    until = time.monotonic() + _LAST_CALLS_S
    while desk.busy and time.monotonic() < until:
        time.sleep(_POLL_S / 5)


def _last_try(held: HeldCalls, home: Path) -> None:
    """Store what was kept in memory while the disk was full; what still cannot be stored is lost, which is told."""
    said = held.retry()
    if lost := held.left_behind():
        said = f"the disk is full: the helper ended, and {plural(lost, 'call')} it kept in memory are lost"
        with suppress(OSError):
            os.write(2, f"tacit: {said}\n".encode())
    if said:
        record(home, hook_caller().clock, said)


def _run(
    door: HookSocket, desk: _Desk, work: BackgroundWork, idle_s: float | None, has_home: Callable[[], bool],
    ready: threading.Event | None,
) -> None:  # fmt: skip
    with selectors.DefaultSelector() as waiting, _signals() as (ended, heard):
        waiting.register(door.socket, selectors.EVENT_READ)
        waiting.register(heard, selectors.EVENT_READ)
        work.start()
        if ready:
            ready.set()
        look = LOOK_EVERY_S if idle_s is None else min(LOOK_EVERY_S, max(idle_s, _POLL_S))
        try:
            while not ended.is_set():
                if any(key.fileobj is door.socket for key, _events in waiting.select(look)):
                    door.accept()
                if desk.is_over(idle_s) or not has_home():
                    break
        finally:
            work.stop()


@contextmanager
def _signals() -> Iterator[tuple[threading.Event, socket.socket]]:
    """Give an event that a signal to end sets, and a socket that becomes readable then."""
    ended = threading.Event()
    heard, tells = socket.socketpair()

    def end(*_: object) -> None:
        ended.set()
        with suppress(OSError):
            tells.send(b".")

    # Only the main thread hears signals; a test that serves in another stops it otherwise.
    main = threading.current_thread() is threading.main_thread()
    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGINT) if main}
    try:
        yield ended, heard
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        heard.close()
        tells.close()


@contextmanager
def _alone(path: Path) -> Iterator[int]:
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        until = time.monotonic() + _PROBED_S
        while not _locks(handle, fcntl.LOCK_EX):
            if time.monotonic() > until:
                raise Conflict("another `tacit serve` runs for this home", "`tacit status` shows where")
            time.sleep(_POLL_S)
        os.ftruncate(handle, 0)
        os.pwrite(handle, str(os.getpid()).encode(), 0)
        yield handle
    finally:
        os.close(handle)


def _is_held_by(handle: int, path: Path) -> bool:
    """Return whether the lock file at a path is the open one: a home that was moved or removed has another or none."""
    try:
        there = path.stat()
    except OSError:
        return False
    own = os.fstat(handle)
    return (there.st_dev, there.st_ino) == (own.st_dev, own.st_ino)


def serving(folder: Path) -> ServerAddress | None:
    """Return the address of the server of a home, or None if none is running."""
    try:
        facts = ServerAddress(**json.loads((folder / SERVING).read_text()))
    except (OSError, ValueError, TypeError):
        return None
    return facts if _is_held(folder / LOCK) else None  # what nobody holds was left behind


def stop(folder: Path, wait_s: float = 15.0) -> ServerAddress | None:
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
                f"process {facts.pid} was asked to stop and does not react", f"end it with: kill -9 {facts.pid}"
            )
        time.sleep(_POLL_S)
    return facts


def _is_held(path: Path) -> bool:
    """Return whether a server holds the lock of a home, without changing any file."""
    try:
        handle = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        return not _locks(handle, fcntl.LOCK_SH)
    finally:
        os.close(handle)


def _locks(handle: int, how: int) -> bool:
    """Lock a file without waiting, and return whether that worked."""
    try:
        fcntl.flock(handle, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
