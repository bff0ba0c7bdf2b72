"""uninstall: remove tacit from every agent, stop the helper, and delete the home only if a person says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tacit.app.person_actions import person_only
from tacit.app.uninstall import (
    InstalledParts,
    delete_home,
    disconnect_all,
    installed_parts,
    remove_backups,
    remove_client,
)
from tacit.doors.cli.command_call import CommandCall, whole_scope
from tacit.doors.cli.questions import ask_for_yes
from tacit.errors import Refused, UsageError
from tacit.model.payload import plain
from tacit.text.plural import plural

DELETE = "delete"
PROGRAM = "pip uninstall tacit"


@click.command()
@click.option("--keep-memory", "keep", is_flag=True, help="Keep the home with the memory; do not ask about it.")
@click.option("--delete-memory", "drop", is_flag=True, help="Delete the home with the memory; do not ask about it.")
@click.option("--yes", is_flag=True, help="Do not ask about agents, backups and the helper.")
@click.option("--dry-run", is_flag=True, help="Only show what would go. Agents may do this too.")
@whole_scope
def uninstall(call: CommandCall, keep: bool, drop: bool, yes: bool, dry_run: bool) -> None:
    """Remove tacit from every agent: hooks, MCP server, backups of their files, helper. Only a person may do this.

    Then asks whether to delete the home with the memory; the default is no. `--yes` with `--keep-memory` or
    `--delete-memory` asks nothing.
    """
    if keep and drop:
        raise UsageError("--keep-memory and --delete-memory cannot be combined", "use one of them")
    parts = installed_parts(call.settings)
    if dry_run:
        call.answer(
            "uninstall", {**plain(parts), "dry_run": True}, lambda: _say(_planned(parts), "nothing was changed")
        )
        return
    person_only(call.caller, "uninstall tacit")
    if not yes:
        ask_for_yes(_planned(parts), "remove these", "nothing was changed")
    done = _remove(call)
    deleted = drop or (not keep and _wants_it_gone(call.settings.home))
    if deleted:
        delete_home(call.settings.home)
    document = {**plain(parts), **done, "home_deleted": deleted, "remains": _remains(parts, deleted), "dry_run": False}
    call.answer("uninstall", document, lambda: _say(_done(parts, done), *_remains(parts, deleted)))


def _remove(call: CommandCall) -> dict[str, Any]:
    """Disconnect all agents, then stop the helper, since a hook would start it again; then remove what is left."""
    from tacit.doors.server import stop

    home = call.settings.home
    disconnect_all(call.settings, call.caller.clock.now())
    stopped = stop(home)
    remove_client(home)
    return {"helper_stopped": bool(stopped), "backups_removed": remove_backups(call.settings)}


def _wants_it_gone(home: Path) -> bool:
    """Ask whether to delete the home; anything but the word keeps it."""
    if not home.exists():
        return False
    try:
        ask_for_yes([f"{home} has the memory and the settings"], "delete it for good", "it is kept", word=DELETE)
    except Refused:
        return False
    return True


def _planned(parts: InstalledParts) -> list[str]:
    lines = [f"{one.agent}: {', '.join(one.files)}" for one in parts.agents]
    lines = ["tacit's entries go from these files:", *(f"  {line}" for line in lines)] if lines else []
    if parts.backups:
        lines += [f"{plural(len(parts.backups), 'backup')} of agents' files:", *(f"  {one}" for one in parts.backups)]
    lines += [f"the hook program {parts.client}, and the helper if it runs"] if parts.client else []
    return lines or ["no agent is connected, and no backups are left"]


def _done(parts: InstalledParts, done: dict[str, Any]) -> list[str]:
    names = ", ".join(dict.fromkeys(one.agent for one in parts.agents))
    lines = [f"disconnected {names}" if names else "no agent was connected"]
    count = len(done["backups_removed"])
    lines += [f"removed {plural(count, 'backup')} of agents' files"] if count else []
    lines += ["stopped the helper"] if done["helper_stopped"] else []
    return [*lines, f"removed {parts.client}"] if parts.client else lines


def _remains(parts: InstalledParts, deleted: bool) -> list[str]:
    """Return what is left, and how it goes."""
    lines = [f"deleted {parts.home}" if deleted else f"kept {parts.home}, with the memory and the settings"]
    lines += [f"the store is elsewhere and stays: {parts.elsewhere}"] if parts.elsewhere else []
    return [*lines, f"to remove the program itself: {PROGRAM}"]


def _say(lines: list[str], *more: str) -> None:
    from tacit.doors.cli.render import say

    say(*lines, *more)
