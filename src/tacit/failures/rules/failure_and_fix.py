"""Decide which part of a command line failed, how much a failure matters, and whether a later command is its fix."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from tacit.failures.rules.line_parts import PREPARATION
from tacit.shell.parse import parse
from tacit.shell.signature import signature_of
from tacit.text.decay import age_days, decay

# A signature is a record's key, and keys are short.
KEY_CHARS = 900


class FailureImportance(NamedTuple):
    """The current importance of a failure, and the parts it is made of; each is from 0 to 1."""

    total: float
    severity: float
    repetition: float
    recency: float
    corrected: float


def signatures_in(line: str) -> list[str]:
    """Return the signatures of the commands in a line, without those that only prepare (`cd`, `export`)."""
    script = parse(line)
    commands = [command for command in script.commands if command.name]
    if not commands and script.doubts and line.strip():
        return [_unread(line)]
    meant = [command for command in commands if command.name not in PREPARATION] or commands
    return list(dict.fromkeys(signature_of(command) for command in meant))


def _unread(line: str) -> str:
    """Return the signature of a line that cannot be parsed: only an identical line has the same."""
    import hashlib

    return f"<unread> {hashlib.sha256(line.strip().encode(errors='replace')).hexdigest()[:32]}"


def holds_words(words: list[str], part: list[str]) -> bool:
    """Return whether a command contains these words, whole and next to each other."""
    count = len(part)
    return bool(part) and any(words[at : at + count] == part for at in range(len(words) - count + 1))


def importance(
    exit_code: int | None, repetitions: int, last_at: datetime | None, *, corrected: bool, now: datetime
) -> FailureImportance:
    """Compute the importance of a failure: 0.3 severity + 0.3 repetition + 0.2 recency + 0.2 corrected."""
    severity = _severity(exit_code)
    repetition = min(max(repetitions, 0) / 10, 1.0)
    recency = decay(age_days(last_at, now) if last_at else float("inf"))
    total = 0.3 * severity + 0.3 * repetition + 0.2 * recency + 0.2 * corrected
    return FailureImportance(min(total, 1.0), severity, repetition, recency, float(corrected))


def _severity(exit_code: int | None) -> float:
    match exit_code:
        case None:
            return 0.3
        case 0:
            return 0.0
        case 1:
            return 0.3
        case 2:
            return 0.4
        case code if code < 0:
            return 1.0
        case code if code >= 128:
            return 0.8
        case 126 | 127:
            return 0.6
    return 0.5
