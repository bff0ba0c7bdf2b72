"""connect, disconnect: add tacit to an agent's files, and remove it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from tacit.agents.agent_files import AgentFile, Entries
from tacit.agents.claude_plugin import plugin_files
from tacit.agents.connect import FileChange, connect as connect_files, disconnect as disconnect_files, entries_at
from tacit.agents.registry import ALIASES, HOOKED, NAMES
from tacit.app.config import account_home
from tacit.app.guard_switch import ALL, switch_guard
from tacit.app.hook_client import CLIENT, HookProgram, hook_program
from tacit.app.hook_status import files_of_agent, is_installed
from tacit.app.uninstall import installed_parts, remove_client
from tacit.doors.cli.command_call import CommandCall, whole_scope
from tacit.doors.cli.commands.setup.keep_sessions import ask_to_keep_sessions
from tacit.errors import PersonNeeded, UsageError
from tacit.files.atomic import write_atomic
from tacit.files.helper_wanted import is_wanted, want_helper
from tacit.files.project_id import git_root
from tacit.logs import escape

AFTER = {
    "claude": "new sessions use it; `/hooks` and `/mcp` in Claude Code show it",
    "codex": "Codex asks you to trust each new hook once (`/hooks`); `codex exec` skips hooks without trust",
    "cursor": "new chats use it",
    "gemini": "new sessions use it; `/hooks` and `/mcp` in Gemini CLI show it",
    "opencode": "OpenCode loads the plugin when it starts",
    "copilot": "new sessions use it",
    "cline": "switch hooks on in Cline's settings; new tasks use it",
}
_GUARDS = (
    "the guard is active as soon as the agent runs the hooks: it denies irreversible commands such as `rm -rf ~`, "
    "and asks about `git tag -d v1`; "
    '`tacit guard "CMD"` judges a command, docs/guard.md explains how to loosen it'
)
_UNGUARDED = (
    "the guard is off {where}: hooks neither deny nor ask about commands and files, nor protect tacit's own settings; "
    "warnings from the memory remain; `tacit connect --guard AGENT` switches it on again"
)
_HELPER = (
    "the first hook of a session starts a helper process, which ends 15 minutes after the last request; "
    "--no-helper turns it off"
)

_NO_HELPER = "no helper process is started; `tacit connect --helper AGENT` allows it"


@click.command()
@click.argument("agents", nargs=-1, metavar=f"[{'|'.join(HOOKED)}]...")
@click.option("--project", "in_project", is_flag=True, help="Only in this project.")
@click.option("--user", "for_user", is_flag=True, help="In all projects; the default.")
@click.option("--yes", is_flag=True, help="Without AGENT: connect every agent that was found.")
@click.option("--dry-run", is_flag=True, help="Show what would change.")
@click.option("--guard/--no-guard", default=None, help="Whether hooks guard here; only a person may switch it off.")
@click.option("--mcp/--no-mcp", default=True, help="Whether to register the MCP server.")
@click.option("--helper/--no-helper", default=None, help="Whether a hook may start the helper process.")
@click.option(
    "--plugin",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write a Claude Code plugin to DIR instead.",
)
@whole_scope
def connect(
    call: CommandCall, agents: tuple[str, ...], in_project: bool, for_user: bool, yes: bool, dry_run: bool,
    guard: bool | None, mcp: bool, helper: bool | None, folder: Path | None,
) -> None:  # fmt: skip
    """Add tacit's hooks and MCP server to an agent. Nothing else in its files is changed; a backup is kept.

    Without AGENT, list the agents on this machine and offer to connect each of them.
    """
    root = _root(call, in_project, for_user)
    if guard is False:
        _person(call, "switch the guard off", dry_run)
    if folder is not None:
        _plugin(call, agents, folder, dry_run)
        return
    names = list(dict.fromkeys(map(_hooked, agents)))
    if not names:
        names = _chosen(call, root, yes)
        if not names:
            return
    calls, done = _connected(call, names, root, mcp=mcp, dry_run=dry_run)
    if not dry_run:
        want_helper(call.settings.home, helper)
        if guard is not None:
            switch_guard(call.settings.home, (call.settings.project or ALL) if in_project else ALL, off=not guard)
    helper = is_wanted(call.settings.home) if helper is None or not dry_run else helper
    where = "in this project" if in_project else "in every project"
    off = not guard if guard is not None else bool(call.settings.guard.off)
    said = [_UNGUARDED.format(where=where) if off else _GUARDS, _HELPER if helper else _NO_HELPER]
    said += [calls.notice] if calls.notice else []
    said += [kept] if not dry_run and (kept := ask_to_keep_sessions(call, yes=yes)) else []
    if call.settings.home != account_home() / ".tacit":
        said.append(f"this home is {call.settings.home}: start the agent with the same TACIT_HOME, or it uses ~/.tacit")
    more = {"guard": not off, "mcp": mcp, "helper": helper}
    _answer(call, "connect", done, dry_run, said, more, is_news=guard is not None)


def _connected(
    call: CommandCall, names: Sequence[str], root: Path | None, *, mcp: bool = True, dry_run: bool = False
) -> tuple[HookProgram, list[tuple[str, Sequence[FileChange]]]]:
    """Add hooks and the MCP server to the files of agents."""
    calls = hook_program(call.settings.home, program(), build=not dry_run)
    entries = Entries((calls.line,), program() if mcp else "")
    return calls, [
        (name, connect_files(files_of_agent(name, root), entries, _now(call), dry_run=dry_run)) for name in names
    ]


def connect_agents(call: CommandCall, names: Sequence[str]) -> list[str]:
    """Connect agents in all projects, and return what is worth knowing about it."""
    calls, done = _connected(call, names, None)
    want_helper(call.settings.home, None)
    backups = [change.backup for _name, changes in done for change in changes if change.backup]
    return [*(f"a backup of the file: {path}" for path in backups), *([calls.notice] if calls.notice else [])]


def is_connected(name: str) -> bool:
    """Return whether an agent is connected for all projects."""
    return _has_hooks(files_of_agent(name))


@click.command()
@click.argument("agents", nargs=-1, required=True, metavar=f"{{{'|'.join(HOOKED)}}}...")
@click.option("--project", "in_project", is_flag=True, help="Only in this project.")
@click.option("--user", "for_user", is_flag=True, help="In all projects; the default.")
@click.option("--dry-run", is_flag=True, help="Show what would change.")
@whole_scope
def disconnect(call: CommandCall, agents: tuple[str, ...], in_project: bool, for_user: bool, dry_run: bool) -> None:
    """Remove tacit's hooks and MCP server from an agent, and nothing else. Only a person may do this."""
    _person(call, "disconnect an agent", dry_run)
    root = _root(call, in_project, for_user)
    names = list(dict.fromkeys(map(_hooked, agents)))
    done = [(name, disconnect_files(files_of_agent(name, root), _now(call), dry_run=dry_run)) for name in names]
    is_last = not dry_run and not installed_parts(call.settings).agents
    said, more = _last_one(call.settings.home) if is_last else ([], {})
    _answer(call, "disconnect", done, dry_run, said, more, is_news=bool(said))


