"""The cold path with the guard: parse and judge a command, without opening the memory if nothing is known about it.

Only an empty answer is given here. Whatever the guard or the memory has to report, the full path reports.
"""

from __future__ import annotations

import os

from tacit.doors.hooks.cold import is_unheard_of
from tacit.doors.hooks.surroundings import MOST_BYTES, RULES, parse_json
from tacit.failures.rules.failure_and_fix import signatures_in
from tacit.failures.rules.line_parts import program_names
from tacit.files.plain_file import read_plain
from tacit.guard.judge import judge
from tacit.guard.packs import packs_from
from tacit.guard.verdict import CommandLocation


def is_allowed_and_unknown(home: str, command: str, folder: str, known: dict[str, object]) -> bool:
    """Return whether the rules allow a command and nothing was ever learned about it."""
    place = CommandLocation(
        folder, (os.environ.get("HOME") or os.path.expanduser("~")).rstrip("/") or "/", _root(folder), home
    )
    try:
        kept = parse_json(read_plain(os.path.join(home, RULES), MOST_BYTES))
    except (OSError, ValueError):
        return False
    if not isinstance(kept, dict) or kept.get("stamp") != known["stamp"]:
        return False
    if judge(command, place, packs_from(kept["rules"])).verdict != "allow":
        return False
    return is_unheard_of(known, signatures_in(command), command.split(), program_names(command))


def _root(folder: str) -> str:
    """Return the top of the working tree that contains a folder; empty outside a working tree."""
    place = os.path.realpath(folder)
    while not os.path.exists(os.path.join(place, ".git")):
        above = os.path.dirname(place)
        if above == place:
            return ""
        place = above
    return place
