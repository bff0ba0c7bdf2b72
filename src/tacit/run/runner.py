"""Start a command, watch it, and stop all its processes: one process group per command, bounded memory."""

from __future__ import annotations

import contextlib
import hashlib
import os
import selectors
import shutil
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, cast

from tacit.model.command_run import CommandJob, CommandResult, Ending

HEAD_BYTES = 32 * 1024
TAIL_BYTES = 96 * 1024
NEAR_BYTES = 4 * 1024
CHUNK_BYTES = 64 * 1024
# Time between SIGTERM and SIGKILL.
GRACE_S = 2.0
# The last output of a command is still in the pipe; a process it left behind may hold the pipe open for ever.
DRAIN_S = 0.3
# The capacity of a pipe, unless it was enlarged.
PIPE_BYTES = 65_536
_INTERRUPTING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_PATH = "/bin:/usr/bin:/usr/local/bin:/opt/homebrew/bin"
Watch = Callable[[bytes], None]


class ShellRunner:
    """Runs commands with bash, which the guard parses, or with sh if there is no bash."""

    def __init__(self) -> None:
        self.shell = shutil.which("bash", path=_PATH) or "/bin/sh"

    def run(self, job: CommandJob, watch: Watch | None = None) -> CommandResult:
        """Run a command until it ends, times out or is interrupted. No process of its group is left."""
        started = time.monotonic()
        held = _HeldSignals()
        try:
            child = subprocess.Popen(
                [self.shell, "-c", job.command], cwd=job.cwd, env=job.env, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True, bufsize=0,
            )  # fmt: skip
        except (OSError, ValueError) as error:
            held.release()
            return CommandResult("not_started", problem=_problem(error, job, self.shell))
        except BaseException:
            held.release()
            raise
        output = _Output(watch)
        with cast(IO[bytes], child.stdout) as pipe:
            try:
                held.release()
                ending = _follow(child, pipe, output, started + job.timeout_s)
            except KeyboardInterrupt:
                ending = "interrupted"
            except BaseException:
                _stop(child.pid, child)
                raise
            try:
                left = _stop(child.pid, child)
            except KeyboardInterrupt:
                ending, left = "interrupted", True
        code = child.returncode
        return CommandResult(
            ending, exit_code=code if code is not None and code >= 0 else None,
            signal=-code if code is not None and code < 0 else 0,
            duration_ms=round(1000 * (time.monotonic() - started)), output=output.kept, output_bytes=output.size,
            output_hash=output.digest.hexdigest(), left_behind=left and ending == "exited",
            problem="it could not be stopped: it belongs to another user" if code is None else "",
        )  # fmt: skip


class _HeldSignals:
    """Signals that interrupt wait until a command that is being started can be stopped: nobody else would stop it."""

    def __init__(self) -> None:
        self._came: list[int] = []
        self._before: dict[int, Any] = {}
        if threading.current_thread() is threading.main_thread():
            try:
                for number in _INTERRUPTING:
                    if callable(before := signal.getsignal(number)):
                        self._before[number] = before
                        signal.signal(number, lambda number, _frame: self._came.append(number))
            except BaseException:
                self._restore()
                raise

    def release(self) -> None:
        """Give the signals that came to whoever would have got them."""
        try:
            self._restore()
        finally:
            # Once more, for one that came meanwhile and was raised.
            self._restore()
        for number in self._came:
            signal.raise_signal(number)

    def _restore(self) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)


