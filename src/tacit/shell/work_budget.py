"""How much work one line may cost: counted, not timed, so that the same line always gets the same answer.

A unit is a node of the tree that is looked at, a word that is made, or a command that is judged: a few microseconds.
What costs more is a doubt, and what was found until then counts all the same.
"""

from __future__ import annotations

from tacit.shell.command import Doubt
from tacit.text.patterns import lazy_pattern

MOST_WORK = 5_000
MOST_CODE = 32_768
# The grammar reads the rest of a here-document again at each expansion in it, so both together decide what it costs.
MOST_DOCUMENT_STEPS = 4_000_000
MOST_DOCUMENTS = 200
_DOCUMENT = lazy_pattern(r"<<-?[ \t]*[\w$]")


def exhausted(start: int, end: int) -> Doubt:
    """Give the doubt about what was not looked at any more."""
    return Doubt("it takes too much work to be judged", start, end, "budget")


def is_costly(text: str) -> bool:
    """Say whether a text would take the parser itself too long."""
    marks = text.count("<<")
    if marks == 0:
        return False
    if marks > MOST_DOCUMENTS:
        return True
    puts_in = text.count("$") + text.count("`")
    return puts_in * len(text) > MOST_DOCUMENT_STEPS and bool(_DOCUMENT.search(text))
