"""Keep topic files and index lines that contain instructions out of prompts, unless a person approved them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Annotated, NamedTuple

from tacit.errors import TacitError
from tacit.files.safe_paths import SafeFolder
from tacit.memdir.file_notes import file_note, folder_of, read_file
from tacit.memdir.folder import MOST_BYTES
from tacit.memdir.rules.instruction_filter import linked, wrong_in, wrong_lines
from tacit.memdir.rules.sync_decision import FileState
from tacit.memdir.rules.topic_file import entry
from tacit.model.verb import arg
from tacit.records.connection import Connection
from tacit.text.plural import plural

Vouching = Callable[[Collection[str]], Collection[str]]
_BY_PERSON = 3
_FLAGGED = "its note is in quarantine, or flagged"


def nobody(_paths: Collection[str]) -> Collection[str]:
    """Return an empty set: no file is approved."""
    return ()


class FilteredIndex(NamedTuple):
    """An index as a model may see it, and how many lines were left out."""

    text: str
    left_out: int


def flag_of(c: Connection, path: str, file: FileState) -> str:
    """Return why a file is flagged; empty if it is not flagged, or if a person wrote or approved its current text."""
    found = file_note(c, path)
    if found and found.agreement and found.agreement.hash == file.hash and found.record.status == "active":
        return "" if found.record.trust else wrong_in(file.text) or _FLAGGED
    return wrong_in(file.text)


def vouched(c: Connection, paths: Annotated[Collection[str], arg("The paths of topic files.")]) -> frozenset[str]:
    """Return the topic files whose current text a person wrote or approved."""
    inside = SafeFolder(folder_of(c))
    found = set()
    for path in paths:
        try:
            hash = read_file(c, inside, path).hash
        except TacitError:
            continue  # nobody can have vouched for the text of a file that cannot be read
        one = file_note(c, path)
        if one and one.agreement and one.agreement.hash == hash and one.record.trust == _BY_PERSON:
            found.add(path)
    return frozenset(found)


def filtered_index(folder: Path, place: str, index: str, ask: Vouching) -> FilteredIndex:
    """Remove the flagged lines from an index. `ask` is called only for files that look suspicious."""
    wrong = flagged_index_lines(lambda path: _text(folder, path), place, index, ask)
    if not wrong:
        return FilteredIndex(index, 0)
    lines = [line for number, line in enumerate(index.splitlines()) if number not in wrong]
    count = len(wrong)
    notice = f"> {plural(count, 'line')} left out: flagged as instructions; `tacit memdir lint` says why."
    return FilteredIndex("\n".join([*lines, "", notice]).strip("\n"), count)


def flagged_index_lines(read: Callable[[str], str], place: str, index: str, ask: Vouching) -> dict[int, str]:
    """Return which lines of an index, counted from 0, are flagged, and why. `read` returns the text of a file."""
    lines = index.splitlines()
    texts = {path: read(path) for path in dict.fromkeys(path for line in lines for path in linked(line, place))}
    wrong = {path: wrong_in(text) for path, text in texts.items()}
    doubted = wrong_lines(index, place, lambda path: wrong.get(path, ""), lambda _line: False)
    listed = {path for number in doubted for path in linked(lines[number], place) if texts[path]}
    fine = ask(sorted(listed)) if listed else ()
    if not fine:
        return doubted
    # A line that differs from the entry of the vouched file is not vouched for.
    ours = {entry(path, texts[path]) for path in fine}
    return wrong_lines(index, place, lambda path: "" if path in fine else wrong.get(path, ""), ours.__contains__)


def flagged_files(texts: Mapping[str, str], ask: Vouching) -> dict[str, str]:
    """Return which topic files contain instructions that no person approved, and why."""
    found = {path: why for path, text in texts.items() if (why := wrong_in(text))}
    fine = ask(list(found)) if found else ()
    return {path: why for path, why in found.items() if path not in fine}


def _text(folder: Path, path: str) -> str:
    try:
        return SafeFolder(folder).read(path, MOST_BYTES).decode(errors="replace")
    except TacitError:
        return ""
