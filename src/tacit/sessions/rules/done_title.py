"""What a session is called if none of its prompts says anything: by what was done in it."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.sessions.rules.commits import commits_in
from tacit.sessions.rules.telling_commands import MATTERS, telling_command

MOST_READ = 200
"""How many commands are read to find the one that tells most."""
_SENDS = "git push"


def done_title(lines: Sequence[str]) -> str:
    """Return the subject of the first commit that lines made, or else the line that tells most; empty if none does."""
    if commit := next((subject for line in lines for subject in commits_in(line)), ""):
        return commit
    told = [found[1] for line in lines if (found := telling_command(line))]
    # Of equal ones the first.
    return f"$ {best}" if (best := max(told, key=_tells, default="")) else ""


def _tells(command: str) -> int:
    if command.startswith(_SENDS):
        # What was sent, it does not say.
        return 0
    return 2 if MATTERS.match(command) else 1
