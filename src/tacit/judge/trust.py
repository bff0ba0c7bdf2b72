"""Trust: how far a record may be relied on, from its origin and what happened to it; nothing it says can raise it."""

from __future__ import annotations

from collections.abc import Mapping

from tacit.judge.unseen import unseen
from tacit.model.record import Record

LABELS = {0: "flagged", 1: "unverified", 2: "evidenced", 3: "by the user"}


STANDING = ("quarantined", "released", "approved", "unapproved", "evidenced", "doubted")
"""The tallies of a record that its trust depends on."""
_NOTHING: Mapping[str, int] = {}
_LEFT_OUT = "context leaves it out, recall shows it with that label; a person vouches for it with `tacit approve ID`"


def trust_of(record: Record, standing: Mapping[str, int] = _NOTHING, lowest_source: int = 3) -> int:
    """Give 3 for a person, 1 for anybody else, 0 when the text hides something from its reader or orders them about.

    `standing` are the record's tallies: quarantine gives 0, a person's approval 3, outside evidence at least 2.
    Whatever is derived from others is trusted no more than the least of them.
    """
    return min(_own_trust(record, standing), lowest_source)


def _own_trust(record: Record, standing: Mapping[str, int]) -> int:
    if standing.get("quarantined", 0) > standing.get("released", 0):
        return 0
    if standing.get("approved", 0) > standing.get("unapproved", 0):
        return 3
    if flagged(record):
        return 0
    if record.origin.actor == "user":
        return 3
    return 2 if standing.get("evidenced", 0) > standing.get("doubted", 0) else 1


def flagged(record: Record) -> tuple[str, ...]:
    """Say why a record is flagged, for whoever wrote it; nothing when it is not. A person may give orders."""
    # Imported on use: who only reads has no need of this judge.
    from tacit.judge.orders import FAMILIES, orders

    found = []
    if hidden := sorted({*unseen(record.title), *unseen(record.body)}):
        found.append(f"flagged, trust 0: it holds characters that nobody sees ({', '.join(hidden)}); {_LEFT_OUT}")
    if record.origin.actor != "user" and (given := orders(_said(record))):
        why = ", ".join(FAMILIES[name] for name in given)
        found.append(f"flagged, trust 0: it reads as an order to whoever reads it ({why}); {_LEFT_OUT}")
    return tuple(found)


def _said(record: Record) -> str:
    """Give what a record says; a title that its text begins with is said once."""
    return record.body if record.title in record.body else f"{record.title}\n{record.body}"


def is_low(record: Record) -> bool:
    """Say whether a record may only inform: never be injected always, promoted, or become a step."""
    return record.trust == 0 or (record.trust == 1 and record.origin.actor in ("tool", "file", "import", "pack"))
