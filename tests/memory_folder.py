"""Where tests put their files: in memory, where the machine has such a folder.

A test makes a store or more, each write of which waits for the disk; a disk that others use makes that most of a run.
`TMPDIR` names another folder; what is tested there is the same. The folder goes with the run; that of a run that failed
stays until the next one.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

SHARED_MEMORY = Path("/dev/shm")
NEEDED_BYTES = 4 << 30
"""A whole run leaves about a gigabyte until its end."""
_RUN = "tt-"


def use_memory_folder(shared: Path = SHARED_MEMORY) -> Path | None:
    """Let temporary files of this process and of those it starts lie in memory, unless somebody chose a folder."""
    if "TMPDIR" in os.environ or not _is_fit(shared):
        return None
    for old in shared.glob(f"{_RUN}*"):
        if not _runs(old.name.removeprefix(_RUN)):
            shutil.rmtree(old, ignore_errors=True)
    folder = shared / f"{_RUN}{os.getpid()}"
    folder.mkdir(exist_ok=True)
    # The server of the tests may be another user's process.
    folder.chmod(0o755)
    os.environ["TMPDIR"] = str(folder)
    tempfile.tempdir = None
    return folder


def short_folder() -> str:
    """Give a folder for files that a socket lies beside: the path of a socket holds about 100 characters."""
    chosen = Path(os.environ.get("TMPDIR", ""))
    return str(chosen) if chosen.parent == SHARED_MEMORY and chosen.name.startswith(_RUN) else "/tmp"


def _runs(number: str) -> bool:
    try:
        os.kill(int(number), 0)
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False
    return True


def _is_fit(folder: Path) -> bool:
    """Tell whether it has room and lets programs run: containers often have a small one that does not."""
    if not os.access(folder, os.W_OK | os.X_OK):
        return False
    known = os.statvfs(folder)
    memory = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    runs = not known.f_flag & getattr(os, "ST_NOEXEC", 8)
    return runs and min(memory, known.f_bavail * known.f_frsize) >= NEEDED_BYTES
