"""hook: the command in an agent's settings.

The entry point answers before this module is loaded; this module only contains the help.
"""

from __future__ import annotations

import click


@click.command()
@click.argument("agent", required=False, default="")
def hook(agent: str) -> int:
    """Answer one hook payload from standard input, in the format of AGENT: claude, codex or cursor.

    It always exits 0 and never approves a command: it denies, asks, or adds context. `tacit connect AGENT` adds it to
    the agent's settings.
    """
    from tacit.doors.hooks.entry import main

    return main([agent])
