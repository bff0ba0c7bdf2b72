"""The searchable form of a record: the token streams of its fields, and the text that is embedded."""

from __future__ import annotations

from typing import NamedTuple

from tacit.model.payload import Note
from tacit.model.record import Record
from tacit.text.tokens import date_tokens, tokens


class SearchFields(NamedTuple):
    """Space-joined token streams for any full-text engine."""

    title: str
    body: str
    tags: str
    extra: str


def fields_of(record: Record) -> SearchFields:
    """Return the searchable fields. They depend on the record alone, so the index can always be rebuilt."""
    extra = date_tokens(record.at) if record.at else []
    if isinstance(record.payload, Note):
        about = (record.payload.author, record.payload.description)
        extra = [*extra, *(token for text in about if text for token in tokens(text))]
    return SearchFields(
        " ".join(tokens(record.title)) if record.title else "",
        " ".join(tokens(record.body)),
        " ".join(tokens(" ".join(record.tags))) if record.tags else "",
        " ".join(extra),
    )


def embedded_text(record: Record) -> str:
    """Return the text that a record's vector is computed from."""
    return f"{record.title}\n{record.body}" if record.title else record.body
