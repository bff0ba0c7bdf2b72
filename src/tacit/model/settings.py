"""The numbers the house goes by, each with its reason; `config` reads them from files, nothing else sets them."""

from __future__ import annotations

import msgspec


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What is admitted. A project's own file may lower these, never raise them."""

    title_chars: int = 1_000
    body_bytes: int = 1_000_000
    payload_bytes: int = 1_000_000
    tags: int = 1_000
    tag_chars: int = 200


class RecallRules(msgspec.Struct, frozen=True, kw_only=True):
    """How hits are ranked."""

    lexical_weight: float = 0.6
    semantic_weight: float = 0.4
    depth: int = 100
    """How many candidates each side brings."""
    agent_limit: int = 20
    """The most hits an agent's door gives."""
    # Bounded factors: each multiplies the score by at least 1 - its share.
    recency_share: float = 0.05
    recency_half_life_days: float = 90.0
    importance_share: float = 0.10
    closeness_share: float = 0.05
    trust_share: float = 0.05
    floor: bool = True


class ContextRules(msgspec.Struct, frozen=True, kw_only=True):
    """What the context block holds."""

    facts: int = 8
    budget_tokens: int = 600
    half_life_days: float = 180.0


class UpkeepRules(msgspec.Struct, frozen=True, kw_only=True):
    """What `maintain` does and how often a scheduler should ask for it."""

    prune_below: float = 0.3
    prune_after_days: float = 30.0
    every_hours: float = 6.0
    embed_batch: int = 512
    embed_most: int = 20_000
    max_store_bytes: int = 2_000_000_000
    """Above this, `status` warns. Nothing is refused or removed."""


class EmbedderSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Which embedder: `auto` (static when installed), `static`, `http` or `off`."""

    use: str = "auto"
    url: str = ""
    model: str = ""
    dim: int = 0
    key_env: str = ""
    """The name of the environment variable that holds the key; the key itself is never in a file."""
    timeout_s: float = 20.0
    batch: int = 64
    retries: int = 2
