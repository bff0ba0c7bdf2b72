"""Jobs that hooks leave behind: a session that ended is taken in and learned from when there is time for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tacit.errors import TacitError
from tacit.files.journal import JOURNAL, note
from tacit.files.spool import Spooled, drain, spool, waiting
from tacit.memory.memory import Memory
from tacit.model.hook import HookCall
from tacit.ports.clock import Clock

JOBS = "jobs"
# What a hook may do for another one: about 50 ms of reading.
QUICK_BYTES = 200_000
_QUICK_JOBS = 1
EVERYTHING = 10_000
Open = Callable[[str], Memory]
"""Opens the memory of a folder."""


def queue_session(home: Path, call: HookCall) -> None:
    """Leave a session to be taken in; a session that is left twice is taken in once, with all that is in it then."""
    if call.transcript.startswith("/"):
        spool(home / JOBS, {"agent": call.agent, "transcript": call.transcript, "cwd": call.cwd})


def work(home: Path, clock: Clock, open_memory: Open, *, quick: bool = False) -> int:
    """Work off what waits; quick does a little of it, and leaves what is large. Gives how many are left."""
    folder = home / JOBS
    if not folder.is_dir():
        return 0

    def take(job: Spooled) -> None:
        path = Path(str(job.body.get("transcript", "")))
        if quick and path.is_file() and path.stat().st_size > QUICK_BYTES:
            raise _TooLarge
        if path.is_file():
            _learn(path, str(job.body.get("agent", "")), str(job.body.get("cwd", "")), open_memory)

    try:
        for damaged in drain(folder, take, _QUICK_JOBS if quick else EVERYTHING):
            note(home / JOURNAL, clock.now(), problem=f"{damaged.name} is damaged and was set aside")
    except _TooLarge:
        pass
    except (TacitError, OSError) as error:
        note(home / JOURNAL, clock.now(), problem=f"a session could not be taken in: {error}"[:500])
    return waiting(folder)


class _TooLarge(Exception):
    """Not now: it would keep an agent waiting."""


def _learn(path: Path, agent: str, cwd: str, open_memory: Open) -> None:
    with open_memory(cwd) as memory:
        brought = memory.sessions.bring_in(memory.sessions.survey([(path, agent)], named=True))
        memory.sessions.learn([*brought.new, *brought.grown])