def _last_one(home: Path) -> tuple[list[str], dict[str, Any]]:
    """Stop the helper and remove the client, which nobody calls any more; return what was done."""
    from tacit.doors.server import stop

    stopped, removed = stop(home), remove_client(home)
    said = [f"no agent is connected any more: stopped the helper, process {stopped.pid}"] if stopped else []
    said += [f"removed the hook program {home / CLIENT}"] if removed else []
    return said, {"helper_stopped": bool(stopped), "client_removed": removed}


def program() -> str:
    """Return the absolute path of this program."""
    beside = Path(sys.executable).with_name("tacit")
    found = Path(sys.argv[0]) if Path(sys.argv[0]).name == "tacit" else beside
    path = found if found.is_absolute() else Path.cwd() / found
    if not os.access(path, os.X_OK):
        raise UsageError(f"there is no executable at {path}", "install it: pip install '.[all]'")
    return os.path.normpath(path)


def _hooked(name: str) -> str:
    plain = ALIASES.get(name.lower(), name.lower())
    if plain not in HOOKED:
        what = f"{plain} has no hooks" if plain in NAMES else f"unknown agent {name[:40]!r}"
        raise UsageError(what, f"agents with hooks: {', '.join(HOOKED)}")
    return plain


def _person(call: CommandCall, what: str, dry_run: bool) -> None:
    if call.caller.origin.actor != "user" and not dry_run:
        raise PersonNeeded(f"only a person may {what}", "run it yourself in a terminal, outside the agent")


