"""All methods of the wire in one place; importing this fills the table."""

from __future__ import annotations

from tacit.app.memory import Memory
from tacit.doors.rpc import (
    declared,
    lessons,
    memory_tool as written,
    notes as memories,
    other_methods as others,
    skills_and_teams as crew,
)
from tacit.doors.rpc.method_table import bound, schema
from tacit.doors.rpc.protocol import Method

__all__ = ["ROOMS", "methods_of", "schema"]
ROOMS = (lessons, memories, crew, others, written)

declared.fill()


def methods_of(memory: Memory) -> dict[str, Method]:
    """Give the methods a memory answers."""
    return bound(memory)
