"""forget: a person sees what goes and types yes; an agent is refused and told what it can do instead."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from typing import Any

import click

from tacit.app.memory import Memory
from tacit.doors.cli.command_call import CommandCall, options
from tacit.doors.cli.questions import ask_for_yes
from tacit.doors.cli.verb_commands import VerbCommand, arguments_of
from tacit.errors import PersonNeeded, Refused, UsageError
from tacit.model.kinds import kind_shown
from tacit.model.payload import plain
from tacit.model.record import short_id
from tacit.model.report import ForgetPreview, Forgotten
from tacit.text.plural import plural

MOST_SHOWN = 12
MOST_NAMED = 5


@click.command(cls=VerbCommand)
@arguments_of(Memory.forget)
@click.option("--dry-run", is_flag=True, help="Only show what would go. Agents may do this too.")
@click.option(
    "--yes", is_flag=True,
    help="Do not ask. A record that another person wrote is asked about all the same.",
)  # fmt: skip
@options
def forget(
    call: CommandCall, ids: tuple[str, ...], session: str, derived: bool, force: bool, dry_run: bool, yes: bool
) -> None:
    """Delete records for good: content, history, index and vectors. Shows what goes, and asks.

    Only a person may. Deleting cannot be undone: `tacit undo` steps over it. `tacit remove` only takes a record out of
    use, and can be undone.
    """
    if not dry_run:
        _refuse_agents(call, ids, session)
    if not ids and not session:
        raise UsageError("there is nothing to forget", "give the ids of the records to forget; `tacit list` shows them")
    with call.memory() as memory:
        found = memory.forget_preview(*ids, session=session, derived=derived)
        if dry_run:
            call.answer("forget_preview", {"records": plain(found)}, lambda: _preview(found))
            return
        if refused := next((one for one in found if one.refused), None):
            raise Refused(
                f"{refused.kind} {short_id(refused.id)}: {refused.refused}; nothing was deleted",
                "ask them; `tacit remove` takes a record out of use",
            )
        if not yes or any(one.is_others for one in found):
            ask_for_yes(
                _lines(found, "will be deleted for good"), "delete", "nothing was deleted",
                hint="`--yes` deletes without asking what nobody else wrote",
            )  # fmt: skip
        gone = memory.forget(*ids, session=session, derived=derived, force=force)
    call.answer("forget", plain(gone), lambda: _forgotten(gone))


def _preview(found: Sequence[ForgetPreview]) -> None:
    from tacit.doors.cli.render import say

    say(*_lines(found, "would go"))


def _refuse_agents(call: CommandCall, ids: Sequence[str], session: str) -> None:
    """Refuse an agent before anything is looked up, with the line that its user can type."""
    if call.caller.origin.actor == "user":
        return
    named = [*ids, *(["--session", session] if session else [])]
    take_out = f"`tacit remove {shlex.quote(ids[0])}` takes a record out of use and can be undone; " if ids else ""
    raise PersonNeeded(
        "only a person may delete records for good; nothing was deleted",
        f"{take_out}to delete for good, the user types in a terminal: `tacit forget {shlex.join(named)}`",
    )


def _lines(found: Sequence[ForgetPreview], what: str) -> list[str]:
    """List what goes; how much it is stands last, next to the question."""
    from tacit.doors.cli.render import one_line

    lines: list[str] = []
    # Turns are many alike; what was learned from a session is named before them.
    for one in sorted(found, key=lambda one: one.kind == "turn")[:MOST_SHOWN]:
        lines.append(f"  {kind_shown(one.kind)} {short_id(one.id)}: {one_line(one.text, 200)}")
        lines += (f"      {detail}" for detail in _details(one))
    if len(found) > MOST_SHOWN:
        lines.append(f"  and {len(found) - MOST_SHOWN:,} more")
    return [*lines, *_whole_sessions(found), f"{plural(len(found), 'record')} {what}"]


def _whole_sessions(found: Sequence[ForgetPreview]) -> list[str]:
    """Say what goes with the sessions, if there are some."""
    counts = Counter(one.kind for one in found)
    if not counts["session"]:
        return []
    whole = plural(counts["session"], "whole session")
    parts = f"{plural(counts['turn'], 'turn')} and {plural(counts['recap'], 'recap')}"
    # On a server turns may be in this home, where they are not listed.
    parts = parts if counts["turn"] or counts["recap"] else "all that is kept of it"
    return [f"{whole}, with {parts}; no import brings {'them' if counts['session'] > 1 else 'it'} back"]


def _details(one: ForgetPreview) -> list[str]:
    """Return what a person should know before a record goes, one line each."""
    found = [f"{plural(one.versions, 'version')}; written by {one.author}" if one.author else ""]
    found[0] = found[0] or (plural(one.versions, "version") if one.versions > 1 else "")
    named: tuple[tuple[str, Sequence[Any]], ...] = (
        ("made from it, and kept without --derived", one.derived), ("cited by", one.cited_by),
        ("facts about it, which stay", one.about_it),
    )  # fmt: skip
    found += [f"{how}: {_names(ids)}" for how, ids in named if ids]
    return [line for line in (*found, f"its file goes too: {one.file}" if one.file else "") if line]


def _names(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - MOST_NAMED} more" if len(ids) > MOST_NAMED else ""
    return ", ".join(f"{id.partition('_')[0]} {short_id(id)}" for id in ids[:MOST_NAMED]) + more


def _forgotten(gone: Forgotten) -> None:
    from tacit.doors.cli.render import say

    say(f"forgot {plural(len(gone.ids), 'record')}; this cannot be undone", *left_lines(gone.pending, gone.backups))


def left_lines(pending: bool, backups: Sequence[str]) -> list[str]:
    """Return where deleted records may still be."""
    waits = ["deletion not finished: a reader still has the log open; `tacit maintain` finishes it"] if pending else []
    return [*waits, *(f"a backup may still contain them: {path}" for path in backups)]
