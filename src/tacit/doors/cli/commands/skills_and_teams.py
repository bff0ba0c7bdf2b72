"""skill, persona, team, manifest, task: how things are done well, by whom, and what a host's model is to see of it."""

from __future__ import annotations

import json
from typing import Any

import click

from tacit.app.memory import Memory
from tacit.app.verbs.skills_and_teams import KeyedRecords
from tacit.doors.cli.command_call import CommandCall, options, read, record_document
from tacit.doors.cli.commands.records import flags, said
from tacit.errors import UsageError
from tacit.model.payload import plain
from tacit.model.record import Record, payload_of
from tacit.model.skills_and_teams import Skill
from tacit.notes.task_phases import PHASES


def _crew(memory: Memory, kind: str) -> KeyedRecords:
    found: KeyedRecords = {"skill": memory.skills, "persona": memory.personas, "team": memory.teams}[kind]
    return found


def _answer(door: CommandCall, kind: str, record: Record, sentence: str) -> None:
    told = {"id": record.id, "key": record.key, "status": record.status, kind: record_document(record)}
    said(door, kind, {**told, "notices": flags(door, record)}, sentence)


def _plainly(value: Any) -> str:
    """Give a value as people write it: lists with commas, members as kind:key."""
    if isinstance(value, list | tuple):
        return ", ".join(_plainly(one) for one in value)
    if isinstance(value, dict) and set(value) <= {"kind", "id"}:
        return f"{value.get('kind', 'user')}:{value['id']}"
    return str(value)


def _show(kind: str) -> click.Command:
    @click.command("show", help=f"Show a {kind}.")
    @click.argument("id")
    @options
    def show(door: CommandCall, id: str) -> None:
        with door.memory() as memory:
            record = _crew(memory, kind).get(id)

        def print_() -> None:
            from tacit.doors.cli.render import say

            say(f"{record.title}  ({record.key}, {record.id}, {record.status})")
            told = plain(record.payload)
            say(
                *(f"  {name}: {_plainly(value)}" for name, value in told.items()),
                *([record.body] if record.body else []),
            )

        door.answer(kind, {"id": record.id, "key": record.key, kind: record_document(record)}, print_)

    return show


def _list(kind: str) -> click.Command:
    @click.command("list", help=f"List {kind}s.")
    @click.option("--all", "every", is_flag=True, help="Also drafts and archived ones.")
    @options
    def list_(door: CommandCall, every: bool) -> None:
        statuses = ("draft", "active", "archived") if every else ("active",)
        with door.memory() as memory:
            found = _crew(memory, kind).list(statuses=statuses)

        def print_() -> None:
            from tacit.doors.cli.render import cell, table

            told = [(one, str(plain(one.payload).get("description", ""))) for one in found]
            rows = [(one.key, one.status, cell(one.title, 40), cell(said, 60)) for one, said in told]
            table(["key", "status", "name", "description"], rows, empty=f"no {kind}s")

        door.answer(f"{kind}s", {f"{kind}s": [record_document(one) for one in found]}, print_)

    return list_


def _update(kind: str) -> click.Command:
    @click.command("update", help=f"Change a {kind}; what is not given stays.")
    @click.argument("id")
    @click.option("--name", default=None)
    @click.option("--body", default=None, help="How it is done; `-` reads standard input.")
    @click.option("--description", default=None)
    @click.option("--set", "fields", multiple=True, metavar="FIELD=JSON", help="Another field, as JSON; repeatable.")
    @click.option("--version", "expected", type=int, default=None, help="Only if it is still this version.")
    @options
    def update(door: CommandCall, id: str, name: str | None, body: str | None, description: str | None,
               fields: tuple[str, ...], expected: int | None) -> None:  # fmt: skip
        given = {field: _value(field, text) for field, _mark, text in (one.partition("=") for one in fields)}
        given |= {"description": description} if description is not None else {}
        said_body = read(body) if body is not None else None
        with door.memory() as memory:
            record = _crew(memory, kind).update(id, expected=expected, name=name, body=said_body, **given)
        _answer(door, kind, record, f"{record.key} is at version {record.version}")

    return update


