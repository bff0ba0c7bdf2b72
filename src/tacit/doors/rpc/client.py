"""A JSON-RPC client over the streams of a process or over a socket. Errors become exceptions."""

from __future__ import annotations

import itertools
import json
import socket
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from tacit.errors import StoreUnreachable


class RpcFailed(Exception):
    """A method answered with an error: its code, its message, and details."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(f"{message} ({code})")
        self.code, self.message, self.data = code, message, data


class RpcClient:
    """Calls methods by name: `client.call("lesson.list", limit=5)`, or many at once with `batch`.

    It connects to `tacit rpc` over the streams of a process, or over a socket with `RpcClient.at(path)`.
    """

    def __init__(self, reads: IO[bytes], writes: IO[bytes]) -> None:
        self._numbers = itertools.count(1)
        self._reads, self._writes = reads, writes
        self._line: socket.socket | None = None

    @classmethod
    def at(cls, path: str | Path) -> RpcClient:
        """Connect to `tacit rpc --socket` at a path. Raises StoreUnreachable if nothing answers."""
        line = socket.socket(socket.AF_UNIX)
        try:
            line.connect(str(path))
        except OSError as error:
            line.close()
            said = f"no server answers at {path}: {error.strerror}"
            raise StoreUnreachable(said, "start `tacit rpc --socket` there") from None
        client = cls(line.makefile("rb"), line.makefile("wb"))
        client._line = line
        return client

    def __enter__(self) -> RpcClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def call(self, method: str, **params: Any) -> Any:
        """Call a method and return its result. Raises RpcFailed."""
        return self._result(self._said(self._request(method, params)))

    def batch(self, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
        """Call several methods at once, and return their results in order.

        An error is returned as RpcFailed, not raised.
        """
        requests = [self._request(method, params) for method, params in calls]
        said = self._said(requests) if requests else []
        if isinstance(said, dict):
            self._result(said)  # one error for all of them: there were too many, or they were too long
        answers = {one["id"]: one for one in said}
        found: list[Any] = []
        for request in requests:
            try:
                found.append(self._result(answers[request["id"]]))
            except RpcFailed as error:
                found.append(error)
        return found

    def notify(self, method: str, **params: Any) -> None:
        """Call a method without an answer."""
        request = self._request(method, params)
        del request["id"]
        self._send(request)

    def close(self) -> None:
        """Close the connection. Safe to call twice."""
        for stream in (self._writes, self._reads):
            stream.close()
        if self._line is not None:
            self._line.close()

    def _request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": next(self._numbers), "method": method, "params": params}

    def _send(self, message: Any) -> None:
        try:
            self._writes.write(json.dumps(message).encode() + b"\n")
            self._writes.flush()
        except (OSError, ValueError):
            raise StoreUnreachable("the connection is closed", "open a new client") from None

    def _said(self, message: Any) -> Any:
        self._send(message)
        line = self._reads.readline()
        if not line:
            raise StoreUnreachable("the connection was closed without an answer", "`tacit doctor` shows more")
        return json.loads(line)

    @staticmethod
    def _result(answer: dict[str, Any]) -> Any:
        if error := answer.get("error"):
            raise RpcFailed(error["code"], error["message"], error.get("data"))
        return answer["result"]
