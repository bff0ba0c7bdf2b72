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
    person: str = ""
    """The user of the machine on which it was written, on a server: several people may log in with one role."""


def on_server(origin: Origin, role: str, person: str) -> Origin:
    """Return an origin with the role that is logged in to a server, and the user of this machine."""
    return msgspec.structs.replace(origin, role=role, person=person) if role else origin


def author_of(origin: Origin) -> str:
    """Return who wrote something on a server: `ann (anna)`, `agent of ann`; empty for a store that is a file."""
    if not origin.role:
        return ""
    person = f" ({origin.person})" if origin.person not in ("", origin.role) else ""
    return f"{'' if origin.actor == 'user' else f'{origin.actor} of '}{origin.role}{person}"
