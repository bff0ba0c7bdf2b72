"""Mute warnings: a person decides that agents no longer get a warning, for some time or until it is unmuted."""

from __future__ import annotations

from typing import Annotated

from tacit.failures.standing_causes import KIND, MUTED
from tacit.model.event import NewEvent
from tacit.model.record import Record
from tacit.model.timestamps import parse_time_or_span
from tacit.model.verb import arg
from tacit.records.connection import Connection
from tacit.records.write import retry_lost_write, writing


@retry_lost_write
def mute(
    c: Connection,
    id: Annotated[str, arg(
        "The id of a failure, correction or lesson, or the eight letters after a warning."
    )], *,
    span: Annotated[str, arg(
        "How long to mute: 12h, 7d; default: until `--end`.", option="--for", metavar="SPAN"
    )] = "",
    end: Annotated[bool, arg("Show the record to agents again.")] = False,
) -> Record:  # fmt: skip
    """Stop warning agents of a failure, correction or lesson. Only a person may mute."""
    c.require_person("mute what agents are told")
    now = c.clock.now()
    until = (now + (now - parse_time_or_span(span, now, "for"))).isoformat() if span else "ever"
    record = c.require(c.full_id(id, (KIND, "correction", "lesson")))
    until = "" if end else until
    with writing(c, now) as tx:
        tx.append(NewEvent(type=MUTED, subject=record.id, scope=record.scope, payload={"until": until}))
    return record
