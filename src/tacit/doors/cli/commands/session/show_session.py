"""sessions show: a session turn by turn, from its transcript, or from what was kept of it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import click
import msgspec

from tacit.agents.transcripts import Transcript, agent_named
from tacit.app.memory import Memory
from tacit.app.verbs.sessions import in_file
from tacit.doors.cli.command_call import CommandCall, whole_scope
from tacit.doors.cli.commands.learn_from_sessions import latest
from tacit.doors.cli.commands.recap import UNDATED
from tacit.doors.listed_text import on_one_line
from tacit.errors import NotFound, UsageError
from tacit.model.payload import plain
from tacit.model.record import Record, payload_of, short_id
from tacit.model.session import Session, Turn
from tacit.sessions.rules.failed_turns import FailedTurn, failed_turns
from tacit.sessions.rules.kept_turns import kept_turns, refused_by
from tacit.sessions.rules.private_span import PrivateSpan
from tacit.sessions.rules.prompt_turns import end_of_prompt, prompt_before, telling_places
from tacit.sessions.sessions import began
from tacit.text.plural import plural

_AROUND = 3
"""How many turns are shown before and after the one that was asked for."""
_MANY = 20
"""If more turns follow a prompt, only those that tell what was done are shown."""
_ANSWER_CHARS = 1_200
_OUTPUT_LINES, _OUTPUT_CHARS = 6, 200
"""How much is shown of the end of what a command printed that failed."""
_PRIVATE = "   (private, not kept)"


class SessionScreen(msgspec.Struct):
    """A session as a document for programs, and what only people are shown of it."""

    document: dict[str, Any]
    name: str
    """What this session is called on every screen: its short id, or the agent's own id if it was not imported."""
    began: datetime | None = None
    ended: datetime | None = None
    failed: dict[int, FailedTurn] = {}
    after: str = ""
    followed_by: Sequence[str] = ()
    read: Sequence[Turn] = ()
    """All turns of the session, of which the document may have some."""
    opens: str = ""
    """The command that shows the session, without options."""
    shown: Sequence[int] | None = None
    """The numbers of the turns that people are shown; None for those of the document."""
    left_out: int = 0


@click.command("show")
@click.argument("id", default="", required=False)
@click.option(
    "--file", "file", type=click.Path(path_type=Path), default=None, help="Read this transcript file, without a store."
)
@click.option("--last", is_flag=True, help="Show the latest imported session.")
@click.option(
    "--turn",
    "turn",
    type=click.IntRange(min=1),
    default=None,
    help="Only this turn: with a prompt what was done about it, else with its prompt and the turns around it.",
)
@click.option("--all", "every", is_flag=True, help="With --turn: all turns up to the next prompt, however many.")
@click.option(
    "--agent", default="", metavar="NAME", help="The agent that wrote the file, if the file does not show it."
)
@whole_scope
def show(
    call: CommandCall, id: str, file: Path | None, last: bool, turn: int | None, every: bool, agent: str
) -> None:  # fmt: skip
    """Show a session turn by turn, read from its transcript, or from what was kept if it cannot be read.

    ID is that of a session, or of one of its turns, which is then shown as with --turn. Of a file with several
    sessions, the session with this ID is shown, or else the latest. Outputs of commands are in the JSON.
    """
    if (file is None and not id and not last) or (last and (file is not None or id)):
        raise UsageError(
            "exactly one session is needed", "give an id from `tacit sessions list`, --last, or --file PATH"
        )
    if file is not None:
        screen = _read(call, in_file(file, agent_named(agent), id))
        screen.opens = f"tacit sessions show {shlex.quote(id) + ' ' if id else ''}--file {shlex.quote(str(file))}"
    else:
        with call.memory() as memory:
            place = memory.sessions.place(id or latest(memory))
            turn = turn or place.turn or None
            screen = _imported(call, memory, place.record)
    # A whole transcript as a document is read once.
    if turn is not None or not call.as_json:
        screen.failed = screen.failed or failed_turns([one.turn for one in kept_turns(screen.read, "", "", call.clean)])
    _note_failures(screen)
    if turn is not None:
        screen.document |= _around(call, screen, turn, every=every)
    call.answer("session", screen.document, lambda: _print(screen, turn))


def _imported(call: CommandCall, memory: Memory, record: Record) -> SessionScreen:
    """Return an imported session, with the sessions around it."""
    session = payload_of(record, Session)
    screen = _opened(call, memory, record)
    children = memory.sessions.children(record.id)
    screen.name = short_id(record.id)
    screen.opens = f"tacit sessions show {screen.name}"
    screen.began, screen.ended = began(record), record.at
    screen.after = memory.sessions.shown_name(session.parent)
    screen.followed_by = [short_id(one.id) for one in children]
    screen.document |= {
        "short": screen.name, "children": [payload_of(one, Session).external for one in children],
        "files": memory.sessions.files_touched(session.external),
    }  # fmt: skip
    return screen


