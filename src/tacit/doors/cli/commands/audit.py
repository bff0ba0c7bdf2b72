"""audit: find the junk in a memory, and the commands that would clean it up."""

from __future__ import annotations

from typing import Any

from tacit.app.memory import Memory
from tacit.doors.cli.verb_commands import Given, View, group
from tacit.records.junk import AuditReport


def _document(found: AuditReport, given: Given) -> dict[str, Any]:
    return {
        "examined": found.examined, "older_than_days": found.days, "junk": found.junk,
        "share": round(found.junk / found.examined, 4) if found.examined else 0.0,
        "findings": [
            {"name": one.name, "count": one.found, "share": one.share, "cleanup": list(one.cleanup),
             "examples": [{"id": id, "text": given.call.clean(text)} for id, text in one.examples]}
            for one in found.findings
        ],
    }  # fmt: skip


def _show(found: AuditReport, given: Given) -> None:
    from tacit.doors.cli.render import say

    share = 100 * found.junk / found.examined if found.examined else 0.0
    why = f"duplicate, unused for {found.days} days or flagged"
    say(f"{found.junk:,} of {found.examined:,} records ({share:.1f} %) are {why}")
    for one in found.findings:
        say(f"{one.name:<13}{one.found:>8,}  {100 * one.share:5.1f} %")
        say(*(f"  {id}  {given.call.clean(text)}" for id, text in one.examples))
        say(*(f"  → {line}" for line in one.cleanup))


audit = group("audit", "Find duplicates, unused records and flagged records. Nothing is written.")
audit.verb(Memory.junk, View("audit", _show, _document, doing="examining"), former={"days": "--older-than"})
