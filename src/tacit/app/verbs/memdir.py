"""The written part of a memory: topic files and the notes that are their shadows."""

from __future__ import annotations

from collections.abc import Collection

from tacit.memdir import instruction_filter as memdir_orders
from tacit.memdir import select as memdir_select
from tacit.memdir import status as memdir_asking
from tacit.memdir import sync as memdir_sync
from tacit.memdir import topic_notes as memdir_notes
from tacit.memdir.file_notes import folder_of
from tacit.memdir.memory_tool import MemoryTool
from tacit.model.memdir_results import (
    MemdirForgotten,
    MemdirState,
    MemdirSyncReport,
    Remembered,
    SelectedTopic,
    TopicVersion,
)
from tacit.model.record import Record
from tacit.model.report import Finding
from tacit.records.connection import Connection

Versions = list[TopicVersion]
Chosen = list[SelectedTopic]
Findings = list[Finding]


class Memdir:
    """The memory directory of this project."""

    def __init__(self, connection: Connection) -> None:
        self._c = connection

    def sync(self, *, dry_run: bool = False, notes: bool = False, deletions: bool = False) -> MemdirSyncReport:
        """Take in what was changed in files, write what was changed here; what both changed is merged or kept twice.

        With `notes`, notes that no file holds get one. When all files are gone, `deletions` says that this is right.
        """
        return memdir_sync.sync(self._c, dry_run=dry_run, notes=notes, deletions=deletions)

    def status(self) -> MemdirState:
        """Say what a sync would do, what waits for a person, and what is over budget. Writes nothing."""
        return memdir_asking.state(self._c)

    def select(self, task: str, *, shown: Collection[str] = (), limit: int = 5, agent: str = "") -> Chosen:
        """Choose the topic files a task calls for, perhaps none, each with its age, its trust, and what is gone."""
        return memdir_select.select(self._c, task, shown=shown, limit=limit, agent=agent)

    def choose(
        self, task: str, *, shown: Collection[str] = (), limit: int = 5, agent: str = ""
    ) -> memdir_select.TopicSelection:
        """Let the language model of the settings choose among what rules find; it may choose none."""
        return memdir_select.choose(self._c, task, shown=shown, limit=limit, agent=agent)

    def tool(self, *, writes: bool = True) -> MemoryTool:
        """Give the memory tool on this directory; while everything is switched off it only shows."""
        if writes:
            self._c.writable()
        return MemoryTool(folder_of(self._c), self._c.redact, ask=self._c.memdir_rules.ask)

    def findings(self) -> Findings:
        """Say what waits for a person, for the doctor."""
        return memdir_asking.findings(self._c)

    def remember(self, text: str, *, type: str, name: str = "", description: str = "", agent: str = "") -> Remembered:
        """Write a memory down: a topic file and its line in the index."""
        return memdir_notes.remember(self._c, text, type=type, name=name, description=description, agent=agent)

    def vouched(self, paths: Collection[str]) -> frozenset[str]:
        """Give those of some topic files that a person wrote, or vouched for, as they are now."""
        return memdir_orders.vouched(self._c, paths)

    def accept(self, name: str) -> MemdirSyncReport:
        """Write what waits, by its path, name or id. Only a person may."""
        return memdir_asking.accept(self._c, name)

    def reject(self, name: str) -> MemdirSyncReport:
        """Drop what waits, by its path, name or id. Only a person may."""
        return memdir_asking.reject(self._c, name)

    def diff(self, path: str) -> tuple[str, str]:
        """Give what changed since both sides agreed: in the file, and here."""
        return memdir_notes.diff(self._c, path)

    def history(self, path: str) -> Versions:
        """Give every version of a topic file that the store saw, oldest first."""
        return memdir_notes.versions(self._c, path)

    def restore(self, path: str, version: int) -> Record:
        """Bring back an older version of a topic file, in the file as well."""
        return memdir_notes.restore(self._c, path, version)

    def forget(self, path: str) -> MemdirForgotten:
        """Delete a topic file for good, with its note and all versions."""
        return memdir_notes.forget(self._c, path)

    def log(self, text: str) -> str:
        """Add a line to the log of this day; gives its path."""
        return memdir_notes.log(self._c, text, self._c.clock.now())
