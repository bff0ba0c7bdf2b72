"""Numbers of things, as a sentence has them."""


def plural(count: int, noun: str) -> str:
    """Give a number with its noun: `1 record`, `1,200 records`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
