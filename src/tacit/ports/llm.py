"""Llm: a question in words, an answer in a shape. Off unless the settings name a server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol


class LlmRequest(NamedTuple):
    """What a model is asked: what to do, the text to do it with, and the JSON Schema its answer has to have."""

    instructions: str
    text: str
    schema: Mapping[str, Any]
    most_tokens: int


class LlmReply(NamedTuple):
    """A model's answer as plain JSON values, not yet looked at, and what it cost."""

    value: Any
    tokens: int


class Llm(Protocol):
    """A language model. Temperature zero; what it says is a draft, never evidence."""

    model: str
    """Names the server and the model."""

    def ask(self, asked: LlmRequest) -> LlmReply:
        """Ask once. Raises LlmFailed; never gives part of an answer."""
