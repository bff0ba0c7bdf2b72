"""sessions: where agents keep their transcripts, what is in them, and taking them in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from tacit.agents.transcript_locations import TranscriptLocation, files_of
from tacit.agents.transcripts import Transcript, agent_named
from tacit.app.config import agent_sources, settings_of
from tacit.app.open import connect
from tacit.app.verbs.sessions import in_file
from tacit.doors.cli.command_call import CommandCall, options
from tacit.doors.cli.commands.learn_from_sessions import latest, learn
from tacit.errors import SwitchedOff, UsageError
from tacit.model.payload import plain
from tacit.model.query import Recall
from tacit.model.record import Record, payload_of
from tacit.model.session import Session, Turn
from tacit.sessions.sessions import DiscoveredSession, SessionImport, TranscriptProblems
from tacit.text.plural import plural

MOST_TOLD = 10


@click.group()
def sessions() -> None:
    """Sessions of agents, read from the transcripts they keep: sources, list, show, search, import."""


sessions.add_command(learn)


@sessions.command("sources")
@options
def sources(door: CommandCall) -> None:
    """Say where agents keep transcripts here, and how many there are."""
    found = [(source, sum(1 for _file in files_of(source)) if source.exists else 0) for source in _sources(door, "")]

    def print_() -> None:
        from tacit.doors.cli.render import table

        rows = [(source.agent, count, source.root) for source, count in found if source.exists]
        table(["agent", "files", "where"], rows, empty="no agent keeps transcripts here")

    door.answer("session_sources", {"sources": [plain(one) | {"files": count} for one, count in found]}, print_)


def _sources(door: CommandCall, agent: str) -> list[TranscriptLocation]:
    return [one for one in agent_sources(door.settings.cwd) if not agent or one.agent == agent]


@sessions.command("list")
@click.option("--agent", default="", metavar="NAME", help="Only of this agent.")
@click.option("--limit", type=click.IntRange(1, 100_000), default=20, show_default=True)
@options
def list_(door: CommandCall, agent: str, limit: int) -> None:
    """List the sessions that were taken in, the latest first."""
    with door.memory() as memory:
        found = memory.sessions.list(agent=agent_named(agent), limit=limit)
    empty = "no sessions yet; `tacit sessions import` takes in what agents keep"
    door.answer("sessions", {"sessions": [_document(one) for one in found]}, lambda: _table(found, empty))


@sessions.command("search")
@click.argument("query")
@click.option("--limit", type=click.IntRange(1, 1_000), default=10, show_default=True)
@options
def search(door: CommandCall, query: str, limit: int) -> None:
    """Find sessions by what was asked and run in them."""
    with door.memory() as memory:
        found: Recall = memory.sessions.search(query, limit=limit)
    documents = [_document(hit.record) | {"score": round(hit.score, 6)} for hit in found]
    notices = list(found.notices)
    empty = "; ".join(notices) or "nothing was found"
    door.answer(
        "sessions", {"sessions": documents, "notices": notices},
        lambda: _table([hit.record for hit in found], empty),
    )  # fmt: skip


def _document(record: Record) -> dict[str, Any]:
    session = payload_of(record, Session)
    fields = {name: value for name, value in plain(session).items() if name != "external"}
    return {"id": session.external, "record": record.id, "title": record.title, "scope": record.scope, **fields}


def _table(records: list[Record], empty: str) -> None:
    from tacit.doors.cli.render import cell, day, table

    pairs = [(record, payload_of(record, Session)) for record in records]
    rows = [
        (one.external, one.agent, day(record.at), one.commands, one.failures, cell(record.title, 80))
        for record, one in pairs
    ]
    table(["id", "agent", "day", "commands", "failed", "what"], rows, empty=empty)


@sessions.command("show")
@click.argument("id", default="", required=False)
@click.option("--file", "file", type=click.Path(path_type=Path), default=None, help="Read this transcript; no store.")
@click.option("--last", is_flag=True, help="The latest session that was taken in.")
@click.option("--agent", default="", metavar="NAME", help="Who wrote the file, where it does not say.")
@options
def show(door: CommandCall, id: str, file: Path | None, last: bool, agent: str) -> None:
    """Show a session turn by turn, read from where its transcript lies; its turns are not copied.

    A file may hold many sessions: the latest is shown, or the one whose ID is given.
    """
    if (file is None and not id and not last) or (last and (file is not None or id)):
        raise UsageError("which session?", "give an id of `tacit sessions list`, --last, or --file PATH")
    related: dict[str, Any] = {}
    if file is not None:
        transcript = in_file(file, agent_named(agent), id)
    else:
        with door.memory() as memory:
            id = id or latest(memory)
            transcript = memory.sessions.open(id)
            children = memory.sessions.children(id)
            related = {"children": [payload_of(one, Session).external for one in children]}
    document = _shown(door, transcript) | related
    door.answer("session", document, lambda: _print(document))


def _shown(door: CommandCall, transcript: Transcript) -> dict[str, Any]:
    """Give a session as a document, without the secrets that were said in it."""
    turns = [_turn(door, turn) for turn in transcript]
    head = {name: value for name, value in plain(transcript.head).items() if name not in ("id", "agent", "cwd")}
    return {
        "id": transcript.head.id, "agent": transcript.head.agent, "cwd": transcript.head.cwd, "turns": turns,
        **{name: door.clean(value) if isinstance(value, str) else value for name, value in head.items()},
        "reading": plain(transcript.reading),
    }  # fmt: skip


def _turn(door: CommandCall, turn: Turn) -> dict[str, Any]:
    document: dict[str, Any] = {"role": turn.role, "text": door.clean(turn.text), "at": plain(turn.at)}
    if turn.tool is not None:
        document["tool"] = {
            "name": turn.tool.name, "kind": turn.tool.kind, "command": door.clean(turn.tool.command),
            "paths": list(turn.tool.paths),
        }  # fmt: skip
        if turn.outcome is not None:
            document["outcome"] = plain(turn.outcome) | {"output": door.clean(turn.outcome.output)}
    if turn.cwd:
        document["cwd"] = turn.cwd
    return document | ({"sidechain": True} if turn.sidechain else {})


def _print(document: dict[str, Any]) -> None:
    from tacit.doors.cli.render import one_line, say

    say(f"{document['agent']} session {document['id']}" + (f" in {document['cwd']}" if document["cwd"] else ""))
    say(*([f"  after {document['parent']}"] if document.get("parent") else []))
    say(*(f"  followed by {child}" for child in document.get("children", [])))
    for turn in document["turns"]:
        tool, outcome = turn.get("tool"), turn.get("outcome", {})
        if tool is None:
            say(f"{turn['role']}: {one_line(turn['text'], 400)}")
            continue
        what = tool["command"] or " ".join([tool["name"], *tool["paths"]])
        say(f"  $ {one_line(what, 200)}" + _ending(outcome))
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
@click.option("--agent", default="", metavar="NAME", help="Only of this agent; with PATHS, who wrote them.")
@click.option("--all", "everywhere", is_flag=True, help="Also sessions of other projects, each into its own scope.")
@options
def import_(door: CommandCall, paths: tuple[Path, ...], agent: str, everywhere: bool) -> None:
    """Take in sessions: all that agents keep here, or those of PATHS. What did not change is passed over."""
    agent = agent_named(agent)
    files = [(path.absolute(), agent) for path in paths] if paths else list(_files(door, agent))
    with door.memory(writes=True) as memory:
        with door.progress("looking for sessions") as progress:
            found = memory.sessions.survey(files, named=bool(paths), progress=progress)
        with door.progress("reading sessions") as progress:
            brought = {memory.scope: memory.sessions.bring_in(found, progress=progress)}
        own = memory.scope
    for scope in dict(brought[own].elsewhere) if everywhere else ():
        brought[scope] = _into(door, scope, found)
    left = brought[own].elsewhere
    if everywhere:
        left = {
            scope: count for other, one in brought.items() if other != own for scope, count in one.elsewhere.items()
        }
    _answer(door, brought, left)


def _files(door: CommandCall, agent: str) -> Iterator[tuple[Path, str]]:
    for source in _sources(door, agent):
        for path in files_of(source) if source.exists else ():
            yield path, source.agent


def _into(door: CommandCall, scope: str, found: list[DiscoveredSession]) -> SessionImport:
    """Take in the sessions of another scope: a memory writes but one. A project that is switched off stays so."""
    own = [one for one in found if one.scope == scope]
    folder = next((place for one in own if (place := Path(one.head.cwd)).is_dir()), None)
    settings = settings_of(folder) if folder and scope.startswith("project:") else door.settings
    opened = connect(settings, door.guest, store=door.store, scope=scope, create=True, at_door=True)
    with opened as memory, door.progress(f"reading sessions of {scope}") as progress:
        try:
            return memory.sessions.bring_in(own, progress=progress)
        except SwitchedOff as off:
            door.tell(f"{scope} is left out: {off.message}")
            return SessionImport(elsewhere={scope: len(own)})


def _answer(door: CommandCall, brought: dict[str, SessionImport], left: dict[str, int]) -> None:
    sums = {
        "new": sum(len(one.new) for one in brought.values()), "grown": sum(len(one.grown) for one in brought.values()),
        "unchanged": sum(one.unchanged for one in brought.values()),
        "empty": sum(one.empty for one in brought.values()),
    }  # fmt: skip
    unread = [trouble for one in brought.values() for trouble in one.unread]
    document = {
        **sums, "elsewhere": left,
        "scopes": {scope: len(one.new) + len(one.grown) for scope, one in brought.items()},
        "sessions": [_document(record) for one in brought.values() for record in (*one.new, *one.grown)],
        "unread": [trouble._asdict() for trouble in unread],
    }  # fmt: skip

    def print_() -> None:
        from tacit.doors.cli.render import say

        say(f"{plural(sums['new'], 'new session')}, {sums['grown']} grown, {sums['unchanged']} unchanged")
        say(*(f"  {line}" for line in _troubles(unread)))
        if left:
            count = sum(left.values())
            say(f"{plural(count, 'session')} of {plural(len(left), 'other scope')}: --all takes them in, each there")

    door.answer("session_import", document, print_)


def _troubles(unread: list[TranscriptProblems]) -> list[str]:
    """Say what could not be read: unknown types once for all files, what is broken by file."""
    strange: Counter[str] = Counter()
    for trouble in unread:
        strange.update(trouble.unknown)
    names = ", ".join(f"{name} {count}" for name, count in strange.most_common(MOST_TOLD))
    hurt = [trouble for trouble in unread if trouble.broken or trouble.notes]
    told = [
        f"{one.path}: {'; '.join([*([plural(one.broken, 'broken line')] if one.broken else []), *one.notes])}"
        for one in hurt[:MOST_TOLD]
    ]
    return [
        *([f"records of types tacit does not know were passed over: {names}"] if names else []),
        *told,
        *([f"and {len(hurt) - MOST_TOLD} more; --json names them all"] if len(hurt) > MOST_TOLD else []),
    ]
