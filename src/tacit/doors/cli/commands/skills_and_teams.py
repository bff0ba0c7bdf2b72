"""skill, persona, team, manifest, task: instructions and roles for agents, and the manifest for a host's model."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import click

from tacit.app.memory import Memory
from tacit.app.verbs.skills_and_teams import KeyedRecords, Personas, Skills, Tasks, Teams
from tacit.doors.cli.command_call import CommandCall, options, record_document
from tacit.doors.cli.commands.records import flags
from tacit.doors.cli.verb_commands import (
    Given,
    Group,
    VerbCommand,
    View,
    arguments_of,
    call_verb,
    group,
    sentence,
    verb_command,
)
from tacit.errors import UsageError
from tacit.model.payload import plain
from tacit.model.record import Record, payload_of
from tacit.model.skills_and_teams import Skill
from tacit.notes.skills_and_teams import STATUSES
from tacit.notes.task_phases import PhaseEntry

Option = Callable[..., Any]


def _shown(value: Any) -> str:
    """Return a value as people write it: lists with commas, members as kind:key."""
    if isinstance(value, list | tuple):
        return ", ".join(_shown(one) for one in value)
    if isinstance(value, dict) and set(value) <= {"kind", "id"}:
        return f"{value.get('kind', 'user')}:{value['id']}"
    return str(value)


def _show(record: Record, _given: Given) -> None:
    from tacit.doors.cli.render import say

    say(f"{record.title}  ({record.key}, {record.id}, {record.status})")
    say(*(f"  {name}: {_shown(value)}" for name, value in plain(record.payload).items()))
    say(*([record.body] if record.body else []))


def _table(kind: str) -> Callable[[Sequence[Record], Given], None]:
    def show(found: Sequence[Record], _given: Given) -> None:
        from tacit.doors.cli.render import cell, table

        about = [str(plain(one.payload).get("description", "")) for one in found]
        rows = [(r.key, r.status, cell(r.title, 40), cell(text, 60)) for r, text in zip(found, about, strict=True)]
        table(["key", "status", "name", "description"], rows, empty=f"no {kind}s")

    return show


def _records(kind: str) -> Callable[[Sequence[Record], Given], dict[str, Any]]:
    return lambda found, _given: {f"{kind}s": [record_document(one) for one in found]}


def _of(kind: str, said: Callable[[Record], str]) -> View:
    def document(record: Record, given: Given) -> dict[str, Any]:
        shown = {"id": record.id, "key": record.key, "status": record.status, kind: record_document(record)}
        return {**shown, "notices": flags(given.call, record)}

    return sentence(kind, lambda record, _given: said(record), document)


def _edit(noun: type[KeyedRecords], kind: str) -> click.Command:
    view = _of(kind, lambda record: f"{record.key} is at version {record.version}")

    @click.command("edit", cls=VerbCommand, help=f"Change a {kind}; fields that are not given keep their values.")
    @arguments_of(noun.update)
    @click.option("--description", default=None, help="What it is for, in a sentence.")
    @click.option("--set", "fields", multiple=True, metavar="FIELD=JSON", help="Another field, as JSON; repeatable.")
    @options
    def edit(call: CommandCall, description: str | None, fields: tuple[str, ...], **values: Any) -> None:
        given = {field: _value(field, text) for field, _mark, text in (one.partition("=") for one in fields)}
        given |= {"description": description} if description is not None else {}
        record = call_verb(call, noun.update, values | given)
        call.answer(kind, view.document(record, Given(call=call)), lambda: view.show(record, Given(call=call)))

    return edit


def _value(field: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise UsageError(f"the value of {field} is not JSON", f"for example --set '{field}=[\"*.py\"]'") from None


_COMMON = (
    click.option("--evidence", multiple=True, metavar="ID", help="A note it is based on; repeatable."),
    click.option("--description", default="", help="What it is for, in a sentence."),
)
_ALL = click.option(
    "--all", "statuses", is_flag=True, help="Include drafts and archived ones.",
    callback=lambda _context, _option, every: STATUSES if every else ("active",),
)  # fmt: skip


def _group(noun: type[KeyedRecords], about: str, *more: Option) -> Group:
    """Make the group of one kind; `more` are the options of its own fields."""
    kind, made = noun.KIND, group(noun.KIND, about)
    made.verb(noun.create, _of(kind, lambda record: f"added {record.key} ({record.id})"), "add", aliases=("create",),
              but=("tags",), more=(*more, *_COMMON), help=f"Add a {kind}; an existing key is refused.")  # fmt: skip
    made.verb(noun.get, View(
        kind, _show, lambda record, _given: {"id": record.id, "key": record.key, kind: record_document(record)}
    ), "show", help=f"Show a {kind}.")  # fmt: skip
    made.verb(noun.list, View(f"{kind}s", _table(kind), _records(kind)), but=("statuses",), more=(_ALL,),
              help=f"List {kind}s, sorted by key.")  # fmt: skip
    made.add_command(_edit(noun, kind))
    made.alias("update", "edit")
    made.verb(noun.archive, _of(kind, lambda record: f"archived {record.key}"), help=f"Archive a {kind}.")
    made.verb(noun.delete, _of(kind, lambda record: f"retired {record.key}"), "remove", aliases=("delete",),
              help=f"Retire a {kind}; `tacit undo` brings it back.")  # fmt: skip
    return made


def _active(found: Sequence[Record], _given: Given) -> None:
    from tacit.doors.cli.render import cell, table

    rows = [(one.key, payload_of(one, Skill).activation, cell(one.title, 60)) for one in found]
    table(["key", "activation", "name"], rows, empty="no skill applies")


skill = _group(
    Skills, "Skills: how something is done well, and when it applies.",
    click.option("--draft", "status", flag_value="draft", hidden=True),
    click.option("--tool", "allowed_tools", multiple=True, help="A tool it may use; repeatable."),
    click.option("--path", "paths", multiple=True, metavar="PATTERN", help="Files it applies to; repeatable."),
    click.option("--activation", type=click.Choice(["auto", "path", "user"]), default="user", show_default=True,
                 help="When it applies: always, for matching files, or on request."),
    click.option("--when", "when_to_use", default="", help="When to use it."),
)  # fmt: skip
skill.verb(Skills.active, View("skills", _active, _records("skill")))
persona = _group(Personas, "Personas: roles that an agent can take.")
team = _group(
    Teams, "Teams: personas and skills that work together.",
    click.option("--member", "members", multiple=True, metavar="KIND:KEY",
                 help="persona:KEY, skill:KEY or a user; repeatable."),
)  # fmt: skip


def _manifest(found: dict[str, Any], _given: Given) -> None:
    from tacit.doors.cli.render import say

    say(found["frame"])
    for heading, texts in (
        ("lessons", [f"{one['description']} [{one['status']}, {one['trust']}]" for one in found["active_lessons"]]),
        ("notes", [f"{one['content']} [{one['trust']}]" for one in found["memories"]]),
        *((name, [f"{one['name']}: {one['description']}" for one in found[f"active_{name}"]])
          for name in ("skills", "personas", "teams")),
    ):  # fmt: skip
        if texts:
            say(f"{heading}:", *(f"  {text}" for text in texts))


manifest = verb_command(
    Memory.manifest, View("manifest", _manifest), but=("statuses", "body_preview_len", "annotate_with_gate", "scopes")
)


def _phases(entries: Sequence[PhaseEntry], _given: Given) -> None:
    from tacit.doors.cli.render import cell, day, table

    rows = [(one.phase, day(one.at), one.actor, cell(one.note, 80)) for one in entries]
    table(["phase", "at", "by", "note"], rows, empty="no phases")


task = group("task", "Tasks and the phases they went through.")
task.verb(Tasks.log_phase, sentence(
    "task.phase", lambda fresh, given: f"{given.task}: {given.phase}" + ("" if fresh else " was logged before"),
    lambda fresh, given: {"task_id": given.task, "phase": given.phase, "newly_recorded": fresh},
), "log")  # fmt: skip
task.verb(Tasks.ledger, View("task", _phases, lambda entries, given: {
    "task_id": given.task, "phases": [one._asdict() | {"at": plain(one.at)} for one in entries],
}), "show")  # fmt: skip
