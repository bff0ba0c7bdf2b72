"""What is kept of a session's turns: prompts, answers, commands with how they ended, and files that were written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from tacit.failures.rules.causes import cause_of, clean_lines
from tacit.model.hook import is_private
from tacit.model.payload import KeptTurn
from tacit.model.session import Turn
from tacit.text.patterns import lazy_pattern

MOST_CHARS = 4_000
"""How much of one turn is kept."""
_ERROR_CHARS = 300
OUTPUT_READ = 8_000
"""How much of an output is read to find its error."""
_PATHS = 20
# Redacted before it is cut: half a secret would not be recognised.
_BEFORE_REDACTION = 2
_COUNTED = lazy_pattern(r"\b[1-9]\d*\s+(?:tests?\s+)?(?:failed|failing|errors?|failures?)\b", re.I)
Redact = Callable[[str], str]


class TurnText(NamedTuple):
    """A turn that is kept, its searchable text and when it was."""

    turn: KeptTurn
    text: str
    source: Turn


def kept_turns(turns: Iterable[Turn], thread: str, agent: str, redact: Redact, after: int = 0) -> Iterator[TurnText]:
    """Return the turns to keep, redacted, each with its place in the session; those up to `after` are left out.

    A private prompt, and everything up to the next prompt, is not kept.
    """
    private = False
    for number, turn in enumerate(turns, 1):
        if turn.role == "user" and turn.text.strip() and turn.tool is None:
            private = is_private(turn.text)
        if private or number <= after:
            continue
        if (made := _kept(turn, number, thread, agent, redact)) is not None:
            yield made


def _kept(turn: Turn, number: int, thread: str, agent: str, redact: Redact) -> TurnText | None:
    author = "user" if turn.role == "user" and not turn.sidechain else agent
    if turn.tool is None:
        text = _cut(turn.text, redact) if turn.role in ("user", "assistant") else ""
        kept = KeptTurn(author=author, thread=thread, number=number, role=turn.role)
        return TurnText(kept, text, turn) if text else None
    tool, outcome = turn.tool, turn.outcome
    if not tool.command and tool.kind != "edit":
        return None
    command = _cut(tool.command, redact)
    paths = tuple(redact(path) for path in tool.paths[:_PATHS])
    failed = outcome is not None and outcome.ok is False
    error = _error(command, redact(outcome.output[-OUTPUT_READ:])) if outcome is not None and failed else ""
    kept = KeptTurn(
        author=author, thread=thread, number=number, role="tool", tool=tool.name[:100], command=command, paths=paths,
        ok=outcome.ok if outcome is not None else None, exit_code=outcome.exit_code if outcome is not None else None,
        error=error,
    )  # fmt: skip
    text = "\n".join(part for part in (f"$ {command}" if command else f"wrote {' '.join(paths)}", error) if part)
    return TurnText(kept, text[:MOST_CHARS], turn) if command or paths else None


def _cut(text: str, redact: Redact) -> str:
    return redact(text[: MOST_CHARS * _BEFORE_REDACTION])[:MOST_CHARS].strip()


def _error(command: str, output: str) -> str:
    """Return the line of an output that says what went wrong."""
    cause = cause_of(command, output)
    lines = clean_lines(output)
    counted = next((line for line in lines if _COUNTED.search(line)), "")
    if counted and (cause is None or cause.kind == "other"):
        # The summary of a test run says more than its last line.
        return counted[:_ERROR_CHARS]
    return (cause.line if cause is not None else lines[-1] if lines else "")[:_ERROR_CHARS]
