"""What a session is told at its start about those before it: what the user asked, files, commits, commands, checks.

Only words of the user and plain names are told. What agents wrote is for `tacit recap`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tacit.admission.instruction_detection import find_instructions
from tacit.model.payload import Recap
from tacit.model.record import Record, id_mark, payload_of
from tacit.records.connection import Connection
from tacit.sessions.turns import recaps
from tacit.text.frame import framed
from tacit.text.token_budget import estimate_tokens

MOST_TOKENS = 200
_MOST_SESSIONS = 2
_CHARS = 120


def recent_sessions(c: Connection, budget: int) -> list[tuple[Record, str]]:
    """Return the latest sessions of this project, each with a line about it, within a budget of tokens."""
    found = []
    left = min(budget, MOST_TOKENS)
    for record in recaps(c, limit=_MOST_SESSIONS):
        line = _line(c, record)
        cost = estimate_tokens(line + "\n")
        if record.scope == str(c.scope) and line and cost <= left:
            found.append((record, line))
            left -= cost
    return found


def _line(c: Connection, record: Record) -> str:
    told = payload_of(record, Recap)
    parts = list(_parts(c, told))
    began = told.started_at or record.at
    day = f"of {began.date().isoformat()}" if began else "without a date"
    return f"- session {day} ({told.agent}): {'; '.join(parts)}{id_mark(record)}" if parts else ""


def _parts(c: Connection, told: Recap) -> Iterator[str]:
    if asked := _plain(told.asked, _CHARS):
        yield f"asked: {' / '.join(asked)}"
    if files := _plain(told.files, 80):
        yield f"{'in the commits:' if told.only_committed else 'changed'} {', '.join(files)}"
    if commits := _plain(told.commits, 80):
        yield f"committed: {' / '.join(commits)}"
    if commands := _plain(filter(c.is_safe_command, told.commands), 80):
        yield f"ran {', '.join(commands)}"
    ended = [
        f"{line}: {result}" for one, how in told.checks
        for line, result in zip(_plain(filter(c.is_safe_command, [one]), 80), _plain([how], 60), strict=False)
    ]  # fmt: skip
    if ended:
        yield f"checked {', '.join(dict.fromkeys(ended))}"


def _plain(texts: Iterable[str], most_chars: int) -> list[str]:
    """Return texts in a frame, without those that read like instructions, by themselves or one after the other."""
    # In the name of a file an underscore stands for a blank.
    plain = [one for one in texts if not find_instructions(one) and not find_instructions(one.replace("_", " "))]
    return [] if find_instructions(" ".join(plain).replace("_", " ")) else [framed(one, most_chars) for one in plain]
