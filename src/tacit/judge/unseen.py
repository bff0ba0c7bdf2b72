"""Characters a reader does not see: bidirectional controls, zero-width marks, tag characters."""

from __future__ import annotations

import re

# Overrides and isolates reorder what is shown; zero-width and tag characters hide text; a joiner is fine next to
# emoji and in scripts that need it, so only one beside an ASCII letter counts.
_UNSEEN = re.compile(
    "[\u202a-\u202e\u2066-\u2069\u200b\u2060-\u2064\u206a-\u206f\ufff9-\ufffb\u180e]"
    "|(?<=[A-Za-z0-9])[\u200c\u200d](?=[A-Za-z0-9])"
    "|(?<!^)\ufeff"
    "|(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0000-\U000e007f]"
)


def unseen(text: str) -> tuple[str, ...]:
    """Name the unseen characters of a text, each once, as U+XXXX."""
    if text.isascii():
        return ()
    return tuple(sorted({f"U+{ord(found):04X}" for found in _UNSEEN.findall(text)}))
