"""Made-up program names for what code does where no shell command does the same; guard rules match these names."""

from __future__ import annotations

import re
import shlex

UNKNOWN = '"$tacit_unknown"'
DELETES_TREE = "tacit-deletes-tree"
DELETES_UNKNOWN = "tacit-deletes-unknown"


def path_of(text: str) -> str:
    """Return a path as a shell word: plain ones unquoted, so that a tilde and a star keep their meaning."""
    return text if re.fullmatch(r"[\w./*~$-]+", text) else shlex.quote(text)


def in_terminal(line: str) -> str:
    """Return a command that runs a line in a terminal made for it."""
    return f"script -qc {shlex.quote(line)}"
