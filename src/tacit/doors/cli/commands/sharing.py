"""learn shared: what was learned, how far it may be relied on, and a person's yes or no to it."""

from __future__ import annotations

from typing import Any

import click

from tacit.app.open import connect
from tacit.doors.cli.command_call import CommandCall, options, record_document
from tacit.doors.cli.commands.records import said
from tacit.errors import UsageError
from tacit.failures.sharing import SharedCorrection
from tacit.text.plural import plural

_LEVELS = ("l0", "l1", "l2", "l3")


@click.group()
def shared() -> None:
    """What was learned, for all: 0 flagged, 1 one agent's word, 2 it worked for several, 3 a person approved it."""


@shared.command("list")
@click.option("--trust-level", type=click.Choice(_LEVELS), default=None)
@click.option("--limit", type=click.IntRange(1, 10_000), default=20, show_default=True)
@options
def list_(door: CommandCall, trust_level: str | None, limit: int) -> None:
    """List corrections, those that may be relied on most first."""
    with door.memory() as memory:
        found = memory.learned.shared(level=_level(trust_level), limit=limit)

    def show() -> None:
        from tacit.doors.cli.render import cell, table

        rows = [
            (
                one.record.id,
                f"l{one.level}",
                one.good,
                cell(one.record.title, 70),
                one.rejected and f"rejected: {one.rejected}",
            )
            for one in found
        ]
        table(["id", "level", "worked", "what", ""], rows, empty="nothing was learned yet")

    door.answer("shared", {"learned": [_document(one) for one in found]}, show)


def _document(one: SharedCorrection) -> dict[str, Any]:
    return {"id": one.record.id, "level": one.level, "agents": list(one.agents), "good": one.good,
            "rejected": one.rejected, "record": record_document(one.record)}  # fmt: skip


def _level(text: str | None) -> int | None:
    return int(text[1]) if text else None


@shared.command("promote")
@click.argument("id")
@click.option("--to", "to", type=click.Choice(_LEVELS[2:]), default="l2", show_default=True)
@options
def promote(door: CommandCall, id: str, to: str) -> None:
    """Raise a correction to a level it has earned; 3 is a person's to give."""
    with door.memory() as memory:
        one = memory.learned.promote(id, int(to[1]))
    said(door, "shared", _document(one), f"{one.record.id} stands at l{one.level}")


@shared.command("approve")
@click.argument("id")
@options
def approve(door: CommandCall, id: str) -> None:
    """Vouch for a correction. Only a person may."""
    with door.memory() as memory:
        record = memory.learned.approve(id)
    said(door, "correction", {"record": record_document(record)}, f"approved {record.id}")


@shared.command("reject")
@click.argument("id")
@click.option("--reason", default="")
@options
def reject(door: CommandCall, id: str, reason: str) -> None:
    """Take a correction out of use, with the reason."""
    with door.memory() as memory:
        record = memory.learned.reject(id, reason)
    said(door, "correction", {"record": record_document(record)}, f"rejected {record.id}")


@shared.command("import")
@click.option("--to", default="global", show_default=True, metavar="SCOPE", help="Where they are brought.")
@options
def import_(door: CommandCall, to: str) -> None:
    """Bring this project's corrections into another scope; what is there already is recognised."""
    with door.memory() as memory, connect(door.settings, door.guest, store=door.store, scope=to, at_door=True) as other:
        if memory.scope == other.scope:
            raise UsageError(f"this is {memory.scope} already", "run it inside a project, or name another with --scope")
        records = memory.learned.share(other.learned)
    count = len({record.id for record in records})
    said(door, "shared", {"ids": [record.id for record in records]}, f"{plural(count, 'correction')} in {to}")


@shared.command("stats")
@options
def stats(door: CommandCall) -> None:
    """Count what is shared, by level."""
    with door.memory() as memory:
        found = memory.learned.stats()

    def show() -> None:
        from tacit.doors.cli.render import say

        levels = ", ".join(f"{count} {level}" for level, count in found["levels"].items()) or "nothing"
        rate = (
            f", {found['approval_rate']:.0%} of what was judged was approved"
            if found["approval_rate"] is not None
            else ""
        )
        say(f"{levels}; {found['rejected']} rejected{rate}")

    door.answer("shared", found, show)
