"""The fields of each kind of record beyond the common ones: one frozen struct per kind."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec


def shaped(value: Any, shape: Any) -> Any:
    """Convert plain values to a type. If they do not match, a ValueError says what is wrong."""
    try:
        return msgspec.convert(value, type=shape)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None


def plain(value: Any) -> Any:
    """Return a value as plain JSON values."""
    return msgspec.to_builtins(value)


def is_struct(value: object) -> bool:
    """Return whether a value is one of the model's structs."""
    return isinstance(value, msgspec.Struct)


class Payload(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The part of a record that is specific to its kind."""


class Fact(Payload, frozen=True):
    """Something believed to be true; the text is the record's body."""

    valid_from: datetime | None = None
    valid_to: datetime | None = None
    source: str = ""


class Entity(Payload, frozen=True):
    """A thing facts are about; its name is the record's title, its description the body."""

    kind: str
    name: str


class Term(Payload, frozen=True):
    """A word that people use in this scope; the word is the record's title, its definition the record's body."""

    term: str
    category: str = "general"


class Namespace(Payload, frozen=True):
    """A division of a scope; its description is the body of the record."""

    name: str


class Note(Payload, frozen=True):
    """A text that is kept unchanged.

    A note with a path is the copy of a topic file, whose text is the field `top` and then the record's body.
    """

    author: str = ""
    source: str = ""
    path: str = ""
    """Its path in the memory directory; empty for a note without a file."""
    type: str = ""
    description: str = ""
    top: str = ""
    """The front matter exactly as in the file, with its fences."""
