"""The frame: recalled text as quoted data that can neither close its frame nor pose as an instruction's layout."""

from __future__ import annotations

import re
import unicodedata

_LINE = re.compile(r"\s+")
# A reader that follows markup must not find any that is not ours.
_ESCAPES = str.maketrans({"<": "&lt;", ">": "&gt;", "&": "&amp;", "`": "'"})


def framed(text: str, most_chars: int) -> str:
    """Give text as one harmless line: no markup, no line breaks, nothing invisible, cut at a word."""
    visible = "".join(" " if unicodedata.category(char)[0] in "CZ" else char for char in text)
    line = _LINE.sub(" ", visible).strip()
    if len(line) > most_chars:
        line = line[: most_chars - 1].rsplit(" ", 1)[0][: most_chars - 1] + "…"
    return line.translate(_ESCAPES)
