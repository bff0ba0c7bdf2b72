"""Aider: one Markdown file per project that contains every session, one after the other."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import zip_longest
from pathlib import Path
from zlib import crc32

from tacit.agents.agent import Agent
from tacit.files.plain_file import open_plain
from tacit.model.record import replace
from tacit.model.session import ToolCall, ToolOutcome, Turn
from tacit.sessions.transcript import SessionBuilder, Transcript
from tacit.text.loose_fields import cut, readable
from tacit.text.patterns import lazy_pattern

NAME = ".aider.chat.history.md"
START = b"# aider chat started at "
_USER = "#### "
_SHELLS = ("/run ", "/test ", "/lint ", "!")
_RUNNING = lazy_pattern(r"^Running (?!a linter|the linter|tests)(\S.*)$")
_DECLINED = lazy_pattern(r"^Run shell commands?\?.*: *(?:n|no|s|skip|d)\w*$", re.I)
_EDITED = lazy_pattern(r"^Applied edit to (.+)$")
_MODEL = lazy_pattern(r"^(?:Main )?[Mm]odel: (\S+)")
_ASIDE = lazy_pattern(
    r"^(?:Add (?:.*tokens of )?(?:the |command )output|Applied edit to |Commit [0-9a-f]{7}|Tokens: |"
    r"Added .* lines of output|Run shell commands?\?|Aider v|Git repo|Repo-map|You can use /undo)"
)
_MOST_LINE = 1024 * 1024
# Said in one message; a longer one is a pasted log, and its middle matters little.
_MOST_CHARS = 4 * 1024 * 1024


def owns_text(sample: bytes, name: str) -> bool:
    """Return whether a file is an Aider history."""
    return name.endswith("aider.chat.history.md") or START in sample


def sessions(path: Path) -> Iterator[Transcript]:
    """Return the sessions of a history, oldest first."""
    found = list(_parts(path))
    taken: dict[str, int] = {}
    for part, after in zip_longest(found, found[1:]):
        taken[part.started] = taken.get(part.started, 0) + 1
        id = _id(path, part.started) + (f"-{taken[part.started]}" if taken[part.started] > 1 else "")
        read_part = partial(read, path, part.place, after.place if after else None)
        yield Transcript("aider", path, read_part, id=id, stamp=(part.size_bytes, part.checksum))


def _id(path: Path, started: str) -> str:
    """Return the id of a session: the second in which it began, and its folder."""
    folder = hashlib.sha256(str(path.absolute().parent).encode(errors="replace")).hexdigest()[:8]
    return f"{re.sub(r'[^0-9]+', '-', started).strip('-') or 'undated'}-{folder}"


@dataclass(slots=True)
class _Part:
    """Where a session begins in the file, and its size and checksum.

    Empty lines do not count: the next session adds some.
    """

    place: int
    started: str = ""
    size_bytes: int = 0
    checksum: int = 0

    def add(self, line: bytes) -> None:
        """Count a line of this session."""
        if line.strip():
            # A last line may get its end only when the next session is written.
            line = line if line.endswith(b"\n") or len(line) == _MOST_LINE else line + b"\n"
            self.size_bytes += len(line)
            self.checksum = crc32(line, self.checksum)


def _parts(path: Path) -> Iterator[_Part]:
    """Find the sessions of a file; text before the first start is a session whose start was cut off."""
    offset, part = 0, _Part(0)
    with suppress(OSError), open_plain(path) as file:
        while line := file.readline(_MOST_LINE):
            if line.startswith(START):
                if part.size_bytes:
                    yield part
                part = _Part(offset, line[len(START) :].decode("utf-8", "replace").strip()[:40])
            part.add(line)
            offset += len(line)
    if part.size_bytes:
        yield part


def read(path: Path, place: int, end: int | None, builder: SessionBuilder) -> Iterator[Turn]:
    """Read the turns of one session."""
    builder.fill(cwd=str(path.absolute().parent))
    reader = _AiderReader(builder)
    try:
        with open_plain(path) as file:
            file.seek(place)
            while (end is None or file.tell() < end) and (line := file.readline(_MOST_LINE)):
                yield from reader.take(readable(line.decode("utf-8", "replace")).rstrip("\r\n"))
    except OSError as error:
        builder.note(f"{path.name} could not be read: {error.strerror or error}")
    yield from reader.rest()


class _AiderReader:
    """Collects lines until the speaker changes."""

    def __init__(self, builder: SessionBuilder) -> None:
        self._builder = builder
        self._who = ""
        self._lines: list[str] = []
        self._chars = 0
        self._command: Turn | None = None
        self._slash = ""

    def take(self, line: str) -> Iterator[Turn]:
        """Read one line, and return the turns it completes."""
        if line.startswith(START.decode()):
            yield from self.rest()
            self._local(line[len(START) :].strip())
        elif line.startswith(_USER) or line == _USER.strip():
            yield from self._turn_to("user")
            self._hold(line[len(_USER) :].rstrip())
        elif line.startswith(">"):
            yield from self._aside(line[1:].removeprefix(" ").rstrip())
        elif line.strip() or (self._who == "assistant" and self._lines):
            yield from self._turn_to("assistant")
            self._hold(line)
        elif self._who == "user":
            # Lines of one prompt are consecutive, including empty ones with the mark.
            yield from self._turn_to("")

    def rest(self) -> Iterator[Turn]:
        """Return the remaining turns."""
        yield from self._turn_to("")
        yield from self._ran()
        yield from self._asked("")

    def _aside(self, line: str) -> Iterator[Turn]:
        """Read what Aider itself reports: output of a command, files it edited, notices."""
        if found := _MODEL.match(line):
            self._builder.fill(model=found[1])
        if self._who == "user":
            yield from self._turn_to("")
        if _DECLINED.match(line) and self._who == "system" and self._lines:
            # The command that was offered is on the line before the question.
            offered = ToolCall(name="shell", kind="shell", command=self._lines.pop())
            yield from self.rest()
            yield Turn(role="assistant", tool=offered, outcome=ToolOutcome(refused=True))
            return
        running, edited = _RUNNING.match(line), _EDITED.match(line)
        if running:
            yield from self.rest()
            tool = ToolCall(name="shell", kind="shell", command=running[1].strip())
            self._command = Turn(role="assistant", tool=tool)
        elif edited:
            yield from self.rest()
            tool = ToolCall(name="edit", kind="edit", paths=(edited[1].strip(),))
            yield Turn(role="assistant", tool=tool, outcome=ToolOutcome(ok=True))
        elif self._command and not _ASIDE.match(line):
            yield from self._turn_to("output")
            self._hold(line)
        else:
            if self._command:
                yield from self.rest()
            yield from self._turn_to("system")
            self._hold(line)

    def _hold(self, line: str) -> None:
        """Keep a line until the speaker changes, within bounds."""
        self._chars += len(line)
        if self._chars <= _MOST_CHARS:
            self._lines.append(line)
        else:
            self._builder.note(f"a message was cut after {_MOST_CHARS // 2**20} MB")

    def _turn_to(self, who: str) -> Iterator[Turn]:
        """Change the speaker, and return the turns up to here."""
        if who == self._who:
            return
        before, said = self._who, "\n".join(self._lines).strip()
        self._who, self._lines, self._chars = who, [], 0
        if before == "output" and self._command:
            self._command = replace(self._command, outcome=ToolOutcome(output=cut(said)))
            yield from self._ran()
        elif before in ("user", "assistant", "system") and said:
            yield from self._ran()
            yield from self._asked(said if before == "user" else "")
            yield from self._said(before, said)

    def _said(self, who: str, said: str) -> Iterator[Turn]:
        shell = next((word for word in _SHELLS if said.startswith(word)), "") if who == "user" else ""
        if shell:
            tool = ToolCall(name="shell", kind="shell", command=said[len(shell) :].strip())
            self._command = Turn(role="user", tool=tool)
            return
        if who == "user" and said.startswith("/"):
            self._slash = said
            return
        turn = Turn(role="user", text=said)
        yield replace(turn, role="assistant" if who == "assistant" else "user" if who == "user" else "system")

    def _asked(self, then: str) -> Iterator[Turn]:
        """Return a command of Aider's as a prompt, unless the next text repeats the prompt, as after `/ask`."""
        said, self._slash = self._slash, ""
        if said and (not then or said.partition(" ")[2].strip() != then):
            yield Turn(role="user", text=said)

    def _ran(self) -> Iterator[Turn]:
        if self._command:
            turn, self._command = self._command, None
            # Aider keeps no exit codes: the outcome is unknown.
            yield turn if turn.outcome else replace(turn, outcome=ToolOutcome())

    def _local(self, started: str) -> None:
        """Record when the session began. The time has no zone, so the zone of this machine is assumed."""
        with suppress(ValueError, OverflowError, OSError):
            self._builder.at(datetime.fromisoformat(started).astimezone(UTC).isoformat())


AGENT = Agent(name="aider", sessions=sessions, files=(NAME,), in_project=".")
