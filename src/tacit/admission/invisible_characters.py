"""Invisible characters: bidirectional controls, zero-width marks, tag characters."""

from __future__ import annotations

from tacit.text.patterns import lazy_pattern

# Overrides and isolates reorder the display; zero-width and tag characters hide text, and so do runs of variation
# selectors. A joiner is fine next to emoji and in scripts that need it, so only one next to ASCII letters counts, or
# several in a row, which no script needs.
_UNSEEN = lazy_pattern(
    "[\u202a-\u202e\u2066-\u2069\u200b\u2060-\u2064\u206a-\u206f\ufff9-\ufffb\u180e\u061c]"
    "|(?<=[A-Za-z0-9])[\u200c\u200d](?=[A-Za-z0-9])"
    "|(?<=[\u200c\u200d])[\u200c\u200d]"
    "|(?<!^)\ufeff"
    "|(?<=[\ufe00-\ufe0f\U000e0100-\U000e01ef])[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
    "|[\u115f\u1160\u3164\uffa0]"
    "|[\U000e0000-\U000e007f]"
)
# The flags of England, Scotland and the like are a black flag, a few tag letters, and the tag that ends them.
_FLAG = lazy_pattern("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f")


def unseen(text: str) -> tuple[str, ...]:
    """Return the invisible characters of a text, each once, as U+XXXX."""
    if text.isascii():
        return ()
    shown = _FLAG.sub("\U0001f3f4", text) if "\U0001f3f4" in text else text
    return tuple(sorted({f"U+{ord(found):04X}" for found in _UNSEEN.findall(shown)}))
