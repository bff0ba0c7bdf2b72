"""`tacit doctor`: check the installation, the settings, the store and the hooks."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from tacit.app.config import Settings
from tacit.app.open import Caller, connect
from tacit.app.open_store import is_server, locate
from tacit.errors import ConfigError, TacitError
from tacit.files.home_folder import may_write, tighten_home
from tacit.files.known_stores import KnownStores
from tacit.model.report import Finding, Progress
from tacit.version import __version__

CALLERS = {"user": "a person at a terminal", "agent": "not a person at a terminal: an agent, a script or a pipe"}


def examine(
    settings: Settings, caller: Caller, store: str | Path | None = None, progress: Progress | None = None
) -> list[Finding]:
    """Check the installation and the store, even if the store does not open."""
    found = [_finding("ok", "tacit", f"{__version__}, home {settings.home}, you are {CALLERS[caller.origin.actor]}")]
    from tacit.app.guard_setup import settings_problems

    problems, notices = settings_problems(settings)
    found += [_finding("error", "settings", one.message, one.hint) for one in problems]
    found += [_finding("warning", "settings", notice) for notice in notices]
    if said := tighten_home(settings.home):
        found.append(_finding("warning", "home", said))
    if not may_write(settings.home):
        hint = "make it writable, or set TACIT_HOME to a folder that is"
        found.append(_finding("error", "home", f"{settings.home} cannot be written: nothing can be kept", hint))
    known = KnownStores(settings.home)
    location = locate(store, settings)
    try:
        listed = known.all()
    except ConfigError as error:
        return [*found, _finding("error", "known stores", error.message, error.hint)]
    for path in listed:
        if path != location and not is_server(path) and not Path(path).exists():
            hint = f"put it back, or remove its entry from {known.path}"
            found.append(_finding("warning", "known store", f"{path} is known, but its file does not exist", hint))
    try:
        with connect(settings, caller, store=store, create=False) as memory:
            status = memory.status()
            absent = _finding(
                "hint", "store", f"{status['store']} does not exist yet", "the first `tacit memorize` creates it"
            )
            found += memory.doctor(progress=progress) if status["engine"]["exists"] else [absent]
    except TacitError as error:
        found.append(_finding("error", "store", error.message, error.hint))
    # Hooks guard commands also where there is no store, or none that opens.
    from tacit.app.hook_status import hook_findings

    return found + hook_findings(settings)


def _finding(level: Literal["ok", "hint", "warning", "error"], subject: str, message: str, hint: str = "") -> Finding:
    return Finding(level=level, subject=subject, message=message, hint=hint)
