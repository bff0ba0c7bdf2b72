"""learn: the older spelling of what is learned here."""

from __future__ import annotations

import click

from tacit.doors.cli.procedure.group import procedure


@click.group()
def learn() -> None:
    """What was learned here."""


learn.add_command(procedure)
