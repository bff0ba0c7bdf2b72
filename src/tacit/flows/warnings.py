"""Warnings: what is known about a command before it runs: it failed here, or something else is used in its place."""

from __future__ import annotations

from typing import NamedTuple

from tacit.flows.connection import Connection
from tacit.judge.correction import forbids
from tacit.judge.failing import signatures_in
from tacit.judge.trust import LABELS, is_low
from tacit.model.learned import Correction, Failure
from tacit.model.record import Record, payload_of
from tacit.text.frame import framed
from tacit.text.plural import plural

REPEATED = 2
MOST = 3
_SAID_CHARS = 300
# What is only guessed from a sequence of commands, or doubtful, does not interrupt.
SURE = 0.6


class Known(NamedTuple):
    """One thing that is known: the record it comes from, what to say, what it warns of, and what would be better."""

    record: Record
    text: str
    of: str = ""
    better: str = ""


def warnings_for(c: Connection, command: str) -> list[Known]:
    """Say what is known about a command line: repeated failures of it, and corrections that speak of it."""
    signatures = [c.redact(signature)[:900] for signature in signatures_in(command)]
    words = command.split()
    programs = dict.fromkeys(word.rpartition("/")[2][:60] for word in words)
    facets = [("signature", text) for text in signatures] + [("instead", name) for name in programs if name]
    records = c.store.having(facets, ("failure", "correction"), c.walls)
    failures = [record for record in records if record.kind == "failure" and record.key in signatures]
    found = [*_failed(c, failures), *_corrected(words, [record for record in records if record.kind == "correction"])]
    seen: dict[str, Known] = {}
    for one in found:
        seen.setdefault(one.record.id, one)
    return list(seen.values())[:MOST]


def _failed(c: Connection, records: list[Record]) -> list[Known]:
    tallies = c.store.tallies([record.id for record in records]) if records else {}
    found = []
    for record in records:
        seen = tallies.get(record.id, {}).get("seen", 0)
        failure = payload_of(record, Failure)
        if seen >= REPEATED or failure.correction:
            found.append(Known(record, _failure_text(record, failure, seen), record.key, failure.fixed_signature))
    return found


def _failure_text(record: Record, failure: Failure, seen: int) -> str:
    code = f" (exit {failure.exit_code})" if failure.exit_code is not None else ""
    said = f" with: {framed(_telling(failure.error), _SAID_CHARS)}" if failure.error else ""
    instead = failure.correction or failure.fixed_by
    better = f" What worked instead: {framed(instead, _SAID_CHARS)}" if instead else ""
    if failure.correction:
        better = f" Correction [{LABELS[record.trust]}]: {framed(instead, _SAID_CHARS)}"
    what = framed(failure.failing or failure.command, _SAID_CHARS)
    return f"`{what}` failed here {plural(seen, 'time')}{code}{said}.{better}"


def _telling(error: str) -> str:
    """Choose the line of an error that says most: the first that speaks of an error, else the last one."""
    lines = [line.strip() for line in error.splitlines() if line.strip() and not line.startswith("Exit code")]
    telling = (line for line in lines if "error" in line.lower() or "not found" in line.lower())
    return next(telling, lines[-1] if lines else "")


def _corrected(words: list[str], records: list[Record]) -> list[Known]:
    found = []
    for record in records:
        correction = payload_of(record, Correction)
        if correction.confidence < SURE or correction.source == "fix" or is_low(record):
            continue
        if _holds(words, correction.original.split()) and not _holds(words, correction.corrected.split()):
            text = _instead(correction) + f" [{LABELS[record.trust]}]"
            said = f": {framed(correction.context, _SAID_CHARS)}" if correction.context else "."
            found.append(Known(record, text + said))
    return found


def _instead(correction: Correction) -> str:
    original, corrected = framed(correction.original, _SAID_CHARS), framed(correction.corrected, _SAID_CHARS)
    if forbids(correction.corrected):
        return f"About `{original}` it was said here: {corrected}"
    return f"Here `{corrected}` is used instead of `{original}`"


def _holds(words: list[str], part: list[str]) -> bool:
    """Say whether a command has these words, whole and next to each other."""
    count = len(part)
    return bool(part) and any(words[at : at + count] == part for at in range(len(words) - count + 1))
