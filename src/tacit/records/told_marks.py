"""What stands on a record wherever it is told: its trust, its author, since when it is known, and what is gone."""

from __future__ import annotations

from tacit.admission.trust import LABELS
from tacit.model.failure import Correction, Failure
from tacit.model.kinds import SECOND, said_at
from tacit.model.lesson import Lesson
from tacit.model.origin import author_of
from tacit.model.payload import Note
from tacit.model.procedure import Procedure
from tacit.model.record import Record, origin_of
from tacit.records.connection import Connection
from tacit.text.frame import framed

LOOK_AROUND_FILES = 2_000
"""How many files are read to find a name. Paths and targets are found without reading files."""
MOST_GONE = 5
_MOST_MARKED = 2
_MOST_AUTHOR_CHARS = 80
BY_PERSON = 3
_COMMAND_WORDS = 2
"""A command names what it runs first: `python tools/x.py`. What comes later it may write."""


def gone_from(c: Connection, record: Record, *, most_files: int = 0) -> tuple[str, ...]:
    """Return what a record names that no longer exists here. What belongs to another scope may be about another place.

    What was said in a session is about that day, and not checked. Without `most_files`, only paths and targets are
    looked up, which takes no time.
    """
    if record.kind in SECOND or not c.is_own(record):
        return ()
    (found,) = c.gone([claiming_text(record)], most_files)
    return found[:MOST_GONE]


def claiming_text(record: Record) -> str:
    """Return the text of a record in which the names should exist: what it advises, not what it advises against."""
    match record.payload:
        case Correction(corrected=corrected):
            return corrected
        case Failure(fixed_by=fix, correction=said):
            return said or _what_runs(fix)
        case Lesson(narrative=told):
            return f"{record.title}\n{told.correction if told else ''}"
        case Procedure(steps=steps):
            return "\n".join(_what_runs(step.command) for step in steps)
        case _:
            return record.body


def _what_runs(command: str) -> str:
    return " ".join(command.split()[:_COMMAND_WORDS])


def looked_around(record: Record) -> int:
    """Return how many files may be read for a record: many for the note of a topic file, which is long and lasts."""
    return LOOK_AROUND_FILES if isinstance(record.payload, Note) and record.payload.path else 0


def since(record: Record) -> str:
    """Return how old a record is, as a date: what is told stays the same from one day to the next."""
    return f"since {said_at(record):%Y-%m-%d}"


def trust_and_author(record: Record) -> list[str]:
    """Return how far a record is trusted, and on a server who wrote it: there, `the user` may be somebody else."""
    origin = origin_of(record)
    author = framed(author_of(origin), _MOST_AUTHOR_CHARS)
    if author and record.trust == BY_PERSON and origin.actor == "user":
        return [f"by {author}"]
    return [LABELS[record.trust], *([f"by {author}"] if author else [])]


def trust_words(record: Record) -> str:
    """Return trust and author in one text."""
    return ", ".join(trust_and_author(record))


def marks_of(c: Connection, record: Record) -> list[str]:
    """Return everything that stands on a record where it is told unasked."""
    gone = gone_from(c, record)[:_MOST_MARKED]
    return [*trust_and_author(record), since(record), *([f"gone: {', '.join(gone)}"] if gone else [])]
