"""The written part of a memory: topic files and the notes that are their shadows."""

from __future__ import annotations

from tacit.flows import memdir_sync
from tacit.flows.connection import Connection
from tacit.model.memdir import Synced


class Memdir:
    """The memory directory of this project."""

    def __init__(self, connection: Connection) -> None:
        self._c = connection

    def sync(self, *, dry_run: bool = False, notes: bool = False, deletions: bool = False) -> Synced:
        """Take in what was changed in files, write what was changed here; what both changed is merged or kept twice."""
        return memdir_sync.sync(self._c, dry_run=dry_run, notes=notes, deletions=deletions)
