"""How much work one line may cost. Work is counted, not timed, so that the same line always gets the same verdict.

A unit is a tree node that is examined, a word that is made, or a command that is judged: a few microseconds. A line
that costs more gets a doubt, and what was found before the limit still counts. The work of the parser itself is
estimated before the text is parsed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from tacit.shell.command import Doubt
from tacit.text.patterns import lazy_pattern

MOST_WORK = 5_000
MOST_CODE = 32_768
# The grammar takes time by the square of the words and marks of a line that it cannot read: so many are the whole work.
MOST_TOKENS = 2_500
_TOKEN = lazy_pattern(r"[\w./:@%+,]+|[^\s\w]")
# The grammar reads the rest of a here-document again at each expansion in it, so the cost is the product of both.
MOST_DOCUMENT_STEPS = 4_000_000
MOST_DOCUMENTS = 200
_DOCUMENT = lazy_pattern(r"<<-?[ \t]*[\w$]")
# Up to a here-document in which nothing is expanded, where the line begins with one: `cat > a.md <<'EOF'`.
_LITERAL_DOCUMENT = lazy_pattern(r"[\w\s./>~=:@,&;|-]*<<-?[ \t]*(['\"])(\w+)\1[^\n'\"`$#]*\n")


def exhausted(start: int, end: int) -> Doubt:
    """Return the doubt about the part that was not examined."""
    return Doubt("it takes too much work to be judged", start, end, "budget")


def parse_work(text: str) -> int:
    """Return how much work it is at most to parse a text, without parsing it."""
    documents = text.count("<<")
    if documents > MOST_DOCUMENTS:
        return MOST_WORK + 1
    tokens = sum(len(_TOKEN.findall(part)) for part in (_outside(text) if documents else (text,)))
    work = MOST_WORK * tokens**2 // MOST_TOKENS**2
    if documents and _DOCUMENT.search(text):
        expansions = text.count("$") + text.count("`")
        work += MOST_WORK * expansions * len(text) // MOST_DOCUMENT_STEPS
    return work


def affordable_start(text: str) -> str:
    """Return the beginning of a text that is too much work: whole lines or statements for a quarter of the work."""
    tokens = _TOKEN.finditer(text)
    last = next(islice(tokens, MOST_TOKENS // 2, None), None)
    end = last.start() if last else len(text)
    start = text[: max(text.rfind(mark, 0, end) for mark in ";\n") + 1]
    return start if parse_work(start) <= MOST_WORK else ""


def _outside(text: str) -> Iterator[str]:
    """Return a text without the here-documents that it begins with: a file that an agent writes may be any text."""
    while begins := _LITERAL_DOCUMENT.match(text):
        yield begins.group()
        _body, ended, text = text[begins.end() - 1 :].partition(f"\n{begins[2]}\n")
        if not ended:
            return
    yield text
