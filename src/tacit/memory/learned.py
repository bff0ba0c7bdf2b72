"""What was learned by watching: failures and corrections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tacit.errors import UsageError
from tacit.flows import corrections, failures, learned
from tacit.flows.connection import Connection
from tacit.flows.failures import Seen
from tacit.model.learned import CORRECTION_TYPES, Correction
from tacit.model.record import Record

# Inside the class `list` is a verb.
Found = list[Seen]
Pages = list[learned.Page]


class Learned:
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

    def compile(self, curated: dict[str, Any] | None = None) -> dict[str, Any]:
        """Give the preferences as a thesaurus; learned entries come before curated ones."""
        return learned.compiled(self._c, curated)

    def concepts(self, *, every_type: bool = False) -> Pages:
        """Give what was learned as files of a lexicon."""
        return learned.exported(self._c, every_type=every_type)
