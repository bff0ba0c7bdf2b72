"""The searchable form of a record: the token streams of its fields, and the text that is embedded."""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple

from tacit.model.payload import KeptTurn, Note, Said
from tacit.model.record import Record
from tacit.text.tokens import date_tokens, token_stream, tokens


class SearchFields(NamedTuple):
    """Space-joined token streams for any full-text engine."""

    title: str
    body: str
    tags: str
    extra: str


def fields_of(record: Record) -> SearchFields:
    """Return the searchable fields. They depend on the record alone, so the index can always be rebuilt."""
    extra = date_tokens(record.at) if record.at else []
    if isinstance(record.payload, Said):
        about = (record.payload.author, record.payload.description if isinstance(record.payload, Note) else "")
        extra = [*extra, *(token for text in about if text for token in tokens(text))]
    return SearchFields(
        token_stream(record.title) if record.title else "",
        token_stream(record.body),
        token_stream(" ".join(record.tags)) if record.tags else "",
        " ".join(extra),
    )


def embedded_text(record: Record) -> str:
    """Return the text that a record's vector is computed from."""
    text = f"{record.title}\n{record.body}" if record.title else record.body
    if isinstance(record.payload, KeptTurn) and record.payload.author:
        # Whose words they are is part of what a turn means, unless the text says so itself.
        author = f"{record.payload.author}: "
        return text if text.startswith(author) else author + text
    return text


def hash_64(text: str) -> int:
    """Return the number under which a word or an id is found in the sorted arrays of an index."""
    return int.from_bytes(blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest(), "little")
