"""hook: what an agent's settings call. The entry point answers before this module is loaded; here is its help."""

from __future__ import annotations

import click


@click.command()
@click.argument("agent", required=False, default="")
@click.argument("event", required=False, default="")
def hook(agent: str, event: str) -> int:
    """Answer one hook payload on standard input, in the format of AGENT: claude, codex or cursor.

    EVENT is the agent's name of the event, for a payload that cannot be read: before a command the answer is then a
    question.

    It exits 0 whatever happens, and never says that something may go ahead: it denies, asks, or adds what is known.
    `tacit connect AGENT` puts it into the agent's settings.
    """
    from tacit.doors.hooks.entry import main

    return main([agent, event])
