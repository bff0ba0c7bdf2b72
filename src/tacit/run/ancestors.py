"""The parent processes of a process, nearest first: they show who really called."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

MOST = 32
_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "fish", "ksh", "ash", "busybox", "env", "timeout", "nohup", "setsid"})


# A process whose parent has ended is theirs.
_REAPERS = frozenset({"systemd", "init", "launchd"})


class Process(NamedTuple):
    """A process, and when it started: numbers are used again, a number together with a start is not."""

    pid: int
    started: str
    command: tuple[str, ...]


def ancestors() -> list[list[str]]:
    """Return the command line of each parent process; empty if the system does not provide it."""
    return [list(one.command) for one in parents(os.getppid())]


def parents(pid: int) -> Iterator[Process]:
    """Return a process and those above it; empty if the system does not provide them."""
    look = _proc if Path("/proc/self/stat").exists() else _ps
    for _ in range(MOST):
        if pid <= 1 or (found := look(pid)) is None:
            return
        above, process = found
        yield process
        pid = above


class Surroundings(NamedTuple):
    """The names of the variables of a process, and whether its stdin and its stderr are terminals."""

    variables: tuple[str, ...]
    ttys: tuple[bool, bool]


def surroundings(pid: int) -> Surroundings | None:
    """Return the surroundings of another process of this user; None if the system does not provide them."""
    try:
        variables = Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace").split("\0")
        ends = [str(Path(f"/proc/{pid}/fd/{number}").readlink()) for number in (0, 2)]
    except OSError:
        return None
    stdin, stderr = (end.startswith(("/dev/pts/", "/dev/tty", "/dev/console")) for end in ends)
    return Surroundings(tuple(one.partition("=")[0] for one in variables if one), (stdin, stderr))


def agent_process(pid: int) -> Process | None:
    """Return the agent's process that started a hook: the nearest one above the hook that is not a shell."""
    above = parents(pid)
    next(above, None)
    return next((one for one in above if one.command and Path(one.command[0]).name.lstrip("-") not in _SHELLS), None)


def started_by_agent(agent: Process, programs: Collection[str]) -> bool | None:
    """Return whether another agent started an agent; None if nobody is left who could tell.

    `programs` are the names of agents. Many start themselves again, so those right above with the same name are one.
    """
    above = list(parents(agent.pid))[1:]
    own, *others = ({*program_names([list(one.command)])} & {*programs} for one in (agent, *above))
    is_left = False
    for names in others:
        if names and (is_left or (own and not names & own)):
            return True
        is_left = is_left or not names
    return False if any(Path(one.command[0]).name not in _REAPERS for one in above if one.command) else None


def _proc(pid: int) -> tuple[int, Process] | None:
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")[:-1]
        # The name in parentheses may contain anything, so the fields are counted from its end.
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
        return int(fields[1]), Process(pid, fields[19], tuple(command))
    except (OSError, ValueError, IndexError):
        return None


def _ps(pid: int) -> tuple[int, Process] | None:
    import subprocess

    try:
        done = subprocess.run(  # a fixed program with a number for an argument
            ["/bin/ps", "-o", "ppid=,lstart=,args=", "-p", str(pid)], capture_output=True, text=True, timeout=2,
            check=True,
        )  # fmt: skip
        # Tue Nov 16 05:10:28 2026: five words
        parent, *rest = done.stdout.split()
        return int(parent), Process(pid, " ".join(rest[:5]), tuple(rest[5:]))
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
