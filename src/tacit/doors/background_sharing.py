"""What the helper does with shared folders: every few minutes it pulls, and pushes what a person named."""

from __future__ import annotations

from collections.abc import Callable

from tacit.app.config import Settings
from tacit.app.open import PATIENCE_S, Caller, connect
from tacit.doors.hooks.answer import explained

EVERY_S = 180.0


class BackgroundSharing:
    """Pulls and pushes every few minutes, if a person accepted a folder."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._next = 0.0

    def work(self, settings: Settings, caller: Caller, tell: Callable[[str], None]) -> None:
        """Pull and push each folder if it is time to. A broken folder is told of, and the others go on."""
        if settings.off or self._now() < self._next or not (settings.home / "share" / "folders.json").exists():
            return
        self._next = self._now() + EVERY_S
        with connect(settings, caller, scope="global", create=False, at_door=True, patience_s=PATIENCE_S) as memory:
            if not memory.is_lasting:
                return
            for one in memory.share.list():
                try:
                    memory.share.sync(one.path)
                except Exception as error:
                    tell(f"the shared folder {one.path}: {explained(error)}")
