"""Verify a tenant on a server: the size of the text index, and the check of the contents."""

from __future__ import annotations

from tacit.model.report import Progress, Verification
from tacit.store.verify import Ask, derived, walk, walk_since


def verify(
    ask: Ask, tenant: str, head: tuple[int, str] | None, *, deep: bool, since: tuple[int, str] | None,
    progress: Progress | None,
) -> Verification:  # fmt: skip
    """Check everything through one snapshot, or what came after a seal."""
    if since and (part := walk_since(ask, tenant, head, since, progress)):
        return part
    findings = []
    if deep:
        ((indexed,),) = ask("SELECT count(*) FROM search WHERE tenant = ?", [tenant])
        ((records,),) = ask("SELECT count(*) FROM records WHERE tenant = ?", [tenant])
        if indexed != records:
            findings.append(derived("index", f"the text index has {indexed} rows for {records} records"))
    return walk(ask, tenant, head, findings, deep=deep, progress=progress)
