"""Vectors from an OpenAI-compatible `/v1/embeddings` endpoint: Ollama, OpenAI, Voyage and others."""

from __future__ import annotations

import http.client
import json
import random
import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import SplitResult, urlsplit

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ConfigError, EmbedderFailed
from tacit.model.settings import EmbedderSettings

_MOST_CHARACTERS = 24_000
_MOST_ANSWER_BYTES = 256 << 20
_RETRY = frozenset({408, 425, 429, 500, 502, 503, 504})


def _address(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            return parts
    except ValueError:
        pass
    # The address is not shown: it may hold a password.
    raise ConfigError("[embedder] url is not the address of an embedder", "for example http://localhost:11434/v1")


class HttpEmbedder:
    """Asks a server, in batches, with a timeout and a few retries; a failure is an error, never half an answer."""

    local = False

    def __init__(self, settings: EmbedderSettings, key: str = "") -> None:
        parts = _address(settings.url)
        key = key.strip()
        if not key.isascii() or not key.isprintable():
            # Said here and without the key: the header's own error would show it.
            raise ConfigError(f"the key in ${settings.key_env} holds characters no header may have", "set it again")
        self._parts = parts
        self._path = parts.path.rstrip("/").removesuffix("/embeddings") + "/embeddings"
        self._settings = settings
        self._key = key
        self.dim = settings.dim
        # The server is part of the id: two servers may serve different weights under one name.
        self.model = f"{parts.hostname}/{settings.model}" + (f"-{settings.dim}" if settings.dim else "")

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
        problem = "it was never asked"
        for attempt in range(self._settings.retries + 1):
            if attempt:
                time.sleep(min(8.0, 0.25 * 2**attempt) * random.uniform(0.5, 1.0))  # noqa: S311 - not a secret
            try:
                status, answer = self._post(json.dumps(body).encode())
            except (OSError, http.client.HTTPException) as error:
                problem = f"it did not answer: {type(error).__name__}"
                continue
            if status == 200:
                return self._rows(answer, len(texts))
            problem = f"it answered {status}"
            if status not in _RETRY:
                break
        raise self._failed(problem)

    def _post(self, body: bytes) -> tuple[int, bytes]:
        kind = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(str(self._parts.hostname), self._parts.port, timeout=self._settings.timeout_s)
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        try:
            connection.request("POST", self._path, body, headers)
            response = connection.getresponse()
            return response.status, response.read(_MOST_ANSWER_BYTES)
        finally:
            connection.close()

    def _rows(self, answer: bytes, count: int) -> list[list[float]]:
        try:
            data = sorted(json.loads(answer)["data"], key=lambda item: item["index"])
            rows = [list(map(float, item["embedding"])) for item in data]
            numbers = [item["index"] for item in data]
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            raise self._failed("its answer is not a list of embeddings") from None
        if len(rows) == count and numbers != list(range(count)):
            raise self._failed("its answer does not say which vector is whose")
        if len(rows) != count:
            raise self._failed(f"it gave {len(rows)} vectors for {count} texts")
        return rows

    def _failed(self, what: str) -> EmbedderFailed:
        # The address without credentials, and never the text or the key.
        return EmbedderFailed(
            f"the embedder at {self._parts.scheme}://{self._parts.hostname} failed: {what}",
            "check that it runs; what waits is embedded by `tacit maintain`",
        )
