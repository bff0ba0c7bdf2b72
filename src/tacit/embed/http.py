"""Vectors from an OpenAI-compatible `/v1/embeddings` endpoint: Ollama, OpenAI, Voyage and others."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import EmbedderFailed
from tacit.http_json import HttpEndpoint, NoAnswer
from tacit.model.settings import EmbedderSettings

_MOST_CHARACTERS = 24_000


class HttpEmbedder:
    """Asks a server in batches, with a timeout and a few retries. A failure is an error, never a partial answer."""

    local = False

    def __init__(self, settings: EmbedderSettings, key: str = "") -> None:
        self._place = HttpEndpoint(
            "embedder", settings.url, "/embeddings", key=key, key_env=settings.key_env, timeout_s=settings.timeout_s,
            retries=settings.retries,
        )  # fmt: skip
        self._settings = settings
        self.dim = settings.dim
        # The server is part of the id: two servers may serve different weights under one name.
        self.model = f"{self._place.host}/{settings.model}" + (f"-{settings.dim}" if settings.dim else "")

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts, in order. Raises EmbedderFailed."""
        rows: list[list[float]] = []
        for start in range(0, len(texts), self._settings.batch):
            rows += self._ask(texts[start : start + self._settings.batch])
        if not rows:
            return np.zeros((0, self.dim), np.float32)
        try:
            with np.errstate(over="ignore"):
                vectors = np.array(rows, np.float64).astype(np.float32)
        except ValueError:
            raise self._failed("its vectors have different lengths") from None
        wrong = vectors.ndim != 2 or not vectors.size or (self.dim and vectors.shape[1] != self.dim)
        if wrong or not np.isfinite(vectors).all():
            raise self._failed(f"its vectors do not have {self.dim or 'equally many'} finite numbers")
        self.dim = vectors.shape[1]
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        result: NDArray[np.float32] = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
        return result

    def _ask(self, texts: Sequence[str]) -> list[list[float]]:
        body: dict[str, Any] = {
            "model": self._settings.model,
            "input": [text[:_MOST_CHARACTERS] or " " for text in texts],
        }
        if self._settings.dim:
            body["dimensions"] = self._settings.dim
        try:
            answer = self._place.ask(body)
        except NoAnswer as problem:
            raise self._failed(str(problem)) from None
        return self._rows(answer, len(texts))

    def _rows(self, answer: bytes, count: int) -> list[list[float]]:
        try:
            data = sorted(json.loads(answer)["data"], key=lambda item: item["index"])
            rows = [list(map(float, item["embedding"])) for item in data]
            numbers = [item["index"] for item in data]
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            raise self._failed("its answer is not a list of embeddings") from None
        if len(rows) == count and numbers != list(range(count)):
            raise self._failed("its answer does not say which vector belongs to which text")
        if len(rows) != count:
            raise self._failed(f"it returned {len(rows)} vectors for {count} texts")
        return rows

    def _failed(self, what: str) -> EmbedderFailed:
        # Never the text or the key.
        return EmbedderFailed(
            f"the embedder at {self._place} failed: {what}",
            "check that it runs; `tacit maintain` embeds the waiting records",
        )
