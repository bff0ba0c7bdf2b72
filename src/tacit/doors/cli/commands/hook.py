"""hook: the command in an agent's settings.

The entry point answers before this module is loaded; this module only contains the help.
"""

from __future__ import annotations

import click


@click.command()
@click.argument("agent", required=False, default="")
@click.argument("event", required=False, default="")
def hook(agent: str, event: str) -> int:
    """Answer one hook payload on standard input, in the format of AGENT: claude, codex or cursor.

    EVENT is the agent's name of the event, for a payload that cannot be read: before a command the answer is then a
    question.

    It always exits 0 and never approves a command: it denies, asks, or adds context. `tacit connect AGENT` adds it to
    the agent's settings.
    """
    from tacit.doors.hooks.entry import main

    return main([agent, event])
