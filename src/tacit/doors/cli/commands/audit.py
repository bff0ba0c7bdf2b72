"""audit: what of a memory is worth nothing, and what would clean it up."""

from __future__ import annotations

import click

from tacit.doors.cli.command_call import CommandCall, options
from tacit.records.junk import UNUSED_DAYS, AuditReport


@click.group()
def audit() -> None:
    """Look a memory through; nothing is written."""


@audit.command("junk")
@click.option(
    "--older-than", "days", type=click.IntRange(0, 100_000), default=UNUSED_DAYS, show_default=True, metavar="DAYS"
)
@options
def junk(door: CommandCall, days: int) -> None:
    """Report what is said twice, of no use, vouched for by nobody, or flagged, and the commands that would clean up."""
    with door.memory() as memory, door.progress("looking through") as progress:
        found = memory.junk(days=days, progress=progress)
    document = {
        "examined": found.examined, "older_than_days": found.days, "junk": found.junk,
        "share": round(found.junk / found.examined, 4) if found.examined else 0.0,
        "findings": [
            {"name": one.name, "count": one.found, "share": one.share, "cleanup": list(one.cleanup),
             "examples": [{"id": id, "text": door.clean(text)} for id, text in one.examples]}
            for one in found.findings
        ],
    }  # fmt: skip
    door.answer("audit", document, lambda: _show(door, found))


def _show(door: CommandCall, found: AuditReport) -> None:
    from tacit.doors.cli.render import say

    share = 100 * found.junk / found.examined if found.examined else 0.0
    why = f"said twice, unused for {found.days} days or flagged"
    say(f"{found.junk:,} of {found.examined:,} records ({share:.1f} %) are {why}")
    for one in found.findings:
        say(f"{one.name:<13}{one.found:>8,}  {100 * one.share:5.1f} %")
        say(*(f"  {id}  {door.clean(text)}" for id, text in one.examples))
        say(*(f"  → {line}" for line in one.cleanup))
