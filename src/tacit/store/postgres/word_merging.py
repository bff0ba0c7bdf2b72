"""Lets the server merge new words into its text index, while the process that added them goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress

from tacit.errors import StoreError


class WordMerging:
    """One merge at a time, and one more if words were added meanwhile."""

    def __init__(self, merge: Callable[[], None]) -> None:
        self._merge = merge
        self._lock = threading.Lock()
        self._more = False
        self._thread: threading.Thread | None = None

    def wanted(self) -> None:
        """Merge soon."""
        with self._lock:
            self._more = True
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._more:
                    self._thread = None
                    return
                self._more = False
            # What is not merged now is merged by the next writer, or by the server's own maintenance.
            with suppress(StoreError):
                self._merge()

    def end(self) -> None:
        """Wait for the merge that runs."""
        if (thread := self._thread) is not None:
            thread.join()
