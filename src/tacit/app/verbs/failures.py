"""Failures and corrections: commands that failed, and what to do instead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from tacit.app.nouns import Noun
from tacit.app.verbs.declare import verb
from tacit.failures import corrections, failures, learned_search, mute as muting, sharing
from tacit.model.record import Record
from tacit.model.verb import arg

# Inside the class `list` is a verb.
Records = list[Record]


class FailuresAndCorrections(Noun):
    """Failures and corrections of a memory."""

    NOUN = "learned"

    @verb(creates=True)
    def capture(
        self, command: Annotated[str, arg("The command line that failed.")], *,
        error: Annotated[str, arg("What the command printed; `-` reads standard input.", reads_input=True)] = "",
        exit_code: Annotated[int | None, arg("The exit code of the command.")] = None,
        cwd: Annotated[str, arg("The folder in which the command ran; default: the current one.", metavar="DIR")] = "",
        ignore: Annotated[Sequence[str], arg("Commands to ignore, as shell patterns.")] = (),
    ) -> Record | None:  # fmt: skip
        """Record a command that failed, or count its repetition. Tests and other ignored commands are not recorded."""
        patterns = (*self._c.hooks.ignore, *ignore)
        return failures.capture(self._c, command, error, exit_code, cwd=cwd or self._c.origin.cwd, ignore=patterns)

    correct = verb(failures.correct, creates=True)
    correction = verb(corrections.add_correction, creates=True)
    list = verb(learned_search.list_learned)
    query = verb(learned_search.search_learned)
    compile = verb(learned_search.compile_thesaurus)
    concepts = verb(learned_search.concept_files)

    mute = verb(muting.mute, who="person")

    shared = verb(sharing.list_shared)
    promote = verb(sharing.promote)
    approve = verb(sharing.approve, who="person")
    reject = verb(sharing.reject)
    stats = verb(sharing.stats)

    @verb(on_wire=False)
    def share(self, everywhere: FailuresAndCorrections) -> Records:
        """Copy this scope's corrections into another scope. Corrections that exist there are not copied again."""
        return sharing.share(self._c, everywhere._c)
