"""What a step says while it runs, line by line, without secrets, and not for ever."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from typing import Any

Tell = Callable[[str, dict[str, Any]], None]
"""Hears what happens, as it happens: the name of the event, and what there is to say."""
MOST_CHARS = 1_000_000
LONGEST_LINE = 8_000


class Live:
    """Passes a step's output on as `output` events, one a line."""

    def __init__(self, tell: Tell, masked: Callable[[str], str]) -> None:
        self._tell, self._masked = tell, masked
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._rest = ""
        self._told = 0

    def add(self, chunk: bytes) -> None:
        """Take the next part of what it says."""
        if self._told > MOST_CHARS:
            return
        *lines, self._rest = (self._rest + self._decoder.decode(chunk)).split("\n")
        for line in lines:
            self._line(line)
        if len(self._rest) > LONGEST_LINE:
            self.end()

    def end(self) -> None:
        """Pass on what is left of the last line."""
        rest, self._rest = self._rest, ""
        if rest:
            self._line(rest)

    def _line(self, line: str) -> None:
        if self._told > MOST_CHARS:
            return
        self._told += len(line) + 1
        self._tell("output", {"line": self._masked(line)})
        if self._told > MOST_CHARS:
            self._tell("output", {"line": "[… it says more than is shown; the end of it is kept …]"})
