"""sessions learn and procedure from-session: learn from what happened in sessions."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from tacit.app.memory import Memory
from tacit.app.verbs.procedures import Procedures
from tacit.app.verbs.sessions import in_file
from tacit.doors.cli.command_call import CommandCall, record_document, whole_scope
from tacit.doors.cli.commands.procedure.document import document
from tacit.doors.cli.verb_commands import VerbCommand, arguments_of, option_of
from tacit.doors.listed_text import on_one_line
from tacit.errors import NotFound, UsageError
from tacit.loop.learn_from_sessions import SessionLearning, SessionProcedure
from tacit.model.failure import Correction, Failure
from tacit.model.kinds import RULE
from tacit.model.payload import plain
from tacit.model.procedure import Procedure
from tacit.model.record import Record, payload_of
from tacit.text.plural import plural

MOST_SHOWN = 5
EVERY = 100_000
USED = 20
"""How many sessions are used by default."""


@click.command("learn")
@click.argument("names", nargs=-1, metavar="[SESSION]…")
@click.option("--all", "every", is_flag=True, help="Learn from every imported session.")
@click.option(
    "--limit",
    type=click.IntRange(1, EVERY),
    default=USED,
    show_default=True,
    help="Without a name: use this many of the newest.",
)
@click.option("--recent", type=click.IntRange(1, EVERY), hidden=True)
@whole_scope
def learn(call: CommandCall, names: tuple[str, ...], every: bool, limit: int, recent: int | None) -> None:
    """Learn from sessions: failures, their fixes, corrections, and repeated sequences as draft procedures."""
    with call.memory(writes=True) as memory, call.progress("reading") as progress:
        chosen = [memory.sessions.get(name) for name in names]
        found = chosen or memory.sessions.list(limit=EVERY)
        if not found:
            raise NotFound("no session was imported yet", "`tacit sessions import` imports the transcripts of agents")
        records = found if chosen or every else found[: recent or limit]
        learnt = memory.sessions.learn(list(reversed(records)), progress=progress)
    part = f"{len(records)} of {len(found)} sessions were read, the newest; --all reads all of them"
    notices = [part] if len(records) < len(found) else []
    call.answer("sessions.learn", _document(learnt, notices), lambda: report(learnt, notices))


def _document(learnt: SessionLearning, notices: list[str]) -> dict[str, Any]:
    kinds = {"failures": learnt.failures, "fixes": learnt.fixes, "corrections": learnt.corrections}
    shown: dict[str, Any] = {name: [record_document(one, body=False) for one in found] for name, found in kinds.items()}
    drafts = [document(one) for one in learnt.procedures]
    lessons = [{"id": one.id, "description": one.title} for one in learnt.lessons]
    return {
        "sessions": learnt.sessions, **shown, "procedures": drafts, "lessons": lessons,
        **plain(learnt.tended._asdict()), "unreadable": list(learnt.unreadable), "notices": notices,
    }  # fmt: skip


def report(learnt: SessionLearning, notices: Sequence[str] = ()) -> None:
    """Print what was learned from sessions."""
    from tacit.doors.cli.render import one_line, say
    from tacit.doors.cli.short_ids import shorten_ids

    say(
        f"read {plural(learnt.sessions, 'session')}: {plural(len(learnt.failures), 'failure')}, "
        f"{len(learnt.fixes)} with a known fix, {plural(len(learnt.corrections), RULE)}, "
        f"{plural(len(learnt.procedures), 'repeated sequence')}"
    )
    sections = (
        ("failed", [(one, one.title) for one in learnt.failures]),
        ("fixed", [(one, _fixed(one)) for one in learnt.fixes]),
        ("rules", [(one, _corrected(one)) for one in learnt.corrections]),
        ("draft procedures", [(one, _drafted(one)) for one in learnt.procedures]),
        ("lessons to review (tacit lesson review)", [(one, one.title) for one in learnt.lessons]),
    )
    for heading, lines in sections:
        if lines:
            # An id that is cut is not to be found.
            shown = [(record, one_line(shorten_ids(text), 100)) for record, text in lines[:MOST_SHOWN]]
            say(f"{heading}:", *(f"  {text}  ({record.id})" for record, text in shown))
            if len(lines) > MOST_SHOWN:
                say(f"  and {len(lines) - MOST_SHOWN} more: tacit learn list")
    say(*(f"not read: {problem}" for problem in learnt.unreadable[:MOST_SHOWN]))
    if len(learnt.unreadable) > MOST_SHOWN:
        say(f"and {len(learnt.unreadable) - MOST_SHOWN} more were not read; --json lists them")
    say(*notices)


def _fixed(record: Record) -> str:
    failure = payload_of(record, Failure)
    return on_one_line(f"{failure.failing or failure.command} → {failure.fixed_by}")


def _corrected(record: Record) -> str:
    correction = payload_of(record, Correction)
    return f"{correction.original} → {correction.corrected}" if correction.original else correction.corrected


def _drafted(record: Record) -> str:
    payload = payload_of(record, Procedure)
    return f"{record.key}: {plural(len(payload.steps), 'step')}, {payload.description}"


@click.command("from-session", cls=VerbCommand)
@click.argument("session", required=False, default="")
@click.option("--last", is_flag=True, help="Use the latest imported session.")
@click.option("--file", "path", type=click.Path(exists=True, path_type=Path), help="A transcript; it is not imported.")
@click.option(
    "--agent", default="", metavar="NAME", help="The agent that wrote the file, if the file does not show it."
)
@arguments_of(Procedures.from_session, but=("transcript", "keep"))
@option_of(Procedures.from_session, "keep", type=click.STRING, multiple=False, metavar="N,N…")
@whole_scope
def from_session(
    call: CommandCall, session: str, last: bool, path: Path | None, agent: str, title: str, keep: str | None
) -> None:
    """Make a draft of the commands that worked in a session. A person enables it: tacit procedure enable."""
    if sum((bool(session), last, path is not None)) != 1:
        raise UsageError(
            "exactly one session is needed", "give its id, --last, or --file; `tacit sessions list` shows ids"
        )
    numbers = _numbers(keep or "")
    with call.memory(writes=True) as memory:
        transcript = in_file(path, agent) if path is not None else memory.sessions.open(session or latest(memory))
        chosen = numbers or (_selected(call, memory, session, path, agent) if _asks(call) else ())
        made = memory.procedures.from_session(transcript, title=title, keep=chosen)
    for one in made.varying:
        call.tell(
            f"step {one.step}: {one.word!r} was {', '.join(map(repr, one.others[:3]))} in other sessions; "
            f"`tacit procedure edit-step {made.record.key} {one.step}` with {{{{name}}}} makes it a parameter"
        )
    call.answer("procedure", _made(made), lambda: _print_draft(made))


def _made(made: SessionProcedure) -> dict[str, Any]:
    varying = [plain(one._asdict()) for one in made.varying]
    return {**document(made.record), "commands": made.commands, "varying": varying}


def _print_draft(made: SessionProcedure) -> None:
    from tacit.doors.cli.render import say

    steps, name = payload_of(made.record, Procedure).steps, made.record.key
    count = f"{plural(len(steps), 'step')} from {plural(made.commands, 'command')}"
    say(f"made {name} ({made.record.id}), a draft of {count}")
    say(*(f"  {number}. {on_one_line(step.command)}" for number, step in enumerate(steps, 1)))
    say(f"see what it would do: tacit procedure replay {name} --dry-run; use it: tacit procedure enable {name}")


def latest(memory: Memory) -> str:
    """Return the id of the latest imported session."""
    found = memory.sessions.list(limit=1)
    if not found:
        raise NotFound("no session was imported yet", "`tacit sessions import` imports the transcripts of agents")
    return found[0].id


def _asks(call: CommandCall) -> bool:
    return call.caller.origin.actor == "user" and not call.as_json and sys.stdin.isatty()


def _selected(call: CommandCall, memory: Memory, session: str, path: Path | None, agent: str) -> tuple[int, ...]:
    """Let the person at the terminal choose among the commands that worked, or whose outcome is not known."""
    from tacit.doors.cli.render import say
    from tacit.procedures.rules.repeated_commands import offered_in

    again = in_file(path, agent) if path is not None else memory.sessions.open(session or latest(memory))
    offered = offered_in(list(again), again.head.cwd)
    if not offered:
        return ()
    for number, one in enumerate(offered, 1):
        unknown = "" if one.is_certain else "  (outcome not known)"
        say(f"  {number}. {on_one_line(call.clean(one.command))}{unknown}", stderr=True)
    rest = "empty for all that worked" if any(one.is_certain for one in offered) else "the session shows no outcomes"
    answer: str = click.prompt(f"which? numbers, for example 1,3; {rest}", default="", show_default=False, err=True)
    return _numbers(answer)


def _numbers(text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if wrong := [part for part in parts if not (part.isascii() and part.isdigit())]:
        raise UsageError(f"{wrong[0][:40]!r} is not a number", "give numbers, for example 1,3")
    return tuple(int(part) for part in parts)
