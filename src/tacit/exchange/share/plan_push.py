"""Decide what a push says about each record of the named scopes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from tacit.exchange.rules.shareable import (
    SHARED_KINDS,
    is_in_use,
    shared_digest,
    shared_payload,
    shared_status,
    why_private,
)
from tacit.exchange.rules.shared_versions import SharedStatement, SharedVersion, settle
from tacit.exchange.share.folder import Statements
from tacit.exchange.share.home import REMOVED_BY_AUTHOR, REMOVED_HERE, AcceptedFolder, FolderState, KnownRecord
from tacit.model.kinds import ALL_STATUSES, kind_shown
from tacit.model.origin import Origin
from tacit.model.payload import Note, plain
from tacit.model.query import Filter
from tacit.model.record import Record, replace
from tacit.model.timestamps import stamp
from tacit.model.transfer import Skipped
from tacit.records.connection import Connection
from tacit.records.export_import import HOLD_TEXT, record_line

_PAGE = 1_000
_REMOVED = (REMOVED_HERE, REMOVED_BY_AUTHOR)


class PushPlan:
    """What a push will say, and what this home will then have agreed on."""

    def __init__(self) -> None:
        self.said: dict[str, SharedStatement] = {}
        self.agreed: dict[str, KnownRecord] = {}
        self.own: dict[str, Callable[[], SharedStatement | None]] = {}
        """What this home said before and still stands for; each is made anew from its record when it is needed."""
        self.unchanged = 0
        self.held_back: list[Skipped] = []
        self.private: Counter[str] = Counter()
        self.renamed: dict[str, tuple[str, str]] = {}
        """Records that the folder has under another scope than this home, with both: the scope moved."""
        self.waiting = 0
        """How many records are in the folder already, although nothing was agreed on about them."""


class PushPlanning:
    """Decides what to say about each record."""

    def __init__(self, c: Connection, state: FolderState, statements: Statements, me: str) -> None:
        self._c, self._state, self._statements, self._me = c, state, statements, me
        self._now = stamp(c.clock.now())
        self.plan = PushPlan()

    def all(self, folder: AcceptedFolder) -> PushPlan:
        """Plan everything."""
        seen = set[str]()
        for record in _records(self._c, folder):
            seen.add(record.id)
            self._one(record, self._state.records.get(record.id), self._statements.get(record.id, {}))
        self._missing({id: known for id, known in self._state.records.items() if id not in seen})
        return self.plan

    def _one(self, record: Record, known: KnownRecord | None, told: Mapping[str, SharedStatement]) -> None:
        withdrawn = known is not None and known.author == self._me and why_private(record)
        if record.status == "retired" or withdrawn:
            self._taken_back(record.id, known, told, "retired")
        elif why := why_private(record) or (
            "" if known or is_in_use(record) else "a draft, a candidate, or out of use"
        ):
            self.plan.private[why] += 1
        elif known is None and told:
            self.plan.waiting += 1
        elif known is not None and known.digest == REMOVED_BY_AUTHOR:
            # A person brought it back here; that says nothing to others.
            self.plan.unchanged += 1
        else:
            self._shared(record, known, told)

    def _shared(self, record: Record, known: KnownRecord | None, told: Mapping[str, SharedStatement]) -> None:
        digest = shared_digest(record)
        was = self._scope_there(known, told)
        if was and was != record.scope:
            self.plan.renamed[record.id] = (was, record.scope)
        is_known = known is not None and known.digest == digest and not self._is_lost(known, told)
        if known is not None and is_known and (known.writer == self._me or record.id not in self.plan.renamed):
            self.plan.unchanged += record.id not in self.plan.renamed
            if known.writer == self._me:
                self.plan.own[record.id] = partial(_said, self._c, record, known.version, known.author)
            return
        version = SharedVersion(known.number + 1 if known else record.version, stamp(record.updated_at), self._me)
        if (fresh := _said(self._c, record, version, known.author if known else self._me)) is not None:
            self._say(record.id, fresh, digest)
            return
        what = f"{kind_shown(record.kind)} {record.id}"
        self.plan.held_back.append(Skipped(what, "the redactor would change it; `tacit scan` shows where"))

    def _scope_there(self, known: KnownRecord | None, told: Mapping[str, SharedStatement]) -> str:
        """Return the scope that the folder has for a record, if it is for this home to name it.

        That is its author, and who said the version that was agreed on.
        """
        if known is None or self._me not in (known.author, known.writer):
            return ""
        said = told.get(known.writer)
        return str(said.line.get("scope", "")) if said and said.line and said.version == known.version else ""

    def _say(self, id: str, told: SharedStatement, digest: str) -> None:
        self.plan.said[id] = told
        number, at, writer = told.version
        self.plan.agreed[id] = KnownRecord(told.author, number, at, writer, signed=True, digest=digest)

    def _taken_back(self, id: str, known: KnownRecord | None, told: Mapping[str, SharedStatement], how: str) -> None:
        """Say that a record is removed, once."""
        own = told.get(self._me)
        if known is None:
            return
        if known.digest not in _REMOVED:
            version = SharedVersion(known.number + 1, self._now, self._me)
            self._say(id, SharedStatement(version, known.author, None, how), REMOVED_HERE)
        elif own is not None and own.removed and known.digest == REMOVED_HERE:
            self.plan.own[id] = lambda: own

    def _missing(self, gone: Mapping[str, KnownRecord]) -> None:
        """Plan what to say about records that are not here: a removal only if they were forgotten here.

        A record that is merely missing, in a store that was restored or is another one, is nobody's wish to remove it.
        """
        live = {id for id, known in gone.items() if known.digest not in _REMOVED and not known.digest.startswith("=")}
        forgotten = forgotten_here(self._c) & live if live else set[str]()
        for id, known in gone.items():
            if id in forgotten or known.digest in _REMOVED:
                self._taken_back(id, known, self._statements.get(id, {}), "forgotten")

    def _is_lost(self, known: KnownRecord, told: Mapping[str, SharedStatement]) -> bool:
        """Return whether this home has to say a record again: it is the author, and the folder has it no more."""
        return known.author == self._me and (not told or settle(told.values(), known.author).holds is None)


def forgotten_here(c: Connection) -> set[str]:
    """Return the ids of all records that were forgotten in this store."""
    found: set[str] = set()
    after = 0
    while events := c.store.events(types=("forgotten",), after=after):
        after = events[-1].seq
        found.update(id for event in events for id in (event.payload or {}).get("ids", ()))
    return found


def _records(c: Connection, folder: AcceptedFolder) -> Iterator[Record]:
    """Return all records of the named scopes that are of a kind that is shared, in any status."""
    where = Filter(scopes=folder.scopes, kinds=SHARED_KINDS, statuses=ALL_STATUSES)
    after = ""
    while True:
        page = c.store.find(where, limit=_PAGE, after=after)
        yield from (record for record in page.records if folder.takes(record.scope))
        after = page.next
        if not after:
            return


def _said(c: Connection, record: Record, version: SharedVersion, author: str) -> SharedStatement | None:
    """Return a record as it is shared; None if the redactor, with the rules of today, would change it."""
    in_file = isinstance(record.payload, Note) and record.payload.path
    shared = replace(
        record, payload=shared_payload(record.payload), origin=Origin(actor=record.origin.actor),
        status=shared_status(record), key="" if in_file else record.key,
    )  # fmt: skip
    line, whole = record_line("record", shared, c), plain(shared)
    if any(line[name] != whole[name] for name in HOLD_TEXT if name in whole):
        return None
    return SharedStatement(version, author, {name: value for name, value in line.items() if name != "hash"})
