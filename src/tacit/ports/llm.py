"""Llm: a request in words, an answer in a given shape. Off unless the settings name a server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol


class LlmRequest(NamedTuple):
    """A request to a model: the instructions, the text to work on, and the JSON Schema of the answer."""

    instructions: str
    text: str
    schema: Mapping[str, Any]
    most_tokens: int


class LlmReply(NamedTuple):
    """A model's answer as plain JSON values, not yet checked, and the tokens it cost."""

    value: Any
    tokens: int


class Llm(Protocol):
    """A language model. It runs at temperature zero, and its answer is a draft, never evidence."""

    model: str
    """Identifies the server and the model."""

    def ask(self, asked: LlmRequest) -> LlmReply:
        """Ask once. Raises LlmFailed; never returns part of an answer."""
