"""Hooks: what an agent's hooks ask and tell a memory."""

from __future__ import annotations

from tacit.flows import hook
from tacit.flows.connection import Connection
from tacit.model.hook import Answer, HookCall


class Hooks:
    """What hooks call."""

    def __init__(self, connection: Connection) -> None:
        self._c = connection

    def answer(self, call: HookCall, *, once: str = "") -> Answer:
        """Learn from what happened, and say what is known about what is about to; `once` names a late delivery."""
        return hook.answer_hook(self._c, call, once)
