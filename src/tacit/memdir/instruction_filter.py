"""Keeping written memory that orders its reader about from models, unless a person vouched for it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from tacit.errors import TacitError
from tacit.files.safe_paths import SafeFolder
from tacit.memdir.file_notes import file_note, folder_of, read_file
from tacit.memdir.folder import MOST_BYTES
from tacit.memdir.rules.instruction_filter import linked, wrong_in, wrong_lines
from tacit.memdir.rules.sync_decision import FileState
from tacit.memdir.rules.topic_file import entry
from tacit.records.connection import Connection
from tacit.text.plural import plural

Vouching = Callable[[Collection[str]], Collection[str]]
_BY_PERSON = 3
_FLAGGED = "its note is in quarantine, or flagged"


def nobody(_paths: Collection[str]) -> Collection[str]:
    """Say that nobody vouched for anything."""
    return ()


class FilteredIndex(NamedTuple):
    """An index as a model may see it, and how many lines of it were left out."""

    text: str
    left_out: int


def flag_of(c: Connection, path: str, file: FileState) -> str:
    """Say what is wrong with a file; empty when nothing is, or a person wrote it or vouched for it as it is."""
    found = file_note(c, path)
    if found and found.agreement and found.agreement.hash == file.hash and found.record.status == "active":
        return "" if found.record.trust else wrong_in(file.text) or _FLAGGED
    return wrong_in(file.text)


def vouched(c: Connection, paths: Collection[str]) -> frozenset[str]:
    """Give those of some files that a person wrote, or vouched for, as they are now."""
    inside = SafeFolder(folder_of(c))
    found = set()
    for path in paths:
        try:
            hash = read_file(c, inside, path).hash
        except TacitError:
            # What cannot be read, nobody can have vouched for as it is.
            continue
        one = file_note(c, path)
        if one and one.agreement and one.agreement.hash == hash and one.record.trust == _BY_PERSON:
            found.add(path)
    return frozenset(found)


def filtered_index(folder: Path, room: str, index: str, ask: Vouching) -> FilteredIndex:
    """Leave out of an index what does not belong before a model. `ask` is only asked about what looks wrong."""
    wrong = flagged_index_lines(lambda path: _text(folder, path), room, index, ask)
    if not wrong:
        return FilteredIndex(index, 0)
    lines = [line for number, line in enumerate(index.splitlines()) if number not in wrong]
    count = len(wrong)
    said = f"> {plural(count, 'line')} left out: not for a model to follow unread; `tacit memdir lint` says why."
    return FilteredIndex("\n".join([*lines, "", said]).strip("\n"), count)


def flagged_index_lines(read: Callable[[str], str], room: str, index: str, ask: Vouching) -> dict[int, str]:
    """Say what is wrong with which line of an index, counted from 0. `read` gives the text of a file."""
    lines = index.splitlines()
    texts = {path: read(path) for path in dict.fromkeys(path for line in lines for path in linked(line, room))}
    wrong = {path: wrong_in(text) for path, text in texts.items()}
    doubted = wrong_lines(index, room, lambda path: wrong.get(path, ""), lambda _line: False)
    listed = {path for number in doubted for path in linked(lines[number], room) if texts[path]}
    fine = ask(sorted(listed)) if listed else ()
    if not fine:
        return doubted
    # A line that says more than the file a person vouched for is not theirs.
    ours = {entry(path, texts[path]) for path in fine}
    return wrong_lines(index, room, lambda path: "" if path in fine else wrong.get(path, ""), ours.__contains__)


def flagged_files(texts: Mapping[str, str], ask: Vouching) -> dict[str, str]:
    """Say which topic files give orders, without those a person vouched for, and why."""
    found = {path: why for path, text in texts.items() if (why := wrong_in(text))}
    fine = ask(list(found)) if found else ()
    return {path: why for path, why in found.items() if path not in fine}


def _text(folder: Path, path: str) -> str:
    try:
        return SafeFolder(folder).read(path, MOST_BYTES).decode(errors="replace")
    except TacitError:
        return ""
