"""Post JSON to a server named in the settings, with a timeout and a few retries. The key never appears in a message."""

from __future__ import annotations

import http.client
import json
import random
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import SplitResult, urlsplit

from tacit.errors import ConfigError

MOST_ANSWER_BYTES = 256 << 20
_RETRY = frozenset({408, 425, 429, 500, 502, 503, 504})


class NoAnswer(Exception):
    """The server gave no usable answer. The message gives the reason, without the key or the request."""


class HttpEndpoint:
    """One server address, with its timeout and number of retries."""

    def __init__(
        self, table: str, url: str, ending: str, *, key: str = "", key_env: str = "", timeout_s: float, retries: int
    ) -> None:
        self._parts = _address(table, url)
        key = key.strip()
        if not key.isascii() or not key.isprintable():
            # Checked here because the error of the header itself would show the key.
            raise ConfigError(
                f"the key in ${key_env} has characters that no HTTP header allows", "set the variable again"
            )
        self._path = self._parts.path.rstrip("/").removesuffix(ending) + ending
        self._key, self._timeout_s, self._retries = key, timeout_s, retries

    @property
    def host(self) -> str:
        """The server's host name."""
        return str(self._parts.hostname)

    def __str__(self) -> str:
        # Without credentials, because error messages show this name.
        return f"{self._parts.scheme}://{self._parts.hostname}"

    def ask(self, body: Mapping[str, Any]) -> bytes:
        """Post a request and return the answer's bytes. Raises NoAnswer."""
        content = json.dumps(body).encode()
        problem = "no request was sent"
        for attempt in range(self._retries + 1):
            if attempt:
                time.sleep(min(8.0, 0.25 * 2**attempt) * random.uniform(0.5, 1.0))  # noqa: S311 - not a secret
            try:
                status, answer = self._post(content)
            except (OSError, http.client.HTTPException) as error:
                problem = f"it did not answer: {type(error).__name__}"
                continue
            if status == 200:
                return answer
            problem = f"it answered {status}"
            if status not in _RETRY:
                break
        raise NoAnswer(problem)

    def _post(self, content: bytes) -> tuple[int, bytes]:
        kind = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(self.host, self._parts.port, timeout=self._timeout_s)
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        try:
            connection.request("POST", self._path, content, headers)
            response = connection.getresponse()
            return response.status, response.read(MOST_ANSWER_BYTES)
        finally:
            connection.close()


def _address(table: str, url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            return parts
    except ValueError:
        pass
    # The address is not shown: it may hold a password.
    raise ConfigError(f"[{table}] url is not a server address", "for example http://localhost:11434/v1")