def _opened(call: CommandCall, memory: Memory, record: Record) -> SessionScreen:
    """Return a session from its transcript, or from what was kept of it."""
    try:
        transcript = memory.sessions.open(record.id)
    except NotFound as gone:
        if not (kept := memory.sessions.turns(record.id)):
            raise
        call.tell(f"{gone.message}; what was kept of it is shown")
        document = _kept_document(call, payload_of(record, Session), kept)
        return SessionScreen(document, "", failed=memory.sessions.failed(record.id), read=kept)
    return _read(call, transcript)


def _kept_document(call: CommandCall, session: Session, kept: list[Turn]) -> dict[str, Any]:
    """Return what was kept of a session, in the shape of a session; outputs were not kept."""
    turns = [_turn(call, one) | {"number": one.number} for one in kept]
    for one in turns:
        if "outcome" in one:
            one["outcome"]["output"] = None
    times = {"started_at": plain(session.started_at), "ended_at": plain(session.ended_at), "path": session.path}
    return {
        "id": session.external, "agent": session.agent, "cwd": session.cwd, "turns": turns, "kept": "turns",
        "model": session.model, "branch": session.branch, "parent": session.parent, **times, "reading": {},
    }  # fmt: skip


def _read(call: CommandCall, transcript: Transcript) -> SessionScreen:
    """Return a session that is read from its transcript, redacted."""
    read = list(transcript)
    span = PrivateSpan()
    private = frozenset(number for number, turn in enumerate(read, 1) if span.covers(turn))
    turns = [
        _turn(call, turn) | {"number": number} | ({"private": True} if number in private else {})
        for number, turn in enumerate(read, 1)
    ]
    known = transcript.head
    head = {name: value for name, value in plain(known).items() if name not in ("id", "agent", "cwd")}
    document = {
        "id": known.id, "agent": known.agent, "cwd": known.cwd, "turns": turns,
        **{name: call.clean(value) if isinstance(value, str) else value for name, value in head.items()},
        "reading": plain(transcript.reading),
    }  # fmt: skip
    return SessionScreen(document, known.id, known.started_at, known.ended_at, after=known.parent, read=read)


def _note_failures(screen: SessionScreen) -> None:
    """Add to the document what is known of the turns that failed: the error, and the command that worked next."""
    for one in screen.document["turns"]:
        if told := screen.failed.get(one["number"]):
            one["error"] = told.error
            if told.then:
                one["then"] = {"command": told.then, "turn": told.number}


def _turn(call: CommandCall, turn: Turn) -> dict[str, Any]:
    document: dict[str, Any] = {"role": turn.role, "text": call.clean(turn.text), "at": plain(turn.at)}
    if turn.tool is not None:
        document["tool"] = {
            "name": turn.tool.name, "kind": turn.tool.kind, "command": call.clean(turn.tool.command),
            "paths": list(turn.tool.paths),
        }  # fmt: skip
        if turn.outcome is not None:
            document["outcome"] = plain(turn.outcome) | {"output": call.clean(turn.outcome.output)}
    if turn.cwd:
        document["cwd"] = turn.cwd
    return document | ({"sidechain": True} if turn.sidechain else {})


def _around(call: CommandCall, screen: SessionScreen, turn: int, *, every: bool) -> dict[str, Any]:
    """Return a turn with the prompt that it belongs to and the turns around it; of a prompt, all up to the next one.

    Of a session that was kept, turns may be missing between them.
    """
    turns = screen.document["turns"]
    numbers = [one["number"] for one in turns]
    at = _place_of(call, screen, numbers, turn)
    asked, end = prompt_before(screen.read, at), at + _AROUND + 1
    first = max(0, at - _AROUND)
    if asked == at and numbers[at] == turn:
        told_end = end_of_prompt(screen.read, at)
        end, places = max(end, told_end), list(range(at, told_end))
        if len(places) - 1 > _MANY and not every:
            places = telling_places(screen.read, at, told_end)
        screen.left_out = told_end - at - len(places)
        screen.shown = [numbers[place] for place in places]
    prompt = {"prompt": turns[asked]} if asked is not None else {}
    return {"first": numbers[first], "turns": turns[first:end], **prompt}


def _place_of(call: CommandCall, screen: SessionScreen, numbers: Sequence[int], turn: int) -> int:
    """Return the place of a turn, or of the one after it if it was not kept."""
    if turn not in range(1, max(numbers, default=0) + 1):
        what = f"session {screen.name} has {plural(len(numbers), 'turn')}, and no turn {turn}"
        if screen.document.get("kept"):
            what = f"turn {turn} of session {screen.name} was not kept"
        last = f"the last is {numbers[-1]}" if numbers else "none can be shown"
        raise NotFound(what, f"{last}; leave out --turn to see all")
    if turn not in numbers:
        call.tell(f"turn {turn} was not kept; the turns around it are shown")
    return next(place for place, number in enumerate(numbers) if number >= turn)


