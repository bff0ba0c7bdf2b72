"""Feedback in prompts, stored as events: whether a person praises or rejects what the agent was shown."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Literal

import msgspec

from tacit.failures.corroboration import DOUBTED_AT, append_confirmed
from tacit.failures.injection_log import SHOWN
from tacit.lessons.rules.user_sentiment import (
    INTERRUPTION,
    MOST_ITEMS,
    Abstained,
    Sentiment,
    ShownItem,
    is_meant,
    is_telling,
    signals,
)
from tacit.model.event import Event, NewEvent
from tacit.model.record import Record
from tacit.model.timestamps import parse_time, stamp
from tacit.ports.store import Transaction
from tacit.records.ask_model import ask_model
from tacit.records.connection import Connection
from tacit.records.write import retry_lost_write, writing

POSITIVE, NEGATIVE = "signal.positive", "signal.negative"
_TYPES = {"positive": POSITIVE, "negative": NEGATIVE}
ABSTAINED = "signal.abstained"
LOOKED_AT = 500
_PROMPT_CHARS = 2_000
_ASK = (
    "A person wrote this to a coding agent after it was shown some advice. Say whether the words praise or reject what "
    "came before (none if they do neither), how sure you are from 0 to 1, and what makes it doubtful."
)


@retry_lost_write
def record_feedback(
    c: Connection, session: str, text: str, at: datetime, *, held: bool, asked_at: datetime | None = None
) -> list[str]:
    """Record a prompt's feedback on items shown earlier in its session, and return their ids.

    `held` means that a transcript contains the prompt. Otherwise anybody may have written the text: it is recorded, but
    it is not evidence. `asked_at` is the time of the user's prompt before this one.
    """
    if not session or not is_telling(text):
        return []
    shown = _shown(c, session, at)
    records = c.store.get_many([event.subject for event in shown], c.walls) if shown else {}
    items = _items(shown, records)
    # A model is asked only where nobody waits for the answer, and only about prompts that may hold feedback.
    felt = _read_by_model(c, text) if held and items and not text.startswith(INTERRUPTION) else None
    found = signals(text, items, at, _last(c, session, held), felt, asked_at)
    mark = hashlib.sha256(f"{session}\n{text.strip()}".encode(errors="replace")).hexdigest()[:32]
    key = f"signal:{'held' if held else 'told'}:{mark}"
    noted: list[str] = []
    with writing(c, c.clock.now()) as tx:
        if not tx.once(key):
            return []
        if isinstance(found, Abstained):
            why = {"why": found.reason, "held": held}
            tx.append(NewEvent(type=ABSTAINED, scope=str(c.scope), session=session, payload=why))
            return []
        for one in found:
            payload = {"confidence": one.confidence, "how": one.how, "held": held, "said_at": stamp(at)}
            told_at = next(item.at for item in items if item.id == one.item)
            if held and is_meant(text, one, told_at, asked_at):
                payload["ok"] = one.polarity == "positive"
                if one.polarity == "negative":
                    _doubt(tx, records[one.item], at)
            kind = _TYPES[one.polarity]
            event = NewEvent(type=kind, subject=one.item, scope=str(c.scope), session=session, payload=payload)
            append_confirmed(tx, event, at, held=held)
            noted.append(one.item)
    return noted


def _doubt(tx: Transaction, record: Record, at: datetime) -> None:
    """Record that a person said no to a rule; what a person wrote or approved at a terminal is only changed there."""
    if record.kind == "correction" and record.origin.actor != "user" and record.trust < 3:
        body = {DOUBTED_AT: stamp(at)}
        tx.append(NewEvent(type="record.doubted", subject=record.id, scope=record.scope, payload=body))
        tx.retrust([record.id])


class _SentimentReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    polarity: Literal["positive", "negative", "none"]
    confidence: float
    hazards: list[Literal["sarcasm", "ambiguous", "self-directed", "out of distribution"]]


def _read_by_model(c: Connection, text: str) -> Sentiment | None:
    """Have the configured language model rate a prompt; None without one, or if its reply is unusable."""
    reply = ask_model(c, "sentiment", _ASK, text[:_PROMPT_CHARS], _SentimentReply).value
    if reply is None or not 0 <= reply.confidence <= 1:
        return None
    polarity = reply.polarity if reply.polarity != "none" else None
    return Sentiment(polarity, reply.confidence, tuple(reply.hazards))


def _shown(c: Connection, session: str, at: datetime) -> list[Event]:
    """Return the items last shown in a session before a time, newest first, each once."""
    events = c.store.events(scopes=[str(c.scope)], types=(SHOWN,), newest=True, limit=LOOKED_AT)
    mine: dict[str, Event] = {}
    for event in events:
        # That something was kept is no advice, and a no that follows is about the work.
        if event.session == session and event.at <= at and not (event.payload or {}).get("confirms"):
            mine.setdefault(event.subject, event)
    return list(mine.values())[:MOST_ITEMS]


def _items(shown: list[Event], records: dict[str, Record]) -> list[ShownItem]:
    known = [(event, records[event.subject]) for event in shown if event.subject in records]
    return [ShownItem(event.subject, record.title or record.body[:200], event.at) for event, record in known]


def _last(c: Connection, session: str, held: bool) -> dict[str, datetime]:
    events = c.store.events(scopes=[str(c.scope)], types=(POSITIVE, NEGATIVE), newest=True, limit=LOOKED_AT)
    found: dict[str, datetime] = {}
    for event in events:
        payload = event.payload or {}
        if event.session == session and payload.get("held") is held:
            # The time of the prompt, not of reading it: a transcript is read all at once.
            found.setdefault(event.subject, parse_time(payload.get("said_at") or event.at))
    return found
