"""A memory that a server keeps open between calls: opened by the first call that needs it, one call at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, suppress
from typing import TypeVar

from tacit.app.memory import Memory
from tacit.errors import StoreError

Open = Callable[[bool], AbstractContextManager[Memory]]
"""Opens the memory; with True, a store that does not exist yet is created."""
T = TypeVar("T")


class LazyMemory:
    """The memory of a connection, opened by the first call that needs it. One call uses it at a time.

    `session` returns the agent's session at this moment: an agent starts its servers before its first hook tells the
    session, and may begin another one later.
    """

    def __init__(self, open: Open, session: Callable[[], str] = lambda: "") -> None:
        self._open = open
        self._session = session
        self._opened_in = ""
        self._turn = threading.Lock()
        self._stack: ExitStack | None = None
        self._memory: Memory | None = None

    def use(self, work: Callable[[Memory], T], *, writes: bool = False, creates: bool = False) -> T:
        """Do some work with the memory. What is written belongs to the session of this moment."""
        with self._turn:
            try:
                return work(self._opened(writes, creates))
            except StoreError:
                # A server that went away, a file that was replaced: the next call opens it anew.
                with suppress(StoreError):
                    self._closed()
                raise

    def _opened(self, writes: bool, creates: bool) -> Memory:
        session = self._session() if writes or self._memory is None else self._opened_in
        if self._memory is not None:
            self._memory.take_uses()()  # what the answer before this showed
        # A store that does not exist yet reads as empty; somebody may have created it since.
        if self._memory is None or not self._memory.is_lasting or session != self._opened_in:
            self._closed()
            stack = ExitStack()
            self._memory = stack.enter_context(self._open(creates))
            self._stack, self._opened_in = stack, session
        return self._memory

    def _closed(self) -> None:
        stack, memory = self._stack, self._memory
        self._stack = self._memory = None
        if stack is not None and memory is not None:
            # Before whoever opened it takes them: nobody answers after this.
            memory.take_uses()()
            stack.close()

    def close(self, patience_s: float = -1) -> None:
        """Close the memory, after the call in progress if that ends within a time."""
        if self._turn.acquire(timeout=patience_s):
            try:
                self._closed()
            finally:
                self._turn.release()
