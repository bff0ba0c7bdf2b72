"""Pair tool calls with their results, in order and in bounded memory. Turns are never out of order."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from datetime import datetime

from tacit.failures.rules.timed_out import timed_out
from tacit.model.record import replace
from tacit.model.session import ToolCall, ToolOutcome, Turn

MOST_TURNS = 2_000
MOST_CHARS = 8_000_000
_REMEMBERED = 20_000


class _Slot:
    __slots__ = ("chars", "open", "turn")

    def __init__(self, turn: Turn, *, open: bool = False) -> None:
        self.turn = turn
        self.open = open
        self.chars = 0


class ToolCallPairing:
    """Turns in the order they happened. A waiting call holds back the turns after it, up to a limit."""

    def __init__(self, most_turns: int = MOST_TURNS, most_chars: int = MOST_CHARS) -> None:
        self._slots: deque[_Slot] = deque()
        self._waiting: dict[str, _Slot] = {}
        self._nameless: deque[_Slot] = deque()
        self._done: dict[str, None] = {}
        self._most_turns = most_turns
        self._most_chars = most_chars
        self._chars = 0

    def say(self, turn: Turn) -> None:
        """Add a turn that is complete."""
        self._add(_Slot(turn))

    def call(self, turn: Turn) -> None:
        """Add a call that waits for its result. A second call with the same id counts as a repetition."""
        id = turn.tool.call if turn.tool else ""
        if id in self._waiting:
            return
        slot = _Slot(turn, open=True)
        if id:
            self._waiting[id] = slot
        else:
            self._nameless.append(slot)
        self._add(slot)

    def done(self, turn: Turn) -> None:
        """Add a call together with its result."""
        self._add(_Slot(turn))
        if turn.tool and turn.tool.call:
            self._remember(turn.tool.call)

    def knows(self, id: str) -> bool:
        """Return whether a call with this id was made."""
        return bool(id) and (id in self._waiting or id in self._done)

    def waits(self, id: str) -> bool:
        """Return whether a call with this id waits for its result."""
        return id in self._waiting

    def is_command(self, id: str) -> bool:
        """Return whether the call with this id runs a command and waits for its result."""
        slot = self._waiting.get(id)
        return slot is not None and slot.turn.tool is not None and slot.turn.tool.kind == "shell"

    def result(
        self, id: str, outcome: ToolOutcome, *, name: str = "", final: bool = True, at: datetime | None = None
    ) -> None:
        """Set the result of a call. A result without a waiting call becomes a turn; a second result is ignored.

        Some agents report success for a command that they ended because it took too long: nobody knows its outcome.
        """
        if outcome.ok and outcome.exit_code is None and timed_out(outcome.output):
            outcome = replace(outcome, ok=None, exit_code=None)
        slot = self._waiting.get(id) if id else None
        if slot is None and id in self._done:
            return
        slot = slot or self._first_nameless(name)
        if slot is None:
            self.say(Turn(role="tool", at=at, tool=ToolCall(name=name or "unknown", call=id), outcome=outcome))
            return
        slot.turn = replace(slot.turn, outcome=outcome)
        self._weigh(slot)
        if final:
            self._close(slot)

    def settle(self) -> None:
        """Stop waiting for results of calls without an id, because such a result must come right after the call."""
        for slot in self._nameless:
            slot.open = False
        self._nameless.clear()

    def refuse(self) -> None:
        """Mark every waiting call as stopped by the user, unless its result still arrives."""
        for slot in (*self._waiting.values(), *self._nameless):
            if slot.turn.outcome is None:
                slot.turn = replace(slot.turn, outcome=ToolOutcome(refused=True))

    def ready(self) -> Iterator[Turn]:
        """Return the turns that are complete, and the oldest others if too many are held back."""
        while self._slots:
            first = self._slots[0]
            if first.open and len(self._slots) <= self._most_turns and self._chars <= self._most_chars:
                return
            yield self._pop()

    def rest(self) -> Iterator[Turn]:
        """Return all remaining turns."""
        while self._slots:
            yield self._pop()

    def _add(self, slot: _Slot) -> None:
        self._weigh(slot)
        self._slots.append(slot)

    def _weigh(self, slot: _Slot) -> None:
        """Count the size of a turn, and count it again once its result is there."""
        output = slot.turn.outcome.output if slot.turn.outcome else ""
        chars = len(slot.turn.text) + len(output) + (len(slot.turn.tool.command) if slot.turn.tool else 0)
        self._chars += chars - slot.chars
        slot.chars = chars

    def _pop(self) -> Turn:
        slot = self._slots.popleft()
        self._chars -= slot.chars
        if slot.open:
            self._close(slot)
        return slot.turn if slot.turn.tool is None or slot.turn.outcome else replace(slot.turn, outcome=ToolOutcome())

    def _close(self, slot: _Slot) -> None:
        slot.open = False
        id = slot.turn.tool.call if slot.turn.tool else ""
        if id:
            self._waiting.pop(id, None)
            self._remember(id)
        elif slot in self._nameless:
            self._nameless.remove(slot)

    def _remember(self, id: str) -> None:
        self._done[id] = None
        if len(self._done) > _REMEMBERED:
            del self._done[next(iter(self._done))]

    def _first_nameless(self, name: str) -> _Slot | None:
        """Return the oldest call without an id: results come in the order of the calls."""
        same = (slot for slot in self._nameless if name and slot.turn.tool and slot.turn.tool.name == name)
        return next(same, None) or (self._nameless[0] if self._nameless else None)
