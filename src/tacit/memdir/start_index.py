"""The index of the memory directory at the start of a session, for agents that do not load it themselves."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from tacit.admission.trust import LABELS, suspicious
from tacit.errors import TacitError
from tacit.files.safe_paths import SafeFolder
from tacit.memdir.file_notes import file_note, read_file
from tacit.memdir.folder import MOST_BYTES
from tacit.memdir.instruction_filter import flag_of
from tacit.memdir.rules.front_matter import read_front_matter
from tacit.memdir.rules.index import NAME, load_index
from tacit.memdir.rules.instruction_filter import linked
from tacit.memdir.rules.sync_decision import FileState
from tacit.memdir.rules.topic_file import AGENTS, TEAM, relinked
from tacit.model.record import id_mark
from tacit.records.connection import Connection
from tacit.records.told_marks import trust_and_author
from tacit.text.frame import FILE_MARK, framed
from tacit.text.token_budget import estimate_tokens

MOST_TOKENS = 150
_LINE_CHARS = 160
# Each line that is looked at costs the reading of a file.
_MOST_LOOKED_AT = 30
_UNREAD = 1
_MOST_GONE = 2


def start_index(c: Connection, budget: int) -> list[str]:
    """Return the lines of MEMORY.md, and of the team's and the agent's own, that fit into a budget of tokens.

    Each has the trust and the age of its file. A line that leads nowhere says so. Lines with instructions, and those of
    flagged files, are left out. None are returned for an agent that loads this index by itself.
    """
    if c.memdir is None or c.memdir_rules.off or c.scope.namespace or c.loads_index(c.origin.agent):
        return []
    left = min(budget, MOST_TOKENS) - estimate_tokens(head_of(c))
    told: list[str] = []
    for line in _lines(c, SafeFolder(c.memdir)):
        cost = estimate_tokens(line + "\n")
        if cost <= left:
            left -= cost
            told.append(line)
    return told


def head_of(c: Connection) -> str:
    """Return the line above the index."""
    return f"Memory files in {framed(str(c.memdir), 200)}; read one before relying on it:"


def _lines(c: Connection, inside: SafeFolder) -> Iterator[str]:
    looked_at = 0
    for place in ("", TEAM.rstrip("/"), *([f"{AGENTS}{c.origin.agent}"] if c.origin.agent else [])):
        for line, path in _entries(c, inside, place):
            looked_at += 1
            if looked_at > _MOST_LOOKED_AT:
                return
            if told := _told(c, inside, line, path):
                yield told


def _entries(c: Connection, inside: SafeFolder, place: str) -> Iterator[tuple[str, str]]:
    """Return the lines of one index that list a file, with the path of the file."""
    try:
        content = inside.read(f"{place}/{NAME}" if place else NAME, MOST_BYTES).decode(errors="replace")
    except TacitError:
        # There is none, or `tacit memdir lint` says what is wrong with it.
        return
    for line in load_index(c.redact(content)).content.splitlines():
        if line.lstrip().startswith(("- ", "* ", "+ ")) and len(paths := linked(line, place)) == 1:
            # As a path from the folder that is named above the lines.
            yield relinked(line.strip()[2:], place, paths[0], paths[0], into=""), paths[0]


def _told(c: Connection, inside: SafeFolder, line: str, path: str) -> str:
    said = framed(line, _LINE_CHARS)
    try:
        status = inside.status(path)
        file = read_file(c, inside, path) if status is not None else None
    except TacitError:
        return ""
    if suspicious((), line) or (file and (flag_of(c, path, file) or _is_off(c, file))):
        return ""
    if file is None or status is None:
        return f"- [{FILE_MARK}; gone] {said}"
    found = file_note(c, path)
    same = found and found.agreement and found.agreement.hash == file.hash and found.record.status == "active"
    note = found.record if found and same else None
    written = datetime.fromtimestamp(status.st_mtime, UTC)
    (gone,) = c.gone([file.clean], 0)
    marks = [FILE_MARK, *(trust_and_author(note) if note else [LABELS[_UNREAD]]), f"since {written:%Y-%m-%d}"]
    marks += [f"gone: {', '.join(gone[:_MOST_GONE])}"] if gone else []
    return f"- [{'; '.join(marks)}] {said}{id_mark(note) if note else ''}"


def _is_off(c: Connection, file: FileState) -> bool:
    kind = read_front_matter(file.text).type
    return bool(kind) and kind not in c.memdir_rules.types
