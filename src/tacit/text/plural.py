"""Counts with their nouns, for sentences."""


def plural(count: int, noun: str) -> str:
    """Return a number with its noun: `1 record`, `1,200 records`, `2 recoveries`, `2 fixes`."""
    if count == 1:
        return f"{count:,} {noun}"
    if noun.endswith("x"):
        return f"{count:,} {noun}es"
    return f"{count:,} {noun[:-1]}ies" if noun[-1] == "y" and noun[-2] not in "aeiou" else f"{count:,} {noun}s"
