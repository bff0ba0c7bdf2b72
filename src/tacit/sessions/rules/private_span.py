"""What a private prompt covers: itself, and everything up to the next prompt that the user types."""

from __future__ import annotations

from tacit.model.session import Turn
from tacit.text.program_prompts import is_by_program, is_private, typed_part


class PrivateSpan:
    """Follows the turns of a session, each given once and in order."""

    def __init__(self) -> None:
        self._is_private = False

    def covers(self, turn: Turn) -> bool:
        """Return whether a turn is to be left out."""
        if turn.role == "user" and turn.text.strip() and turn.tool is None:
            typed = not turn.sidechain and not is_by_program(typed_part(turn.text))
            self._is_private = is_private(turn.text) or (self._is_private and not typed)
        return self._is_private
