"""Pass on the output of a step while it runs: line by line, without secrets, up to a limit."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from typing import Any

from tacit.procedures.rules.replay_steps import is_binary

Tell = Callable[[str, dict[str, Any]], None]
"""Called with each event of a replay: its name and its fields."""
MOST_CHARS = 1_000_000
LONGEST_LINE = 8_000
HELD_CHARS = 1_000


class LiveOutput:
    """Passes a step's output on as `output` events, one per line."""

    def __init__(self, tell: Tell, masked: Callable[[str], str]) -> None:
        self._tell, self._masked = tell, masked
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._rest = ""
        self._told = 0
        self._heard = False

    def add(self, chunk: bytes) -> None:
        """Process the next part of the output."""
        if self._told > MOST_CHARS:
            return
        if not self._heard and is_binary(chunk):
            self._told = MOST_CHARS + 1
            self._tell("output", {"line": "[binary output, not shown]"})
            return
        self._heard = True
        *lines, self._rest = (self._rest + self._decoder.decode(chunk)).split("\n")
        for line in lines:
            self._line(line)
        if len(self._rest) > LONGEST_LINE:
            # The end of a long line may be half of a secret; it waits for what comes next.
            text = self._masked(self._rest)
            self._line(text[:-HELD_CHARS])
            self._rest = text[-HELD_CHARS:]

    def end(self) -> None:
        """Emit the unfinished last line."""
        rest, self._rest = self._rest, ""
        if rest:
            self._line(rest)

    def _line(self, line: str) -> None:
        if self._told > MOST_CHARS:
            return
        self._told += len(line) + 1
        self._tell("output", {"line": self._masked(line)})
        if self._told > MOST_CHARS:
            self._tell("output", {"line": "[… more output than is shown here; the end of it is stored …]"})
