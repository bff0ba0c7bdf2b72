"""learn shared: corrections with their trust levels; promote, approve, reject and copy them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from tacit.app.open import connect
from tacit.app.verbs.failures import FailuresAndCorrections
from tacit.doors.cli.command_call import CommandCall, record_document, whole_scope
from tacit.doors.cli.commands.records import said
from tacit.doors.cli.verb_commands import Given, View, group, of_record, sentence
from tacit.errors import UsageError
from tacit.failures.sharing import SharedCorrection
from tacit.text.plural import plural


class _Level(click.ParamType[int]):
    """A trust level: 2, or l2 as others write it."""

    name = "level"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read a level."""
        text = str(value).lower().removeprefix("l")
        if text not in ("0", "1", "2", "3"):
            self.fail(f"{value!r} is not a trust level; use l0, l1, l2 or l3", param, ctx)
        return int(text)


shared = group(
    "shared", "Corrections by trust: 0 flagged, 1 from one agent, 2 worked for several, 3 approved by a person."
)


def _show(found: Sequence[SharedCorrection], _given: Given) -> None:
    from tacit.doors.cli.render import cell, table

    rows = [
        (one.record.id, f"l{one.level}", one.good, cell(one.record.title, 70),
         one.rejected and f"rejected: {one.rejected}")
        for one in found
    ]  # fmt: skip
    table(["id", "level", "worked", "what", ""], rows, empty="nothing was learned yet")


def _document(one: SharedCorrection, _given: Given | None = None) -> dict[str, Any]:
    return {"id": one.record.id, "level": one.level, "agents": list(one.agents), "good": one.good,
            "rejected": one.rejected, "record": record_document(one.record)}  # fmt: skip


def _stats(found: Mapping[str, Any], _given: Given) -> str:
    levels = ", ".join(f"{count} {level}" for level, count in found["levels"].items()) or "nothing"
    rate = found["approval_rate"]
    approved = f", {rate:.0%} of the reviewed ones were approved" if rate is not None else ""
    return f"{levels}; {found['rejected']} rejected{approved}"


shared.verb(
    FailuresAndCorrections.shared,
    View("shared", _show, lambda found, _given: {"learned": [_document(one) for one in found]}), "list",
    but=("level",),
    more=(click.option("--trust-level", "level", type=_Level(), default=None, help="Only this level: l0 to l3."),),
)  # fmt: skip
shared.verb(
    FailuresAndCorrections.promote,
    sentence("shared", lambda one, _given: f"{one.record.id} now has level l{one.level}", _document), but=("to",),
    more=(click.option("--to", type=_Level(), default="l2", show_default=True, help="The trust level: l2 or l3."),),
)  # fmt: skip
shared.verb(FailuresAndCorrections.approve, of_record("correction", lambda record, _given: f"approved {record.id}"))
shared.verb(FailuresAndCorrections.reject, of_record("correction", lambda record, _given: f"rejected {record.id}"))
shared.verb(FailuresAndCorrections.stats, sentence("shared", _stats))


@shared.command("import")
@click.option("--to", default="global", show_default=True, metavar="SCOPE", help="The scope they are copied into.")
@whole_scope
def import_(call: CommandCall, to: str) -> None:
    """Copy this project's corrections into another scope. Corrections that exist there are not copied again."""
    with (
        call.memory() as memory,
        connect(call.settings, call.caller, store=call.store, scope=to, at_door=True) as other,
    ):
        if memory.scope == other.scope:
            raise UsageError(f"{to} is this scope", "run it inside a project, or name another scope with --scope")
        records = memory.learned.share(other.learned)
    count = len({record.id for record in records})
    said(call, "shared", {"ids": [record.id for record in records]}, f"{plural(count, 'correction')} in {to}")
