"""sessions drop: delete what is kept of sessions and no longer to be kept."""

from __future__ import annotations

import click

from tacit.app.verbs.sessions import Sessions
from tacit.doors.cli.command_call import CommandCall, whole_scope
from tacit.doors.cli.commands.forget import left_lines
from tacit.doors.cli.questions import ask_for_yes
from tacit.doors.cli.verb_commands import VerbCommand, arguments_of
from tacit.sessions.dropping import DroppedTurns
from tacit.text.plural import plural

KEPT = (
    "nothing was deleted: sessions.keep is {keep}, so {what} stay; `tacit config set sessions.keep none` changes that"
)
NOTHING = "no turns and no recaps are kept here; `tacit forget --session` deletes the rest of a session"
_STAY = {"turns": "turns and recaps", "recap": "recaps"}


@click.command("drop", cls=VerbCommand)
@arguments_of(Sessions.drop)
@click.option("--yes", is_flag=True, help="Do not ask.")
@whole_scope
def drop(call: CommandCall, dry_run: bool, yes: bool) -> None:
    """Delete what is kept of the sessions of this project and is no longer to be kept. Only a person may.

    With `sessions.keep` at recap these are the turns, at none the turns and recaps. Sessions stay listed, and what was
    learned from them stays; `tacit forget --session` deletes all of one session.
    """
    with call.memory() as memory:
        found = memory.sessions.drop(dry_run=True)
        if not dry_run and found.sessions and not yes:
            ask_for_yes([_line(found, "of this project will be deleted for good")], "delete", "nothing was deleted")
        gone = found if dry_run else memory.sessions.drop()
    notices = _notices(gone, call.settings.sessions.keep)

    def show() -> None:
        from tacit.doors.cli.render import say

        if gone.sessions:
            say(_line(gone, "would be deleted" if dry_run else "deleted"))
        say(*notices)
        say(*left_lines(gone.pending, gone.backups))

    document = {**gone._asdict(), "backups": list(gone.backups), "dry_run": dry_run, "notices": notices}
    call.answer("sessions_drop", document, show)


def _notices(gone: DroppedTurns, keep: str) -> list[str]:
    """Say what stays, and why."""
    if gone.others:
        return [f"{gone.others:,} turns and recaps stay: somebody else wrote them"]
    if gone.sessions:
        return []
    return [KEPT.format(keep=keep, what=_STAY[keep]) if keep in _STAY else NOTHING]


def _line(found: DroppedTurns, what: str) -> str:
    kinds = [plural(found.turns, "turn")] if found.turns else []
    kinds += [plural(found.recaps, "recap")] if found.recaps else []
    return f"{' and '.join(kinds)} of {plural(found.sessions, 'session')} {what}"
