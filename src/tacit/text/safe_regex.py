"""Patterns written by users, on an engine with linear running time, so that no pattern can hang."""

from __future__ import annotations

from typing import Any

from tacit.errors import MissingExtra, TacitError, UsageError


def compiled(pattern: str, what: str, wrong: type[TacitError] = UsageError) -> Any:
    """Compile a pattern. If it is invalid, `what` names it in the message and `wrong` is the type of the error."""
    try:
        import re2
    except ImportError:
        raise MissingExtra(
            f"{what} needs a regex engine that is not installed", "pip install 'tacit[redact]'"
        ) from None
    quiet = re2.Options()
    # The error reports it once; the engine would also write to the terminal.
    quiet.log_errors = False
    try:
        return re2.compile(pattern, quiet)
    except re2.error as error:
        said = error.args[0] if error.args else error
        why = said.decode(errors="replace") if isinstance(said, bytes) else str(said)
        raise wrong(f"{what} cannot be used: {why}", "RE2 supports neither lookaround nor back-references") from None
