"""Vectors in pgvector's binary form, because sending them as text would take most of the time."""

from __future__ import annotations

import builtins
import sys
from array import array
from collections.abc import Callable
from typing import Any

from psycopg import Connection
from psycopg.adapt import Dumper
from psycopg.pq import Format
from psycopg.types import TypeInfo


class Halfvec:
    """A vector of float16 for pgvector."""

    __slots__ = ("vector",)

    def __init__(self, vector: bytes) -> None:
        self.vector = vector


class _HalfvecDumper(Dumper):
    """Writes what pgvector receives: the dimension, two reserved bytes, and the numbers, high byte first."""

    format = Format.BINARY

    def dump(self, obj: Halfvec) -> bytes:
        """Return the bytes."""
        numbers = array("H", obj.vector)
        if sys.byteorder == "little":
            numbers.byteswap()
        return len(numbers).to_bytes(2) + b"\0\0" + numbers.tobytes()


def _halfvec_type(connection: Connection[Any]) -> TypeInfo | None:
    """Return the type's object ids in this database."""
    found = connection.execute("SELECT oid, typarray FROM pg_type WHERE typname = 'halfvec'").fetchone()
    return TypeInfo("halfvec", int(found[0]), int(found[1])) if found else None


def teaching(first: Connection[Any]) -> Callable[[Connection[Any]], None]:
    """Return a function that registers vectors with a connection; it does nothing without pgvector."""
    type = _halfvec_type(first)

    def teach(connection: Connection[Any]) -> None:
        if type is not None:
            type.register(connection)
            connection.adapters.register_dumper(Halfvec, _dumper(type.oid))

    return teach


def _dumper(number: int) -> builtins.type[_HalfvecDumper]:
    class Numbered(_HalfvecDumper):
        oid = number

    return Numbered
