"""Which session an agent's process is in: hooks note it, and what the agent writes belongs to that session."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from tacit.files.atomic import write_atomic
from tacit.files.plain_file import read_plain
from tacit.model.person import AGENT_PROGRAMS, EDITORS
from tacit.run.ancestors import Process, agent_process, parents, started_by_agent

FOLDER = "run/sessions"
_MOST_BYTES = 10_000
_MOST_FILES = 200
# What was noted last for a process, so that a helper writes only what changed.
_noted: dict[tuple[int, str], tuple[tuple[str, str, str], bool | None]] = {}


class AgentSession(NamedTuple):
    """The session of an agent's process, and the agent's name."""

    id: str
    agent: str


NO_SESSION = AgentSession("", "")


def note_session(home: Path, pid: int, session: str, agent: str) -> bool | None:
    """Note the session of the agent that started a hook, for later writes by processes of the same agent.

    Returns whether another agent started this one; None if nobody knows.
    """
    process = agent_process(pid)
    if process is None:
        return None
    known, nested = _noted.get((process.pid, process.started), (None, None))
    if known == (str(home), session, agent):
        return nested
    nested = _is_nested(home, process, session)
    folder = home / FOLDER
    # A home that cannot be written costs the name of the session, not the answer.
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        note = {"started": process.started, "session": session, "agent": agent, "nested": nested}
        write_atomic(folder / f"{process.pid}.json", json.dumps(note).encode(), durable=False)
        if len(_noted) >= _MOST_FILES:
            _noted.clear()
        _noted[process.pid, process.started] = (str(home), session, agent), nested
        _tidy(folder)
    return nested


def _is_nested(home: Path, process: Process, session: str) -> bool | None:
    """Return whether another agent started an agent's process: as noted at first, since whoever did may be gone."""
    note = _note(home, process)
    if isinstance(note.get("nested"), bool):
        return bool(note["nested"])
    above = parents(process.pid)
    next(above, None)
    others = (_note(home, one).get("session", session) != session for one in above)
    return any(others) or started_by_agent(process, AGENT_PROGRAMS - EDITORS)


def session_of(home: Path, pid: int) -> AgentSession:
    """Return the session of the nearest process above that a hook has noted; empty if there is none."""
    if not (home / FOLDER).is_dir():
        return NO_SESSION
    for one in parents(pid):
        if note := _note(home, one):
            return AgentSession(str(note["session"]), str(note["agent"]))
    return NO_SESSION


def _note(home: Path, process: Process) -> dict[str, Any]:
    """Return what hooks noted about a process; empty if none was heard, or the file is damaged."""
    try:
        note = json.loads(read_plain(home / FOLDER / f"{process.pid}.json", _MOST_BYTES))
        return note if note["started"] == process.started and {"session", "agent"} <= note.keys() else {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _tidy(folder: Path) -> None:
    """Remove the notes of processes that have ended."""
    names = [one.name for one in folder.iterdir()]
    if len(names) <= _MOST_FILES:
        return
    for name in names:
        pid = name.removesuffix(".json")
        if not (pid.isdecimal() and next(iter(parents(int(pid))), None)):
            (folder / name).unlink(missing_ok=True)
