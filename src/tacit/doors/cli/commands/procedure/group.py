"""procedure: how things are done here; `learn procedure` is an alias."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from tacit.app.verbs.procedures import Procedures
from tacit.doors.cli.command_call import CommandCall, options, writing
from tacit.doors.cli.commands.learn_from_sessions import from_session
from tacit.doors.cli.commands.procedure.document import (
    disabled_lines,
    document,
    health_document,
    health_line,
    run_document,
    spark,
    step_notes,
    written,
    written_document,
)
from tacit.doors.cli.commands.procedure.files import export, import_, import_file
from tacit.doors.cli.commands.procedure.replay import replay
from tacit.doors.cli.commands.records import said
from tacit.doors.cli.verb_commands import Given, VerbCommand, View, arguments_of, call_verb, group, sentence
from tacit.errors import UsageError
from tacit.model.payload import plain
from tacit.model.procedure import Procedure, Run
from tacit.model.record import Record, payload_of
from tacit.model.report import Forgotten
from tacit.procedures.health import ListedProcedure, ProcedureHealth
from tacit.procedures.runs import ReportedRun
from tacit.procedures.search import ProcedureHit
from tacit.text.patterns import lazy_pattern
from tacit.text.plural import plural

NONE_YET = "no procedures yet: tacit procedure record TITLE"
FORMER_STEP_FLAGS = {"cwd": "--working-dir", "privileged": " /--unprivileged"}
FORMER_FLAGS = {"parameters": "--parameter"}

procedure = group(
    "procedure", "How things are done here: steps that worked, replayed under guard, disabled when they stop working."
)


_NUMBERED = lazy_pattern(r"(.+)-\d\d")


# -- changing ---------------------------------------------------------------------------------------------------------


@procedure.command("record", cls=VerbCommand)
@arguments_of(Procedures.record, defaults={"title": ""}, former=FORMER_FLAGS)
@click.option(
    "--from-file", "source", type=click.Path(exists=True, dir_okay=False, allow_dash=True), metavar="FILE",
    help="Import a YAML or JSONL file instead.",
)  # fmt: skip
@writing
def record_(call: CommandCall, source: str | None, **values: Any) -> None:
    """Record a procedure; add its steps with add-step, or import it from a file."""
    if source:
        import_file(call, source)
        return
    if not values["title"]:
        raise UsageError("a procedure needs a title", 'for example `tacit procedure record "Deploy staging"`')
    record = call_verb(call, Procedures.record, values)
    more = "" if values["steps"] else f'; add a step: tacit procedure add-step {record.key} "make test"'
    if numbered := _NUMBERED.fullmatch(record.key):
        call.tell(f"another procedure is called {numbered[1]} already; this one is {record.key}")
    said(call, "procedure", written_document(record, Given(call=call)), f"recorded {record.key} ({record.id}){more}")


def _step_count(record: Record, _given: Given) -> str:
    return f"{record.key} has {plural(len(payload_of(record, Procedure).steps), 'step')} now"


procedure.verb(Procedures.add_step, written(_step_count), former=FORMER_STEP_FLAGS)
procedure.verb(
    Procedures.edit_step, written(lambda record, given: f"changed step {given.number} of {record.key}"),
    former=FORMER_STEP_FLAGS,
)  # fmt: skip
procedure.verb(Procedures.remove_step, written(lambda record, given: f"removed step {given.number} of {record.key}"))
procedure.verb(
    Procedures.move_step, written(lambda record, given: f"step {given.number} of {record.key} is step {given.to} now")
)
procedure.verb(
    Procedures.describe, written(lambda record, _given: f"changed {record.key}"), "edit", aliases=("describe",),
    former=FORMER_FLAGS,
)  # fmt: skip
procedure.verb(Procedures.rename, written(lambda record, _given: f"it is {record.key} now"))
procedure.verb(
    Procedures.enable, written(lambda record, _given: f"{record.key} is enabled; its runs are counted from zero")
)
procedure.verb(Procedures.disable, written(lambda record, _given: f"{record.key} is disabled"))
procedure.verb(Procedures.merge, written(_step_count))
procedure.verb(
    Procedures.retire,
    sentence("procedure", lambda record, _given: f"retired {record.key}", lambda record, _given: document(record)),
    "remove", aliases=("retire",),
)  # fmt: skip


def _deleted(gone: Forgotten, given: Given) -> str:
    if gone.retired:
        return f"retired {given.name}; `tacit undo` brings it back, and only a person deletes a procedure for good"
    return f"deleted {plural(len(gone.ids), 'record')}"


procedure.verb(Procedures.delete, sentence("forget", _deleted), "forget", aliases=("delete",))


def _reported(reported: ReportedRun, _given: Given) -> str:
    record, health = reported
    state = f"; {record.status}" if record.status != "active" else ""
    return f"{record.key}: {health_line(health)}{state}"


def _reported_document(reported: ReportedRun, _given: Given) -> dict[str, Any]:
    record, health = reported
    return {"id": record.id, "slug": record.key, "state": record.status, **health_document(health)}


procedure.verb(Procedures.success, sentence("procedure.health", _reported, _reported_document))
procedure.verb(Procedures.failure, sentence("procedure.health", _reported, _reported_document))


# -- looking ----------------------------------------------------------------------------------------------------------


def _show(found: ProcedureHealth, _given: Given) -> None:
    from tacit.doors.cli.render import say

    record, payload = found.record, payload_of(found.record, Procedure)
    say(f"{record.key}: {record.title}  ({record.id}, {record.status}, version {record.version})")
    say(*([f"  {payload.description}"] if payload.description else []))
    say(*(f"  when: {trigger}" for trigger in payload.triggers))
    for one in payload.parameters:
        notes = [
            *([f"default {one.default!r}"] if one.default is not None else []),
            *([f"matches {one.pattern}"] if one.pattern else []),
            *(["secret"] if one.secret else []),
        ]
        say(f"  {{{{{one.name}}}}}" + (f"  {', '.join(notes)}" if notes else ""))
    for number, step in enumerate(payload.steps, 1):
        say(f"  {number}. {step.command}", *(f"       {line}" for line in step_notes(step)))
    if payload.disabled:
        say(*(f"  {line}" for line in disabled_lines(payload.disabled)))
    say(f"  {health_line(found.health)}" + (f"  {spark(found.recent)}" if found.recent else ""))
    say(*(f"  {line}" for line in _alike(found)))


def _alike(found: ProcedureHealth) -> list[str]:
    return [f"similar to {other}: tacit procedure merge {found.record.key} {other}" for other in found.alike]


def _show_document(found: ProcedureHealth, _given: Given) -> dict[str, Any]:
    return document(found.record, found.health) | {"recent": list(found.recent), "alike": list(found.alike)}


def _list(found: Sequence[ListedProcedure], _given: Given) -> None:
    from tacit.doors.cli.render import cell, table

    rows = [
        (r.key, r.status, len(payload_of(r, Procedure).steps), health_line(health) if health else "", cell(r.title, 50))
        for r, health, _recent in found
    ]
    table(["name", "status", "steps", "health", "title"], rows, empty=NONE_YET)


def _list_document(found: Sequence[ListedProcedure], _given: Given) -> dict[str, Any]:
    return {"procedures": [document(record, health) for record, health, _recent in found]}


def _search(found: Sequence[ProcedureHit], _given: Given) -> None:
    from tacit.doors.cli.render import say

    for one in found:
        judged = f"{one.score:.2f}; reliability {one.reliability:.2f}, {health_line(one.health)}"
        say(f"{one.record.key}: {one.record.title}  ({judged})", *(f"  {reason}" for reason in one.why))
    if not found:
        say("no procedure found")


def _search_document(found: Sequence[ProcedureHit], given: Given) -> dict[str, Any]:
    hits = [
        document(one.record, one.health)
        | {"score": round(one.score, 6), "why": list(one.why), "reliability": round(one.reliability, 4)}
        for one in found
    ]
    return {"query": given.query, "procedures": hits}


def _health(found: Sequence[ProcedureHealth], _given: Given) -> None:
    from tacit.doors.cli.render import say, table

    rows = [
        (one.record.key, one.record.status, one.health.status, f"{one.health.successes}/{one.health.runs}",
         spark(one.recent))
        for one in found
    ]  # fmt: skip
    table(["name", "status", "health", "runs", "recent"], rows, empty=NONE_YET)
    for one in found:
        lines = [
            *([f"step {one.failing_step} fails most often: {one.failing_command}"] if one.failing_step else []),
            *(f"since it worked, {change}" for change in one.changed),
            *(disabled_lines(one.disabled) if one.disabled else []),
            *_alike(one),
        ]
        if lines:
            say(f"{one.record.key}:", *(f"  {line}" for line in lines))


def _health_document(found: Sequence[ProcedureHealth], _given: Given) -> dict[str, Any]:
    return {"procedures": [
        {
            "id": one.record.id, "slug": one.record.key, "title": one.record.title, "state": one.record.status,
            **health_document(one.health), "recent": list(one.recent), "failing_step": one.failing_step or None,
            "failing_command": one.failing_command, "changed": list(one.changed), "alike": list(one.alike),
            "disabled": plain(one.disabled), "auto_disabled": bool(one.disabled and one.disabled.by == "tacit"),
        }
        for one in found
    ]}  # fmt: skip


procedure.verb(Procedures.show, View("procedure", _show, _show_document))
procedure.verb(Procedures.overview, View("procedures", _list, _list_document), "list", former={"limit": "--recent"})
procedure.verb(Procedures.search, View("procedure.search", _search, _search_document))
procedure.verb(Procedures.health, View("procedure.health", _health, _health_document))


@procedure.command("runs", cls=VerbCommand)
@arguments_of(Procedures.runs)
@options
def runs(call: CommandCall, name: str, limit: int) -> None:
    """List the runs of a procedure, newest first, or show one run by its id with the output of each step."""
    steps: list[dict[str, Any]] = []
    with call.memory() as memory:
        if name.startswith("run_"):
            record, steps = memory.procedures.run(name)
            found, shown = [record], {"run": run_document(record), "steps": steps}
        else:
            found = memory.procedures.runs(name, limit=limit)
            shown = {"runs": [run_document(one) for one in found]}

    def print_() -> None:
        from tacit.doors.cli.render import say, table

        rows = [
            (r.id, f"{r.created_at:%Y-%m-%d %H:%M}", _ended(payload_of(r, Run)), payload_of(r, Run).reason)
            for r in found
        ]
        table(["run", "started", "outcome", "why"], rows, empty="it has not been run yet")
        for step in steps:
            output = str(step.get("output", "")).splitlines()
            say(f"{step['number']}. {step['command']}: {step['state']}", *(f"  | {line}" for line in output))

    call.answer("run" if steps else "runs", shown, print_)


def _ended(run: Run) -> str:
    return "unfinished" if run.outcome == "running" else f"{run.outcome} (reported)" if run.reported else run.outcome


for command in (replay, export, import_, from_session):
    procedure.add_command(command)
