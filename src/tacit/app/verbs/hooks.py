"""Hooks: what an agent's hooks ask and tell a memory."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from tacit.loop import answer_hook as hook
from tacit.model.hook import HookAnswer, HookCall, ShownRecord
from tacit.model.origin import UNATTENDED
from tacit.model.record import replace
from tacit.records.connection import Connection


class Hooks:
    """What hooks call."""

    def __init__(self, connection: Connection) -> None:
        self._c = connection

    def answer(self, call: HookCall, *, once: str = "") -> HookAnswer:
        """Learn from what happened, and say what is known about what is about to; `once` names a late delivery."""
        return hook.answer_hook(self._called(call), call, once)

    def note_shown(self, call: HookCall, owed: Sequence[ShownRecord]) -> None:
        """Note what a call was told while the store was busy."""
        hook.note_shown(self._called(call), call, owed)

    def _called(self, call: HookCall) -> Connection:
        """Give the connection with the origin of a call: whose it is and where it comes from, as the door saw it."""
        who = replace(self._c.origin, agent=call.agent, session=call.session or UNATTENDED, cwd=call.cwd)
        return dataclasses.replace(self._c, origin=who)
