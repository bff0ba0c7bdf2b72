"""Status and doctor: the state of a memory, its problems, and what to do about each problem."""

from __future__ import annotations

from typing import Any

from tacit.episodes.queue import queue
from tacit.loop.maintain import maintain_is_due
from tacit.loop.overview import waiting_decisions
from tacit.loop.session_start import session_start
from tacit.model.kinds import ALL_STATUSES
from tacit.model.report import Finding, Progress
from tacit.model.timestamps import stamp
from tacit.records.ask_model import thinking_status
from tacit.records.conflicts import open_conflicts
from tacit.records.connection import Connection
from tacit.records.scopes import left_behind, left_behind_notice, recent_move_notice
from tacit.search.conversation import missing_trees
from tacit.text.plural import plural

# `status` answers at once, so it reads so many of the newest; `doctor` checks everything.
MOST_CHECKED = 2_000


def status(c: Connection) -> dict[str, Any]:
    """Return the settings and contents of this memory, and what is off or incomplete."""
    facts, conflicts = c.store.engine(), len(open_conflicts(c))
    found: dict[str, Any] = {
        "store": c.store.location, "tenant": c.store.tenant, "scope": str(c.scope), "reads": list(c.walls),
        "actor": c.origin.actor, "engine": facts, "records": c.store.stats(c.walls).records, "off": c.off,
        "semantic": _semantic(c), "learning": queue(c), "start": _start(c), "llm": thinking_status(c),
        "maintenance": _maintenance(c), "conflicts": conflicts, "moved": recent_move_notice(c),
        "warnings": [],
        "decisions": [{"what": one.what, "command": one.command} for one in waiting_decisions(c, conflicts)],
    }  # fmt: skip
    warnings: list[str] = found["warnings"]
    if c.off:
        warnings.append(f"tacit is off here: {c.off}")
    if facts.get("erasure_pending"):
        warnings.append("deleted bytes stay in the log until the last reader closes it; run `tacit maintain` then")
    if facts.get("bypasses_walls"):
        warnings.append(_no_walls(facts))
    if c.store.size_bytes() > c.upkeep.max_store_bytes:
        warnings.append(f"the store has {c.store.size_bytes():,} bytes, over its limit of {c.upkeep.max_store_bytes:,}")
    if found["semantic"]["waiting"]:
        waiting = plural(found["semantic"]["waiting"], "record")
        warnings.append(f"{waiting} not yet embedded; run `tacit maintain`")
    if found["llm"]["problem"]:
        warnings.append(f"the language model failed recently: {found['llm']['problem']}; rules were used instead")
    if found["learning"]["set_aside"]:
        count = plural(found["learning"]["set_aside"], "episode")
        warnings.append(f"{count} could not be learned from; `tacit list --kind job --status archived` says why")
    if trouble := missing_trees(c):
        warnings.append(trouble)
    warnings += left_behind_notice(c)
    found["damaged"] = damaged(c)
    warnings += c.store.damage.tell(found["damaged"])
    return found


def damaged(c: Connection) -> list[str]:
    """Return what cannot be read in the scopes of this connection: among the newest records, events and vectors."""
    before = c.store.damage.mark()
    # In one page: each page would sort all records of the scope.
    c.store.find(c.filter(statuses=ALL_STATUSES), order="updated", limit=MOST_CHECKED)
    c.store.events(scopes=c.walls, newest=True, limit=MOST_CHECKED)
    c.meaning.unsound(c.walls)
    return c.store.damage.since(before)


def _maintenance(c: Connection) -> dict[str, Any]:
    """Return when the store was maintained last, and whether it is due again (`[maintain] every_hours`)."""
    last = c.maintained.last()
    return {"last": stamp(last) if last else "", "due": maintain_is_due(c)}


def _start(c: Connection) -> dict[str, int]:
    """Return the tokens of what a session is told at its start, by part."""
    block = session_start(c)
    return {**block.details, "tokens": block.tokens}


def _semantic(c: Connection) -> dict[str, Any]:
    embedder = c.meaning.embedder()
    if embedder is None:
        return {"on": False, "why": c.meaning.off, "model": "", "embedded": 0, "waiting": 0}
    covered = c.store.coverage(embedder.model, c.store.scopes())
    return {
        "on": not c.meaning.degraded, "why": c.meaning.degraded, "model": embedder.model, "dim": embedder.dim,
        "embedded": covered.embedded, "waiting": covered.total - covered.embedded,
    }  # fmt: skip


def doctor(c: Connection, head: tuple[int, str] | None, progress: Progress | None = None) -> list[Finding]:
    """Check a store that opened, and report problems with their fixes."""
    facts = c.store.engine()
    message = f"{c.store.location}: {facts['engine']}, format {facts['format']}"
    found = [Finding(level="ok", subject="store", message=message)]
    outcome = c.store.verify(head, progress=progress)
    found += outcome.findings
    if outcome.ok:
        message = f"{plural(outcome.events, 'event')} and {plural(outcome.records, 'record version')} are intact"
        found.append(Finding(level="ok", subject="integrity", message=message))
    found += _damaged_vectors(c)
    semantic = _semantic(c)
    if not semantic["on"]:
        found.append(Finding(level="hint", subject="semantic", message=f"search by meaning is off: {semantic['why']}"))
    elif semantic["waiting"]:
        message = f"{plural(semantic['waiting'], 'record')} without a vector of {semantic['model']}"
        found.append(Finding(level="warning", subject="semantic", message=message, hint="run `tacit maintain`"))
    else:
        message = f"{plural(semantic['embedded'], 'record')}, {semantic['model']}"
        found.append(Finding(level="ok", subject="semantic", message=message))
    if trouble := missing_trees(c):
        found.append(Finding(level="warning", subject="ranking", message=trouble))
    if facts.get("bypasses_walls"):
        hint = "connect as a role without SUPERUSER and BYPASSRLS; docs/postgresql.md explains how to create it"
        found.append(Finding(level="warning", subject="walls", message=_no_walls(facts), hint=hint))
    if facts.get("lock_holder"):
        message = f"process {facts['lock_holder']} is writing at this moment"
        found.append(Finding(level="hint", subject="lock", message=message))
    if facts.get("erasure_pending"):
        message = "deleted bytes are still in the log, because a reader has it open"
        found.append(Finding(level="warning", subject="erasure", message=message, hint="run `tacit maintain` later"))
    if maintain_is_due(c) and (last := c.maintained.last()):
        message = f"last maintained on {last:%Y-%m-%d %H:%M} UTC; it is due every {c.upkeep.every_hours:g} hours"
        hint = "run `tacit maintain`; the helper does it by itself"
        found.append(Finding(level="hint", subject="maintenance", message=message, hint=hint))
    if c.off:
        found.append(Finding(level="warning", subject="switch", message=f"tacit is off here: {c.off}"))
    if former := left_behind(c):
        found.append(former)
    return found


def _damaged_vectors(c: Connection) -> list[Finding]:
    before = c.store.damage.mark()
    c.meaning.unsound(c.store.scopes())
    said = c.store.damage.since(before)
    return [Finding(level="warning", subject="vectors", message=one, hint="run `tacit maintain`") for one in said]


def _no_walls(facts: dict[str, str | int | bool]) -> str:
    return f"the role {facts['user']} bypasses row-level security, so it can read every tenant"
