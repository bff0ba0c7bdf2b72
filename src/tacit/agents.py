"""Agents: where their settings lie, which of our hooks are in them, and whether those answer."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from tacit.capture.wiring import EVENTS
from tacit.config import Settings
from tacit.files.journal import CAPTURED, JOURNAL, last
from tacit.files.project import git_root
from tacit.files.spool import SPOOL, waiting
from tacit.flows.wiring import commands_at, settings_path
from tacit.model.process import Job
from tacit.model.report import Finding
from tacit.run.runner import ShellRunner

Level = Literal["ok", "hint", "warning", "error"]


def agent_settings(agent: str, project: Path | None = None) -> Path:
    """Say which file holds an agent's hooks: the user's, or a project's."""
    return settings_path(agent, Path(os.environ.get("HOME") or Path.home()), project, os.environ)


def hooks_state(settings: Settings) -> dict[str, Any]:
    """Tell how hooks are doing: who is connected, when something was captured, what waits, what went wrong last."""
    root = git_root(settings.cwd)
    places = [
        (agent, agent_settings(agent, project)) for agent in EVENTS for project in (None, root)[: 2 if root else 1]
    ]
    connected = [
        {"agent": agent, "file": str(path), "command": command}
        for agent, path in dict.fromkeys(places)
        for command in commands_at(path)
    ]
    try:
        captured = datetime.fromtimestamp((settings.home / CAPTURED).stat().st_mtime, UTC).isoformat()
    except OSError:
        captured = ""
    problem = last(settings.home / JOURNAL)
    return {
        "connected": connected,
        "last_capture": captured,
        "waiting": waiting(settings.home / SPOOL),
        "last_problem": problem,
    }


def hook_findings(settings: Settings) -> list[Finding]:
    """Look at the hooks of every agent that is connected, by a real call of each."""
    state = hooks_state(settings)
    found = []
    if not state["connected"]:
        found.append(_finding("hint", "no agent is connected", "`tacit connect claude` puts hooks into its settings"))
    for one in state["connected"]:
        ran = ShellRunner().run(Job(f"printf '{{}}' | {one['command']}", str(settings.cwd), dict(os.environ), 20))
        fine = ran.exit_code == 0 and ran.output.strip() == b"{}"
        said = f"{one['agent']}: {one['file']}"
        hint = f"`tacit connect {one['agent']}` writes the command anew"
        found.append(
            _finding("ok", f"{said} answers")
            if fine
            else _finding("error", f"{said} does not answer: {one['command']}", hint)
        )
    if state["waiting"]:
        message = f"{state['waiting']} captures wait in the spool"
        found.append(_finding("warning", message, "they are taken in by the next hook, or `tacit maintain`"))
    return found


def _finding(level: Level, message: str, hint: str = "") -> Finding:
    return Finding(level=level, subject="hooks", message=message, hint=hint)
