"""The writer lock: who stops, fails, is interrupted or forks holds up nobody, and no system is left without a lock."""

from __future__ import annotations

import errno
import fcntl
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tacit.files import lock as lock_module
from tacit.files.lock import LockBusy, WriterLock

_queued_only = pytest.mark.skipif(not lock_module.QUEUED, reason="needs locks of bytes")
_FORKS = """
import os, sys
from pathlib import Path
from tacit.files.lock import LockBusy, WriterLock
lock = WriterLock(Path(sys.argv[1]))
lock.acquire(1)
def in_child(act):
    child = os.fork()
    if child == 0:
        try:
            act()
        except LockBusy:
            os._exit(7)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(in_child(lambda: lock.acquire(0)), in_child(lock.release), in_child(lambda: WriterLock(lock.path).acquire(0)))
lock.release()
print(in_child(lambda: lock.acquire(0)), lock.acquire(0) >= 0)
"""


def _is_free(path: Path) -> bool:
    other = WriterLock(path)
    try:
        other.acquire(0)
    except LockBusy:
        return False
    finally:
        other.close()
    return True


@pytest.fixture
def stopped(tmp_path):
    """The descriptor of a process that is stopped in the queue, before its turn."""
    with WriterLock(tmp_path / "m").held(1):
        pass
    queue = os.open(tmp_path / "m-turn", os.O_RDWR)
    yield queue
    os.close(queue)


@_queued_only
def test_a_stopped_process_in_the_queue_is_waited_for_once(tmp_path, stopped, monkeypatch):
    """Who was overtaken no longer counts: only the first of those behind it waits until the queue is stuck."""
    lock_module._draw(stopped)
    first, second = WriterLock(tmp_path / "m"), WriterLock(tmp_path / "m")
    with pytest.raises(LockBusy):
        first.acquire(0)
    monkeypatch.setattr(lock_module, "_STUCK_S", -1)
    first.acquire(10)
    first.release()
    monkeypatch.setattr(lock_module, "_STUCK_S", 1e9)

    for writer in (first, second, first):
        writer.acquire(0)
        writer.release()
    first.close()
    second.close()


@_queued_only
def test_nothing_before_the_queue_can_be_held(tmp_path, stopped):
    """A process that is stopped while it draws a number holds up nobody: no byte before the numbers is needed."""
    fcntl.fcntl(stopped, fcntl.F_OFD_SETLK, lock_module._FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, 0, 1024, 0))

    assert _is_free(tmp_path / "m")


@_queued_only
def test_only_who_was_served_is_noted_and_never_a_smaller_number(tmp_path, stopped, monkeypatch):
    """Who gives up moves nothing; who is served after it was overtaken does not move the queue back."""
    served = lambda: lock_module._number_at(stopped, lock_module._SERVED)  # noqa: E731
    holder, late, next_one = (WriterLock(tmp_path / "m") for _ in range(3))
    holder.acquire(1)
    before = served()
    with pytest.raises(LockBusy):
        late.acquire(0)
    assert before == served()
    holder.release()
    monkeypatch.setattr(lock_module, "_STUCK_S", -1)
    number = lock_module._draw(stopped)
    next_one.acquire(1)
    next_one.release()
    after = served()
    assert after > number
    late.acquire(1)
    late._number = number
    late.release()

    assert after == served()


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(errno.EIO, "broken")], ids=["interrupt", "error"])
@pytest.mark.parametrize("place", ["waiting", "taken"])
def test_an_acquire_that_fails_leaves_nothing_locked(tmp_path, monkeypatch, place, error):
    """Whatever ends it, while it waits or when it has the lock: others get it at once, and so does it."""
    write = os.pwrite

    def fail(*_, **__):
        raise error

    def fail_at_the_holders_id(handle, data, at):
        return fail() if data.startswith(b"%d " % os.getpid()) else write(handle, data, at)

    lock = WriterLock(tmp_path / "m")
    with monkeypatch.context() as patched:
        if place == "waiting":
            patched.setattr(lock_module, "_take", fail)
        else:
            patched.setattr(os, "pwrite", fail_at_the_holders_id)
            patched.setattr(os, "ftruncate", fail)
        with pytest.raises(type(error) if isinstance(error, OSError) else error):
            lock.acquire(1)

    assert _is_free(tmp_path / "m")
    lock.acquire(0)
    assert not _is_free(tmp_path / "m")
    lock.close()


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP])
def test_where_locks_of_bytes_do_not_work_the_turnstile_does(tmp_path, monkeypatch, number):
    """WSL1, gVisor and some file systems refuse them: there is one writer at a time all the same."""

    def refused(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "fcntl", refused)
    lock = WriterLock(tmp_path / "m")
    lock.acquire(0)
    assert not _is_free(tmp_path / "m")
    lock.release()
    assert _is_free(tmp_path / "m")
    lock.close()


@pytest.mark.parametrize("platform", ["darwin", "freebsd14"])
def test_the_queue_is_used_only_where_its_layout_is_known(monkeypatch, platform):
    """macOS has such locks too, in another layout."""
    monkeypatch.setattr(sys, "platform", platform)
    spec = importlib.util.spec_from_file_location("lock_elsewhere", lock_module.__file__)
    elsewhere = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(elsewhere)

    assert not elsewhere.QUEUED


def test_a_child_does_not_use_its_parents_lock(tmp_path):
    """A fork shares open files: the child waits for its parent like anybody, and cannot release its parent's lock."""
    ran = subprocess.run(
        [sys.executable, "-c", _FORKS, str(tmp_path / "m")], capture_output=True, text=True, check=True, timeout=60
    )

    assert ["7 0 7", "0 True"] == ran.stdout.splitlines()
