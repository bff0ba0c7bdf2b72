"""The folder $TACIT_HOME: writable for its owner only, because its files decide what the guard allows."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def tighten_home(home: Path) -> str:
    """Remove other users' right to write into the home; return what was changed or must be changed, else "".

    Only a folder that is certainly a home of this user is changed: a variable may name a shared folder by mistake.
    """
    try:
        status = home.stat()
    except OSError:
        return ""
    mode = stat.S_IMODE(status.st_mode)
    if not mode & _OTHERS_WRITE:
        return ""
    mine = status.st_uid == os.geteuid() and not mode & stat.S_ISVTX and (home / "stores.json").is_file()
    with suppress(OSError):
        if mine:
            home.chmod(stat.S_IRWXU)
            return f"others could write into {home} (mode {mode:04o}); now only you can (mode 0700)"
    return f"others can write into {home} (mode {mode:04o}), and so change the rules of the guard: `chmod 700` it"


def may_write(home: Path) -> bool:
    """Return whether files can be made in the home, or the home itself if it does not exist yet."""
    there = next(folder for folder in (home, *home.absolute().parents) if folder.exists())
    return os.access(there, os.W_OK)
