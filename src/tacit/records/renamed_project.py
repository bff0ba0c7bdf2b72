"""A project that got a git remote gets a new id; find and mention the records under its old id."""

from __future__ import annotations

from pathlib import Path

from tacit.files.project_id import former_id, project_id
from tacit.model.query import Filter
from tacit.model.report import Finding
from tacit.model.scope import Scope
from tacit.records.connection import Connection


def records_under_old_id(c: Connection) -> Finding | None:
    """Find the records of this project under the id it had before, where its own scope holds nothing."""
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
        message=f"{c.scope.base} holds nothing, but {former}, its scope before it had a git remote, does",
        hint=f"`--scope {former}` reads and writes there, and so does TACIT_SCOPE={former}",
    )  # fmt: skip


def old_id_notice(c: Connection) -> tuple[str, ...]:
    """Return that finding as a notice for an answer that is empty."""
    found = records_under_old_id(c)
    return (f"{found.message}; {found.hint}",) if found else ()
