"""Find and mention the records of a project under its old id: a project that gets a git remote gets a new id."""

from __future__ import annotations

from pathlib import Path

from tacit.files.project_id import former_id, project_id
from tacit.model.query import Filter
from tacit.model.report import Finding
from tacit.model.scope import Scope
from tacit.records.connection import Connection


def records_under_old_id(c: Connection) -> Finding | None:
    """Return where this project's records are under its old id, if its own scope has none."""
    folder = Path(c.origin.cwd)
    if not c.origin.cwd or c.scope.base != Scope("project", project_id(folder)):
        return None
    former = Scope("project", former_id(folder))
    if not former.id or c.store.count(Filter(scopes=(str(c.scope.base),), statuses=())):
        return None
    if not c.store.count(Filter(scopes=(str(former),))):
        return None
    return Finding(
        level="hint", subject="project",
        message=f"{c.scope.base} has no records, but {former}, its scope before it had a git remote, has some",
        hint=f"`--scope {former}` reads and writes there, and so does TACIT_SCOPE={former}",
    )  # fmt: skip


def old_id_notice(c: Connection) -> tuple[str, ...]:
    """Return a notice about the old id, for an empty answer."""
    found = records_under_old_id(c)
    return (f"{found.message}; {found.hint}",) if found else ()