def _value(field: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise UsageError(f"{field} is no JSON", f"for example --set '{field}=[\"*.py\"]'") from None


def _archive(kind: str) -> click.Command:
    @click.command("archive", help=f"Put a {kind} aside.")
    @click.argument("id")
    @options
    def archive(door: CommandCall, id: str) -> None:
        with door.memory() as memory:
            record = _crew(memory, kind).archive(id)
        _answer(door, kind, record, f"archived {record.key}")

    return archive


def _delete(kind: str) -> click.Command:
    @click.command("delete", help=f"Take a {kind} out of use; `tacit undo` brings it back.")
    @click.argument("id")
    @options
    def delete(door: CommandCall, id: str) -> None:
        with door.memory() as memory:
            record = _crew(memory, kind).delete(id)
        _answer(door, kind, record, f"retired {record.key}")

    return delete


def _group(kind: str, about: str) -> click.Group:
    """Make the group of one kind, with the verbs all three have."""
    group = click.Group(kind, help=about)
    for verb in (_show, _list, _update, _archive, _delete):
        group.add_command(verb(kind))
    return group


skill = _group("skill", "Skills: how something is done well, and when it comes up.")
persona = _group("persona", "Personas: somebody to work as.")
team = _group("team", "Teams: who works together.")


def _common(command: Any) -> Any:
    for option in (
        click.option("--evidence", multiple=True, metavar="ID", help="A note it rests on; repeatable."),
        click.option("--description", default="", help="What it is for, in a sentence."),
        click.option("--body", default="", help="How it is done; `-` reads standard input."),
        click.option("--key", default="", help="The name to call it by; made from the name by default."),
    ):
        command = option(command)
    return command


@skill.command("create")
@click.argument("name")
@_common
@click.option("--when", "when_to_use", default="", help="When to use it.")
@click.option("--activation", type=click.Choice(["auto", "path", "user"]), default="user", show_default=True)
@click.option("--path", "paths", multiple=True, metavar="PATTERN", help="Files that bring it up; repeatable.")
@click.option("--tool", "allowed_tools", multiple=True, help="A tool it may use; repeatable.")
@click.option("--draft", is_flag=True)
@options
def skill_create(door: CommandCall, name: str, body: str, draft: bool, **fields: Any) -> None:
    """Put in a skill; one of that key is never overwritten."""
    _create(door, "skill", name, body, status="draft" if draft else "active", **fields)


@skill.command("active")
@click.option("--path", "paths", multiple=True, help="A file at hand; repeatable.")
@click.option("--name", "named", multiple=True, help="A skill somebody asked for; repeatable.")
@options
def skill_active(door: CommandCall, paths: tuple[str, ...], named: tuple[str, ...]) -> None:
    """List the skills that are up now: always, by the files at hand, or named."""
    with door.memory() as memory:
        found = memory.skills.active(paths, named)

    def print_() -> None:
        from tacit.doors.cli.render import cell, table

        rows = [(one.key, payload_of(one, Skill).activation, cell(one.title, 60)) for one in found]
        table(["key", "activation", "name"], rows, empty="no skill is up")

    door.answer("skills", {"skills": [record_document(one) for one in found]}, print_)


@persona.command("create")
@click.argument("name")
@_common
@options
def persona_create(door: CommandCall, name: str, body: str, **fields: Any) -> None:
    """Put in a persona; one of that key is never overwritten."""
    _create(door, "persona", name, body, **fields)


@team.command("create")
@click.argument("name")
@_common
@click.option(
    "--member", "members", multiple=True, metavar="KIND:KEY", help="persona:KEY, skill:KEY or a user; repeatable."
)
@options
def team_create(door: CommandCall, name: str, body: str, **fields: Any) -> None:
    """Put in a team; one of that key is never overwritten."""
    _create(door, "team", name, body, **fields)


def _create(
    door: CommandCall, kind: str, name: str, body: str, key: str = "", status: str = "active", **fields: Any
) -> None:
    with door.memory(writes=True) as memory:
        record = _crew(memory, kind).create(name, read(body), key=key, status=status, **fields)
    _answer(door, kind, record, f"kept {record.key} ({record.id})")


@click.command()
@click.option("--query", default="", help="What notes and facts are to be about.")
@click.option("--lessons", "lesson_limit", type=click.IntRange(0, 100), default=5, show_default=True)
@click.option("--notes", "note_limit", type=click.IntRange(0, 100), default=5, show_default=True)
@click.option("--skill", "skills", multiple=True)
@click.option("--persona", "personas", multiple=True)
@click.option("--team", "teams", multiple=True)
@click.option("--path", "paths", multiple=True, help="A file at hand; repeatable.")
@click.option("--budget", "budget_tokens", type=click.IntRange(1, 200_000), default=2_000, show_default=True)
@options
def manifest(door: CommandCall, **wanted: Any) -> None:
    """Print what a host's model is to see of this memory, within a budget. Assembling it is not applying it."""
    with door.memory() as memory:
        told = memory.manifest(**wanted)

    def print_() -> None:
        from tacit.doors.cli.render import say

        say(told["frame"])
        for heading, texts in (
            ("lessons", [f"{one['description']} [{one['status']}, {one['trust']}]" for one in told["active_lessons"]]),
            ("notes", [f"{one['content']} [{one['trust']}]" for one in told["memories"]]),
            *((name, [f"{one['name']}: {one['description']}" for one in told[f"active_{name}"]])
              for name in ("skills", "personas", "teams")),
        ):  # fmt: skip
            if texts:
                say(f"{heading}:", *(f"  {text}" for text in texts))

    door.answer("manifest", told, print_)


@click.group()
def task() -> None:
    """The ledger of tasks: which phases each went through."""


@task.command("log")
@click.argument("task_id")
@click.argument("phase", type=click.Choice(PHASES))
@click.option("--note", default="")
@options
def task_log(door: CommandCall, task_id: str, phase: str, note: str) -> None:
    """Log a phase of a task; logging it again is no news."""
    with door.memory(writes=True) as memory:
        fresh = memory.tasks.log_phase(task_id, phase, note)
    sentence = f"{task_id}: {phase}" if fresh else f"{task_id}: {phase} was logged before"
    said(door, "task.phase", {"task_id": task_id, "phase": phase, "newly_recorded": fresh}, sentence)


@task.command("show")
@click.argument("task_id")
@options
def task_show(door: CommandCall, task_id: str) -> None:
    """Show the phases a task went through."""
    with door.memory() as memory:
        entries = memory.tasks.ledger(task_id)

    def print_() -> None:
        from tacit.doors.cli.render import cell, day, table

        rows = [(one.phase, day(one.at), one.actor, cell(one.note, 80)) for one in entries]
        table(["phase", "at", "by", "note"], rows, empty="no phases")

    shown = [{"phase": one.phase, "at": plain(one.at), "actor": one.actor, "note": one.note} for one in entries]
    door.answer("task", {"task_id": task_id, "phases": shown}, print_)
