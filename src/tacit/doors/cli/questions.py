"""Questions to a person at a terminal, before something that cannot be undone."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from tacit.errors import Refused

YES = "yes"


def ask_for_yes(shown: Sequence[str], to: str, otherwise: str, *, word: str = YES, hint: str = "") -> None:
    """Show what will happen, and go on only if a person types the word. `otherwise` says what did not happen."""
    from tacit.doors.cli.render import say

    say(*shown, stderr=True)
    if not sys.stdin.isatty():
        raise Refused(f"{otherwise}: there is no terminal to ask at", hint or "`--yes` answers the question")
    typed: str = click.prompt(f"type {word} to {to}", default="", show_default=False, err=True)
    if typed.strip().lower() != word:
        raise Refused(f"{otherwise}: the answer was not {word}", "run it again to be asked again")
