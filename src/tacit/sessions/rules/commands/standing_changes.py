"""What was done in a session and stays: commits keep it, reverts take it back, stashes put it away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Generic, TypeVar

from tacit.sessions.rules.commands.file_steps import What

Entry = TypeVar("Entry")


class StandingChanges(Generic[Entry]):
    """Entries with how often they were made: those that are not committed, and those that are."""

    def __init__(self) -> None:
        self.open: Counter[Entry] = Counter()
        self.kept: Counter[Entry] = Counter()
        self._last: Counter[Entry] = Counter()
        self._is_reverted = False
        self._stashed: list[Counter[Entry]] = []

    @property
    def entries(self) -> Counter[Entry]:
        """All that stays."""
        return self.kept + self.open

    @property
    def is_begun(self) -> bool:
        """Whether anything is there, or was put away."""
        return bool(self.open or self.kept or self._last or self._stashed)

    def drop(self, gone: Iterable[Entry], *, committed: bool = True) -> None:
        """Take out the entries that are gone; with `committed` also those that a commit holds."""
        for entry in list(gone):
            self.open.pop(entry, None)
            if committed:
                self.kept.pop(entry, None)

    def follow(self, what: What) -> None:
        """Do with all entries what git did."""
        match what:
            case "commit" | "amend":
                self._last = self.open if what == "commit" else self._last + self.open
                # What is kept may be much, and one commit is little.
                self.kept.update(self.open)
                self.open, self._is_reverted = Counter(), False
            case "revert":
                # A revert of a revert brings it back.
                self.kept = self.kept + self._last if self._is_reverted else self.kept - self._last
                self._is_reverted = not self._is_reverted
            case "revert other":
                # Which of them were in the commit is not known.
                self.kept, self._last = Counter(), Counter()
            case "leave":
                self._last = Counter()
            case "back":
                # Which of them were in the commits that are taken back is not known.
                self.open, self.kept, self._last = self.open + self.kept, Counter(), Counter()
            case "stash":
                self._stashed.append(self.open)
                self.open = Counter()
            case "unstash" if self._stashed:
                self.open = self.open + self._stashed.pop()
