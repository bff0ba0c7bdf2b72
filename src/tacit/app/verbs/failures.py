"""What was learned by watching: failures and corrections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tacit.errors import UsageError
from tacit.failures import corrections, failures
from tacit.failures import learned_search as learned
from tacit.failures import sharing as shared
from tacit.failures.failures import RankedFailure
from tacit.failures.sharing import SharedCorrection
from tacit.model.failure import CORRECTION_TYPES, Correction
from tacit.model.record import Record
from tacit.records.connection import Connection

# Inside the class `list` is a verb.
Found = list[RankedFailure]
Pages = list[learned.ConceptFile]
Records = list[Record]
Standings = list[SharedCorrection]


class FailuresAndCorrections:
    """Failures and corrections of a memory."""

    def __init__(self, connection: Connection) -> None:
        self._c = connection

    def capture(
        self, command: str, *, error: str = "", exit_code: int | None = None, cwd: str = "", ignore: Sequence[str] = ()
    ) -> Record | None:
        """Take in a command that failed; None when it fails by design."""
        return failures.capture(
            self._c, command, error, exit_code, cwd=cwd or self._c.origin.cwd, ignore=(*self._c.hooks.ignore, *ignore)
        )

    def correct(self, id: str, text: str) -> Record:
        """Say what to do instead of what failed."""
        return failures.correct(self._c, id, text)

    def correction(self, original: str, corrected: str, *, type: str = "tool-preference", context: str = "") -> Record:
        """Say how something is to be done instead."""
        if type not in CORRECTION_TYPES:
            raise UsageError(f"{str(type)[:40]!r} is no type of correction", f"use {', '.join(CORRECTION_TYPES)}")
        said = Correction(type=type, original=original, corrected=corrected, context=context, source="person")
        return corrections.keep_correction(self._c, said)

    def list(self, *, limit: int = 10, everywhere: bool = False) -> Found:
        """List what was learned, what matters most first."""
        return learned.listed(self._c, limit=limit, everywhere=everywhere)

    def query(
        self, text: str, *, exact: bool = False, semantic: bool = False, everywhere: bool = False, limit: int = 20
    ) -> Found:
        """Find what was learned by words, by an exact piece of text, or by meaning."""
        return learned.queried(self._c, text, exact=exact, semantic=semantic, everywhere=everywhere, limit=limit)

    def shared(self, *, level: int | None = None, limit: int = 20) -> Standings:
        """List corrections by how far they may be relied on."""
        return shared.standings(self._c, level=level, limit=limit)

    def promote(self, id: str, to: int) -> SharedCorrection:
        """Raise a correction to a level it has earned."""
        return shared.raise_level(self._c, id, to)

    def approve(self, id: str) -> Record:
        """Vouch for a correction; only a person may."""
        return shared.approve(self._c, id)

    def reject(self, id: str, reason: str = "") -> Record:
        """Take a correction out of use, with the reason."""
        return shared.reject(self._c, id, reason)

    def share(self, everywhere: FailuresAndCorrections) -> Records:
        """Bring this scope's corrections into another one."""
        return shared.share(self._c, everywhere._c)

    def stats(self) -> dict[str, Any]:
        """Count what is shared, by level."""
        return shared.stats(self._c)

    def compile(self, curated: dict[str, Any] | None = None) -> dict[str, Any]:
        """Give the preferences as a thesaurus; learned entries come before curated ones."""
        return learned.compiled(self._c, curated)

    def concepts(self, *, every_type: bool = False) -> Pages:
        """Give what was learned as files of a lexicon."""
        return learned.exported(self._c, every_type=every_type)
