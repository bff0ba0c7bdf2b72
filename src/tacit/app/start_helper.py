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
_FIRST_FD, _MOST_FDS = 3, 4096
# While one of these exists, a person may have switched everything off.
_SWITCHES = ("pause.json", "off")


def helper_words(*more: str) -> list[str]:
    """Return the command line of a helper. With -P, the folder it starts in is no place to import from."""
    return [sys.executable, "-P", "-m", "tacit", "serve", *more]


def bare_environ(home: str, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of the helper: the same whoever starts it."""
    return {name: environ[name] for name in _KEPT if name in environ} | {"TACIT_HOME": home}


def start_helper(home: str, environ: Mapping[str, str]) -> bool:
    """Start the helper of a home, unless that was tried a moment ago; return whether it was started.

    If one runs already, the new one finds the lock taken and ends.
    """
    off = environ.get("TACIT_OFF", "0") not in ("", "0")
    if off or any(os.path.exists(os.path.join(home, name)) for name in _SWITCHES):
        return False
    os.makedirs(os.path.join(home, "run"), mode=0o700, exist_ok=True)
    last = os.path.join(home, _LAST)
    try:
        # A clock that was set back must not keep the helper away.
        if 0 <= time.time() - os.stat(last).st_mtime < _AGAIN_S:
            return False
    except OSError:
        pass  # the first time
    os.close(os.open(last, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600))
    os.chdir("/")  # whoever calls this has nothing else to do
    log = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
    actions: list[tuple[int, ...] | tuple[int, int, str, int, int]] = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.path.join(home, LOG), log, 0o600),
    ]  # fmt: skip
    # An agent's own files and locks are not held for as long as the helper lives.
    actions += [(os.POSIX_SPAWN_CLOSE, number) for number in _open_fds()]
    words, bare = helper_words("--idle", IDLE), bare_environ(home, environ)
    try:
        os.posix_spawn(sys.executable, words, bare, file_actions=actions, setsid=True)
    except NotImplementedError:  # an older macOS
        os.posix_spawn(sys.executable, words, bare, file_actions=actions, setpgroup=0)
    return True


def _open_fds() -> list[int]:
    """Return the descriptors of this process that a child would inherit, beyond the three standard ones."""
    try:
        numbers = [int(name) for name in os.listdir("/dev/fd")]
    except OSError:
        numbers = list(range(_FIRST_FD, _MOST_FDS))
    found = []
    for number in numbers:
        try:
            if number >= _FIRST_FD and os.get_inheritable(number):
                found.append(number)
        except OSError:
            continue  # closed by now
    return found
