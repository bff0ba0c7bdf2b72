"""Made-up program names for actions of code that no shell command matches. Guard rules match these names."""

from __future__ import annotations

import re
import shlex

UNKNOWN = '"$tacit_unknown"'
DELETES_IN_CLOUD = "tacit-deletes-in-cloud"
DELETES_UNKNOWN = "tacit-deletes-unknown"


class PossibleCommand(str):
    """A text in code that may be a command. If it cannot be parsed it is none, and that is no reason for doubt."""

    __slots__ = ()


def path_of(text: str) -> str:
    """Return a path as a shell word. A plain path is not quoted, so that a tilde and a star keep their meaning."""
    return text if re.fullmatch(r"[\w./*~$-]+", text) else shlex.quote(text)


def in_terminal(line: str) -> str:
    """Return a command that runs a line in a terminal made for it."""
    return f"script -qc {shlex.quote(line)}"
