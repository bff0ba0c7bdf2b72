"""Pull: take what others wrote into a shared folder, with the trust of an import."""

from __future__ import annotations

import hashlib
import shlex
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Annotated

import msgspec

from tacit.errors import KeyTaken, NotFound, VersionConflict
from tacit.exchange.share.accepted import chosen_folders, open_folder, share_home
from tacit.exchange.share.folder import FolderContent, listing, read_folder
from tacit.exchange.share.home import AcceptedFolder, FolderState, ShareHome
from tacit.exchange.share.plan_pull import APPROVED, PullPlan, PullPlanning
from tacit.exchange.share.push import SharedDir, push_folder
from tacit.exchange.share.waiting import still_waiting
from tacit.loop.activity_log import PULLED
from tacit.model.event import NewEvent
from tacit.model.kinds import kind_shown
from tacit.model.origin import Origin
from tacit.model.record import replace, short_id, short_letters
from tacit.model.timestamps import stamp
from tacit.model.transfer import UNVERIFIED, PullReport, RemovedRecord
from tacit.model.verb import arg
from tacit.ports.store import Transaction
from tacit.records.connection import Connection
from tacit.records.write import keep_vectors, retry_lost_write, revised, searchable, writing
from tacit.text.frame import framed
from tacit.text.plural import plural

_TRIES = 3
_FIRST_WORDS_CHARS = 80


def pull(
    c: Connection, folder: SharedDir = None, *,
    take: Annotated[
        Sequence[str],
        arg("Take this change or removal of what you rely on here too, as a person; a change has to be approved anew. "
            "Repeatable.", metavar="ID", record=True),
    ] = (),
    take_all: Annotated[bool, arg("Take all such changes and removals.")] = False,
) -> list[PullReport]:  # fmt: skip
    """Take what others wrote into the shared folders that a person accepted. It has the trust of an import."""
    if take or take_all:
        c.require_person("replace what somebody relies on here")
    home = share_home(c)
    folders = chosen_folders(home, folder)
    asked = _asked(home, folders, take)
    return [pull_folder(c, home, one, take=None if take_all else asked) for one in folders]


def _asked(home: ShareHome, folders: Sequence[AcceptedFolder], take: Sequence[str]) -> frozenset[str]:
    """Return the whole ids of what is to be taken; it may be of a scope that this connection does not read."""
    shared = {id for one in folders for id in home.state(one.id).records} if take else set[str]()
    found = set[str]()
    for text in take:
        letters = short_letters(text)
        fitting = {text} & shared or {id for id in shared if letters and id.endswith(letters)}
        if len(fitting) != 1:
            said = "could be several records" if fitting else "is no record of a folder that would be pulled"
            raise NotFound(f"{text[:80]!r} {said}; nothing was pulled", "`tacit share pull` names what can be taken")
        found |= fitting
    return frozenset(found)


def sync(c: Connection, folder: SharedDir = None) -> None:
    """Pull and push where there is news, as the helper does every few minutes."""
    home = share_home(c)
    for one in chosen_folders(home, folder):
        pull_folder(c, home, one, news_only=True)
        if one.pushes:
            push_folder(c, home, one, news_only=True)


def pull_folder(
    c: Connection, home: ShareHome, folder: AcceptedFolder, *, take: Collection[str] | None = (),
    news_only: bool = False,
) -> PullReport:  # fmt: skip
    """Pull from one folder, and let changes replace what somebody relies on: of these records, or of all if None.

    With `news_only`, nothing is read if the folder has the same chunks as at the last pull, and nothing that waits
    changed here.
    """
    c.writable()
    with home.using(folder) as folder:
        state, path, me = home.state(folder.id), open_folder(folder), home.writer()
        as_before = len(still_waiting(c, state.waiting)) == len(state.waiting)
        if news_only and as_before and state.names == _digest(listing(path)):
            return PullReport(path=folder.path, unchanged=len(state.records))
        content = read_folder(path, folder.id, me, home.keys())
        plan = _taken(c, folder, state, me, content, take=take)
        state.records |= plan.agreed
        state.waiting = plan.waiting
        state.names = _digest(content.names)
        home.keep_state(folder.id, state)
        home.keep_folder(msgspec.structs.replace(folder, pulled_at=stamp(c.clock.now())))
    return PullReport(
        path=folder.path, written=dict(Counter(kind_shown(one.kind) for one in plan.new.values())),
        changed=dict(Counter(kind_shown(fresh.kind) for _held, fresh in plan.changed.values())),
        removed=len(plan.retired) + len(plan.forgotten), removed_records=tuple(_removed(plan)),
        unchanged=plan.unchanged, left=tuple(plan.left), skipped=content.skipped,
        notices=(*_notices(plan), *_idle(plan, state, take or ())),
    )  # fmt: skip


