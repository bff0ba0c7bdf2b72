"""Where tests put their files: in memory, where the machine has such a folder.

A test makes a store or more, each write of which waits for the disk; a disk that others use makes that most of a run.
`TMPDIR` names another folder; what is tested there is the same.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

SHARED_MEMORY = Path("/dev/shm")
NEEDED_BYTES = 4 << 30
"""A whole run leaves less than a quarter of this behind; what a test leaves goes with the test, unless it failed."""


def use_memory_folder(folder: Path = SHARED_MEMORY) -> bool:
    """Let temporary files of this process and of those it starts lie in memory, unless somebody chose a folder."""
    if "TMPDIR" in os.environ or not _is_fit(folder):
        return False
    os.environ["TMPDIR"] = str(folder)
    tempfile.tempdir = None
    return True


def short_folder() -> str:
    """Give a folder for files that a socket lies beside: the path of a socket holds about 100 characters."""
    return str(SHARED_MEMORY) if os.environ.get("TMPDIR") == str(SHARED_MEMORY) else "/tmp"


def _is_fit(folder: Path) -> bool:
    """Tell whether it has room and lets programs run: containers often have a small one that does not."""
    if not os.access(folder, os.W_OK | os.X_OK):
        return False
    known = os.statvfs(folder)
    memory = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    runs = not known.f_flag & getattr(os, "ST_NOEXEC", 8)
    return runs and min(memory, known.f_bavail * known.f_frsize) >= NEEDED_BYTES
