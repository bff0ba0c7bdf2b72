"""Transcripts: one session read turn by turn, and what the reader learns about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from tacit.model.session import ReadProblems, SessionHead, Turn
from tacit.text.loose_fields import moment

# No real folder or name is longer; a longer one comes from a hostile file.
MOST_PATH_CHARS = 4_096
MOST_ID_CHARS = 400
MOST_NAMES = 100
MOST_NOTES = 20
REFUSED = "could not be read"
"""How the note of a file begins that the system does not let us read."""


class SessionBuilder:
    """What is known about a session so far. The first id, folder, model and branch found are kept."""

    def __init__(self, agent: str, path: str, id: str = "") -> None:
        self.agent = agent
        self.path = path
        self.id = id
        self.cwd = self.title = self.model = self.branch = self.parent = ""
        self.started_at: datetime | None = None
        self.ended_at: datetime | None = None
        self.scripted = False
        self.broken = 0
        self._unknown: Counter[str] = Counter()
        self._notes: list[str] = []

    def fill(self, **found: str) -> None:
        """Set fields that are not known yet."""
        for name, value in found.items():
            if value and not getattr(self, name):
                setattr(self, name, value[:MOST_PATH_CHARS])

    def at(self, value: Any) -> datetime | None:
        """Parse a time, and extend the session's start and end to include it."""
        found = moment(value)
        if found is not None:
            self.started_at = min(self.started_at or found, found)
            self.ended_at = max(self.ended_at or found, found)
        return found

    def elsewhere(self, cwd: str) -> str:
        """Return a folder if it differs from the folder where the session began."""
        cwd = cwd[:MOST_PATH_CHARS]
        if not self.cwd:
            self.cwd = cwd
        return "" if cwd == self.cwd else cwd

    def strange(self, name: str) -> None:
        """Count a record of an unknown type. The names come from outside, so their number is limited."""
        name = name[:60] or "untyped"
        self._unknown[name if name in self._unknown or len(self._unknown) < MOST_NAMES else "others"] += 1

    def note(self, sentence: str) -> None:
        """Note why something could not be read."""
        if sentence not in self._notes and len(self._notes) < MOST_NOTES:
            self._notes.append(sentence)

    @property
    def head(self) -> SessionHead:
        """What is known about the session besides its turns."""
        return SessionHead(
            id=(self.id or Path(self.path).stem)[:MOST_ID_CHARS], agent=self.agent, path=self.path, cwd=self.cwd,
            title=self.title, model=self.model, branch=self.branch, started_at=self.started_at, ended_at=self.ended_at,
            parent=self.parent[:MOST_ID_CHARS] if self.parent != self.id else "",
            scripted=self.scripted,
        )  # fmt: skip

    @property
    def reading(self) -> ReadProblems:
        """What could not be read."""
        return ReadProblems(unknown=dict(self._unknown), broken=self.broken, notes=tuple(self._notes))


Read = Callable[[SessionBuilder], Iterator[Turn]]


class Transcript:
    """One session. Iterating reads its turns from the file; after that its head is complete."""

    def __init__(
        self, agent: str, path: Path, read: Read, *, id: str = "", stamp: tuple[int, int] | None = None
    ) -> None:
        self.path = path
        self._agent = agent
        self._read = read
        self._id = id
        self._stamp = stamp
        self._builder = SessionBuilder(agent, str(path), id)

    def __iter__(self) -> Iterator[Turn]:
        self._builder = SessionBuilder(self._agent, str(self.path), self._id)
        yield from self._read(self._builder)

    @property
    def id(self) -> str:
        """The id of this session in a file with several sessions; empty if the file has only one."""
        return self._id

    @property
    def head(self) -> SessionHead:
        """What is known so far about the session besides its turns."""
        return self._builder.head

    @property
    def reading(self) -> ReadProblems:
        """What could not be read, so far."""
        return self._builder.reading

    @property
    def stamp(self) -> tuple[int, int]:
        """Size in bytes and time of the last change in nanoseconds. If both are equal, the session is unchanged.

        A reader of files with several sessions gives two numbers that change only with the session itself.
        """
        if self._stamp is not None:
            return self._stamp
        try:
            found = self.path.stat()
        except OSError:
            return 0, 0
        return found.st_size, found.st_mtime_ns

    def named(self, agent: str) -> Transcript:
        """Return the same transcript with another agent's name."""
        return Transcript(agent, self.path, self._read, id=self._id, stamp=self._stamp)

    def peek(self, most: int = 40) -> SessionHead:
        """Read until the session's folder and id are known, or for a few turns."""
        for number, _turn in enumerate(self):
            if number >= most or (self.head.cwd and self.head.id):
                break
        return self.head


class UnreadableTranscript(Transcript):
    """A file without readable sessions: a transcript without turns that gives the reason."""

    def __init__(self, agent: str, path: Path, notes: Iterable[str]) -> None:
        self.notes = tuple(notes)
        super().__init__(agent, path, self._noted)

    def _noted(self, builder: SessionBuilder) -> Iterator[Turn]:
        for note in self.notes:
            builder.note(note)
        yield from ()


class RefusedTranscript(UnreadableTranscript):
    """A file that the system does not let us read."""

    def __init__(self, agent: str, path: Path, why: str) -> None:
        super().__init__(agent, path, [f"{REFUSED}: {why}"])
