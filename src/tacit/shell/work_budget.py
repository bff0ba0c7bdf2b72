"""How much work one line may cost. It is counted, not timed, so that the same line always gets the same verdict.

A unit is a tree node that is examined, a word that is made, or a command that is judged: a few microseconds. A line
that costs more gets a doubt, and the findings so far still count.
"""

from __future__ import annotations

from tacit.shell.command import Doubt
from tacit.text.patterns import lazy_pattern

MOST_WORK = 5_000
MOST_CODE = 32_768
# The grammar reads the rest of a here-document again at each expansion in it, so the cost is the product of both.
MOST_DOCUMENT_STEPS = 4_000_000
MOST_DOCUMENTS = 200
_DOCUMENT = lazy_pattern(r"<<-?[ \t]*[\w$]")


def exhausted(start: int, end: int) -> Doubt:
    """Return the doubt about the part that was not examined."""
    return Doubt("it takes too much work to be judged", start, end, "budget")


def is_costly(text: str) -> bool:
    """Return whether the parser itself would take too long on a text."""
    marks = text.count("<<")
    if marks == 0:
        return False
    if marks > MOST_DOCUMENTS:
        return True
    puts_in = text.count("$") + text.count("`")
    return puts_in * len(text) > MOST_DOCUMENT_STEPS and bool(_DOCUMENT.search(text))
