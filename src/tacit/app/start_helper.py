"""Start the helper in the background: with a bare environment, in a session of its own, at most once in a while."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping

IDLE = "15m"
LOG = "run/serve.log"
_LAST = "run/helper-started"
_AGAIN_S = 30.0
_KEPT = ("HOME", "PATH", "LANG")


def bare_environ(home: str, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of the helper: the same whoever starts it."""
    return {name: environ[name] for name in _KEPT if name in environ} | {"TACIT_HOME": home}


def start_helper(home: str, environ: Mapping[str, str]) -> bool:
    """Start the helper of a home, unless that was tried a moment ago; return whether it was started.

    If one runs already, the new one finds the lock taken and ends.
    """
    run = os.path.join(home, "run")
    os.makedirs(run, mode=0o700, exist_ok=True)
    last = os.path.join(home, _LAST)
    try:
        # A clock that was set back must not keep the helper away.
        if 0 <= time.time() - os.stat(last).st_mtime < _AGAIN_S:
            return False
    except OSError:
        pass  # the first time
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    os.close(os.open(last, flags, 0o600))
    words = [sys.executable, "-m", "tacit", "serve", "--idle", IDLE]
    log = os.path.join(home, LOG)
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, log, flags, 0o600),
    ]  # fmt: skip
    bare = bare_environ(home, environ)
    try:
        os.posix_spawn(sys.executable, words, bare, file_actions=actions, setsid=True)
    except NotImplementedError:  # an older macOS
        os.posix_spawn(sys.executable, words, bare, file_actions=actions, setpgroup=0)
    return True
