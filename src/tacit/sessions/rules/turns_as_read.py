"""What is read of a long turn: enough to tell what came of it, so that memory is bounded."""

from __future__ import annotations

from tacit.model.record import replace
from tacit.model.session import Turn
from tacit.sessions.rules.commands.command_results import LEFT_OUT
from tacit.sessions.rules.kept_turns import OUTPUT_READ
from tacit.text.program_prompts import PRIVATE, is_private

_HEAD_READ, _TAIL_READ = 2_000, 4_000
"""How much is read of the beginning and of the end of what a command printed that worked."""


def as_read(turn: Turn) -> Turn:
    """Return a turn with only the ends of what its command printed, where results are, or the end, where errors are."""
    if len(turn.text) > OUTPUT_READ:
        # The mark may be in what is cut.
        mark = f"{PRIVATE} " if turn.role == "user" and is_private(turn.text) else ""
        turn = replace(turn, text=mark + turn.text[:OUTPUT_READ])
    if turn.outcome is None or len(turn.outcome.output) <= OUTPUT_READ:
        return turn
    output = turn.outcome.output
    # Of what worked both ends say what came of it.
    short = f"{output[:_HEAD_READ]}{LEFT_OUT}{output[-_TAIL_READ:]}" if turn.outcome.ok else output[-OUTPUT_READ:]
    return replace(turn, outcome=replace(turn.outcome, output=short))
