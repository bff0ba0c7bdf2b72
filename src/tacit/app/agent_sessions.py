"""Which session an agent's process is in: hooks note it, and what the agent writes belongs to that session."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from tacit.files.atomic import write_atomic
from tacit.files.plain_file import read_plain
from tacit.run.ancestors import agent_process, parents

FOLDER = "run/sessions"
_MOST_BYTES = 10_000
_MOST_FILES = 200
# What was noted last for a process, so that a helper writes only what changed.
_noted: dict[tuple[int, str], tuple[str, str, str]] = {}


class AgentSession(NamedTuple):
    """The session of an agent's process, and the agent's name."""

    id: str
    agent: str


NO_SESSION = AgentSession("", "")


def note_session(home: Path, pid: int, session: str, agent: str) -> None:
    """Note the session of the agent that started a hook, for later writes by processes of the same agent."""
    process = agent_process(pid)
    if process is None or _noted.get((process.pid, process.started)) == (str(home), session, agent):
        return
    folder = home / FOLDER
    # A home that cannot be written costs the name of the session, not the answer.
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        known = {"started": process.started, "session": session, "agent": agent}
        write_atomic(folder / f"{process.pid}.json", json.dumps(known).encode(), durable=False)
        if len(_noted) >= _MOST_FILES:
            _noted.clear()
        _noted[process.pid, process.started] = (str(home), session, agent)
        _tidy(folder)


def session_of(home: Path, pid: int) -> AgentSession:
    """Return the session of the nearest process above that a hook has noted; empty if there is none."""
    if not (home / FOLDER).is_dir():
        return NO_SESSION
    for one in parents(pid):
        try:
            known = json.loads(read_plain(home / FOLDER / f"{one.pid}.json", _MOST_BYTES))
            if known["started"] == one.started:
                return AgentSession(str(known["session"]), str(known["agent"]))
        except (OSError, ValueError, KeyError, TypeError):
            continue  # no hook of this process was heard, or the file is damaged
    return NO_SESSION


def _tidy(folder: Path) -> None:
    """Remove the notes of processes that have ended."""
    names = [one.name for one in folder.iterdir()]
    if len(names) <= _MOST_FILES:
        return
    for name in names:
        pid = name.removesuffix(".json")
        if not (pid.isdecimal() and next(iter(parents(int(pid))), None)):
            (folder / name).unlink(missing_ok=True)
