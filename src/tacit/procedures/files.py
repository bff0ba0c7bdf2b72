"""Procedures out to files and in from them."""

from __future__ import annotations

from typing import NamedTuple

from tacit.errors import UsageError
from tacit.model.procedure import Procedure
from tacit.model.record import Record, payload_of, replace
from tacit.procedures.find_by_name import find_procedure, procedures
from tacit.procedures.procedures import record as keep
from tacit.procedures.rules.file_format import ProcedureDocument, read
from tacit.procedures.rules.procedure_checks import checked
from tacit.records.connection import Connection


class ProcedureImport(NamedTuple):
    """What a file brought: procedures kept, and the slugs of those that were here already."""

    records: tuple[Record, ...]
    skipped: tuple[str, ...]


def chosen(c: Connection, names: tuple[str, ...]) -> list[Record]:
    """Give the procedures that are named, or all of this scope."""
    if names:
        return [find_procedure(c, name) for name in names]
    return [record for record in procedures(c) if record.scope == str(c.scope)]


def bring_in(c: Connection, text: str, what: str) -> ProcedureImport:
    """Record every procedure of a file that is not here yet. Counts of runs elsewhere stay elsewhere."""
    # All of them are looked at before the first is kept.
    wanted = [
        one._replace(payload=_checked(one.payload, f"{what}, procedure {number}"))
        for number, one in enumerate(read(text, what), 1)
    ]
    here = [one for one in procedures(c) if one.scope == str(c.scope)]
    kept, skipped = [], []
    for one in wanted:
        if (twin := next((old for old in here if _same(old, one)), None)) is not None:
            skipped.append(twin.key)
            continue
        fresh = keep(
            c, one.title, description=one.payload.description, tags=one.tags, triggers=one.payload.triggers,
            parameters=one.payload.parameters, steps=one.payload.steps, session=one.payload.source_session,
            status=one.status, slug=one.slug, disabled=one.payload.disabled,
        )  # fmt: skip
        kept.append(fresh)
        here.append(fresh)
    return ProcedureImport(tuple(kept), tuple(skipped))


def _checked(payload: Procedure, where: str) -> Procedure:
    try:
        return checked(payload)
    except UsageError as error:
        raise UsageError(f"{where}: {error}", error.hint) from None


def _same(old: Record, new: ProcedureDocument) -> bool:
    mine = replace(payload_of(old, Procedure), windows=(), disabled=None)
    return old.title == new.title and mine == replace(new.payload, disabled=None)
