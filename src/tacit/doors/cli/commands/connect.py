"""connect and disconnect: our hooks in an agent's own settings."""

from __future__ import annotations

import json
import os
import sys
from functools import partial
from pathlib import Path

import click

from tacit.agents.connect import SettingsChange, update_settings_file
from tacit.agents.hook_settings import plugin, with_hooks, without_hooks
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
    "from now on the guard holds back what cannot be brought back: it denies `rm -rf ~`, asks about `git tag -d v1`; "
    '`tacit guard "CMD"` says what it thinks of a command, docs/guard.md how to loosen it'
)


@click.command()
@click.argument("agent", type=click.Choice(HOOKED))
@click.option("--project", "in_project", is_flag=True, help="Only in this project.")
@click.option("--user", "for_user", is_flag=True, help="Everywhere; the default.")
@click.option("--dry-run", is_flag=True, help="Show what would change.")
@click.option(
    "--plugin",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write a Claude Code plugin to DIR instead.",
)
@options
def connect(
    door: CommandCall, agent: str, in_project: bool, for_user: bool, dry_run: bool, folder: Path | None
) -> None:
    """Put our hooks into an agent's own settings. Everything else in them stays; a backup is kept."""
    if folder is not None:
        _plugin(door, agent, folder)
        return
    path = _path(door, agent, in_project, for_user)
    change = update_settings_file(
        path, lambda settings: with_hooks(agent, settings, program()), door.guest.clock.now(), dry_run=dry_run
    )
    _tell(door, "connect", agent, change, dry_run, f"connected {agent}; {_AFTER[agent]}\n{_GUARDS}")


@click.command()
@click.argument("agent", type=click.Choice(HOOKED))
@click.option("--project", "in_project", is_flag=True)
@click.option("--user", "for_user", is_flag=True)
@click.option("--dry-run", is_flag=True, help="Show what would change.")
@options
def disconnect(door: CommandCall, agent: str, in_project: bool, for_user: bool, dry_run: bool) -> None:
    """Take our hooks out of an agent's settings, and nothing else. Only a person may."""
    if door.guest.origin.actor != "user" and not dry_run:
        raise PersonNeeded("only a person may disconnect an agent", "run it yourself in a terminal, outside the agent")
    path = _path(door, agent, in_project, for_user)
    change = update_settings_file(path, partial(without_hooks, agent), door.guest.clock.now(), dry_run=dry_run)
    _tell(door, "disconnect", agent, change, dry_run, f"disconnected {agent}")


def program() -> str:
    """Give the absolute path of the command that hooks call."""
    beside = Path(sys.executable).with_name("tacit")
    found = Path(sys.argv[0]) if Path(sys.argv[0]).name == "tacit" else beside
    path = found if found.is_absolute() else Path.cwd() / found
    if not os.access(path, os.X_OK):
        raise UsageError(f"the command tacit is not at {path}", "install it: pip install '.[all]'")
    return os.path.normpath(path)


def _path(door: CommandCall, agent: str, in_project: bool, for_user: bool) -> Path:
    if in_project and for_user:
        raise UsageError("it is this project or everywhere", "give --project or --user")
    root = git_root(door.settings.cwd) or door.settings.cwd if in_project else None
    return agent_settings(agent, root)


def _plugin(door: CommandCall, agent: str, folder: Path) -> None:
    if agent != "claude":
        raise UsageError(f"{agent} has no plugins of this kind", "leave --plugin out")
    for name, content in plugin(program()).items():
        write_atomic(folder / name, (json.dumps(content, indent=2) + "\n").encode())
    door.answer("connect", {"agent": agent, "plugin": str(folder)}, lambda: click.echo(f"wrote the plugin to {folder}"))


def _tell(door: CommandCall, thing: str, agent: str, change: SettingsChange, dry_run: bool, sentence: str) -> None:
    def show() -> None:
        from tacit.doors.cli.render import say

        say(*change.diff.splitlines())
        if not change.changed:
            say(f"nothing to change in {change.path}")
        elif dry_run:
            say("nothing was written")
        else:
            say(sentence, *([f"the file as it was: {change.backup}"] if change.backup else []))

    door.answer(thing, {"agent": agent, **change._asdict(), "dry_run": dry_run}, show)
