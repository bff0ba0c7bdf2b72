"""A scratch home: the stores and processes of a run are in it, and it is removed afterwards."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tacit.app.config import LOCAL, Settings
from tacit.app.memory import Memory
from tacit.app.open import connect, current_caller
from tacit.model.record import replace
from tacit.model.settings import EmbedderSettings, RecallRules, SessionRules


class Scratch:
    """A temporary folder with a home in it."""

    def __init__(self, folder: Path, server: str = "", tenant: str = LOCAL) -> None:
        self.folder = folder
        self.home = folder / "home"
        self._server = server
        self._tenant = tenant

    def memory(
        self, scope: str, *, store: str = "memory", vectors: bool = True, sessions: SessionRules | None = None,
        recall: RecallRules | None = None,
    ) -> Memory:  # fmt: skip
        """Open a memory of a scope, in one of the scratch stores."""
        settings = self.settings(store=store, vectors=vectors)
        settings = replace(settings, sessions=sessions) if sessions else settings
        settings = replace(settings, recall=recall) if recall else settings
        return connect(settings, current_caller(settings), scope=scope)

    def settings(self, *, store: str = "memory", vectors: bool = False) -> Settings:
        """Return the settings of the scratch home."""
        return Settings(
            home=self.home, store=self._server or str(self.folder / f"{store}.db"), user="bench", cwd=self.folder,
            tenant=self._tenant, embedder=EmbedderSettings(use="auto" if vectors else "off"),
        )  # fmt: skip

    @contextmanager
    def on(self, server: str) -> Iterator[Scratch]:
        """Yield a home whose memory is a separate tenant on a server, and empty that tenant afterwards."""
        tenant = f"bench-{secrets.token_hex(4)}"
        place = Scratch(self.folder, server, tenant)
        try:
            yield place
        finally:
            with place.memory("project:bench") as memory:
                store = memory._c.store
                store.fill((), replace=True)

    def process(self, command: Sequence[str], *, store: str = "memory") -> subprocess.CompletedProcess[bytes]:
        """Run a command in the scratch home. It inherits nothing, so no settings or agent can interfere."""
        return subprocess.run(
            command, cwd=self.folder, env=self.environment(store), stdin=subprocess.DEVNULL, capture_output=True,
            check=False,
        )  # fmt: skip

    def environment(self, store: str = "memory") -> dict[str, str]:
        """Return the variables of a process in the scratch home."""
        return {
            "HOME": str(self.folder), "TACIT_HOME": str(self.home), "TACIT_STORE": str(self.folder / f"{store}.db"),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.defpath}", "LANG": "C.UTF-8", "USER": "bench",
        }  # fmt: skip


@contextmanager
def scratch() -> Iterator[Scratch]:
    """Make a scratch home, and remove it afterwards."""
    with tempfile.TemporaryDirectory(prefix="tacit-bench-") as folder:
        yield Scratch(Path(folder))
