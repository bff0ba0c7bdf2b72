"""scope: list the scopes of the store, move one into an empty one, merge two."""

from __future__ import annotations

from collections.abc import Sequence

import click

from tacit.app.verbs.scopes import Scopes
from tacit.doors.cli.command_call import CommandCall, whole_scope
from tacit.doors.cli.questions import ask_for_yes
from tacit.doors.cli.verb_commands import Given, VerbCommand, View, arguments_of, group
from tacit.model.payload import plain
from tacit.model.results import ScopeMove, ScopeSummary
from tacit.text.plural import plural

scope = group("scope", "Scopes of the store: the memory of each project, of you, of a team.")


def _listed(found: Sequence[ScopeSummary], _given: Given) -> None:
    from tacit.doors.cli.render import day, table

    rows = [
        (f"{one.scope} (here)" if one.is_here else one.scope, f"{one.records:,}", day(one.last), one.place)
        for one in found
    ]
    table(["scope", "records", "last written", "folder"], rows, empty="no scope has records yet")


def _moved(done: ScopeMove, _given: Given) -> None:
    from tacit.doors.cli.render import say

    say(f"{plural(done.records, 'record')} moved from {done.source} to {done.target}")
    if done.retired:
        say(f"{plural(len(done.retired), 'record')} retired, because {done.target} has one of the same name")
    if done.back:
        say("to move them back:", f"  {done.back}")


scope.verb(Scopes.list, View("scopes", _listed, lambda found, _given: {"scopes": plain(found)}))
scope.verb(Scopes.move, View("scope_move", _moved))


@scope.command("merge", cls=VerbCommand)
@arguments_of(Scopes.merge)
@click.option("--yes", is_flag=True, help="Do not ask.")
@whole_scope
def merge(call: CommandCall, source: str, target: str, dry_run: bool, yes: bool) -> None:
    """Move everything of a scope into one that has records. Shows the counts, and asks. Only a person may.

    Where both have a record of the same name, such as an entity, that of TO stays and the other is retired. A merge
    cannot be undone.
    """
    with call.memory() as memory:
        plan = memory.scopes.merge(source, target, dry_run=True)
        if not dry_run and not yes:
            ask_for_yes(_planned(plan), "merge", "nothing was merged")
        done = plan if dry_run else memory.scopes.merge(source, target)
    call.answer("scope_move", plain(done), lambda: _show(done, dry_run=dry_run))


def _planned(plan: ScopeMove) -> list[str]:
    lines = [
        f"{plural(plan.records, 'record')} of {plan.source} will move",
        f"into {plan.target}, which has {plural(plan.already_there, 'record')}",
    ]
    if plan.retired:
        lines.append(f"{plural(len(plan.retired), 'record')} of the same name will be retired")
    return [*lines, "a merge cannot be undone"]


def _show(done: ScopeMove, *, dry_run: bool) -> None:
    from tacit.doors.cli.render import say

    if dry_run:
        say(*_planned(done))
    else:
        _moved(done, Given())
