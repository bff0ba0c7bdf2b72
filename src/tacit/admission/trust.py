"""Trust: computed from the origin and the events of a record. Nothing in the text of a record can raise its trust."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tacit.admission.invisible_characters import unseen
from tacit.model.payload import Note
from tacit.model.record import Record, origin_of

LABELS = {0: "flagged", 1: "unverified", 2: "evidenced", 3: "by the user"}


STANDING = ("quarantined", "released", "approved", "unapproved", "evidenced", "doubted")
"""The tallies of a record that its trust depends on."""
_NOTHING: Mapping[str, int] = {}
_LEFT_OUT = "it is left out of context and labelled in recall; a person can confirm it with `tacit approve ID`"


def trust_of(record: Record, standing: Mapping[str, int] = _NOTHING, lowest_source: int = 3) -> int:
    """Return 3 for a person, 1 for anybody else, 0 if the text hides something or contains instructions.

    `standing` are the record's tallies: quarantine gives 0, a person's approval 3, outside evidence at least 2. A
    record derived from others is trusted no more than the least trusted of them.
    """
    return min(_own_trust(record, standing), lowest_source)


def _own_trust(record: Record, standing: Mapping[str, int]) -> int:
    if standing.get("quarantined", 0) > standing.get("released", 0):
        return 0
    if standing.get("approved", 0) > standing.get("unapproved", 0):
        return 3
    if flagged(record):
        return 0
    if origin_of(record).actor == "user":
        return 3
    return 2 if standing.get("evidenced", 0) > standing.get("doubted", 0) else 1


def flagged(record: Record) -> tuple[str, ...]:
    """Return the reasons why a record is flagged; empty if it is not. Instructions by a person are not flagged."""
    if record.kind in ("turn", "session"):
        # What was said in a session is told to nobody who does not ask for it; a recap, which is, is judged.
        return ()
    # Files are chosen by their description before they are read, so the description of a note is checked as well.
    about = record.payload.description if isinstance(record.payload, Note) else ""
    found = suspicious((record.title, about), record.body, by_person=record.origin.actor == "user")
    return tuple(f"flagged, trust 0: {why}; {_LEFT_OUT}" for why in found)


def suspicious(heads: Sequence[str], body: str, *, by_person: bool = False) -> list[str]:
    """Return the problems of a text and its title: hidden characters, or instructions to the reader."""
    # Imported on use: a process that only reads does not need it.
    from tacit.admission.instruction_detection import FAMILIES, find_instructions

    found = []
    # A reason found in both is listed once.
    said = [*(head for head in heads if head not in body), body]
    if hidden := sorted({name for text in said for name in unseen(text)}):
        found.append(f"it contains invisible characters ({', '.join(hidden)})")
    if not by_person and (given := find_instructions("\n".join(said))):
        why = ", ".join(FAMILIES[name] for name in given)
        found.append(f"it contains instructions to its reader ({why})")
    return found


def trust_labels(record: Record) -> tuple[str, ...]:
    """Return how a found record is labelled, unless it is the user's own word."""
    return (f"trust {record.trust}: {LABELS[record.trust]}",) if record.trust != 3 else ()


def is_low(record: Record) -> bool:
    """Return whether trust is low: such a record is never injected into every prompt, promoted, or made a step."""
    return record.trust == 0 or (record.trust == 1 and record.origin.actor in ("tool", "file", "import", "pack"))
