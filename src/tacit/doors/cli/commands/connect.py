"""connect, disconnect: add tacit's hooks to an agent's settings, and remove them."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

import click

from tacit.agents.claude_plugin import plugin_files
from tacit.agents.connect import SettingsChange, update_settings_file
from tacit.agents.hook_settings import with_hooks, without_hooks
from tacit.agents.registry import HOOKED
from tacit.app.hook_status import agent_settings
from tacit.doors.cli.command_call import CommandCall, options
from tacit.errors import PersonNeeded, UsageError
from tacit.files.atomic import write_atomic
from tacit.files.project_id import git_root

_AFTER = {
    "claude": "new sessions use them; `/hooks` in Claude Code shows them",
    "codex": "Codex asks you to trust each new hook once",
    "cursor": "new chats use them",
}

_GUARDS = (
    "the guard is active now: it denies irreversible commands such as `rm -rf ~`, and asks about `git tag -d v1`; "
    '`tacit guard "CMD"` judges a command, docs/guard.md explains how to loosen it'
)


@click.command()
@click.argument("agent", type=click.Choice(HOOKED))
@click.option("--project", "in_project", is_flag=True, help="Only in this project.")
@click.option("--user", "for_user", is_flag=True, help="In all projects; the default.")
@click.option("--dry-run", is_flag=True, help="Show what would change.")
@click.option(
    "--plugin",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write a Claude Code plugin to DIR instead.",
)
@options
def connect(
    call: CommandCall, agent: str, in_project: bool, for_user: bool, dry_run: bool, folder: Path | None
) -> None:
    """Add tacit's hooks to an agent's settings. Nothing else in them is changed; a backup is kept."""
    if folder is not None:
        _plugin(call, agent, folder)
        return
    path = _path(call, agent, in_project, for_user)
    change = update_settings_file(
        path, lambda settings: with_hooks(agent, settings, program()), call.caller.clock.now(), dry_run=dry_run
    )
    _answer(call, "connect", agent, change, dry_run, f"connected {agent}; {_AFTER[agent]}\n{_GUARDS}")


@click.command()
@click.argument("agent", type=click.Choice(HOOKED))
@click.option("--project", "in_project", is_flag=True, help="Only in this project.")
@click.option("--user", "for_user", is_flag=True, help="In all projects; the default.")
@click.option("--dry-run", is_flag=True, help="Show what would change.")
@options
def disconnect(call: CommandCall, agent: str, in_project: bool, for_user: bool, dry_run: bool) -> None:
    """Remove tacit's hooks from an agent's settings, and nothing else. Only a person may do this."""
    if call.caller.origin.actor != "user" and not dry_run:
        raise PersonNeeded("only a person may disconnect an agent", "run it yourself in a terminal, outside the agent")
    path = _path(call, agent, in_project, for_user)
    change = update_settings_file(path, partial(without_hooks, agent), call.caller.clock.now(), dry_run=dry_run)
    _answer(call, "disconnect", agent, change, dry_run, f"disconnected {agent}")


def program() -> str:
    """Return the absolute path of the command that hooks call."""
    beside = Path(sys.executable).with_name("tacit")
    found = Path(sys.argv[0]) if Path(sys.argv[0]).name == "tacit" else beside
    path = found if found.is_absolute() else Path.cwd() / found
    if not os.access(path, os.X_OK):
        raise UsageError(f"there is no executable at {path}", "install it: pip install '.[all]'")
    return os.path.normpath(path)


def _path(call: CommandCall, agent: str, in_project: bool, for_user: bool) -> Path:
    if in_project and for_user:
        raise UsageError("--project and --user cannot be combined", "use one of them")
    root = git_root(call.settings.cwd) or call.settings.cwd if in_project else None
    return agent_settings(agent, root)


def _plugin(call: CommandCall, agent: str, folder: Path) -> None:
    if agent != "claude":
        raise UsageError(f"--plugin does not apply to {agent}", "only Claude Code has plugins; omit --plugin")
    for name, content in plugin_files(program()).items():
        write_atomic(folder / name, content.encode())
    said = f"wrote the plugin to {folder}; `claude --plugin-dir {folder}` uses it"
    call.answer("connect", {"agent": agent, "plugin": str(folder)}, lambda: click.echo(said))


def _answer(call: CommandCall, thing: str, agent: str, change: SettingsChange, dry_run: bool, sentence: str) -> None:
    def show() -> None:
        from tacit.doors.cli.render import say

        say(*change.diff.splitlines())
        if not change.changed:
            say(f"nothing to change in {change.path}")
        elif dry_run:
            say("nothing was written")
        else:
            say(sentence, *([f"a backup of the file: {change.backup}"] if change.backup else []))

    call.answer(thing, {"agent": agent, **change._asdict(), "dry_run": dry_run}, show)
