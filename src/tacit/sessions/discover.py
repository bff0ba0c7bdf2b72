"""Find the sessions of transcripts, and the scope each belongs to: that of the project it ran in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from tacit.files.project_id import git_root, project_id
from tacit.model.scope import Scope
from tacit.model.session import SessionHead
from tacit.records.arguments import Progress
from tacit.records.connection import Connection
from tacit.sessions.transcript import Transcript, UnreadableTranscript

UNKNOWN = "not a transcript in a format tacit knows"


class DiscoveredSession(NamedTuple):
    """A session that was found, the scope it belongs to, and what hooks said of the agents that started it."""

    transcript: Transcript
    head: SessionHead
    scope: str
    nested: bool | None = None
    started_by: tuple[str, ...] = ()
    goes_on: bool = False
    rests: bool = False
    """Whether one that goes on has not grown for a while, so that its last answer is whole."""


def discover_sessions(
    c: Connection, files: Iterable[tuple[Path, str]], *, named: bool = False, progress: Progress | None = None
) -> list[DiscoveredSession]:
    """Read the beginning of transcripts to find their sessions, and the scope each belongs to.

    `files` are paths, each with an agent's name or none. `named` means that the caller named these files: then a
    session whose folder no longer exists belongs to this scope.
    """
    places: dict[str, Scope] = {}
    found = []
    for number, (path, agent) in enumerate(files, 1):
        for transcript in _held_in(c, path, agent, named=named):
            head = transcript.peek()
            if isinstance(transcript, UnreadableTranscript):
                # It has no scope of its own; it is reported to whoever asked.
                found.append(DiscoveredSession(transcript, head, str(c.scope)))
                continue
            if head.cwd not in places:
                places[head.cwd] = _belongs(c, head.cwd, named=named)
            found.append(DiscoveredSession(transcript, head, str(places[head.cwd])))
        if progress:
            progress(number, 0)
    return found


def _held_in(c: Connection, path: Path, agent: str, *, named: bool) -> Iterator[Transcript]:
    """Return the sessions of a file; one that was named and has none gives an unreadable transcript."""
    found = 0
    for found, transcript in enumerate(c.transcripts(path, agent), 1):  # noqa: B007
        yield transcript
    if named and not found and path.exists() and not path.is_dir():
        yield UnreadableTranscript(agent, path, [_no_transcript(path)])


def _no_transcript(path: Path) -> str:
    """Return why a path that was named has no session."""
    if not path.is_file():
        return "not a transcript, because it is not a regular file"
    return UNKNOWN if path.stat().st_size else "an empty file, not a transcript"


def _belongs(c: Connection, cwd: str, *, named: bool) -> Scope:
    """Return the scope of a session that ran in a folder: that of its project, if the folder still exists."""
    here = Path(c.origin.cwd) if c.origin.cwd else None
    project = _project(Path(cwd)) if cwd else ""
    if project and not (named and here and project == _project(here)):
        return Scope("project", project)
    if project or named or (cwd and here and _below(Path(cwd), git_root(here) or here)):
        return c.scope
    return next((scope for scope in c.reads if scope.kind == "user"), c.scope)


def _project(folder: Path) -> str:
    try:
        return project_id(folder) if folder.is_absolute() and folder.is_dir() else ""
    except (OSError, ValueError):
        return ""


def _below(folder: Path, root: Path) -> bool:
    return folder == root or root in folder.parents
