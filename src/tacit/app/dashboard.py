"""The dashboard: which memory it shows, and who asks in it."""

from __future__ import annotations

import hashlib

from tacit.app.config import Settings
from tacit.app.open import Caller, current_caller
from tacit.app.open_store import locate
from tacit.model.person import actor
from tacit.model.record import replace

_MARK_LETTERS = 8


def dashboard_caller(settings: Settings, *, is_person: bool) -> Caller:
    """Return who writes on a page: a person if the browser has shown the code from their terminal, else an agent."""
    caller = current_caller(settings)
    return replace(caller, origin=replace(caller.origin, actor="user" if is_person else "agent"))


def is_person_at_terminal(pid: int) -> bool:
    """Return whether a process is a person's: a terminal on both ends, no agent around it or above it.

    Where the system does not show another process's terminals, the processes above it decide.
    """
    from tacit.run.ancestors import parents, program_names, surroundings

    above = [list(one.command) for one in parents(pid)]
    around = surroundings(pid)
    variables = dict.fromkeys(around.variables, "") if around else {}
    ttys = around.ttys if around else (True, True)
    return bool(above) and actor(variables, ttys, program_names(above)) == "user"


def memory_mark(settings: Settings, store: str | None, scope: str, also: tuple[str, ...]) -> str:
    """Return a short name for the memory that a dashboard shows, which does not reveal its address."""
    parts = (locate(store, settings), settings.tenant, scope or settings.scope or settings.project, *sorted(also))
    return hashlib.sha256("\n".join(map(str, parts)).encode(errors="replace")).hexdigest()[:_MARK_LETTERS]
