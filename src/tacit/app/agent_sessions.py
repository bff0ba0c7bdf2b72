"""Which session an agent's process is in: hooks note it, and what the agent writes belongs to that session."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from tacit.files.atomic import write_atomic
from tacit.files.plain_file import read_plain
from tacit.model.person import AGENT_PROGRAMS, EDITORS
from tacit.model.session import UNKNOWN_STARTER
from tacit.run.ancestors import Process, agent_process, parents, started_by_agent

FOLDER = "run/sessions"
_MOST_BYTES = 10_000
_MOST_FILES = 200
# What was noted last for a process, so that a helper writes only what changed.
_noted: dict[tuple[int, str], tuple[tuple[str, str, str], AgentsAbove]] = {}
_MOST_ABOVE = 20


class AgentSession(NamedTuple):
    """The session of an agent's process, and the agent's name."""

    id: str
    agent: str


class AgentsAbove(NamedTuple):
    """The agents that started an agent: whether there is one (None if nobody knows), and their sessions."""

    nested: bool | None = None
    sessions: tuple[str, ...] = ()
    """Nearest first; UNKNOWN_STARTER at the end stands for an agent whose hooks were never heard."""


NO_SESSION = AgentSession("", "")
NOBODY_KNOWN = AgentsAbove()


def note_session(home: Path, pid: int, session: str, agent: str) -> AgentsAbove:
    """Note the session of the agent that started a hook, for later writes by processes of the same agent.

    Returns the agents that started this one.
    """
    process = agent_process(pid)
    if process is None:
        return NOBODY_KNOWN
    known, above = _noted.get((process.pid, process.started), (None, NOBODY_KNOWN))
    if known == (str(home), session, agent):
        return above
    above = _above(home, process, session)
    folder = home / FOLDER
    # A home that cannot be written costs the name of the session, not the answer.
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        note = {
            "started": process.started, "session": session, "agent": agent, "nested": above.nested,
            "started_by": above.sessions,
        }  # fmt: skip
        write_atomic(folder / f"{process.pid}.json", json.dumps(note).encode(), durable=False)
        if len(_noted) >= _MOST_FILES:
            _noted.clear()
        _noted[process.pid, process.started] = (str(home), session, agent), above
        _tidy(folder)
    return above


def _above(home: Path, process: Process, session: str) -> AgentsAbove:
    """Return the agents that started an agent's process: as noted at first, since whoever did may be gone."""
    note = _note(home, process)
    if isinstance(note.get("nested"), bool):
        return AgentsAbove(note["nested"], _noted_above(note))
    above = parents(process.pid)
    next(above, None)
    starter = next((one for one in map(partial(_note, home), above) if one.get("session", session) != session), None)
    if starter is not None:
        chain = (str(starter["session"]), *_noted_above(starter))
        return AgentsAbove(True, chain if len(chain) <= _MOST_ABOVE else (*chain[:_MOST_ABOVE], UNKNOWN_STARTER))
    nested = started_by_agent(process, AGENT_PROGRAMS - EDITORS)
    return AgentsAbove(nested, (UNKNOWN_STARTER,) if nested else ())


def _noted_above(note: dict[str, Any]) -> tuple[str, ...]:
    """Return the sessions that started a noted one; a note of an older version has none."""
    found = note.get("started_by")
    if isinstance(found, list):
        return tuple(str(one) for one in found)
    return (UNKNOWN_STARTER,) if note.get("nested") else ()


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
