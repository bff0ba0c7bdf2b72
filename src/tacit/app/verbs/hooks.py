"""Hooks: the methods through which hooks of agents use a memory. Only programs call these, so they are not verbs."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.app.nouns import Noun
from tacit.loop import answer_hook as hook
from tacit.model.hook import HookAnswer, HookCall, ShownRecord
from tacit.model.origin import UNATTENDED
from tacit.model.record import replace
from tacit.records.connection import Connection


class Hooks(Noun):
    """The calls that hooks make."""

    def answer(self, call: HookCall, *, once: str = "") -> HookAnswer:
        """Learn from a hook call and answer it.

        `once` is a key that prevents a call that is delivered twice from counting twice.
        """
        return hook.answer_hook(self._called(call), call, once)

    def note_shown(self, call: HookCall, owed: Sequence[ShownRecord]) -> None:
        """Record what was shown to an agent while the store was busy."""
        hook.note_shown(self._called(call), call, owed)

    def _called(self, call: HookCall) -> Connection:
        """Return the connection with the origin of a call, as the door determined it."""
        origin = replace(self._c.origin, agent=call.agent, session=call.session or UNATTENDED, cwd=call.cwd)
        return replace(self._c, origin=origin)
