"""Look-alikes: letters that look like others, and invisible characters, may hide what a line does."""

from __future__ import annotations

import unicodedata

# Letters of other scripts that look like those of program names and flags.
_TWINS = str.maketrans("аеорсухігӏԁһјкмтпѕʀᴍ‐‑‒–—−", "aeopcyxirldhjkmtnsrm------")
_BLANK = "Zs"


def folded(text: str) -> str:
    """Return a line as people read it: look-alikes as plain letters, invisible characters removed."""
    if text.isascii():
        return text
    seen = unicodedata.normalize("NFKC", text).translate(_TWINS)
    kept = (" " if unicodedata.category(c) == _BLANK else c for c in seen if unicodedata.category(c) != "Cf")
    return "".join(kept)
