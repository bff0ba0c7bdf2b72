"""Answers from an OpenAI-compatible `/v1/chat/completions` endpoint: Ollama, OpenAI, vLLM and others."""

from __future__ import annotations

import json
from typing import Any

from tacit.errors import LlmFailed
from tacit.http_json import HttpEndpoint, NoAnswer
from tacit.model.settings import LlmSettings
from tacit.ports.llm import LlmReply, LlmRequest
from tacit.text.token_budget import estimate_tokens


class HttpLlm:
    """Asks a server at temperature zero for JSON of a given shape. A failure is an error, never a partial answer."""

    def __init__(self, settings: LlmSettings, key: str = "") -> None:
        self._place = HttpEndpoint(
            "llm", settings.url, "/chat/completions", key=key, key_env=settings.key_env, timeout_s=settings.timeout_s,
            retries=settings.retries,
        )  # fmt: skip
        self._name = settings.model
        self.model = f"{self._place.host}/{settings.model}"

    def ask(self, asked: LlmRequest) -> LlmReply:
        """Ask once. Raises LlmFailed."""
        shape = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": dict(asked.schema)}}
        body: dict[str, Any] = {
            "model": self._name, "temperature": 0, "max_tokens": asked.most_tokens, "response_format": shape,
            "messages": [
                {"role": "system", "content": asked.instructions}, {"role": "user", "content": asked.text},
            ],
        }  # fmt: skip
        try:
            answer = self._place.ask(body)
        except NoAnswer as problem:
            raise self._failed(str(problem)) from None
        return self._read(answer, asked)

    def _read(self, answer: bytes, asked: LlmRequest) -> LlmReply:
        try:
            whole = json.loads(answer)
            choice = whole["choices"][0]
            said = choice["message"]["content"]
            if choice.get("finish_reason") == "length":
                raise self._failed("its answer was cut off")
            value = json.loads(said)
        except (ValueError, KeyError, TypeError, IndexError, RecursionError, AttributeError):
            raise self._failed("its answer is not JSON of the requested shape") from None
        usage = whole.get("usage")
        tokens = usage.get("total_tokens") if isinstance(usage, dict) else None
        if isinstance(tokens, bool) or not isinstance(tokens, int) or not 0 <= tokens < 2**53:
            # A server that does not report its tokens must not be free.
            tokens = estimate_tokens(asked.instructions) + estimate_tokens(asked.text) + estimate_tokens(said)
        return LlmReply(value, tokens)

    def _failed(self, what: str) -> LlmFailed:
        # Never the text or the key.
        return LlmFailed(f"the model at {self._place} failed: {what}", "check that it runs; rules were used instead")
