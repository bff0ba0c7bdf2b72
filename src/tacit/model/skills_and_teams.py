"""Skills, personas and teams: how something is done well, who does it, and who works together."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from tacit.model.payload import Payload

SkillType = Literal["generative", "analytical"]
Effort = Literal["low", "medium", "high", "other"]
Inherits = Literal["inherit", "fork"]
Activation = Literal["auto", "path", "user"]
MemberKind = Literal["persona", "skill", "user"]
CREW = ("skill", "persona", "team")


class Skill(Payload, frozen=True):
    """How something is done well; its name is the record's title, its instructions the body."""

    description: str = ""
    type: SkillType = "generative"
    skill_version: str = ""
    when_to_use: str = ""
    argument_hint: str = ""
    arguments: tuple[str, ...] = ()
    allowed_tools: tuple[str, ...] = ()
    model: str = ""
    effort: Effort = "medium"
    context: Inherits = "inherit"
    agent: str = ""
    hooks: dict[str, Any] = msgspec.field(default_factory=dict)
    """What a host may run at an event, as its author wrote it. It is kept and given back; nothing here runs it."""
    paths: tuple[str, ...] = ()
    """Patterns of files that bring it up."""
    activation: Activation = "user"
    evidence: tuple[str, ...] = ()
    """The notes it rests on."""


class Persona(Payload, frozen=True):
    """Somebody to work as; the name is the record's title, how they work the body."""

    description: str = ""
    evidence: tuple[str, ...] = ()


class Member(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One of a team, by kind and key."""

    kind: MemberKind = "user"
    id: str


class Team(Payload, frozen=True):
    """Who works together; the name is the record's title."""

    description: str = ""
    members: tuple[Member, ...] = ()
    evidence: tuple[str, ...] = ()
