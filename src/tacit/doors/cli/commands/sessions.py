"""sessions: sources, list, show, search and import of agents' transcripts, and learning from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from tacit.agents.transcript_locations import TranscriptLocation, files_of
from tacit.agents.transcripts import Transcript, agent_named
from tacit.app.config import agent_sources, settings_of
from tacit.app.memory import Memory
from tacit.app.open import connect
from tacit.app.verbs.sessions import Sessions, in_file
from tacit.doors.cli.command_call import CommandCall, whole_scope
from tacit.doors.cli.commands.drop_sessions import drop
from tacit.doors.cli.commands.learn_from_sessions import USED, latest, learn
from tacit.doors.cli.commands.recap import UNDATED
from tacit.doors.cli.counted_list import counted
from tacit.doors.cli.verb_commands import Given, View, group
from tacit.errors import NotFound, SwitchedOff, UsageError
from tacit.model.payload import plain
from tacit.model.query import Recall
from tacit.model.record import Record, payload_of
from tacit.model.session import Session, Turn
from tacit.model.settings import SessionRules
from tacit.sessions.discover import DiscoveredSession
from tacit.sessions.rules.failed_turns import FailedTurn, failed_turns
from tacit.sessions.rules.kept_turns import kept_turns
from tacit.sessions.session_import import SessionImport, TranscriptProblems
from tacit.sessions.sessions import began
from tacit.text.plural import plural

MOST_SHOWN = 10
KEPT = {"turns": "their turns and recaps are kept", "recap": "their recaps are kept"}
NOT_KEPT = (
    "what is said in sessions is not kept (sessions.keep is none), so `tacit recall` cannot find it: `tacit config set "
    "sessions.keep turns`, then `tacit sessions import` again, keeps it, of these sessions too"
)


sessions = group("sessions", "Sessions of agents, read from their transcripts: sources, list, show, search, import.")
sessions.add_command(learn)
sessions.add_command(drop)


@sessions.command("sources")
@whole_scope
def sources(call: CommandCall) -> None:
    """List the folders where agents keep transcripts, and how many files each has."""
    found = [(source, sum(1 for _file in files_of(source)) if source.exists else 0) for source in _sources(call, "")]

    def print_() -> None:
        from tacit.doors.cli.render import table

        rows = [(source.agent, count, source.root) for source, count in found if source.exists]
        table(["agent", "files", "where"], rows, empty="no transcripts of agents were found")

    call.answer("session_sources", {"sources": [plain(one) | {"files": count} for one, count in found]}, print_)


def _sources(call: CommandCall, agent: str) -> list[TranscriptLocation]:
    return [one for one in agent_sources(call.settings.cwd) if not agent or one.agent == agent]


def _document(record: Record) -> dict[str, Any]:
    session = payload_of(record, Session)
    fields = {name: value for name, value in plain(session).items() if name != "external"}
    return {"id": session.external, "record": record.id, "title": record.title, "scope": record.scope, **fields}


def _table(records: list[Record], empty: str) -> None:
    from tacit.doors.cli.render import cell, day, table

    pairs = [(record, payload_of(record, Session)) for record in records]
    rows = [
        (one.external, one.agent, day(began(record)) or UNDATED, one.commands, one.failures, cell(record.title, 80))
        for record, one in pairs
    ]
    table(["id", "agent", "began", "commands", "failed", "what"], rows, empty=empty)


sessions.verb(Sessions.list, counted(Sessions.list, View(
    "sessions", lambda found, _given: _table(found, "no sessions yet; `tacit sessions import` imports transcripts"),
    lambda found, _given: {"sessions": [_document(one) for one in found]},
)))  # fmt: skip


def _found(found: Recall, _given: Given) -> dict[str, Any]:
    documents = [_document(hit.record) | {"score": round(hit.score, 6)} for hit in found]
    return {"sessions": documents, "notices": list(found.notices)}


sessions.verb(Sessions.search, View(
    "sessions", lambda found, _given: _table(
        [hit.record for hit in found], "; ".join(found.notices) or "nothing was found"
    ), _found,
))  # fmt: skip


@sessions.command("show")
@click.argument("id", default="", required=False)
@click.option(
    "--file", "file", type=click.Path(path_type=Path), default=None, help="Read this transcript file, without a store."
)
@click.option("--last", is_flag=True, help="Show the latest imported session.")
@click.option("--turn", "turn", type=click.IntRange(min=1), default=None, help="Only this turn, and those around it.")
@click.option(
    "--agent", default="", metavar="NAME", help="The agent that wrote the file, if the file does not show it."
)
@whole_scope
def show(call: CommandCall, id: str, file: Path | None, last: bool, turn: int | None, agent: str) -> None:
    """Show a session turn by turn, read from its transcript, or from what was kept if the transcript is gone.

    Of a file with several sessions, the session with this ID is shown, or else the latest.
    """
    if (file is None and not id and not last) or (last and (file is not None or id)):
        raise UsageError(
            "exactly one session is needed", "give an id from `tacit sessions list`, --last, or --file PATH"
        )
    related: dict[str, Any] = {}
    failed: dict[int, FailedTurn] = {}
    if file is not None:
        document = _shown(call, in_file(file, agent_named(agent), id), failed)
    else:
        with call.memory() as memory:
            id = id or latest(memory)
            session = payload_of(memory.sessions.get(id), Session)
            document = _opened(call, memory, id, session, failed)
            children = memory.sessions.children(id)
            related = {
                "children": [payload_of(one, Session).external for one in children],
                "files": memory.sessions.files_touched(session.external),
            }
    document |= related
    if turn is not None:
        document |= _around(document, turn)
    call.answer("session", document, lambda: _print(document, failed, turn))


def _around(document: dict[str, Any], turn: int) -> dict[str, Any]:
    """Return a turn and those around it; of a session that was kept, turns may be missing between them."""
    numbers = [one.get("number") or place for place, one in enumerate(document["turns"], 1)]
    if turn not in range(1, max(numbers, default=0) + 1):
        what = f"session {document['id']} has {plural(len(numbers), 'turn')}, and no turn {turn}"
        last = f"the last is {numbers[-1]}" if numbers else "none can be shown"
        raise NotFound(what, f"{last}; leave out --turn to see all")
    at = next(place for place, number in enumerate(numbers) if number >= turn)
    first = max(0, at - _AROUND)
    return {"first": numbers[first], "turns": document["turns"][first : at + _AROUND + 1]}


def _opened(
    call: CommandCall, memory: Memory, id: str, session: Session, failed: dict[int, FailedTurn]
) -> dict[str, Any]:
    """Return a session from its transcript, or from what was kept of it, and add what failed in it."""
    try:
        transcript = memory.sessions.open(id)
    except NotFound as gone:
        if not (kept := memory.sessions.turns(id)):
            raise
        call.tell(f"{gone.message}; what was kept of it is shown")
        failed |= memory.sessions.failed(id)
        return _kept_document(call, session, kept)
    return _shown(call, transcript, failed)


_AROUND = 3
"""How many turns are shown before and after the one that was asked for."""


def _kept_document(call: CommandCall, session: Session, kept: list[Turn]) -> dict[str, Any]:
    """Return what was kept of a session, in the shape of a session; outputs were not kept."""
    turns = [_turn(call, one) for one in kept]
    for one in turns:
        if "outcome" in one:
            one["outcome"]["output"] = None
    times = {"started_at": plain(session.started_at), "ended_at": plain(session.ended_at), "path": session.path}
    return {
        "id": session.external, "agent": session.agent, "cwd": session.cwd, "turns": turns, "kept": "turns",
        "model": session.model, "branch": session.branch, "parent": session.parent, **times, "reading": {},
    }  # fmt: skip


def _shown(call: CommandCall, transcript: Transcript, failed: dict[int, FailedTurn]) -> dict[str, Any]:
    """Return a session as a document, redacted, and add what failed in it."""
    read = list(transcript)
    turns = [_turn(call, turn) for turn in read]
    if not call.as_json:
        failed |= failed_turns([one.turn for one in kept_turns(read, "", "", call.clean)])
    head = {name: value for name, value in plain(transcript.head).items() if name not in ("id", "agent", "cwd")}
    return {
        "id": transcript.head.id, "agent": transcript.head.agent, "cwd": transcript.head.cwd, "turns": turns,
        **{name: call.clean(value) if isinstance(value, str) else value for name, value in head.items()},
        "reading": plain(transcript.reading),
    }  # fmt: skip


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
    if turn.number:
        document["number"] = turn.number
    return document | ({"sidechain": True} if turn.sidechain else {})


def _print(document: dict[str, Any], failed: dict[int, FailedTurn], whole: int | None) -> None:
    """Print a session, each turn on a line with its number; the turn that was asked for whole."""
    from tacit.doors.cli.render import error_line, one_line, say

    say(f"{document['agent']} session {document['id']}" + (f" in {document['cwd']}" if document["cwd"] else ""))
    say(*([f"  after {document['parent']}"] if document.get("parent") else []))
    say(*(f"  followed by {child}" for child in document.get("children", [])))
    say(*(f"  wrote {path}" for path in document.get("files", [])))
    for place, turn in enumerate(document["turns"], document.get("first", 1)):
        number, tool = turn.get("number") or place, turn.get("tool")
        line = f"{turn['role']}: {turn['text']}"
        if tool is not None:
            line = f"$ {tool['command'] or ' '.join([tool['name'], *tool['paths']])}"
        ending = _ending(turn.get("outcome", {}))
        say(f"{number:>5}  {line if number == whole else one_line(line, 400)}{ending}")
        if told := failed.get(number):
            say(f"       {error_line(told.error)}")
            say(*([f"       then: $ {one_line(told.then, 300)} worked (turn {told.number})"] if told.then else []))
    for note in document["reading"].get("notes", []):
        say(f"note: {note}")


def _ending(outcome: dict[str, Any]) -> str:
    if outcome.get("refused"):
        return "   (stopped by the user)"
    code = outcome.get("exit_code")
    if outcome.get("ok") is False:
        return "   (failed)" if code is None else f"   (exit {code})"
    return ""


@sessions.command("import")
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--agent", default="", metavar="NAME", help="Only sessions of this agent; with PATHS, the agent that wrote them."
)
@click.option("--all", "everywhere", is_flag=True, help="Also import sessions of other projects, each into its scope.")
@whole_scope
def import_(call: CommandCall, paths: tuple[Path, ...], agent: str, everywhere: bool) -> None:
    """Import sessions: all of this project, or those in PATHS. Unchanged sessions are skipped."""
    agent = agent_named(agent)
    files = [(path.absolute(), agent) for path in paths] if paths else list(transcript_files(call, agent))
    with call.memory(writes=True) as memory:
        with call.progress("looking for sessions") as progress:
            found = memory.sessions.discover(files, named=bool(paths), progress=progress)
        with call.progress("reading sessions") as progress:
            imported = {memory.scope: memory.sessions.import_found(found, progress=progress)}
        own = memory.scope
    for scope in dict(imported[own].elsewhere) if everywhere else ():
        imported[scope] = _into(call, scope, found)
    left = imported[own].elsewhere
    if everywhere:
        left = {
            scope: count for other, one in imported.items() if other != own for scope, count in one.elsewhere.items()
        }
    _check_read(paths, list(imported.values()))
    _answer(call, imported, left)


def _check_read(paths: tuple[Path, ...], results: list[SessionImport]) -> None:
    """Raise an error if files were named, and none of them could be read."""
    unread = [problem for one in results for problem in one.unread]
    if paths and unread and not any(
        one.new or one.grown or one.unchanged or one.elsewhere or one.forgotten for one in results
    ) and sum(one.empty for one in results) <= len(unread):  # fmt: skip
        raise NotFound(
            f"no session was imported: {'; '.join(_problems(unread))}",
            "give a transcript, or a folder of transcripts; --agent NAME if a file does not show which agent wrote it",
        )


def transcript_files(call: CommandCall, agent: str = "") -> Iterator[tuple[Path, str]]:
    """Return the transcripts of agents on this machine, each with its agent."""
    for source in _sources(call, agent):
        for path in files_of(source) if source.exists else ():
            yield path, source.agent


def _into(call: CommandCall, scope: str, found: list[DiscoveredSession]) -> SessionImport:
    """Import the sessions of another scope; those of a project that is switched off are left out."""
    own = [one for one in found if one.scope == scope]
    folder = next((place for one in own if (place := Path(one.head.cwd)).is_dir()), None)
    settings = settings_of(folder) if folder and scope.startswith("project:") else call.settings
    opened = connect(settings, call.caller, store=call.store, scope=scope, create=True, at_door=True)
    with opened as memory, call.progress(f"reading sessions of {scope}") as progress:
        try:
            return memory.sessions.import_found(own, progress=progress)
        except SwitchedOff as off:
            call.tell(f"{scope} is left out: {off.message}")
            return SessionImport(elsewhere={scope: len(own)})


def _answer(call: CommandCall, imported: dict[str, SessionImport], left: dict[str, int]) -> None:
    results = list(imported.values())
    sums = {
        "new": sum(len(one.new) for one in results), "grown": sum(len(one.grown) for one in results),
        "unchanged": sum(one.unchanged for one in results), "empty": sum(one.empty for one in results),
        "forgotten": sum(one.forgotten for one in results), "too_old": sum(one.too_old for one in results),
    }  # fmt: skip
    rules = call.settings.sessions
    notices = _notices(sums, rules)
    unread = [problem for one in results for problem in one.unread]
    scopes = {scope: len(one.new) + len(one.grown) for scope, one in imported.items()}
    document = {
        **sums, "elsewhere": left, "scopes": scopes,
        "sessions": [_document(record) for one in results for record in (*one.new, *one.grown)],
        "unread": [problem._asdict() for problem in unread], "notices": notices,
    }  # fmt: skip

    def print_() -> None:
        from tacit.doors.cli.render import say

        say(f"{plural(sums['new'], 'new session')}, {sums['grown']} updated, {sums['unchanged']} unchanged")
        say(*(f"  {line}" for line in (*_went(scopes, results), *_problems(unread), *notices)))
        if left:
            count = sum(left.values())
            say(f"{plural(count, 'session')} of {_named(left)}: --all imports them too")
        if count := sums["new"] + sums["grown"]:
            kept = f"{KEPT[rules.keep]}; next, " if rules.keep in KEPT else "next, "
            every = " --all" if count > USED else ""
            say(f"{kept}`tacit sessions learn{every}` learns failures, their fixes and lessons from them")

    call.answer("session_import", document, print_)


def _named(scopes: dict[str, int]) -> str:
    """Name scopes with their counts, the largest first."""
    most = sorted(scopes, key=lambda scope: (-scopes[scope], scope))
    more = f" and {plural(len(most) - MOST_SHOWN, 'other scope')}" if len(most) > MOST_SHOWN else ""
    return ", ".join(f"{scope} ({scopes[scope]})" for scope in most[:MOST_SHOWN]) + more


def _went(scopes: dict[str, int], results: list[SessionImport]) -> list[str]:
    """Say which projects sessions went to, and which of them began in a folder that is not here."""
    taken = {scope: count for scope, count in scopes.items() if count}
    records = [record for one in results for record in (*one.new, *one.grown)]
    cwds = Counter(cwd for record in records if (cwd := payload_of(record, Session).cwd) and not Path(cwd).is_dir())
    # The first is the scope of the caller.
    own = next(iter(scopes))
    said = [f"into {_named(taken)}"] if taken.keys() - {own} else []
    if cwds:
        into = "" if said else f", kept with {own}"
        said.append(f"{sum(cwds.values())} of them began in folders that are not here{into}: {_named(dict(cwds))}")
    return said


def _notices(sums: dict[str, int], rules: SessionRules) -> list[str]:
    """Say what was left out, and why."""
    said = {
        "empty": f"{plural(sums['empty'], 'session')} left out: nothing was asked or run",
        "forgotten": f"{plural(sums['forgotten'], 'session')} left out: you have forgotten them",
        "too_old": f"{plural(sums['too_old'], 'turn')} not kept: older than {plural(rules.keep_days, 'day')} "
        "(sessions.keep_days)",
    }  # fmt: skip
    some = sums["new"] + sums["grown"] + sums["unchanged"]
    not_kept = [NOT_KEPT] if rules.keep == "none" and some else []
    return [*(text for name, text in said.items() if sums[name]), *not_kept]


def _problems(unread: list[TranscriptProblems]) -> list[str]:
    """Describe what could not be read: unknown types for all files together, problems by file."""
    unknown: Counter[str] = Counter()
    for problem in unread:
        unknown.update(problem.unknown)
    names = ", ".join(f"{name} {count}" for name, count in unknown.most_common(MOST_SHOWN))
    damaged = [problem for problem in unread if problem.broken or problem.notes]
    lines = [
        f"{one.path}: {'; '.join([*([plural(one.broken, 'broken line')] if one.broken else []), *one.notes])}"
        for one in damaged[:MOST_SHOWN]
    ]
    return [
        *([f"skipped records of unknown types: {names}"] if names else []),
        *lines,
        *([f"and {len(damaged) - MOST_SHOWN} more; --json lists them all"] if len(damaged) > MOST_SHOWN else []),
    ]
