"""What the helper does between hooks: store deferred calls, learn from ended sessions, share, maintain the store."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

from tacit.app.config import Settings
from tacit.app.open import PATIENCE_S, Caller, connect, home_folder, hook_caller, settings_in
from tacit.doors.background_learning import BackgroundLearner
from tacit.doors.background_sharing import BackgroundSharing
from tacit.doors.hooks.answer import catch_up, explained, record
from tacit.doors.hooks.held_calls import HeldCalls

# After a hook it looks soon; with nothing to do it looks rarely, so that an idle helper uses no CPU.
_SOON_S = 2.0
_RARELY_S = 20.0
# Maintenance holds the store's lock for moments: not while an agent is at work.
_QUIET_S = 15.0
# What is learned when the end comes is not waited for: it is left where it is, and known again.
_LAST_WORK_S = 0.5


class BackgroundWork:
    """A thread that works off what waits, repeatedly, until it is stopped."""

    def __init__(self, held: HeldCalls) -> None:
        self._held = held
        self._learner = BackgroundLearner(time.monotonic)
        self._sharing = BackgroundSharing(time.monotonic)
        self._last = time.monotonic()
        self._stop = threading.Event()
        self._woken = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def wake(self) -> None:
        """Look soon, because a caller was active."""
        self._last = time.monotonic()
        self._learner.wake()
        self._woken.set()

    def stop(self) -> None:
        """End. Work that goes on is left where it is, and begun again by the next process."""
        self._stop.set()
        self._woken.set()
        self._thread.join(_LAST_WORK_S)

    def _maintain(self, settings: Settings, caller: Caller) -> None:
        """Maintain the store every few hours, scope by scope, while no hook comes."""
        if settings.off or time.monotonic() - self._last < _QUIET_S:
            return
        with connect(settings, caller, create=False, at_door=True, patience_s=PATIENCE_S) as memory:
            scopes = memory.due_for_maintenance()
        for scope in scopes:
            if self._stop.is_set():
                return
            with connect(settings, caller, scope=scope, create=False, at_door=True, patience_s=PATIENCE_S) as memory:
                memory.maintain()

    def _store_held(self, tell: Callable[[str], None]) -> None:
        """Store what was kept in memory while the disk was full."""
        if said := self._held.retry():
            tell(said)

    def _work(self) -> None:
        caller, home = hook_caller(), home_folder()
        said = set[str]()

        def tell(problem: str) -> None:
            # What has to wait is told once, not with every look at it.
            if problem not in said and not self._stop.is_set():
                said.add(problem)
                record(home, caller.clock, problem)

        while not self._stop.wait(_SOON_S):
            for act in (
                lambda: self._store_held(tell),
                lambda: catch_up(settings_in(Path("/")), caller.clock, enough=self._stop.is_set, tell=tell),
                lambda: self._learner.work(settings_in(Path("/")), caller, self._stop.is_set),
                lambda: self._sharing.work(settings_in(Path("/")), caller, tell),
                lambda: self._maintain(settings_in(Path("/")), caller),
            ):
                try:
                    act()
                except Exception as error:
                    # Who serves goes on serving: what could not be taken in waits, and status tells of it.
                    tell(explained(error))
            self._woken.wait(_SOON_S if self._held else _RARELY_S)
            self._woken.clear()
