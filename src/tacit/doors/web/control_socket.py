"""The socket by which `tacit open` asks a running dashboard for a link, or for a code if a person is asking."""

from __future__ import annotations

import json
import os
import selectors
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from tacit.errors import TacitError, UsageError
from tacit.files.peer import peer_of

LONGEST_PATH = 100
_LINE_BYTES = 1_000
_ANSWER_BYTES = 10_000
_TIMEOUT_S = 5.0

Ask = Callable[[int], dict[str, Any]]
"""Answers a process, given by its number."""


class ControlSocket:
    """Answers one word a connection, for processes of the same user only."""

    def __init__(self, path: Path, answers: Mapping[str, Ask]) -> None:
        if len(os.fsencode(path)) > LONGEST_PATH:
            raise UsageError(f"{path} is too long for the path of a socket", "choose a shorter TACIT_HOME")
        self._path = path
        self._answers = answers
        path.unlink(missing_ok=True)
        self._line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._line.bind(str(path))
        path.chmod(0o600)
        self._line.listen(16)
        self._line.setblocking(False)

    def serve(self, is_over: Callable[[], bool], every_s: float) -> None:
        """Answer until the server is over, which is looked up every so often."""
        with selectors.DefaultSelector() as waiting:
            waiting.register(self._line, selectors.EVENT_READ)
            while not is_over():
                if waiting.select(every_s):
                    with suppress(OSError, ValueError):  # the caller went away or sent nonsense
                        self._answer()

    def _answer(self) -> None:
        line, _address = self._line.accept()
        with line:
            line.settimeout(_TIMEOUT_S)
            peer = peer_of(line)
            if peer.uid != os.geteuid():
                return
            word = line.recv(_LINE_BYTES).decode().strip()
            line.sendall(json.dumps(self._said(word, peer.pid)).encode() + b"\n")

    def _said(self, word: str, pid: int) -> dict[str, Any]:
        if word not in self._answers:
            return {"error": f"unknown: {word[:40]}", "hint": ""}
        try:
            return self._answers[word](pid)
        except TacitError as error:
            return {"error": error.message, "hint": error.hint, "code": error.code}

    def close(self) -> None:
        """Stop listening."""
        self._line.close()
        self._path.unlink(missing_ok=True)


def ask(path: Path, word: str) -> dict[str, Any] | None:
    """Ask the dashboard at a path; None if none is running there."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(_TIMEOUT_S)
        try:
            line.connect(str(path))
            line.sendall(word.encode() + b"\n")
            with line.makefile("rb") as answer:
                found = json.loads(answer.readline(_ANSWER_BYTES) or b"null")
        except (OSError, ValueError):
            return None
    return found if isinstance(found, dict) else None
