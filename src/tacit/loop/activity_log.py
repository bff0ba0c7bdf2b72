"""The log: what the memory kept, learned, told and stopped, newest first."""

from __future__ import annotations

from typing import Annotated

from tacit.failures.failures import FIXED
from tacit.failures.injection_log import FOLLOWED, IGNORED, PAID, SHOWN, STOPPED
from tacit.failures.rules.quiet import SEEN
from tacit.failures.standing_causes import OVERRIDDEN
from tacit.loop.warnings import LEXICON
from tacit.model.event import Event
from tacit.model.record import Record, short_id
from tacit.model.results import LogEntry
from tacit.model.verb import arg
from tacit.records.arguments import Limit, Since
from tacit.records.connection import Connection
from tacit.records.forget import FORGOTTEN
from tacit.records.history import BROUGHT_IN
from tacit.text.frame import framed
from tacit.text.plural import plural

PULLED = "share.pulled"
"""A shared folder was read, and something of it was taken."""
# What happened -> the events that say so, and each in words.
_EVENTS = {
    "told": {SHOWN: "told"},
    "stopped": {
        STOPPED: "stopped a command because of", PAID: "after the stop another command worked, because of",
        OVERRIDDEN: "the agent insisted, and it worked, in spite of",
    },
    "answered": {FOLLOWED: "the agent followed a warning about", IGNORED: "the agent did not follow a warning about"},
    "kept": {
        "fact.memorized": "kept", "added": "added", "fact.repeated": "said again", "correction.seen": "kept a rule",
        "fact.resolved": "settled a conflict",
    },
    "learned": {
        SEEN: "a command failed", FIXED: "learned a fix", "lesson.created": "proposed a lesson",
        "lesson.promoted": "promoted a lesson", "lesson.demoted": "demoted a lesson",
        "lesson.discarded": "discarded a lesson", "record.evidenced": "confirmed by evidence",
        "record.doubted": "put in doubt",
    },
    "changed": {
        "revised": "changed", "rolled_back": "brought back an older version of", "retired": "took out of use",
        "undone": "undid a write of", FORGOTTEN: "deleted for good", "record.approved": "approved",
        BROUGHT_IN: "imported", "imported": "imported", "facts.merged": "merged facts",
        "fact.archived": "archived, unused for long", PULLED: "took from a shared folder",
    },
}  # fmt: skip
WHAT = tuple(_EVENTS)
_MOMENTS = {"session_start": " at a start", "prompt": " at a prompt", "before_tool": " before a command"}
_SAID_CHARS = 160


def log(
    c: Connection, *,
    what: Annotated[str, arg("Only told, stopped, answered, kept, learned, changed.", choices=WHAT)] = "",
    since: Since = None, limit: Limit = 30,
) -> list[LogEntry]:  # fmt: skip
    """List what the memory kept, learned, told and stopped here, newest first."""
    wanted = {type: said for name, types in _EVENTS.items() if what in ("", name) for type, said in types.items()}
    begun = c.when(since, "since")
    events = c.store.events(scopes=c.walls, types=tuple(wanted), newest=True, limit=limit)
    kept = [event for event in events if begun is None or event.at >= begun]
    records = c.store.get_many(list(dict.fromkeys(event.subject for event in kept)), c.walls)
    return [_entry(event, wanted[event.type], records.get(event.subject)) for event in kept]


def in_words(type: str) -> str:
    """Return what an event says happened, as the log says it; its type if the log does not list it."""
    return next((types[type] for types in _EVENTS.values() if type in types), type)


def _without_record(event: Event) -> str:
    body = event.payload or {}
    count = body.get("count")
    if event.type == PULLED:
        counted = [f"{number} {what}" for what, number in body.items() if isinstance(number, int) and number]
        return f"{', '.join(counted) or 'nothing new'}, from {framed(str(body.get('source', '')), _SAID_CHARS)}"
    return plural(count, "record") if isinstance(count, int) else "" if not event.subject else "no longer stored"


def _entry(event: Event, said: str, record: Record | None) -> LogEntry:
    moment = _MOMENTS.get(str((event.payload or {}).get("at") or ""), "") if event.type == SHOWN else ""
    if event.subject.startswith(LEXICON):
        kind, key = LEXICON.rstrip(":"), event.subject.removeprefix(LEXICON)
        return LogEntry(at=event.at, what=said + moment, id="", kind=kind, text=key, session=event.session)
    text = framed(record.title or record.body, _SAID_CHARS) if record else _without_record(event)
    text += " (no longer in use)" if record is not None and record.status == "retired" else ""
    id = short_id(event.subject) if event.subject else ""
    return LogEntry(
        at=event.at, what=said + moment, id=id, kind=record.kind if record else "", text=text,
        session=event.session,
    )  # fmt: skip
