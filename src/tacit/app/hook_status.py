"""Hook status: which agents are connected, whether their hooks answer, and what is queued."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from tacit.agents.connect import commands_at, settings_path
from tacit.agents.registry import HOOKED, dialect
from tacit.app.config import Settings
from tacit.files.hook_errors import CAPTURED, JOURNAL, count_since, last
from tacit.files.project_id import git_root
from tacit.files.spool import SPOOL, set_aside, waiting
from tacit.model.command_run import CommandJob
from tacit.model.report import Finding
from tacit.run.runner import ShellRunner
from tacit.text.plural import plural

Level = Literal["ok", "hint", "warning", "error"]
JOBS = "jobs"
_LATELY = timedelta(days=7)
# No guard lets this pass, and nothing runs it: the hook is asked about it, as the agent would.
_PROBE = "rm -rf /"


def agent_settings(agent: str, project: Path | None = None) -> Path:
    """Return the file that contains an agent's hooks: the user's, or a project's."""
    return settings_path(agent, Path(os.environ.get("HOME") or Path.home()), project, os.environ)


def hooks_state(settings: Settings) -> dict[str, Any]:
    """Report on hooks: connected agents, last capture, queued work, the last problem."""
    root = git_root(settings.cwd)
    places = [
        (agent, agent_settings(agent, project)) for agent in HOOKED for project in (None, root)[: 2 if root else 1]
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
    home, since = settings.home, datetime.now(UTC) - _LATELY
    return {
        "connected": connected,
        "last_capture": captured,
        "waiting": waiting(home / SPOOL),
        "sessions_waiting": waiting(home / JOBS),
        "set_aside": set_aside(home / SPOOL) + set_aside(home / JOBS),
        "last_problem": last(home / JOURNAL),
        "problems_in_7_days": count_since(home / JOURNAL, since),
    }


def hook_findings(settings: Settings) -> list[Finding]:
    """Check the hooks of every connected agent with a real call."""
    state = hooks_state(settings)
    found = []
    if not state["connected"]:
        found.append(_finding("hint", "no agent is connected", "`tacit connect claude` adds hooks to its settings"))
    found += [_answers(settings, one["agent"], one["file"], one["command"]) for one in state["connected"]]
    if state["waiting"]:
        message = f"{state['waiting']} captures wait in the spool"
        found.append(_finding("warning", message, "the next hook or `tacit maintain` stores them"))
    if count := state["sessions_waiting"]:
        message = f"{plural(count, 'session')} waiting to be learned from"
        found.append(_finding("warning", message, "`tacit sync` learns now, `tacit serve --detach` as they end"))
    if state["set_aside"]:
        message = f"{state['set_aside']} files could not be stored and were set aside"
        found.append(_finding("warning", message, f"look at them in {settings.home}/{SPOOL} and /{JOBS}, then delete"))
    if count := state["problems_in_7_days"]:
        message = f"{count} problems in 7 days, the last: {state['last_problem'].get('problem', '')}"
        found.append(_finding("warning", message, f"{settings.home / JOURNAL} lists them all"))
    return found


def _answers(settings: Settings, agent: str, file: str, command: str) -> Finding:
    """Send a connected hook a command that the guard always denies, as the agent would; return whether it denies."""
    event, tool = next(iter(dialect(agent).events.items()))
    asked = json.dumps({"hook_event_name": event, "tool_name": tool, "tool_input": {"command": _PROBE},
                        "cwd": str(settings.cwd), "session_id": "doctor"})  # fmt: skip
    words = _own_words(settings, command, agent)
    if not words:
        message = f"{agent}: {file} calls something that is not `tacit hook {agent}`: {command[:200]}"
        return _finding(
            "error", message, "it was not run; look at the file, then `tacit connect` writes the command again"
        )
    line = f"printf %s {shlex.quote(asked)} | {shlex.join(words)}"
    ran = ShellRunner().run(CommandJob(line, str(settings.cwd), dict(os.environ), 20))
    said, hint = f"{agent}: {file}", f"`tacit connect {agent}` writes the command again"
    if ran.exit_code == 0 and b'"deny"' in ran.output:
        return _finding("ok", f"{said} answers")
    if ran.exit_code == 0 and ran.output.strip() == b"{}":
        off = settings.off or "`tacit status` and hooks.jsonl may show the reason"
        return _finding("hint" if settings.off else "error", f"{said} answers, but the answer is empty", off)
    return _finding("error", f"{said} does not answer: {command}", hint)


def _own_words(settings: Settings, command: str, agent: str) -> list[str]:
    """Return the words of a hook's command if it is only `tacit hook` from outside the project; otherwise nothing.

    A repository may contain its own agent settings, and a command in these must not run because somebody runs `tacit
    doctor`.
    """
    try:
        words = shlex.split(command)
    except ValueError:
        return []
    program = Path(shutil.which(words[0]) or "") if words else Path()
    root = git_root(settings.cwd) or settings.cwd
    inside = program.resolve().is_relative_to(root.resolve()) and not Path(sys.prefix).is_relative_to(root.resolve())
    rest = words[1:]
    plain = rest[:2] == ["hook", agent] and len(rest) <= 3 and all(word.isalnum() for word in rest[2:])
    return words if plain and program.name == "tacit" and not inside else []


def _finding(level: Level, message: str, hint: str = "") -> Finding:
    return Finding(level=level, subject="hooks", message=message, hint=hint)
