"""Words for what code does, where the shell has none: they are programs that rules know."""

from __future__ import annotations

import re
import shlex

UNKNOWN = '"$tacit_unknown"'
DELETES_TREE = "tacit-deletes-tree"
DELETES_UNKNOWN = "tacit-deletes-unknown"


def path_of(text: str) -> str:
    """Give a path as a word: plain ones bare, so that a tilde and a star mean what they would to the code's author."""
    return text if re.fullmatch(r"[\w./*~$-]+", text) else shlex.quote(text)
