"""Read transcripts of every agent into one shape: find out which agent wrote a file, and its sessions."""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from tacit.agents import aider, claude, cline, cursor_chats, cursor_editor, gemini, opencode, specstory
from tacit.agents.reading.json_lines import objects, parsed, records
from tacit.agents.reading.readonly_sqlite import MAGIC, tables
from tacit.agents.registry import NAMES, agent as agent_of, agent_named
from tacit.files.plain_file import NotPlain, open_plain
from tacit.sessions.transcript import RefusedTranscript, SessionBuilder, Transcript

__all__ = ["Transcript", "agent_named", "detect", "other_files", "transcripts"]

_SAMPLE_BYTES = 256 * 1024
_SAMPLE_LINES = 60
_ENDINGS = (".jsonl", ".jsonl.zst", ".md", ".json", ".db", ".vscdb")
_BESIDE_DATABASES = ("-wal", "-shm", "-journal")
_ZSTD = b"\x28\xb5\x2f\xfd"
# In a folder, the first files decide which agent it belongs to.
_SAMPLE_FILES = 20


def detect(path: Path) -> str:
    """Return which agent wrote a file, a folder or a database; empty if the agent is unknown."""
    return _detected(path, "")


def transcripts(path: Path, agent: str = "") -> Iterator[Transcript]:
    """Return the sessions of a file, a database, or everything below a folder.

    The content of a file decides how to read it. `agent` names the agent, and decides if the content does not.
    """
    hint = agent_named(agent)
    is_folder = path.is_dir()
    shape = "" if is_folder else _detected(path, hint)
    if not shape and (why := _refusal(path)):
        yield RefusedTranscript(hint, path, why)
        return
    if is_folder and opencode.tree_of(path) is None:
        for file in _below(path):
            yield from transcripts(file, hint)
        return
    shape = "opencode" if is_folder else shape or (hint if path.is_file() else "")
    for transcript in agent_of(shape).sessions(path) if shape else ():
        yield transcript.named(hint) if hint and hint != shape else transcript


def _refusal(path: Path) -> str:
    """Return why the system does not let us read a file or a folder; empty if it does, or there is none."""
    try:
        if path.is_dir():
            next(path.iterdir(), None)
        else:
            open_plain(path).close()
    except (FileNotFoundError, NotPlain):
        return ""
    except OSError as error:
        return (error.strerror or str(error)).lower()
    return ""


def other_files(folder: Path, read: Collection[Path]) -> int:
    """Count the files below a folder that have no session: not read, nor part of what was, nor hidden."""
    trees = _trees(folder)
    return sum(
        1 for path in folder.rglob("*")
        if path not in read and not any(part.startswith(".") for part in path.relative_to(folder).parts)
        and not path.name.endswith(_BESIDE_DATABASES) and not any(tree in path.parents for tree in trees)
        and path.is_file() and not (path.suffix == ".json" and cline.is_second(path))
    )  # fmt: skip


def _trees(folder: Path) -> list[Path]:
    """Return the trees of files below a folder that contain sessions together."""
    return sorted(path.parent for path in folder.rglob("session") if opencode.tree_at(path.parent))


def _below(folder: Path) -> Iterator[Path]:
    """Return the files below a folder that may contain sessions, and trees of files that contain them together."""
    trees = _trees(folder)
    yield from trees
    for path in sorted(folder.rglob("*")):
        if not path.name.endswith(_ENDINGS) or any(tree in path.parents for tree in trees) or not path.is_file():
            continue
        if path.suffix != ".json" or not cline.is_second(path):
            yield path


def _detected(path: Path, hint: str) -> str:
    try:
        if path.is_dir():
            return _of_folder(path, hint)
        with open_plain(path) as file:
            sample = file.read(_SAMPLE_BYTES)
    except OSError:
        return ""
    if sample.startswith(MAGIC):
        return _of_tables(tables(path))
    if sample.startswith(_ZSTD):
        return "codex"
    if path.suffix == ".md" or aider.owns_text(sample, path.name):
        return _of_markdown(path, sample) or (hint if hint in ("aider", "specstory") else "")
    return _of_lines(path, sample, hint) or _of_document(path, sample, hint)


def _of_folder(path: Path, hint: str) -> str:
    if opencode.tree_of(path) is not None:
        return "opencode"
    if hint:
        return hint
    for _number, file in zip(range(_SAMPLE_FILES), _below(path), strict=False):
        if found := _detected(file, ""):
            return found
    return ""


def _of_tables(found: frozenset[str]) -> str:
    if opencode.TABLES <= found:
        return "opencode"
    return "cursor" if cursor_chats.TABLES <= found or set(cursor_editor.TABLES) & found else ""


def _of_markdown(path: Path, sample: bytes) -> str:
    if path.name.endswith(aider.NAME.lstrip(".")):
        return "aider"
    if specstory.owns_text(sample):
        return "specstory"
    return "aider" if aider.owns_text(sample, path.name) else ""


def _of_lines(path: Path, sample: bytes, hint: str) -> str:
    """Decide by the first lines; a hint wins if any line supports it."""
    judges = {name: owns for name in NAMES if (owns := agent_of(name).owns)}
    votes = dict.fromkeys(judges, 0)
    for record in _first_records(path, sample):
        for name, owns in judges.items():
            votes[name] += owns(record)
    if hint and votes.get(hint):
        return hint
    best = max(votes, key=lambda agent: votes[agent])
    return best if votes[best] else ""


def _first_records(path: Path, sample: bytes) -> list[dict[str, Any]]:
    scratch = SessionBuilder("", "")
    lines = sample.split(b"\n")
    if sample[:2] in (BOM_UTF16_LE, BOM_UTF16_BE) or (len(lines) == 1 and len(sample) == _SAMPLE_BYTES):
        # Another encoding, or a first line longer than the sample: then they are read as a reader would.
        return list(islice(records(path, scratch), _SAMPLE_LINES))
    # The last line of a sample is cut off, unless the sample is the whole file.
    whole = lines if len(sample) < _SAMPLE_BYTES else lines[:-1]
    found = [record for line in whole[:_SAMPLE_LINES] for record in objects(line, scratch)]
    # One object over many lines is a document.
    return found if len(found) > 1 or sum(bool(line.strip()) for line in whole) <= 1 else []


def _of_document(path: Path, sample: bytes, hint: str) -> str:
    if sample.lstrip(b"\xef\xbb\xbf \r\n\t")[:1] not in (b"{", b"["):
        return ""
    if opencode.owns_sample(sample) or opencode.tree_of(path) is not None:
        return "opencode"
    if path.name in (cline.HISTORY, cline.SHOWN) or path.name.endswith(".messages.json"):
        return "cline"
    value = parsed(sample, SessionBuilder("", ""), path.name)
    if claude.owns_document(value):
        return "claude"
    if cline.owns_document(value):
        return "gemini" if hint == "gemini" and gemini.owns_document(value) else "cline"
    return "gemini" if gemini.owns_document(value) else ""
