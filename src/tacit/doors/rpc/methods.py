"""All methods of the wire in one place; importing this fills the table."""

from __future__ import annotations

from tacit.app.memory import Memory
from tacit.doors.rpc import crew, lessons, memories, others, written
from tacit.doors.rpc.protocol import Method
from tacit.doors.rpc.table import bound, schema

__all__ = ["ROOMS", "methods_of", "schema"]
ROOMS = (lessons, memories, crew, others, written)


def methods_of(memory: Memory) -> dict[str, Method]:
    """Give the methods a memory answers."""
    return bound(memory)
