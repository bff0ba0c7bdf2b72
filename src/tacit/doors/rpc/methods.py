"""All RPC methods in one place. Importing this module fills the table."""

from __future__ import annotations

from tacit.doors.rpc import declared, lessons, memory_tool, notes, other_methods, skills_and_teams
from tacit.doors.rpc.method_table import bound as methods_of, schema

__all__ = ["BY_HAND", "methods_of", "schema"]
BY_HAND = (lessons, notes, skills_and_teams, other_methods, memory_tool)

declared.fill()
