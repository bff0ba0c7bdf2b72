"""procedure: nouns then verbs; `learn procedure` is the same."""

from __future__ import annotations

import click

from tacit.doors.cli.commands.learn_from_sessions import from_session
from tacit.doors.cli.commands.procedure import edit as changes
from tacit.doors.cli.commands.procedure import files
from tacit.doors.cli.commands.procedure import show as views
from tacit.doors.cli.commands.procedure.replay import replay


@click.group()
def procedure() -> None:
    """How things are done here: steps that worked, replayed under guard, and dropped when they stop working."""


for command in (
    changes.record_, changes.add_step, changes.edit_step, changes.remove_step, changes.move_step, views.show,
    views.list_, views.search, replay, views.runs, views.health, changes.describe, changes.rename, changes.enable,
    changes.disable, changes.success, changes.failure, changes.merge, changes.retire, changes.delete, files.export,
    files.import_, from_session,
):  # fmt: skip
    procedure.add_command(command)
