"""Signals: what a person's words say of what was shown to the agent. Evidence of the kind `person`, never a counter."""

from __future__ import annotations

import hashlib
from datetime import datetime

from tacit.flows.confirming import note
from tacit.flows.connection import Connection
from tacit.flows.injection import SHOWN
from tacit.flows.write import again, writing
from tacit.judge.sentiment import MOST_ITEMS, Abstained, Item, is_telling, signals
from tacit.model.event import Event, Happening
from tacit.model.times import parse_time, stamp

POSITIVE, NEGATIVE = "signal.positive", "signal.negative"
_TYPES = {"positive": POSITIVE, "negative": NEGATIVE}
ABSTAINED = "signal.abstained"
LOOKED_AT = 500


@again
def note_words(c: Connection, session: str, text: str, at: datetime, *, held: bool) -> list[str]:
    """Note what a prompt says of what was shown in its session before; gives the items. `held`: a transcript says so.

    What only a hook tells may be anybody's words: it is noted, and proves nothing.
    """
    if not session or not is_telling(text):
        return []
    shown = _shown(c, session, at)
    found = signals(text, _items(c, shown), at, _last(c, session, held))
    mark = hashlib.sha256(f"{session}\n{text.strip()}".encode(errors="replace")).hexdigest()[:32]
    key = f"signal:{'held' if held else 'told'}:{mark}"
    noted: list[str] = []
    with writing(c, c.clock.now()) as tx:
        if not tx.once(key):
            return []
        if isinstance(found, Abstained):
            why = {"why": found.reason, "held": held}
            tx.append(Happening(type=ABSTAINED, scope=str(c.scope), session=session, payload=why))
            return []
        for one in found:
            said = {"confidence": one.confidence, "how": one.how, "held": held, "said_at": stamp(at)}
            kind = _TYPES[one.polarity]
            word = Happening(type=kind, subject=one.item, scope=str(c.scope), session=session, payload=said)
            note(tx, word, at, held=held)
            noted.append(one.item)
    return noted


def _shown(c: Connection, session: str, at: datetime) -> list[Event]:
    """Give what was shown last in a session before a time, newest first, each once."""
    events = c.store.events(scopes=[str(c.scope)], types=(SHOWN,), newest=True, limit=LOOKED_AT)
    mine: dict[str, Event] = {}
    for event in events:
        if event.session == session and event.at <= at:
            mine.setdefault(event.subject, event)
    return list(mine.values())[:MOST_ITEMS]


def _items(c: Connection, shown: list[Event]) -> list[Item]:
    records = c.store.get_many([event.subject for event in shown], c.walls) if shown else {}
    known = [(event, records[event.subject]) for event in shown if event.subject in records]
    return [Item(event.subject, record.title or record.body[:200], event.at) for event, record in known]


def _last(c: Connection, session: str, held: bool) -> dict[str, datetime]:
    events = c.store.events(scopes=[str(c.scope)], types=(POSITIVE, NEGATIVE), newest=True, limit=LOOKED_AT)
    found: dict[str, datetime] = {}
    for event in events:
        told = event.payload or {}
        if event.session == session and told.get("held") is held:
            # When it was said, not when it was read: a transcript is read all at once.
            found.setdefault(event.subject, parse_time(told.get("said_at") or event.at))
    return found
