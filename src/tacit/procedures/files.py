"""Export procedures to files, and import them from files."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from tacit.errors import UsageError
from tacit.model.procedure import Procedure
from tacit.model.record import Record, payload_of, replace
from tacit.model.verb import arg
from tacit.procedures.find_by_name import Name, find_procedure, procedures
from tacit.procedures.procedures import keep_procedure
from tacit.procedures.rules.file_format import ProcedureDocument, read
from tacit.procedures.rules.procedure_checks import checked
from tacit.records.connection import Connection


class ProcedureImport(NamedTuple):
    """The result of an import: the new records, and the slugs of procedures that already existed."""

    records: tuple[Record, ...]
    skipped: tuple[str, ...]


def chosen(c: Connection, *names: Name) -> list[Record]:
    """Return the named procedures, or all procedures of this scope if no name is given."""
    if names:
        return [find_procedure(c, name) for name in names]
    return [record for record in procedures(c) if record.scope == str(c.scope)]


def import_text(
    c: Connection, text: Annotated[str, arg("YAML, or one JSON object per line.")],
    source: Annotated[str, arg("What error messages call the text, for example the name of its file.")] = "the text",
) -> ProcedureImport:  # fmt: skip
    """Record every procedure of a YAML or JSONL text that does not exist yet. Run counts are not imported."""
    # All of them are checked before the first is written.
    wanted = [
        one._replace(payload=_checked(one.payload, f"{source}, procedure {number}"))
        for number, one in enumerate(read(text, source), 1)
    ]
    here = [one for one in procedures(c) if one.scope == str(c.scope)]
    kept, skipped = [], []
    for one in wanted:
        if (known := next((old for old in here if _same(old, one)), None)) is not None:
            skipped.append(known.key)
            continue
        fresh = keep_procedure(
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
