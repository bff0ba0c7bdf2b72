"""Process the learning queue in the server: with small writes, and less often while idle."""

from __future__ import annotations

from collections.abc import Callable

from tacit.app.config import Settings
from tacit.app.open import PATIENCE_S, Caller, connect
from tacit.errors import StoreError, TacitError
from tacit.files.off_switch import off_reason
from tacit.model.scope import parse_scope

# One write of the queue: the lock is held for some 30 ms, so a hook that comes meanwhile hardly waits.
SLICE = 25
SOONEST_S = 2.0
LATEST_S = 30.0


class BackgroundLearner:
    """Looks for episodes to learn from in every scope of the store, and decides when to look again."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        self._now_s = now_s
        self._pause_s = SOONEST_S
        self._next_s = 0.0

    @property
    def pause_s(self) -> float:
        """The pause before the next look. It doubles each time nothing was found or an error occurred."""
        return self._pause_s

    def wake(self) -> None:
        """Look again soon, because a caller was active."""
        self._pause_s, self._next_s = SOONEST_S, min(self._next_s, self._now_s() + SOONEST_S)

    def work(self, settings: Settings, caller: Caller, enough: Callable[[], bool]) -> int:
        """Learn from queued episodes in small batches until none are left or `enough()` is true; return how many."""
        if self._now_s() < self._next_s:
            return 0
        learned = 0
        try:
            learned = self._learn(settings, caller, enough)
        finally:
            self._pause_s = SOONEST_S if learned else min(2 * self._pause_s, LATEST_S)
            self._next_s = self._now_s() + self._pause_s
        return learned

    def _learn(self, settings: Settings, caller: Caller, enough: Callable[[], bool]) -> int:
        if settings.off:
            return 0
        with connect(settings, caller, create=False, at_door=True, patience_s=PATIENCE_S) as memory:
            scopes = memory.episodes.scopes_due()
        learned, problem = 0, None
        for scope in scopes:
            try:
                learned += self._learn_in(scope, settings, caller, enough)
            except StoreError:
                raise
            except TacitError as error:
                problem = problem or error  # the scopes behind it are not to wait for this one
        if problem is not None:
            raise problem
        return learned

    def _learn_in(self, scope: str, settings: Settings, caller: Caller, enough: Callable[[], bool]) -> int:
        where, learned = parse_scope(scope), 0
        if off_reason(settings.home, where.id if where.kind == "project" else "", caller.clock.now()):
            return 0
        with connect(settings, caller, scope=scope, create=False, at_door=True, patience_s=PATIENCE_S) as memory:
            while not enough():
                worked = memory.episodes.learn(limit=SLICE)
                learned += worked.learned
                if worked.learned + worked.retried + worked.dead < SLICE:
                    break
        return learned
