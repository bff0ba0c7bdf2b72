"""tacit: a local-first memory for AI coding agents."""

from tacit.version import __version__

TYPE_CHECKING = False  # not from typing: importing that would double what `tacit --version` costs
if TYPE_CHECKING:
    from typing import Any

    from tacit.app.memory import Memory
    from tacit.app.open import open_memory
    from tacit.errors import (
        CitationProtected,
        ConfigError,
        Conflict,
        EmbedderFailed,
        KeyTaken,
        LlmFailed,
        MissingExtra,
        NotAdmitted,
        NotFound,
        PersonNeeded,
        Refused,
        StoreBusy,
        StoreClosed,
        StoreDamaged,
        StoreError,
        StoreFull,
        StoreMissing,
        StoreNewer,
        StoreReadOnly,
        StoreReplaced,
        StoreUnreachable,
        SwitchedOff,
        TacitError,
        UsageError,
        VerificationFailed,
        VersionConflict,
    )
    from tacit.model.event import Event
    from tacit.model.link import Link
    from tacit.model.origin import Origin
    from tacit.model.payload import Entity, Fact, Namespace, Note, Term
    from tacit.model.query import Hit, Recall, Signal, Why
    from tacit.model.record import Record, RecordPage
    from tacit.model.report import Finding, Forgotten, Stats, Verification
    from tacit.model.results import (
        ConflictPair,
        ContextBlock,
        DrainReport,
        GraphStep,
        Imported,
        Maintained,
        Memorized,
        Merged,
        Pruned,
        Revised,
        SyncReceipt,
        Undone,
    )

# name -> module: nothing is imported before it is asked for, so that `import tacit` costs next to nothing.
_ROOMS = {
    "tacit.errors": (
        "CitationProtected ConfigError Conflict EmbedderFailed KeyTaken LlmFailed MissingExtra NotAdmitted NotFound "
        "PersonNeeded Refused StoreBusy StoreClosed StoreDamaged StoreError StoreFull StoreMissing StoreNewer "
        "StoreReadOnly StoreReplaced StoreUnreachable SwitchedOff TacitError UsageError "
        "VerificationFailed VersionConflict"
    ),
    "tacit.app.open": "open_memory",
    "tacit.app.memory": "Memory",
    "tacit.model.event": "Event",
    "tacit.model.link": "Link",
    "tacit.model.origin": "Origin",
    "tacit.model.results": (
        "ConflictPair ContextBlock DrainReport GraphStep Imported Maintained Memorized Merged Pruned Revised "
        "SyncReceipt Undone"
    ),
    "tacit.model.payload": "Entity Fact Namespace Note Term",
    "tacit.model.query": "Hit Recall Signal Why",
    "tacit.model.record": "Record RecordPage",
    "tacit.model.report": "Finding Forgotten Stats Verification",
}
_WHERE = {name: room for room, names in _ROOMS.items() for name in names.split()}

__all__ = [
    "__version__", "CitationProtected", "ConfigError", "Conflict", "ConflictPair", "ContextBlock", "DrainReport",
    "EmbedderFailed", "Entity", "Event", "Fact", "Finding", "Forgotten", "GraphStep", "Hit", "Imported", "KeyTaken",
    "Link", "LlmFailed", "Maintained", "Memorized", "Memory", "Merged", "MissingExtra", "Namespace", "NotAdmitted",
    "Note", "NotFound", "open_memory", "Origin", "PersonNeeded", "Pruned", "Recall", "Record", "RecordPage",
    "Refused", "Revised", "Signal", "Stats", "StoreBusy", "StoreClosed", "StoreDamaged", "StoreError", "StoreFull",
    "StoreMissing", "StoreNewer", "StoreReadOnly", "StoreReplaced", "StoreUnreachable", "SwitchedOff",
    "SyncReceipt", "TacitError", "Term", "Undone", "UsageError", "Verification", "VerificationFailed",
    "VersionConflict", "Why",
]  # fmt: skip


def __getattr__(name: str) -> "Any":
    if name not in _WHERE:
        raise AttributeError(f"module 'tacit' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_WHERE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
