"""Patterns somebody else wrote, on an engine whose time is linear whatever the pattern: none may hang."""

from __future__ import annotations

from typing import Any

from tacit.errors import MissingExtra, TacitError, UsageError


def compiled(pattern: str, what: str, wrong: type[TacitError] = UsageError) -> Any:
    """Make a pattern ready; `what` says whose it is, should it be wrong, and `wrong` whose mistake that is."""
    try:
        import re2
    except ImportError:
        raise MissingExtra(
            f"{what} needs a regex engine that is not installed", "pip install 'tacit[redact]'"
        ) from None
    quiet = re2.Options()
    # It is said once, by the error; the engine would write to the terminal too.
    quiet.log_errors = False
    try:
        return re2.compile(pattern, quiet)
    except re2.error as error:
        said = error.args[0] if error.args else error
        why = said.decode(errors="replace") if isinstance(said, bytes) else str(said)
        raise wrong(f"{what} cannot be used: {why}", "RE2 knows no lookaround and no back-references") from None
