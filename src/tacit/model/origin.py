"""Origin: who wrote a record. The door sets it, never the payload."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Actor = Literal["user", "agent", "tool", "file", "import", "pack"]

UNATTENDED = "unattended"


class Origin(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who wrote the record, through which door, from where."""

    actor: Actor
    agent: str = ""
    session: str = UNATTENDED
    host: str = ""
    model: str = ""
    cwd: str = ""
    claimed: dict[str, Any] | None = None
    role: str = ""
    """The role that was logged in to the server; empty for a store that is a file."""
