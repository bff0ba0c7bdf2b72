"""Trust: how far a record may be relied on, from its origin alone; nothing a record says can raise it."""

from __future__ import annotations

from tacit.judge.unseen import unseen
from tacit.model.record import Record

LABELS = {0: "flagged", 1: "unverified", 2: "evidenced", 3: "by the user"}


def trust_of(record: Record) -> int:
    """Give 3 for a person, 1 for anybody else, 0 when the text hides characters from its reader."""
    if unseen(record.title) or unseen(record.body):
        return 0
    return 3 if record.origin.actor == "user" else 1


def flagged(record: Record) -> tuple[str, ...]:
    """Say why a record is flagged, for whoever wrote it; nothing when it is not."""
    hidden = sorted({*unseen(record.title), *unseen(record.body)})
    if not hidden:
        return ()
    return (f"flagged, trust 0: it holds characters that nobody sees ({', '.join(hidden)}); context leaves it out",)


def is_low(record: Record) -> bool:
    """Say whether a record may only inform: never be injected always, promoted, or become a step."""
    return record.trust == 0 or (record.trust == 1 and record.origin.actor in ("tool", "file", "import", "pack"))
