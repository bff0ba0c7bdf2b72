"""The numbers that tacit uses, each with its reason. Only `app/config.py` sets them, from files."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Positive = Annotated[float, msgspec.Meta(gt=0)]
Severity = Literal["allow", "ask", "deny"]
Count = Annotated[int, msgspec.Meta(ge=1)]


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of what is admitted. A project's own file may lower them, never raise them."""

    title_chars: Count = 1_000
    body_bytes: Count = 1_000_000
    payload_bytes: Count = 1_000_000
    tags: Count = 1_000
    tag_chars: Count = 200


class RecallRules(msgspec.Struct, frozen=True, kw_only=True):
    """How hits are ranked."""

    lexical_weight: Share = 0.6
    semantic_weight: Share = 0.4
    depth: Count = 100
    """How many candidates each list contributes."""
    conversation: Literal["model", "formula", "off"] = "model"
    """How records of a conversation are ranked: with it, by learned trees or by a formula, or each by itself."""
    agent_limit: Count = 20
    """The most hits an agent gets."""
    # Bounded factors: each multiplies the score by at least 1 - its share.
    recency_share: Share = 0.05
    recency_half_life_days: Positive = 90.0
    importance_share: Share = 0.10
    closeness_share: Share = 0.05
    trust_share: Share = 0.05
    floor: bool = True


class ContextRules(msgspec.Struct, frozen=True, kw_only=True):
    """What the context block contains."""

    facts: Count = 8
    budget_tokens: Count = 600
    half_life_days: Positive = 180.0


class UpkeepRules(msgspec.Struct, frozen=True, kw_only=True):
    """What `maintain` does, and how often a scheduler should run it."""

    prune_below: Share = 0.3
    prune_after_days: Annotated[float, msgspec.Meta(ge=0)] = 30.0
    every_hours: Positive = 6.0
    embed_batch: Count = 512
    embed_most: Count = 20_000
    max_store_bytes: Count = 2_000_000_000
    """Above this, `status` warns. Nothing is refused or removed."""


REPLAY_DEPTH = "TACIT_REPLAY_DEPTH"
"""The variable that tells a step how many replays it is nested in."""


class ReplayRules(msgspec.Struct, frozen=True, kw_only=True):
    """How procedures are replayed."""

    timeout_s: Positive = 600.0
    """How long a step may take when it sets no timeout itself."""
    env: tuple[str, ...] = ()
    """Variables of the caller that every step sees, besides the few that every program needs."""
    most_depth: Count = 3
    """How deep replays may be nested, when a step of one procedure replays another."""


class HookRules(msgspec.Struct, frozen=True, kw_only=True):
    """What hooks do."""

    budget_tokens: Count = 1_200
    """How many tokens may be injected with a prompt."""
    ignore: tuple[str, ...] = ()
    """Commands that fail by design, as shell patterns, besides the built-in ones."""


class LoopRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the memory speaks before a command."""

    speak: Literal["stop-once", "context", "off"] = "stop-once"
    """Whether a mistake that is known to come back is stopped once, told as context, or not told."""


class SessionRules(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of sessions beside where their transcripts are."""

    keep: Literal["turns", "recap", "none"] = "none"
    """Every turn and a recap, a recap only, or nothing. Nothing until a person has answered."""
    store: Literal["local", "team"] = "local"
    """Where turns and recaps go if the store is a server: into a file of this home, or to the team."""
    keep_days: Count = 365
    max_mb: Count = 500
    """Turns that are older, or more than this, are dropped by `maintain`, which says so."""

    def at_most(self, keep: Literal["turns", "recap", "none"]) -> SessionRules:
        """Return the rules with nothing kept that this leaves out."""
        levels = ("none", "recap", "turns")
        lower = levels.index(keep) < levels.index(self.keep)
        return msgspec.structs.replace(self, keep=keep) if lower else self


class MemdirRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the memory directory is maintained."""

    off: bool = False
    ask: bool = False
    """Whether files an agent would write wait until a person accepts them."""
    types: tuple[Literal["user", "feedback", "project", "reference"], ...] = (
        "user", "feedback", "project", "reference"
    )  # fmt: skip
    """The types that are kept; files of other types are left alone."""
    budget_files: Count = 200
    budget_tokens: Count = 100_000
    """Above either limit, `memdir status` proposes files to remove. Nothing is removed automatically."""


class EmbedderSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Which embedder: `auto` (static when installed), `static`, `http` or `off`."""

    use: str = "auto"
    url: str = ""
    model: str = ""
    dim: Annotated[int, msgspec.Meta(ge=0)] = 0
    key_env: str = ""
    """The name of the environment variable that holds the key; the key itself is never in a file."""
    timeout_s: Positive = 20.0
    batch: Count = 64
    retries: Annotated[int, msgspec.Meta(ge=0, le=10)] = 2


class LlmSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Which language model writes drafts in place of rules: `off`, or `http` for an OpenAI-compatible server."""

    use: Literal["off", "http"] = "off"
    url: str = ""
    model: str = ""
    key_env: str = ""
    """The name of the environment variable that holds the key; the key itself is never in a file."""
    timeout_s: Positive = 30.0
    retries: Annotated[int, msgspec.Meta(ge=0, le=10)] = 2
    tokens_per_day: Count = 200_000
    """How many tokens may be used from midnight to midnight UTC, prompts and answers together."""
    answer_tokens: Count = 1_000


class GuardSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The severity of guard rules, as (rule, severity): set by the user, and by the project, which may only tighten."""

    severity: tuple[tuple[str, Severity], ...] = ()
    project_severity: tuple[tuple[str, Severity], ...] = ()
    off: str = ""
    """Why hooks do not guard here; empty if they do."""
    off_somewhere: bool = False
    """Whether hooks do not guard in some project of this home."""


class RedactPattern(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A user-defined pattern for secrets; a group named `secret` is replaced, or the whole match without one."""

    kind: Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]
    pattern: Annotated[str, msgspec.Meta(min_length=1, max_length=2_000)]


class AllowedText(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A text that looks like a secret but is not, with the reason."""

    text: Annotated[str, msgspec.Meta(min_length=1)]
    reason: Annotated[str, msgspec.Meta(min_length=1)]


class RedactSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What is redacted beyond the built-in rules, and what is allowed. Only the user's own file sets these."""

    patterns: tuple[RedactPattern, ...] = ()
    allow: tuple[AllowedText, ...] = ()