# -- for people --------------------------------------------------------------------------------------------------------


def _print(screen: SessionScreen, whole: int | None) -> None:
    """Print a session, each turn on a line with its number; the turn that was asked for whole."""
    from tacit.doors.cli.render import say

    document = screen.document
    where = f" in {document['cwd']}" if document["cwd"] else ""
    say(f"{document['agent']} session {screen.name}{where}", f"  {_when(screen.began, screen.ended)}")
    say(*([f"  after {screen.after}"] if screen.after else []))
    say(*(f"  followed by {name}" for name in screen.followed_by))
    say(*(f"  wrote {path}" for path in document.get("files", [])))
    day = _day(screen.began)
    for number, turn in (printed := list(_printed(screen))):
        at = datetime.fromisoformat(turn["at"]) if turn["at"] else None
        if at is not None and _day(at) != day:
            day = _day(at)
            say(day)
        _print_turn(screen, number, turn, whole)
    if screen.left_out:
        say(f"{plural(screen.left_out, 'turn')} left out; `{screen.opens} --turn {whole} --all` shows them")
    if any(turn.get("outcome", {}).get("output") for _number, turn in printed):
        say("outputs of commands are left out; --json has them")
    for note in document["reading"].get("notes", []):
        say(f"note: {note}")


def _printed(screen: SessionScreen) -> Iterator[tuple[int, dict[str, Any]]]:
    """Return the turns that people are shown, with their numbers; first the prompt, if it stands before the others."""
    document = screen.document
    first = document.get("first", 1)
    if screen.shown is None and (prompt := document.get("prompt")) and prompt["number"] < first:
        yield prompt["number"], prompt
    for turn in document["turns"]:
        if screen.shown is None or turn["number"] in screen.shown:
            yield turn["number"], turn


def _print_turn(screen: SessionScreen, number: int, turn: dict[str, Any], whole: int | None) -> None:
    from tacit.doors.cli.render import error_line, one_line, say

    line, tool, is_whole = f"{turn['role']}: {turn['text']}", turn.get("tool"), number == whole
    if tool is not None:
        ran = tool["command"] if is_whole else on_one_line(tool["command"])
        line = f"$ {ran or ' '.join([tool['name'], *tool['paths']])}"
    ending = _ending(turn.get("outcome", {})) + (_PRIVATE if turn.get("private") else "")
    most = _ANSWER_CHARS if screen.shown and number == screen.shown[-1] else 400
    say(f"{number:>5}  {line if is_whole else one_line(line, most)}{ending}")
    if told := screen.failed.get(number):
        say(f"       {error_line(told.error)}")
        say(*(f"       | {one}" for one in _last_printed(turn, told.error)))
        then = one_line(on_one_line(told.then), 300)
        say(*([f"       then: $ {then} worked (turn {told.number})"] if then else []))
    else:
        say(*(f"       | {one}" for one in _last_printed(turn, "")))


def _last_printed(turn: dict[str, Any], error: str) -> list[str]:
    """Return the last lines of the output of a command that failed, without the line of the error that is shown."""
    from tacit.doors.cli.render import one_line

    outcome = turn.get("outcome", {})
    if outcome.get("ok") is not False or outcome.get("refused") or not turn["tool"]["command"]:
        return []
    lines = [one_line(line, _OUTPUT_CHARS) for line in str(outcome.get("output") or "").splitlines() if line.strip()]
    # What is on the screen already is not said again.
    told = ("", one_line(error, _OUTPUT_CHARS), f"Exit code {outcome.get('exit_code')}")
    return [one for one in dict.fromkeys(lines[-_OUTPUT_LINES:]) if one not in told]


def _day(at: datetime | None) -> str:
    return f"{at.astimezone():%Y-%m-%d}" if at else ""


def _when(began: datetime | None, ended: datetime | None) -> str:
    """Return when a session was: its day and hours, and the day of its end if that is another one."""
    if began is None:
        return UNDATED
    first, last = (f"{at.astimezone():%Y-%m-%d %H:%M}" for at in (began, ended or began))
    if last <= first:
        return first
    return f"{first} to {last.removeprefix(_day(began)).strip()}"


def _ending(outcome: dict[str, Any]) -> str:
    if outcome.get("refused"):
        return f"   (stopped by {refused_by(str(outcome.get('output') or ''))})"
    code = outcome.get("exit_code")
    if outcome.get("ok") is False:
        return "   (failed)" if code is None else f"   (exit {code})"
    return ""
