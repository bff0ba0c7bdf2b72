"""Token budgets: the size of a text in tokens, estimated without a model."""

from __future__ import annotations


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text: four bytes each, rounded up. For prose the estimate is too high."""
    return (len(text.encode(errors="replace")) + 3) // 4
