"""Filter tokens (gates): scope, kind, status and tags as tokens of the full-text row, to filter before ranking.

A join would filter only after ranking the rows of every other scope; a filter token makes the database skip them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache

from tacit.model.kinds import KINDS, fold
from tacit.model.query import Filter
from tacit.model.record import Record


def gates_of(record: Record, scope_number: int) -> str:
    """Return the filter tokens of a record."""
    gates = _gates(scope_number, record.kind, record.status)
    return " ".join([gates, *(f"g{_digest(tag)}" for tag in record.tags)]) if record.tags else gates


@lru_cache(256)
def _gates(scope_number: int, kind: str, status: str) -> str:
    found = [f"s{scope_number}", f"k{kind}", f"t{status}"]
    if status == "active":
        # The common query, one kind of a scope, is one token.
        found.append(f"a{scope_number}{kind}")
    elif status == "complete":
        # So are finished episodes: three filter tokens cost a search more than its words do.
        found.append(f"c{scope_number}{kind}")
    return " ".join(found)


def gate_groups(where: Filter, scope_numbers: Sequence[int]) -> list[list[str]]:
    """Return the groups of filter tokens for a filter: a row must have one token of each group."""
    # A status that none of the kinds can have would make the query one of many filter tokens instead of one.
    possible = {status for kind in where.kinds if kind in KINDS for status in KINDS[kind].statuses}
    statuses = tuple(status for status in where.statuses if status in possible) or where.statuses
    if statuses == ("active",) and where.kinds:
        groups = [[f"a{number}{kind}" for number in scope_numbers for kind in where.kinds]]
    elif statuses == ("complete",) and where.kinds:
        groups = [[f"c{number}{kind}" for number in scope_numbers for kind in where.kinds]]
    else:
        groups = [[f"s{number}" for number in scope_numbers]]
        asked = (("k", where.kinds), ("t", statuses))
        groups += [[prefix + value for value in values] for prefix, values in asked if values]
    return groups + [[f"g{_digest(tag)}"] for tag in where.tags]


def _digest(tag: str) -> str:
    return hashlib.sha256(fold(tag).encode(errors="surrogatepass")).hexdigest()[:16]
