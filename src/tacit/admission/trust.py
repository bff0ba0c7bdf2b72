"""Trust: how far a record may be relied on, from its origin and what happened to it; nothing it says can raise it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tacit.admission.invisible_characters import unseen
from tacit.model.payload import Note
from tacit.model.record import Record

LABELS = {0: "flagged", 1: "unverified", 2: "evidenced", 3: "by the user"}


STANDING = ("quarantined", "released", "approved", "unapproved", "evidenced", "doubted")
"""The tallies of a record that its trust depends on."""
_NOTHING: Mapping[str, int] = {}
_LEFT_OUT = "context leaves it out, recall shows it with that label; a person vouches for it with `tacit approve ID`"


def trust_of(record: Record, standing: Mapping[str, int] = _NOTHING, lowest_source: int = 3) -> int:
    """Return 3 for a person, 1 for anybody else, 0 when the text hides something from its reader or orders them about.

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
    """Return why a record is flagged, for whoever wrote it; nothing when it is not. A person may give orders."""
    # What a file is chosen by is read before the file is: the description of a note counts as its text does.
    about = record.payload.description if isinstance(record.payload, Note) else ""
    found = suspicious((record.title, about), record.body, by_person=record.origin.actor == "user")
    return tuple(f"flagged, trust 0: {why}; {_LEFT_OUT}" for why in found)


def suspicious(heads: Sequence[str], body: str, *, by_person: bool = False) -> list[str]:
    """Return what is wrong with a text and what stands over it: it hides something, or orders its reader about."""
    # Imported on use: who only reads has no need of this judge.
    from tacit.admission.instruction_detection import FAMILIES, find_instructions

    found = []
    # What the text says as well is said once.
    said = [*(head for head in heads if head not in body), body]
    if hidden := sorted({name for text in said for name in unseen(text)}):
        found.append(f"it holds characters that nobody sees ({', '.join(hidden)})")
    if not by_person and (given := find_instructions("\n".join(said))):
        why = ", ".join(FAMILIES[name] for name in given)
        found.append(f"it reads as an order to whoever reads it ({why})")
    return found


def is_low(record: Record) -> bool:
    """Return whether a record may only inform: never be injected always, promoted, or become a step."""
    return record.trust == 0 or (record.trust == 1 and record.origin.actor in ("tool", "file", "import", "pack"))
