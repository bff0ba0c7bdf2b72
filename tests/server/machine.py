"""A server of one test alone, which may be stopped and started again."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.postgres import NOBODY, Database, Server, fresh_database, options_of, start, stop, with_roles


class Machine:
    """A private server, by the folder that tells where it lies."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.server: Server = with_roles(start(folder))

    @contextmanager
    def database(self) -> Iterator[Database]:
        """Make a database; it goes with the server."""
        with fresh_database(self.server) as made:
            yield made

    @property
    def data(self) -> Path:
        """Where its files are."""
        return Path((self._folder / "data").read_text())

    def run(self, *words: str) -> None:
        """Tell the server what to do: `stop`, `start`, `restart`, `reload`."""
        become = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}
        program = Path((self._folder / "programs").read_text()) / "pg_ctl"
        subprocess.run([program, "-D", self.data / "cluster", "-w", "-l", self.data / "log", *words],
                       stdout=subprocess.DEVNULL, check=True, cwd="/", **become)  # fmt: skip

    def stop(self) -> None:
        """Stop it as a crash would."""
        self.run("-m", "immediate", "stop")

    def start(self) -> None:
        """Start it with the options it had."""
        self.run("-o", options_of(self.data), "start")

    def restart(self) -> None:
        """Stop and start it, whoever is connected."""
        self.run("-m", "fast", "restart")

    def remove(self) -> None:
        """Stop it and remove its files."""
        stop(self._folder)
