"""Slugs: a title as a short name that can be typed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

MOST_CHARS = 60
NAMELESS = "procedure"


def slug_of(title: str) -> str:
    """Return a title as a slug: lower case, words joined by dashes, without accents; other scripts stay unchanged."""
    # Styled letters (`𝔍`) are normalised before case folding and once more after it, since folding may undo it.
    plain = title
    for _ in range(2):
        plain = unicodedata.normalize("NFKC", _without_accents(unicodedata.normalize("NFKC", plain).casefold()))
    words = re.findall(r"[^\W_]+", plain)
    slug = ""
    for word in words:
        longer = f"{slug}-{word}" if slug else word[:MOST_CHARS]
        if len(longer) > MOST_CHARS:
            break
        slug = longer
    return slug or NAMELESS


def _without_accents(text: str) -> str:
    """Remove accents from letters that stay readable without them; other scripts keep theirs."""
    kept, accented = [], False
    for char in unicodedata.normalize("NFKD", text):
        if not unicodedata.combining(char):
            accented = unicodedata.name(char, "").startswith(("LATIN", "GREEK", "CYRILLIC"))
        elif accented:
            continue
        kept.append(char)
    return "".join(kept)


def free_slug(title: str, taken: Callable[[str], bool]) -> str:
    """Return the first slug of a title that is not taken: plain, then `-02`, `-03` and so on."""
    slug, number = slug_of(title), 1
    while taken(named := slug if number == 1 else f"{slug}-{number:02}"):
        number += 1
    return named


def ordinal_of(name: str) -> tuple[str, int] | None:
    """Parse `deploy-01` as the first of those that begin with `deploy`."""
    found = re.fullmatch(r"(.+)-(\d{2,4})", name)
    return (found[1], int(found[2])) if found and int(found[2]) else None