def _now(call: CommandCall) -> Any:
    return call.caller.clock.now()


def _root(call: CommandCall, in_project: bool, for_user: bool) -> Path | None:
    if in_project and for_user:
        raise UsageError("--project and --user cannot be combined", "use one of them")
    return git_root(call.settings.cwd) or call.settings.cwd if in_project else None


def _chosen(call: CommandCall, root: Path | None, yes: bool) -> list[str]:
    """Return the agents to connect of those on this machine: all, those a person agrees to, or none.

    If nobody can be asked, what was found is the answer.
    """
    found = [name for name in HOOKED if is_installed(name)]
    is_new = {name: not _has_hooks(files_of_agent(name, root)) for name in found}
    if yes and found:
        return found
    if found and not call.as_json and call.caller.origin.actor == "user":
        return [
            name for name in found
            if click.confirm(f"connect {name}?{'' if is_new[name] else ' (it is connected already)'}", is_new[name])
        ]  # fmt: skip
    lines = [f"{name}: {f'`tacit connect {name}`' if new else 'connected'}" for name, new in is_new.items()]
    listed = [{"agent": name, "connected": not new} for name, new in is_new.items()]
    call.answer(
        "connect", {"found": listed, "agents": []},
        lambda: click.echo("\n".join(lines) or f"found none of {', '.join(HOOKED)} on this machine"),
    )  # fmt: skip
    return []


def _has_hooks(files: Sequence[AgentFile]) -> bool:
    return bool(entries_at(files[0]).lines)


def _plugin(call: CommandCall, agents: Sequence[str], folder: Path, dry_run: bool) -> None:
    if list(map(_hooked, agents)) != ["claude"]:
        raise UsageError(
            "--plugin applies to claude only", "only Claude Code has plugins: `connect claude --plugin DIR`"
        )
    calls = hook_program(call.settings.home, program(), build=not dry_run)
    files = plugin_files(program(), calls.line)
    for name, content in files.items() if not dry_run else ():
        write_atomic(folder / name, content.encode())
    said = f"wrote the plugin to {folder}; `claude --plugin-dir {folder}` uses it"
    if dry_run:
        said = "\n".join([f"would write to {folder}:", *(f"  {name}" for name in files), "nothing was written"])
    document = {"agent": "claude", "plugin": str(folder), "files": sorted(files), "dry_run": dry_run}
    call.answer("connect", document, lambda: click.echo(said))


def _answer(
    call: CommandCall, thing: str, done: Sequence[tuple[str, Sequence[FileChange]]], dry_run: bool,
    said: Sequence[str], more: dict[str, Any], *, is_news: bool = False,
) -> None:  # fmt: skip
    def show() -> None:
        for agent, changes in done:
            for change in changes:
                click.echo("".join(f"{_shown(line)}\n" for line in change.diff.splitlines()), nl=False)
            if not any(change.changed for change in changes):
                click.echo(f"nothing to change in {', '.join(change.path for change in changes)}")
            elif not dry_run:
                click.echo(f"{thing}ed {agent}" + (f"; {AFTER[agent]}" if thing == "connect" else ""))
                for change in changes:
                    click.echo(f"a backup of the file: {change.backup}\n" if change.backup else "", nl=False)
        if dry_run:
            click.echo("nothing was written")
        elif is_news or any(change.changed for _agent, changes in done for change in changes):
            click.echo("\n".join(said) + ("\n" if said else ""), nl=False)

    agents = [
        {"agent": agent, "changed": any(one.changed for one in changes), "files": [one._asdict() for one in changes]}
        for agent, changes in done
    ]
    call.answer(thing, {"agents": agents, "dry_run": dry_run, **more}, show)


def _shown(line: str) -> str:
    """Return a line of a file as it can be printed; a tab stays a tab."""
    return "\t".join(map(escape, line.split("\t")))
