"""Hooks: what an agent's hooks ask and tell a memory."""

from __future__ import annotations

import dataclasses

from tacit.flows import hook
from tacit.flows.connection import Connection
from tacit.model.hook import Answer, HookCall
from tacit.model.origin import UNATTENDED
from tacit.model.record import replace


class Hooks:
    """What hooks call."""

    def __init__(self, connection: Connection) -> None:
        self._c = connection

    def answer(self, call: HookCall, *, once: str = "") -> Answer:
        """Learn from what happened, and say what is known about what is about to; `once` names a late delivery."""
        who = replace(self._c.origin, agent=call.agent, session=call.session or UNATTENDED, cwd=call.cwd)
        return hook.answer_hook(dataclasses.replace(self._c, origin=who), call, once)
