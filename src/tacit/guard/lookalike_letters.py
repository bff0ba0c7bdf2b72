"""Look-alikes: letters that are drawn like others, and characters nobody sees, may hide what a line says."""

from __future__ import annotations

import unicodedata

# Letters of other scripts that look like those of program names and flags.
_TWINS = str.maketrans("аеорсухігӏԁһјкмтпѕʀᴍ‐‑‒–—−", "aeopcyxirldhjkmtnsrm------")
_BLANK = "Zs"


def folded(text: str) -> str:
    """Give a line as it is read by eye: look-alikes as plain letters, invisible characters gone."""
    if text.isascii():
        return text
    seen = unicodedata.normalize("NFKC", text).translate(_TWINS)
    kept = (" " if unicodedata.category(c) == _BLANK else c for c in seen if unicodedata.category(c) != "Cf")
    return "".join(kept)
