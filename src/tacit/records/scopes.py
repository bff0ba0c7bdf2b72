"""Scopes: list them, move one into an empty one, merge two. Only a person may move and merge.

A project's scope is named after its git remote, or else its folder. A first remote takes the memory of the folder along
by itself; a changed remote is a hint, because another project may have been there before.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated

from tacit.admission.admit import admit_scope
from tacit.errors import Conflict, NotFound, Refused, StoreError, UsageError
from tacit.model.event import SCOPE_MOVED, SCOPES
from tacit.model.kinds import ALL_STATUSES
from tacit.model.link import Link
from tacit.model.query import Filter
from tacit.model.record import Record
from tacit.model.report import Finding
from tacit.model.results import ScopeMove, ScopeSummary
from tacit.model.scope import parse_scope
from tacit.model.verb import arg
from tacit.ports.store import StoreReader, Transaction
from tacit.records.arguments import DryRun
from tacit.records.connection import Connection
from tacit.records.write import retry_lost_write, revised, writing
from tacit.text.plural import plural

MOST_IN_HOOK = 5_000
"""A hook moves no more records than this: somebody waits for it."""
TOLD_FOR = timedelta(days=1)
_KEPT = tuple(status for status in ALL_STATUSES if status != "retired")
_NAMESPACE = "/namespace:"
Source = Annotated[str, arg("The scope whose records move.", metavar="FROM")]
Target = Annotated[str, arg("The scope they move to.", metavar="TO")]


def list_scopes(c: Connection) -> list[ScopeSummary]:
    """List the scopes of the store with their records, last use and folder. An agent sees those it may read."""
    user = _user(c)
    bases = dict.fromkeys(scope.partition(_NAMESPACE)[0] for scope in c.store.scopes())
    mine = [scope for scope in bases if not scope.startswith("user:") or scope == f"user:{user}"]
    shown = mine if c.is_person else [scope for scope in mine if scope in c.walls]
    found = [_summary(c, scope) for scope in shown]
    return sorted((one for one in found if one.records or one.is_here), key=lambda one: (not one.is_here, one.scope))


def _summary(c: Connection, scope: str) -> ScopeSummary:
    newest = c.store.find(Filter(scopes=(scope,), statuses=ALL_STATUSES), order="updated", limit=1).records
    return ScopeSummary(
        scope=scope, records=c.store.count(Filter(scopes=(scope,), statuses=_KEPT)),
        last=newest[0].updated_at if newest else None, place=c.project_folder(scope.removeprefix("project:")),
        is_here=scope == str(c.scope.base),
    )  # fmt: skip


def move(c: Connection, source: Source, target: Target) -> ScopeMove:
    """Move everything of a scope into an empty one: records, links and events. Only a person may.

    Moving it back undoes it.
    """
    c.require_person("move a scope")
    return _move(c, *_named(c, source, target))


def merge(c: Connection, source: Source, target: Target, *, dry_run: DryRun = False) -> ScopeMove:
    """Move everything of a scope into one that has records. Only a person may, and it cannot be undone.

    Where both have a record of the same name, such as an entity, that of the target stays and the other is retired.
    """
    c.require_person("merge scopes")
    named = _named(c, source, target)
    return _planned(c, *named) if dry_run else _move(c, *named, merges=True)


def _planned(c: Connection, source: str, target: str) -> ScopeMove:
    """Return what a merge would do."""
    going, there = (c.store.count(Filter(scopes=(scope,), statuses=ALL_STATUSES)) for scope in (source, target))
    retired = tuple(record.id for record, _other in _clashes(c.store, source, target))
    return ScopeMove(source=source, target=target, records=going, already_there=there, retired=retired)


def take_along(c: Connection, source: str, *, most: int = 0) -> str:
    """Move the memory of a folder to its project's new scope, if that is empty, and return a sentence about it.

    Anybody's first command does this, once: it loses nothing, and a person can move it back. With `most`, nothing moves
    if there are more records.
    """
    target = str(c.scope.base)
    try:
        if c.off or not _waits(c.store, source, target, most) or _was_moved(c, source, target):
            return ""
        done = _move(c, source, target, automatic=True)
    except (NotFound, Conflict, Refused, StoreError):
        # Another process was first, or the store cannot be written now: then a later command moves it.
        return ""
    return _told(done.source, done.target, done.records)


def _was_moved(c: Connection, source: str, target: str) -> bool:
    """Return whether this move happened by itself before: then a person moved it back, and it stays there."""
    moves = c.store.events(subject=SCOPES, types=(SCOPE_MOVED,))
    return any([source, target] in (move.payload or {}).get("scopes", []) for move in moves)


def _waits(reader: StoreReader, source: str, target: str, most: int) -> bool:
    """Return whether a scope has records that may move, and the target has none."""
    waiting = reader.count(Filter(scopes=(source,), statuses=ALL_STATUSES)) if source in reader.scopes([source]) else 0
    return bool(waiting) and not (most and waiting > most) and not _has_records(reader, target)


def _has_records(reader: StoreReader, scope: str) -> bool:
    return bool(reader.find(Filter(scopes=(scope,), statuses=ALL_STATUSES), limit=1).records)


def recent_move(c: Connection) -> ScopeMove | None:
    """Return the move into this scope that happened by itself in the last day, if there was one."""
    for event in c.store.events(subject=SCOPES, types=(SCOPE_MOVED,), newest=True, limit=5):
        body = event.payload or {}
        source, target = body.get("scopes", [["", ""]])[0]
        if body.get("automatic") and target == str(c.scope.base) and event.at >= c.clock.now() - TOLD_FOR:
            return ScopeMove(source=source, target=target, records=body["records"], back=_back(source, target))
    return None


def recent_move_notice(c: Connection) -> str:
    """Return a sentence about that move; empty if there was none."""
    found = recent_move(c)
    return _told(found.source, found.target, found.records) if found else ""


def _told(source: str, target: str, records: int) -> str:
    moved = f"{plural(records, 'record')} of {source} moved to {target}, because the project got a git remote"
    return f"{moved}; `{_back(source, target)}` moves back"


def _back(source: str, target: str) -> str:
    return _line("move", target, source)


def _line(verb: str, source: str, target: str) -> str:
    """Return a command that can be pasted into a shell."""
    # Imported on use: hooks load this module, and seldom say anything.
    import shlex

    return shlex.join(["tacit", "scope", verb, source, target])


def left_behind(c: Connection) -> Finding | None:
    """Return where records of this project are under a name that it had before, and the command that brings them."""
    here = str(c.scope.base)
    for former in c.former_scopes(here):
        if not c.store.count(Filter(scopes=(former,))):
            continue
        empty = not _has_records(c.store, here)
        verb, why = ("move", "has no records") if empty else ("merge", "has records of its own")
        line = _line(verb, former, here)
        return Finding(
            level="hint", subject="project",
            message=f"this project was {former} before, which has records; {here} {why}",
            hint=f"`{line}` brings them here; a person can run it",
        )  # fmt: skip
    return None


def left_behind_notice(c: Connection) -> tuple[str, ...]:
    """Return the same as a notice, for an empty answer."""
    found = left_behind(c)
    return (f"{found.message}; {found.hint}",) if found else ()


def _user(c: Connection) -> str:
    return next((scope.id for scope in c.reads if scope.kind == "user"), "")


def _named(c: Connection, source: str, target: str) -> tuple[str, str]:
    """Check the two scopes of a move and return their names."""
    found = [parse_scope(text, _user(c)) for text in (source, target)]
    for scope in found:
        if scope.namespace:
            raise UsageError(f"{scope} is a namespace; only whole scopes move", f"name its scope: {scope.base}")
        if scope.kind == "user" and scope.id != _user(c):
            raise Refused(f"{scope} is the scope of another user", "its user can move it")
    admit_scope(str(found[1]), c.redact)
    if found[0] == found[1]:
        raise UsageError(f"{source} is both scopes", "name two different ones; `tacit scope list` shows them")
    return str(found[0]), str(found[1])


@retry_lost_write
def _move(c: Connection, source: str, target: str, *, merges: bool = False, automatic: bool = False) -> ScopeMove:
    """Move a scope in one write; of several that try at once, one moves it, and the others find it empty."""
    now = c.clock.now()
    put_back = _nothing
    try:
        with writing(c, now) as tx:
            for name in (SCOPES, *sorted((source, target))):
                tx.alone(name)
            there = tx.count(Filter(scopes=(target,), statuses=ALL_STATUSES))
            if not _has_records(tx, source):
                raise NotFound(f"{source} has no records; nothing was moved", "`tacit scope list` shows the scopes")
            if there and not merges:
                line = _line("merge", source, target)
                raise Conflict(f"{target} has records; nothing was moved", f"`{line}` puts both together")
            retired = _retire(tx, source, target, now) if merges else ()
            put_back = c.move_files(source, target, not there)
            pairs = [(one, target + one.removeprefix(source)) for one in tx.scopes([source])]
            moved = tx.move(pairs, {"automatic": automatic, "merged": merges})
    except BaseException:
        put_back()
        raise
    back = "" if merges else _back(source, target)
    return ScopeMove(
        source=source, target=target, records=moved, already_there=there, retired=retired, back=back
    )  # fmt: skip


def _nothing() -> None:
    """Put nothing back."""


def _clashes(reader: StoreReader, source: str, target: str) -> list[tuple[Record, Record]]:
    """Return the records of a scope whose key another record has in the target, each with that record."""
    found: list[tuple[Record, Record]] = []
    after = ""
    while True:
        page = reader.find(Filter(scopes=(source,), statuses=_KEPT), limit=1_000, after=after)
        for record in (one for one in page.records if one.key):
            place = target + record.scope.removeprefix(source)
            where = Filter(scopes=(place,), kinds=(record.kind,), statuses=_KEPT, key=record.key)
            found += ((record, other) for other in reader.find(where, limit=10).records if other.scope == place)
        after = page.next
        if not after:
            return found


def _retire(tx: Transaction, source: str, target: str, now: datetime) -> tuple[str, ...]:
    """Retire what has a counterpart in the target, and let its links lead to the counterpart."""
    clashes = _clashes(tx, source, target)
    for record, other in clashes:
        tx.put(revised(record, now, status="retired"), expected=record.version)
        for link in tx.links([record.id], tx.scopes()):
            ends = {record.id: other.id}
            tx.unlink(link.source, link.relation, link.target, link.scope, now)
            tx.link(Link(
                source=ends.get(link.source, link.source), relation=link.relation,
                target=ends.get(link.target, link.target), scope=link.scope, since=now, weight=link.weight,
                payload=link.payload,
            ))  # fmt: skip
    return tuple(record.id for record, _other in clashes)
