"""sessions import: what is new in the transcripts of agents, where it went, and what was left out and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from tacit.agents.transcript_locations import TranscriptLocation, files_of
from tacit.agents.transcripts import agent_named, other_files
from tacit.app.config import agent_sources, settings_of
from tacit.app.open import connect
from tacit.doors.cli.command_call import CommandCall, whole_scope
from tacit.doors.cli.commands.learn_from_sessions import USED
from tacit.errors import NotFound, SwitchedOff
from tacit.model.payload import plain
from tacit.model.record import Record, payload_of, short_id
from tacit.model.session import Session
from tacit.model.settings import SessionRules
from tacit.sessions.discover import DiscoveredSession
from tacit.sessions.import_result import SessionImport, TranscriptProblems
from tacit.sessions.sessions import MAKE_READABLE
from tacit.sessions.transcript import REFUSED
from tacit.text.plural import plural

MOST_SHOWN = 10
KEPT = {"turns": "their turns and recaps are kept", "recap": "their recaps are kept"}
NOT_KEPT = (
    "turns are not kept (sessions.keep is none), so `tacit recall` cannot find them; to keep them, of these sessions "
    "too: `tacit config set sessions.keep turns`, then `tacit sessions import` again"
)


def locations(call: CommandCall, agent: str) -> list[TranscriptLocation]:
    """Return the folders where agents, or one of them, keep transcripts."""
    return [one for one in agent_sources(call.settings.cwd) if not agent or one.agent == agent]


def session_document(record: Record) -> dict[str, Any]:
    """Return a session as a document; `short` is what it is called on every screen."""
    session = payload_of(record, Session)
    fields = {name: value for name, value in plain(session).items() if name != "external"}
    return {
        "id": session.external, "record": record.id, "short": short_id(record.id), "title": record.title,
        "scope": record.scope, **fields,
    }  # fmt: skip


@click.command("import")
@click.argument("paths", nargs=-1, type=click.Path(exists=True, readable=False, path_type=Path))
@click.option(
    "--agent", default="", metavar="NAME", help="Only sessions of this agent; with PATHS, the agent that wrote them."
)
@click.option("--all", "everywhere", is_flag=True, help="Also import sessions of other projects, each into its scope.")
@whole_scope
def import_(call: CommandCall, paths: tuple[Path, ...], agent: str, everywhere: bool) -> None:
    """Import sessions: all of this project, or those in PATHS. Unchanged sessions are skipped."""
    agent = agent_named(agent)
    # Who names a file wants it, wherever its session was.
    everywhere = everywhere or (bool(paths) and all(path.is_file() for path in paths))
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
    looked = _where_it_looked(call, paths, agent) if not found else []
    unread = {} if call.as_json else unread_elsewhere(call, found, left)
    _answer(call, imported, left, [*looked, *_no_transcripts(paths, found)], unread)


def _check_read(paths: tuple[Path, ...], results: list[SessionImport]) -> None:
    """Raise an error if files were named, and none of them could be read."""
    unread = [problem for one in results for problem in one.unread]
    if paths and unread and not any(
        one.new or one.grown or one.unchanged or one.elsewhere or one.forgotten for one in results
    ) and sum(one.empty for one in results) <= len(unread):  # fmt: skip
        refused = all(one.refused and not one.empty for one in results)
        raise NotFound(
            f"no session was imported: {'; '.join(_problems(unread))}",
            MAKE_READABLE
            if refused
            else "give a transcript, or a folder of transcripts; --agent NAME if a file does "
            "not show which agent wrote it",
        )


def _where_it_looked(call: CommandCall, paths: Sequence[Path], agent: str) -> list[str]:
    """Say where nothing was found, and what to do next."""
    if paths:
        return [
            f"no session was found in {', '.join(map(str, paths[:MOST_SHOWN]))}",
            "give a transcript, or a folder of transcripts; `tacit sessions sources` shows where agents keep theirs",
        ]
    known = locations(call, agent)
    there = [one.root for one in known if one.exists]
    missing = "which is not there" if len(known) == 1 else "of which none is there"
    looked = ", ".join(there) if there else f"{', '.join(one.root for one in known[:MOST_SHOWN])}, {missing}"
    return [
        f"no session was found; looked in {looked}",
        "`tacit sessions import PATH` imports a transcript from elsewhere, or a folder of transcripts",
    ]


def _no_transcripts(paths: Sequence[Path], found: Sequence[DiscoveredSession]) -> list[str]:
    """Say how many files of the folders that were named are no transcripts."""
    read = {one.transcript.path for one in found}
    counts = {path: other_files(path.absolute(), read) for path in paths if path.is_dir()}
    if not any(counts.values()):
        return []
    folders = ", ".join(str(path) for path, count in counts.items() if count)
    return [f"{plural(sum(counts.values()), 'file')} in {folders} left out: no transcript that tacit knows"]


def transcript_files(call: CommandCall, agent: str = "") -> Iterator[tuple[Path, str]]:
    """Return the transcripts of agents on this machine, each with its agent."""
    for source in locations(call, agent):
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


def unread_elsewhere(call: CommandCall, found: Sequence[DiscoveredSession], scopes: Iterable[str]) -> dict[str, int]:
    """Return how many sessions of other scopes an import would read; those that were read already are not counted."""
    counts: dict[str, int] = {}
    for scope in scopes:
        opened = connect(call.settings, call.caller, store=call.store, scope=scope, create=False, at_door=True)
        with opened as memory:
            counts[scope] = memory.sessions.unread([one for one in found if one.scope == scope])
    return {scope: count for scope, count in counts.items() if count}


def _answer(
    call: CommandCall, imported: dict[str, SessionImport], left: dict[str, int], more: Sequence[str],
    unread_there: dict[str, int],
) -> None:  # fmt: skip
    results = list(imported.values())
    sums = {
        "new": sum(len(one.new) for one in results), "grown": sum(len(one.grown) for one in results),
        "unchanged": sum(one.unchanged for one in results), "empty": sum(one.empty for one in results),
        "forgotten": sum(one.forgotten for one in results), "too_old": sum(one.too_old for one in results),
    }  # fmt: skip
    rules = call.settings.sessions
    notices = [*_left_out(results), *_notices(sums, rules), *more]
    unread = [problem for one in results for problem in one.unread]
    scopes = {scope: len(one.new) + len(one.grown) for scope, one in imported.items()}
    document = {
        **sums, "elsewhere": left, "scopes": scopes,
        "sessions": [session_document(record) for one in results for record in (*one.new, *one.grown)],
        "unread": [problem._asdict() for problem in unread], "notices": notices,
    }  # fmt: skip

    def print_() -> None:
        from tacit.doors.cli.render import say

        say(f"{plural(sums['new'], 'new session')}, {sums['grown']} updated, {sums['unchanged']} unchanged")
        say(*(f"  {line}" for line in (*_went(scopes, results), *_problems(unread), *notices)))
        if unread_there:
            count = sum(unread_there.values())
            them = "them" if count > 1 else "it"
            say(f"{plural(count, 'session')} of {_named(unread_there)}: --all imports {them} too")
        if count := sums["new"] + sums["grown"]:
            kept = f"{KEPT[rules.keep]}; next, " if rules.keep in KEPT else "next, "
            every = " --all" if count > USED else ""
            say(f"{kept}`tacit sessions learn{every}` learns failures, fixes and lessons from them")

    call.answer("session_import", document, print_)


def _named(scopes: dict[str, int]) -> str:
    """Name scopes with their counts, the largest first."""
    most = sorted(scopes, key=lambda scope: (-scopes[scope], scope))
    more = f" and {plural(len(most) - MOST_SHOWN, 'other scope')}" if len(most) > MOST_SHOWN else ""
    return ", ".join(f"{scope} ({scopes[scope]})" for scope in most[:MOST_SHOWN]) + more


def _went(scopes: dict[str, int], results: list[SessionImport]) -> list[str]:
    """Say which projects sessions went to, and which of them ran in a folder that does not exist here."""
    taken = {scope: count for scope, count in scopes.items() if count}
    records = [record for one in results for record in (*one.new, *one.grown)]
    cwds = Counter(cwd for record in records if (cwd := payload_of(record, Session).cwd) and not Path(cwd).is_dir())
    # The first is the scope of the caller.
    own = next(iter(scopes))
    said = [f"into {_named(taken)}"] if taken.keys() - {own} else []
    if cwds:
        into = "" if said else f"; filed under {own}"
        gone = "a folder that does not exist here" if len(cwds) == 1 else "folders that do not exist here"
        said.append(f"{sum(cwds.values())} ran in {gone}{into}: {_named(dict(cwds))}")
    return said


def _left_out(results: Sequence[SessionImport]) -> list[str]:
    """Say how many transcripts have nothing to keep, and how many could not be read."""
    # Files that are no transcripts are named one by one.
    nothing = sum(one.empty - one.unusable for one in results)
    refused = sum(one.refused for one in results)
    return [
        *([f"{plural(nothing, 'session')} left out: nothing was asked or run"] if nothing else []),
        *([f"{plural(refused, 'transcript')} left out: not readable; {MAKE_READABLE}"] if refused else []),
    ]


def _notices(sums: dict[str, int], rules: SessionRules) -> list[str]:
    """Say what was left out, and why."""
    said = {
        "forgotten": f"{plural(sums['forgotten'], 'session')} left out: forgotten before",
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
    lines = [_problem(one) for one in damaged[:MOST_SHOWN]]
    return [
        *([f"skipped records of unknown types: {names}"] if names else []),
        *lines,
        *([f"and {len(damaged) - MOST_SHOWN} more; --json lists them all"] if len(damaged) > MOST_SHOWN else []),
    ]


def _problem(one: TranscriptProblems) -> str:
    if one.notes and one.notes[0].startswith(REFUSED):
        return f"{one.path} {one.notes[0]}"
    return f"{one.path}: {'; '.join([*([plural(one.broken, 'broken line')] if one.broken else []), *one.notes])}"
