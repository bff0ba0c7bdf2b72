"""What is told of the commands of a session that failed: the line of the error, and what worked next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tacit.failures.rules.worked_next import worked_next
from tacit.model.payload import KeptTurn

_STEPS = 15
"""How many turns after the one that failed are looked at."""


class FailedTurn(NamedTuple):
    """The line of an error, and the command that worked next with the number of its turn, if there is one."""

    error: str
    then: str = ""
    number: int = 0


def failed_turns(turns: Sequence[KeptTurn]) -> dict[int, FailedTurn]:
    """Return what is told of the commands that failed, by the numbers of their turns."""
    found = {}
    for place, turn in enumerate(turns):
        if turn.command and turn.error:
            later = turns[place + 1 : place + 1 + _STEPS]
            then = worked_next(turn, later) if turn.ok is False else None
            found[turn.number] = FailedTurn(turn.error, *((then.command, then.number) if then else ()))
    return found
