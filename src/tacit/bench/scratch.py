"""A scratch home: stores and processes of a run live there and go with it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tacit.config import Settings
from tacit.house import connect, visitor
from tacit.memory.memory import Memory
from tacit.model.settings import EmbedderSettings


class Scratch:
    """A temporary folder with a home in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"

    def memory(self, scope: str, *, store: str = "memory", vectors: bool = True) -> Memory:
        """Open a memory of a scope, in one of the scratch stores."""
        settings = Settings(
            home=self.home, store=str(self.folder / f"{store}.db"), user="bench", cwd=self.folder,
            embedder=EmbedderSettings(use="auto" if vectors else "off"),
        )  # fmt: skip
        return connect(settings, visitor(settings), scope=scope)

    def process(self, command: Sequence[str], *, store: str = "memory") -> subprocess.CompletedProcess[bytes]:
        """Run a command in the scratch home. It inherits nothing, so nobody's settings or agent can disturb it."""
        environment = {
            "HOME": str(self.folder), "TACIT_HOME": str(self.home), "TACIT_STORE": str(self.folder / f"{store}.db"),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.defpath}", "LANG": "C.UTF-8",
        }  # fmt: skip
        return subprocess.run(
            command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )


@contextmanager
def scratch() -> Iterator[Scratch]:
    """Make a scratch home, and take it away."""
    with tempfile.TemporaryDirectory(prefix="tacit-bench-") as folder:
        yield Scratch(Path(folder))
