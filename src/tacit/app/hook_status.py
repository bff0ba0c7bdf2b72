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

from tacit.agents.agent import Places, places
from tacit.agents.agent_files import AgentFile, agent_files
from tacit.agents.connect import entries_at
from tacit.agents.hook_settings import hook_words
from tacit.agents.registry import HOOKED, agent, dialect
from tacit.app.backlog import backlog
from tacit.app.config import Settings
from tacit.files.hook_errors import CAPTURED, JOURNAL, count_since, last
from tacit.files.project_id import git_root
from tacit.model.command_run import CommandJob
from tacit.model.report import Finding
from tacit.run.runner import ShellRunner
from tacit.text.plural import plural

Level = Literal["ok", "hint", "warning", "error"]
_LATELY = timedelta(days=7)
# No guard lets this pass, and nothing runs it: the hook is asked about it, as the agent would.
_PROBE = "rm -rf /"


def files_of_agent(agent: str, project: Path | None = None) -> list[AgentFile]:
    """Return the files that connect an agent: the user's, or a project's. The first one has its hooks."""
    return agent_files(agent, _places(), project)


def is_installed(name: str) -> bool:
    """Return whether an agent is on this machine: its program, or the folder that holds its settings."""
    if shutil.which(name):
        return True
    where = _places()
    own = [dialect(name).settings.user(where).parent, *agent(name).folders(where)]
    return any(folder != where.home and folder.is_dir() for folder in own)


def _places() -> Places:
    return places(Path(os.environ.get("HOME") or Path.home()), os.environ)


def hooks_state(settings: Settings) -> dict[str, Any]:
    """Report on hooks: connected agents, last capture, queued work, the last problem."""
    root = git_root(settings.cwd)
    files = {
        file.path: (agent, file)
        for agent in HOOKED
        for project in (None, root)[: 2 if root else 1]
        for file in files_of_agent(agent, project)[:1]
    }
    connected = [
        {"agent": agent, "file": str(path), "command": command}
        for path, (agent, file) in files.items()
        for command in entries_at(file).lines
    ]
    try:
        captured = datetime.fromtimestamp((settings.home / CAPTURED).stat().st_mtime, UTC).isoformat()
    except OSError:
        captured = ""
    home, since = settings.home, datetime.now(UTC) - _LATELY
    return {
        "connected": connected,
        "guard_off": settings.guard.off,
        "last_capture": captured,
        **backlog(home),
        "last_problem": last(home / JOURNAL),
        "problems_in_7_days": count_since(home / JOURNAL, since),
    }


def hook_findings(settings: Settings) -> list[Finding]:
    """Check the hooks of every connected agent with a real call."""
    state = hooks_state(settings)
    found = []
    if not state["connected"]:
        found.append(_finding("hint", "no agent is connected", "`tacit connect` lists the agents on this machine"))
    found += [_answers(settings, one["agent"], one["file"], one["command"]) for one in state["connected"]]
    root = git_root(settings.cwd)
    for name, path in dict.fromkeys((one["agent"], one["file"]) for one in state["connected"]):
        is_project = root is not None and Path(path).is_relative_to(root)
        found += [
            _finding("warning", f"{name}: {why}", "as long as this is so, the agent runs without tacit")
            for why in dialect(name).ignored(_places(), root if is_project else None)
        ]
    if state["waiting"]:
        message = f"{state['waiting']} captures wait in the spool"
        found.append(_finding("warning", message, "the next hook or `tacit maintain` stores them"))
    if state["held"]:
        message = f"{plural(state['held'], 'call')} kept in the memory of the helper, as the disk is full"
        found.append(_finding("warning", message, "make room on the disk; if the helper ends before, they are lost"))
    if count := state["sessions_waiting"]:
        message = f"{plural(count, 'session')} waiting to be learned from"
        found.append(_finding("warning", message, "`tacit sync` learns now, `tacit serve --detach` as they end"))
    if state["set_aside"]:
        message = f"{plural(state['set_aside'], 'file')} could not be stored and set aside: {named_aside(state)}"
        found.append(_finding("warning", message, f"look at them in {settings.home}, then delete them"))
    if count := state["problems_in_7_days"]:
        message = f"{count} problems in 7 days, the last: {state['last_problem'].get('problem', '')}"
        found.append(_finding("warning", message, f"{settings.home / JOURNAL} lists them all"))
    return found


def named_aside(state: dict[str, Any]) -> str:
    """Return the names of the files that were set aside, the first of them if there are many."""
    more = f" and {rest} more" if (rest := state["set_aside"] - len(state["set_aside_files"])) else ""
    return ", ".join(state["set_aside_files"]) + more


def _answers(settings: Settings, agent: str, file: str, command: str) -> Finding:
    """Send a connected hook a command that the guard always denies, as the agent would; return whether it denies."""
    event = next(iter(dialect(agent).events))
    asked = json.dumps({"hook_event_name": event, "tool_name": "Bash", "tool_input": {"command": _PROBE},
                        "cwd": str(settings.cwd), "session_id": "doctor"})  # fmt: skip
    words = _own_words(settings, command, agent)
    program = _program(command)
    if program.is_absolute() and not program.exists():
        message = f"{agent}: {file} calls {program}, which does not exist: the agent runs without tacit"
        return _finding("error", message, f"`tacit connect {agent}` builds it again")
    if not words:
        message = f"{agent}: {file} calls something that is not `tacit hook {agent}`: {command[:200]}"
        return _finding(
            "error", message, "it was not run; look at the file, then `tacit connect` writes the command again"
        )
    line = f"printf %s {shlex.quote(asked)} | {shlex.join(words)}"
    # With a variable of its own the hook does the work itself: looking at it starts no helper.
    environ = dict(os.environ) | {"TACIT_PROBE": "1"}
    ran = ShellRunner().run(CommandJob(line, str(settings.cwd), environ, 20))
    said, hint = f"{agent}: {file}", f"`tacit connect {agent}` writes the command again"
    if ran.exit_code == 0 and dialect(agent).denial in ran.output:
        return _finding("ok", f"{said} answers")
    if ran.exit_code == 0 and ran.output.strip() == b"{}" and settings.guard.off:
        return _finding("hint", f"{said} answers, and does not guard", settings.guard.off)
    if ran.exit_code == 0 and ran.output.strip() == b"{}":
        off = settings.off or "`tacit status` and hooks.jsonl may show the reason"
        return _finding("hint" if settings.off else "error", f"{said} answers, but the answer is empty", off)
    return _finding("error", f"{said} does not answer: {command}", hint)


def _program(command: str) -> Path:
    try:
        return Path(next(iter(shlex.split(command)), ""))
    except ValueError:
        return Path()


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
    rest = hook_words(words)
    plain = rest[:1] == [agent] and len(rest) <= 2 and all(word.isalnum() for word in rest[1:])
    return words if plain and not inside else []


def _finding(level: Level, message: str, hint: str = "") -> Finding:
    return Finding(level=level, subject="hooks", message=message, hint=hint)
