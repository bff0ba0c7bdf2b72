"""What is told of the commands of a session that failed: the line of the error, and what worked next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tacit.failures.rules.made_it_work import what_worked
from tacit.failures.rules.told_error import tells_error
from tacit.model.payload import KeptTurn
from tacit.sessions.rules.kept_turns import stopped_by

_STEPS = 15
"""How many turns after the one that failed are looked at."""


class FailedTurn(NamedTuple):
    """The line of an error, and what is told of the command that worked next, with the number of its turn."""

    error: str
    then: str = ""
    """What stands before "worked": the command or, if it is the same again, what made it work."""
    number: int = 0


def failed_turns(turns: Sequence[KeptTurn]) -> dict[int, FailedTurn]:
    """Return what is told of the commands that failed, by the numbers of their turns."""
    found = {}
    for place, turn in enumerate(turns):
        if turn.command and not stopped_by(turn) and tells_error(turn.error):
            later = turns[place + 1 : place + 1 + _STEPS]
            then = what_worked(turn, later) if turn.ok is False else None
            found[turn.number] = FailedTurn(turn.error, *(then or ()))
    return found
