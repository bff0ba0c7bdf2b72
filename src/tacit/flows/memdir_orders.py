"""Keeping written memory that orders its reader about from models, unless a person vouched for it."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from tacit.errors import TacitError
from tacit.files.inside import Inside
from tacit.files.memdir import MOST_BYTES
from tacit.flows.connection import Connection
from tacit.flows.memdir_shadow import folder_of, holding, read_file
from tacit.judge.memdir_orders import linked, wrong_in, wrong_lines
from tacit.judge.memdir_sync import File
from tacit.text.plural import plural
from tacit.text.topic import entry

Vouching = Callable[[Collection[str]], Collection[str]]
_FLAGGED = "its note is in quarantine, or flagged"


class Shown(NamedTuple):
    """An index as a model may see it, and how many lines of it were left out."""

    text: str
    left_out: int


def flag_of(c: Connection, path: str, file: File) -> str:
    """Say what is wrong with a file; empty when nothing is, or a person wrote it or vouched for it as it is."""
    found = holding(c, path)
    if found and found.agreement and found.agreement.hash == file.hash and found.record.status == "active":
        return "" if found.record.trust else wrong_in(file.text) or _FLAGGED
    return wrong_in(file.text)


def vouched(c: Connection, paths: Collection[str]) -> frozenset[str]:
    """Give those of some files that nothing is to be said against, because a person wrote or vouched for them."""
    inside = Inside(folder_of(c))
    found = set()
    for path in paths:
        try:
            if not flag_of(c, path, read_file(c, inside, path)):
                found.add(path)
        except TacitError:
            # What cannot be read, nobody can have vouched for as it is.
            continue
    return frozenset(found)


def shown_index(folder: Path, room: str, index: str, ask: Vouching) -> Shown:
    """Leave out of an index what does not belong before a model. `ask` is only asked about what looks wrong."""
    wrong = against_index(folder, room, index, ask)
    if not wrong:
        return Shown(index, 0)
    lines = [line for number, line in enumerate(index.splitlines()) if number not in wrong]
    count = len(wrong)
    said = f"> {plural(count, 'line')} left out: not for a model to follow unread; `tacit memdir lint` says why."
    return Shown("\n".join([*lines, "", said]).strip("\n"), count)


def against_index(folder: Path, room: str, index: str, ask: Vouching) -> dict[int, str]:
    """Say what is wrong with which line of an index, counted from 0."""
    texts: dict[str, str] = {}
    for path in dict.fromkeys(path for line in index.splitlines() for path in linked(line, room)):
        texts[path] = _text(folder, path)
    wrong = wrong_files(texts, ask)
    entries = {posixpath.normpath(path): entry(path, text) for path, text in texts.items()}
    doubted = wrong_lines(index, room, lambda path: wrong.get(path, ""), lambda _line: False)
    if not doubted:
        return doubted
    lines = index.splitlines()
    listed = {path for number in doubted for path in linked(lines[number], room)}
    fine = ask([path for path in listed if texts.get(path)])
    ours = {entries[path] for path in fine if path in entries}
    return wrong_lines(index, room, lambda path: wrong.get(path, ""), ours.__contains__)


def wrong_files(texts: Mapping[str, str], ask: Vouching) -> dict[str, str]:
    """Say which topic files give orders, without those a person vouched for, and why."""
    found = {path: why for path, text in texts.items() if (why := wrong_in(text))}
    fine = ask(list(found)) if found else ()
    return {path: why for path, why in found.items() if path not in fine}


def _text(folder: Path, path: str) -> str:
    try:
        return Inside(folder).read(path, MOST_BYTES).decode(errors="replace")
    except TacitError:
        return ""
