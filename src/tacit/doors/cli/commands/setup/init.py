"""init: find the agents and the history on this machine, connect, import, and show what was learned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from tacit.agents.registry import HOOKED
from tacit.app.hook_status import is_installed
from tacit.doors.cli.command_call import CommandCall, whole_scope
from tacit.doors.cli.commands.import_ import preview
from tacit.doors.cli.commands.learn_from_sessions import EVERY, report
from tacit.doors.cli.commands.session.import_sessions import transcript_files, unread_elsewhere
from tacit.doors.cli.commands.setup.connect import AFTER, connect_agents, is_connected
from tacit.doors.cli.commands.setup.keep_sessions import UNASKED, ask_to_keep_sessions, is_answered
from tacit.exchange.recognise import recognise_path
from tacit.files.project_id import git_root
from tacit.loop.learn_from_sessions import SessionLearning
from tacit.model.kinds import kind_shown
from tacit.sessions.discover import DiscoveredSession
from tacit.sessions.import_result import SessionImport
from tacit.text.plural import plural

_FILES = ("CLAUDE.md", "AGENTS.md", "GEMINI.md", ".cursorrules")
_TRY = (
    'tell your agent "remember: we use pnpm, not npm", and start another session: it knows',
    "let a command fail and find the fix: the next session is stopped before it makes the same mistake",
    "`tacit log` shows what was kept and what agents got, `tacit why ID` where it comes from",
)


class _Steps:
    """The steps of one call: what is asked, what is said, and what was done."""

    def __init__(self, call: CommandCall, yes: bool) -> None:
        self.call, self._yes = call, yes
        self.asks = not yes and not call.as_json and call.caller.origin.actor == "user"
        self.skipped: list[str] = []

    def agreed(self, question: str) -> bool:
        """Return whether a step is wanted: with --yes always, else by a person's answer."""
        if self._yes:
            return True
        if self.asks:
            return click.confirm(question, default=True)
        self.skipped.append(question.rstrip("?"))
        return False

    def say(self, *lines: str) -> None:
        """Print lines for a person."""
        if not self.call.as_json:
            from tacit.doors.cli.render import say

            say(*lines)


@click.command()
@click.option("--yes", is_flag=True, help="Do every step without asking; at a terminal, also keep turns of sessions.")
@whole_scope
def init(call: CommandCall, yes: bool) -> None:
    """Set up tacit: connect the agents on this machine, and learn from their sessions in this project.

    Asks before each step. Without a terminal and without --yes, it only says what it would do.
    """
    steps = _Steps(call, yes)
    connected = _connect(steps)
    steps.say(*filter(None, [ask_to_keep_sessions(call, yes=yes)]))
    if not (yes or steps.asks or is_answered(call)):
        steps.skipped.append(UNASKED)
    imported, learnt = _learn(steps)
    files = _import_files(steps)
    if steps.skipped:
        steps.say(
            "nothing was asked, because nobody is at a terminal; with --yes it would:",
            *(f"  {one}" for one in steps.skipped),
        )
    steps.say("", "three things to try:", *(f"  {number}. {one}" for number, one in enumerate(_TRY, 1)))
    document: dict[str, Any] = {
        "connected": connected, "sessions": imported, "files": files, "would": steps.skipped,
        "learned": {
            "failures": len(learnt.failures), "fixes": len(learnt.fixes), "rules": len(learnt.corrections),
            "procedures": len(learnt.procedures), "lessons": len(learnt.lessons),
        } if learnt else {},
    }  # fmt: skip
    call.answer("init", document, lambda: None)


def _connect(steps: _Steps) -> list[str]:
    """Connect the agents that are found, and return those that are connected by now."""
    found = [name for name in HOOKED if is_installed(name)]
    if not found:
        steps.say(f"agents    none of {', '.join(HOOKED)} was found; `tacit connect AGENT` connects one later")
    done = []
    for name in found:
        if is_connected(name):
            steps.say(f"agents    {name} is connected already")
            done.append(name)
        elif steps.agreed(f"connect {name} (adds hooks and an MCP server to its settings; a backup is kept)?"):
            notices = connect_agents(steps.call, [name])
            steps.say(f"agents    {name} is connected; {AFTER[name]}", *(f"          {one}" for one in notices))
            done.append(name)
    return done


def _learn(steps: _Steps) -> tuple[int, SessionLearning | None]:
    """Import the sessions of this project and learn from them."""
    files = list(transcript_files(steps.call))
    if not files:
        steps.say("history   no sessions of agents were found on this machine yet")
        return 0, None
    call = steps.call
    with call.memory() as memory:
        with call.progress("looking for sessions") as progress:
            found = memory.sessions.discover(files, progress=progress)
        own = sum(one.scope == memory.scope for one in found)
        others = sorted({one.scope for one in found} - {memory.scope})
    if not own:
        steps.say(f"history   no session of this project was found{_of_others(steps, found, others)}")
        return 0, None
    if not steps.agreed(
        f"read {plural(own, 'session')} of this project, and learn from {'it' if own == 1 else 'them'}?"
    ):
        return 0, None
    with call.memory(writes=True) as memory:
        with call.progress("reading sessions") as progress:
            imported = memory.sessions.import_found(found, progress=progress)
        records = list(reversed(memory.sessions.list(limit=EVERY)))
        with call.progress("learning") as progress:
            learnt = memory.sessions.learn(records, progress=progress) if records else None
    steps.say(f"history   {_were_read(imported)}{_of_others(steps, found, others)}")
    if learnt is not None and not call.as_json:
        report(learnt)
    return len(records), learnt


def _import_files(steps: _Steps) -> list[str]:
    """Import the files of this project that agents read at the start of a session, and return those that were."""
    call, done = steps.call, []
    root = git_root(call.settings.cwd) or call.settings.cwd
    for path in (root / name for name in _FILES):
        if not path.is_file() or path.is_symlink():
            continue
        found = recognise_path(path)
        if steps.asks:
            with call.memory() as memory:
                preview(memory.exchange.import_(found.form, path, dry_run=True), found.why)
        if not steps.agreed(f"import {path.name} (recall finds it, and agents get it where it applies)?"):
            continue
        own = steps.asks and click.confirm(
            f"Are these your own words? Then agents get them as yours. {path.name}", False
        )
        with call.memory(writes=True) as memory:
            report = memory.exchange.import_(found.form, path, approve=own)
        counts = ", ".join(plural(count, kind_shown(kind)) for kind, count in sorted(report.written.items()))
        steps.say(f"files     {path.name}: {counts or 'nothing new'}")
        done.append(path.name)
    return done


def _were_read(imported: SessionImport) -> str:
    """Say how many sessions of this project were read, and how many were known already."""
    read, known = len(imported.new) + len(imported.grown), imported.unchanged
    return f"{plural(read, 'session')} of this project read" + (f", {known} read before" if known else "")


def _of_others(steps: _Steps, found: Sequence[DiscoveredSession], scopes: Sequence[str]) -> str:
    """Say how to read the sessions of other projects that were not read yet, if there are any."""
    count = 0 if steps.call.as_json else sum(unread_elsewhere(steps.call, found, scopes).values())
    if not count:
        return ""
    return f"; `tacit sessions import --all` reads {plural(count, 'session')} of other projects, each into its own"