class _Output:
    """The output of a command: hashed whole, kept in part."""

    def __init__(self, watch: Watch | None) -> None:
        self.digest = hashlib.sha256()
        self.size = 0
        self._head = b""
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._watch = watch

    def add(self, chunk: bytes) -> None:
        """Add the next part."""
        self.digest.update(chunk)
        self.size += len(chunk)
        self._keep(chunk)
        # Last: when showing it is interrupted, it was already counted.
        if self._watch:
            self._watch(chunk)

    def _keep(self, chunk: bytes) -> None:
        room = HEAD_BYTES - len(self._head)
        if room > 0:
            self._head += chunk[:room]
            chunk = chunk[room:]
        if not chunk:
            return
        self._tail.append(chunk)
        self._tail_size += len(chunk)
        while self._tail_size - len(self._tail[0]) >= TAIL_BYTES:
            self._tail_size -= len(self._tail.popleft())

    @property
    def kept(self) -> bytes:
        """Return all of it, or its beginning and its end with a line between them that says how much is missing."""
        head, tail = self._head, b"".join(self._tail)[-TAIL_BYTES:]
        if self.size <= len(head) + len(tail):
            return head + tail
        # Cut between lines if one ends nearby: half a secret would not be recognised.
        head = head[: head.rfind(b"\n", -NEAR_BYTES) + 1] or head
        tail = tail[tail.find(b"\n", 0, NEAR_BYTES) + 1 :]
        missing = self.size - len(head) - len(tail)
        return head + f"\n[… {missing:,} bytes left out …]\n".encode() + tail


def _follow(child: subprocess.Popen[bytes], pipe: IO[bytes], output: _Output, deadline: float) -> Ending:
    """Read the output of a command until it has ended and its pipe is empty, or its time is over."""
    ended_r, ended_w = os.pipe()
    waiter = threading.Thread(target=_wait, args=(child, ended_w), daemon=True)
    waiter.start()
    os.set_blocking(pipe.fileno(), False)
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            selector.register(ended_r, selectors.EVENT_READ)
            return _read(pipe, selector, ended_r, output, deadline)
    finally:
        os.close(ended_r)


def _read(pipe: IO[bytes], selector: selectors.BaseSelector, ended: int, output: _Output, deadline: float) -> Ending:
    exited = at_end = False
    while not (exited and at_end):
        left_s = deadline - time.monotonic()
        if left_s <= 0 and exited and not at_end and (chunk := pipe.read(PIPE_BYTES)):
            # On a busy machine the deadline may have passed before the pipe's content was read.
            output.add(chunk)
        if left_s <= 0:
            return "exited" if exited else "timed_out"
        ready = {key.fd for key, _ in selector.select(left_s)}
        if pipe.fileno() in ready:
            chunk = pipe.read(CHUNK_BYTES)
            if chunk:
                output.add(chunk)
            elif chunk is not None:
                at_end = True
                selector.unregister(pipe)
        if ended in ready:
            exited = True
            selector.unregister(ended)
            deadline = min(deadline, time.monotonic() + DRAIN_S)
    return "exited"


def _wait(child: subprocess.Popen[bytes], ended: int) -> None:
    child.wait()
    with contextlib.suppress(OSError):
        # The reading thread may already have stopped.
        os.write(ended, b"x")
    os.close(ended)


def _stop(group: int, child: subprocess.Popen[bytes]) -> bool:
    """Stop what is left of a process group, with SIGTERM first, and return whether there was anything."""
    until = time.monotonic() + GRACE_S
    try:
        if not _signal(group, signal.SIGTERM):
            return False
        while time.monotonic() < until:
            time.sleep(0.01)
            if child.poll() is not None and not _alive(group):
                return True
    finally:
        # Also when interrupted a second time because this takes too long.
        _signal(group, signal.SIGKILL)
        _bury(child)
    return True


def _bury(child: subprocess.Popen[bytes]) -> None:
    """Wait for a command that was stopped, up to a limit, since a command of another user cannot be stopped."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(GRACE_S)


def _alive(group: int) -> bool:
    """Return whether any process of a group still runs. Zombies do not count."""
    if not Path("/proc/self/stat").exists():
        return _signal(group, 0)
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            with contextlib.suppress(OSError, IndexError):
                state, _parent, its_group, *_rest = (
                    (place / "stat").read_text(errors="replace").rpartition(")")[2].split()
                )
                if int(its_group) == group and state not in ("Z", "X"):
                    return True
    return False


def _signal(group: int, number: int) -> bool:
    """Send a signal to a process group, and return whether there was one."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _problem(error: OSError | ValueError, job: CommandJob, shell: str) -> str:
    if not Path(job.cwd).is_dir():
        return f"the directory {job.cwd} does not exist"
    if not os.access(shell, os.X_OK):
        return f"the shell {shell} does not exist"
    return f"it could not be started: {error}"
