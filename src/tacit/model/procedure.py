"""Procedure: how something is done here, as steps that can be run again; Run: one replay of them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from tacit.model.payload import Payload

Outcome = Literal["running", "success", "partial", "failed", "blocked", "refused", "unmet", "interrupted"]
StepState = Literal[
    "planned", "passed", "tolerated", "failed", "blocked", "refused", "unmet", "skipped", "interrupted", "unrun"
]
CheckState = Literal["planned", "met", "unmet", "assumed"]


class Parameter(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A parameter of a replay; its value replaces `{{name}}` in a step."""

    name: str
    default: str | None = None
    pattern: str = ""
    secret: bool = False
    description: str = ""


class ProcedureStep(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One command with its conditions. `env` names variables; the value None passes the caller's value on."""

    command: str
    cwd: str = ""
    env: dict[str, str | None] = {}
    timeout_s: float | None = None
    privileged: bool = False
    tolerate_failure: bool = False
    precondition: str = ""
    postcondition: str = ""
    notes: str = ""
    tags: tuple[str, ...] = ()


class DisabledReason(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why a procedure is disabled: who disabled it, which step fails, and its last output."""

    by: str
    reason: str
    step: int = 0
    command: str = ""
    output: str = ""


class Procedure(Payload, frozen=True):
    """Steps that worked. The slug is the record's key; its body is generated from the steps, for search."""

    description: str = ""
    triggers: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    steps: tuple[ProcedureStep, ...] = ()
    windows: tuple[str, ...] = ()
    """The ids under which its runs are counted.

    Enabling the procedure starts a new id; merging adds the other one's.
    """
    disabled: DisabledReason | None = None
    source_session: str = ""


class ConditionCheck(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A condition of a step and its result.

    A condition that a person accepted without a check is `assumed`, not `met`.
    """

    when: Literal["before", "after"]
    text: str
    state: CheckState
    detail: str = ""


class StepRun(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The result of one step."""

    number: int
    command: str
    state: StepState
    cwd: str = ""
    verdict: str = ""
    rule: str = ""
    reason: str = ""
    approved: bool = False
    bytes_hash: str = ""
    exit_code: int | None = None
    signal: int = 0
    duration_ms: int = 0
    output: str = ""
    output_bytes: int = 0
    output_hash: str = ""
    checks: tuple[ConditionCheck, ...] = ()


class Run(Payload, frozen=True):
    """One replay of a procedure, or one reported outcome. Its steps are events."""

    procedure: str
    slug: str
    procedure_version: int
    outcome: Outcome
    steps: tuple[StepRun, ...] = ()
    parameters: dict[str, str] = msgspec.field(default_factory=dict)
    reason: str = ""
    whole: bool = True
    """Whether the run covered every step; replaying only some steps does not count for health."""
    reported: bool = False
    """Whether it was only reported, not observed."""
    refused_ahead: bool = False
    """Whether nothing was run, because it was known that a step would be refused."""
    shell: str = ""
    commit: str = ""
    cwd: str = ""
    started_at: datetime | None = None
    ended_at: datetime | None = None
