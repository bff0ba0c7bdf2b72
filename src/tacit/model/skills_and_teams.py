"""Skills, personas and teams: instructions, roles, and groups of both."""

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
    """Instructions for a kind of work; the name is the record's title, the instructions its body."""

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
    """Commands for a host to run at an event, as written by the author. tacit stores them and never runs them."""
    paths: tuple[str, ...] = ()
    """Patterns of the files for which it is offered."""
    activation: Activation = "user"
    evidence: tuple[str, ...] = ()
    """The notes it is based on."""


class Persona(Payload, frozen=True):
    """A role for an agent; the name is the record's title, the way of working its body."""

    description: str = ""
    evidence: tuple[str, ...] = ()


class Member(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One member of a team, by kind and key."""

    kind: MemberKind = "user"
    id: str


class Team(Payload, frozen=True):
    """A group of members; the name is the record's title."""

    description: str = ""
    members: tuple[Member, ...] = ()
    evidence: tuple[str, ...] = ()
