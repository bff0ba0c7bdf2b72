"""What of hooks is not stored yet: captures in the spool, sessions to learn from, files set aside, calls in memory."""

from __future__ import annotations

import json
import socket
import time
from pathlib import Path
from typing import Any

from tacit.files.helper_wanted import SERVING
from tacit.files.plain_file import read_plain
from tacit.files.spool import JOBS, SPOOL, set_aside, waiting
from tacit.sessions.session_jobs import waiting_sessions

HELD = b"held\n"
"""What the socket of the helper is asked: how many calls it keeps in memory, as there is no room on the disk."""
_MOST_NAMED = 5
_MOST_BYTES = 10_000
_ANSWERS_WITHIN_S = 1.0


def backlog(home: Path) -> dict[str, Any]:
    """Count what hooks captured and what is not stored yet."""
    aside = [f"{folder}/{name}" for folder in (SPOOL, JOBS) for name in set_aside(home / folder)]
    return {
        "waiting": waiting(home / SPOOL), "sessions_waiting": waiting_sessions(home / JOBS, time.time()),
        "held": held_calls(home), "set_aside": len(aside), "set_aside_files": aside[:_MOST_NAMED],
    }  # fmt: skip


def held_calls(home: Path) -> int:
    """Return how many calls the helper keeps in memory; none if no helper runs."""
    try:
        place = str(json.loads(read_plain(home / SERVING, _MOST_BYTES))["socket"])
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(_ANSWERS_WITHIN_S)
            line.connect(place)
            line.sendall(HELD)
            line.shutdown(socket.SHUT_WR)
            return int(line.recv(100))
    except (OSError, ValueError, KeyError, TypeError):
        return 0  # nobody is there, or an earlier version that does not answer
