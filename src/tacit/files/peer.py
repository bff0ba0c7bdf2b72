"""Who is at the other end of a Unix socket, and how much memory this process uses."""

from __future__ import annotations

import resource
import socket
import struct
from pathlib import Path
from typing import NamedTuple


class Peer(NamedTuple):
    """The user and the process at the other end; the process is 0 where the system does not tell."""

    uid: int
    pid: int


def peer_of(line: socket.socket) -> Peer:
    """Return who opened the other end of a Unix socket; the system vouches for it."""
    if hasattr(socket, "SO_PEERCRED"):
        pid, uid, _gid = struct.unpack("3i", line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        return Peer(uid, pid)
    # On macOS LOCAL_PEERCRED is {version, uid, …}, LOCAL_PEERPID a number.
    _version, uid = struct.unpack("2I", line.getsockopt(0, 1, 8))
    (pid,) = struct.unpack("i", line.getsockopt(0, 2, 4))
    return Peer(uid, pid)


def memory_bytes() -> int:
    """Return how much memory this process has in use; where the system does not tell, the most it ever had."""
    try:
        resident = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return resident * resource.getpagesize()


def one_arena() -> None:
    """Let all threads share one arena of glibc's allocator: each would keep several megabytes of its own."""
    import ctypes

    arena_max = -8  # M_ARENA_MAX
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(arena_max, 1)
