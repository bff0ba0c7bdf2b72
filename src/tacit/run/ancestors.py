"""The parent processes of this one, nearest first: they show who really called."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

MOST = 32


def ancestors() -> list[list[str]]:
    """Return the command line of each parent process; empty if the system does not provide it."""
    return list(_walk(os.getppid()))


def _walk(pid: int) -> Iterator[list[str]]:
    look = _proc if Path("/proc/self/stat").exists() else _ps
    for _ in range(MOST):
        if pid <= 1:
            return
        found = look(pid)
        if found is None:
            return
        pid, command = found
        yield command


def _proc(pid: int) -> tuple[int, list[str]] | None:
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")[:-1]
        # The name in parentheses may contain anything, so the fields are counted from its end.
        parent = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[1]
        return int(parent), command
    except (OSError, ValueError, IndexError):
        return None


def _ps(pid: int) -> tuple[int, list[str]] | None:
    try:
        done = subprocess.run(  # a fixed program with a number for an argument
            ["/bin/ps", "-o", "ppid=,args=", "-p", str(pid)], capture_output=True, text=True, timeout=2, check=True
        )
        parent, *command = done.stdout.split()
        return int(parent), command
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def program_names(command_lines: list[list[str]]) -> list[str]:
    """Return the names that may identify an agent: the program, and the script that an interpreter runs."""
    names = []
    for line in command_lines:
        # `python -m agent` has the agent as its third word.
        for word in line[:3] if "-m" in line[1:2] else line[:2]:
            name = Path(word).name
            names.append(name.removesuffix(".js").removesuffix(".py").removesuffix(".mjs"))
    return names
