"""hook: the command in an agent's settings.

The entry point answers a hook before this module is loaded; this module only contains the help.
"""

from __future__ import annotations

import click


@click.command()
@click.argument("agent", required=False, default="")
@click.argument("event", required=False, default="")
def hook(agent: str, event: str) -> int:
    """Answer one hook payload on standard input, in the format of AGENT (see `tacit connect --help`).

    EVENT is the agent's name of the event. If the payload cannot be read and a command is about to run, the answer is a
    question. The command always exits 0 and never approves: it denies, asks, or adds context. `tacit connect AGENT`
    adds this command to the agent's settings.
    """
    from tacit.doors.hooks.entry import main

    return main([agent, event])