def _removed(plan: PullPlan) -> Iterator[RemovedRecord]:
    """Name what was removed because its author removed it."""
    for one in (*plan.retired, *plan.forgotten):
        yield RemovedRecord(kind_shown(one.kind), one.id, framed(one.title or one.body, _FIRST_WORDS_CHARS))


def _notices(plan: PullPlan) -> Iterator[str]:
    """Say what the counts do not: that what came has to be approved, and which scopes have other names there."""
    fresh = [*plan.new.values(), *(changed for _held, changed in plan.changed.values())]
    if any(one.id not in plan.confirmed for one in fresh):
        yield UNVERIFIED
    for (here, there), count in sorted(plan.elsewhere.items()):
        line = shlex.join(["tacit", "scope", "move", here, there])
        yield f"{plural(count, 'record')} of {here}: whoever wrote them names it {there}; a person here can `{line}`"


def _idle(plan: PullPlan, state: FolderState, take: Collection[str]) -> Iterator[str]:
    """Say of what was to be taken that no change of it waits."""
    done = {*plan.changed, *(one.id for one in (*plan.retired, *plan.forgotten))}
    for id in sorted(state.records.keys() & set(take) - done):
        if not any(one.what.endswith(id) for one in plan.left):
            yield f"{short_id(id)}: nothing waits to be taken"


def _taken(
    c: Connection, folder: AcceptedFolder, state: FolderState, me: str, content: FolderContent, *,
    take: Collection[str] | None,
) -> PullPlan:  # fmt: skip
    """Decide what to do and do it; if somebody wrote here meanwhile, decide anew."""
    origin = Origin(actor="import", session=c.origin.session, host=c.origin.host, role=c.origin.role)
    importer = replace(c, origin=origin)
    for last in (*(False,) * (_TRIES - 1), True):
        plan = PullPlanning(importer, folder, state, me, take).all(content.statements)
        try:
            if not plan.is_idle:
                _write(importer, folder, plan, by=c.origin.actor)
            return plan
        except (VersionConflict, KeyTaken):
            if last:
                raise
    raise AssertionError("the last attempt returns or raises")


def _digest(names: tuple[str, ...]) -> str:
    return hashlib.sha256("\n".join(names).encode()).hexdigest()


@retry_lost_write
def _write(c: Connection, folder: AcceptedFolder, plan: PullPlan, *, by: str) -> None:
    """Write everything in one transaction; vectors are computed before."""
    now = c.clock.now()
    fresh = [*plan.new.values(), *(changed for _held, changed in plan.changed.values())]
    vectors = c.meaning.of_records(searchable(fresh))
    with writing(c, now) as tx:
        tx.add(list(plan.new.values()))
        for held, changed in plan.changed.values():
            tx.put(changed, expected=held.version)
        keep_vectors(c, tx, vectors)
        for record in plan.retired:
            tx.put(revised(record, now, status="retired"), expected=record.version)
        if plan.forgotten:
            tx.forget([record.id for record in plan.forgotten])
        _tell(c, tx, folder, plan, by)
    if plan.forgotten:
        c.meaning.vectors().drop()
        c.store.finish_forgetting()


def _tell(c: Connection, tx: Transaction, folder: AcceptedFolder, plan: PullPlan, by: str) -> None:
    """Append one event per scope, and one for each record that a carried key confirms."""
    counts: dict[str, Counter[str]] = {}
    changed = [fresh for _held, fresh in plan.changed.values()]
    for what, records in (
        ("new", plan.new.values()), ("changed", changed), ("removed", [*plan.retired, *plan.forgotten]),
    ):  # fmt: skip
        for record in records:
            counts.setdefault(record.scope, Counter())[what] += 1
    source = c.redact(folder.path)[:1_000]
    for scope, counted in sorted(counts.items()) or [(str(c.scope), Counter[str]())]:
        tx.append(NewEvent(type=PULLED, scope=scope, payload={"source": source, "by": by, **counted}))
    standing = tx.tallies(list(plan.confirmed))
    for id, (record, trust) in plan.confirmed.items():
        begun, over = ("approved", "unapproved") if trust == APPROVED else ("evidenced", "doubted")
        tally = standing.get(id, {})
        # What was said for an older text lapses when its text changes.
        if id in plan.changed or tally.get(begun, 0) <= tally.get(over, 0):
            tx.append(NewEvent(type=f"record.{begun}", subject=id, scope=record.scope))
    tx.retrust(list(plan.confirmed))
