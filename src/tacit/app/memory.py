"""Memory: what a caller holds. Open one with `tacit.open_memory`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from tacit.app.nouns import MemoryNouns
from tacit.app.verbs.graph import Time, when
from tacit.facts import consolidate, memorize
from tacit.facts import entity_graph as graph
from tacit.loop import context
from tacit.loop import maintain as upkeep
from tacit.model.event import Event
from tacit.model.link import Link
from tacit.model.query import Recall
from tacit.model.record import Record, RecordPage, replace
from tacit.model.report import Finding, Forgotten, Stats, Verification
from tacit.model.results import (
    ContextBlock,
    DrainReport,
    Imported,
    Maintained,
    Memorized,
    Merged,
    Pruned,
    Revised,
    SyncReceipt,
    Undone,
)
from tacit.model.secret import Leak
from tacit.ports.seal_heads import SealHeads
from tacit.records import add, backup, forget, history, quarantine, revise
from tacit.records import export_import as transfer
from tacit.records import secret_scan as scan
from tacit.records.arguments import kinds_of, statuses_of, text_of, texts_of, whole_of
from tacit.records.connection import Connection
from tacit.records.renamed_project import old_id_notice
from tacit.search import recall

if TYPE_CHECKING:
    from tacit.procedures.replay_environment import ReplayEnvironment
    from tacit.records.junk import AuditReport

Progress = Callable[[int, int], None]
# Inside the class `list` is a verb.
Ids = list[str]
Records = list[Record]
Links = list[Link]
Events = list[Event]
Findings = list[Finding]
Leaks = list[Leak]
VECTOR_FILES_FROM = 1_000


class Memory(MemoryNouns):
    """A memory as one caller sees it: one scope to write, a few to read."""

    def __init__(
        self, connection: Connection, heads: SealHeads, workshop: Callable[[], ReplayEnvironment],
        notices: Sequence[str] = (), drain: Callable[[], DrainReport] = DrainReport,
    ) -> None:  # fmt: skip
        super().__init__(connection, workshop)
        self._heads = heads
        self._closed = False
        self.notices = tuple(notices)
        self._drain = drain

    def manifest(self, **wanted: Any) -> dict[str, Any]:
        """Assemble what a host's model is to see: lessons, notes, skills, personas, teams. Writes nothing."""
        from tacit.app.verbs.skills_and_teams import assemble

        return assemble(self._c, **wanted)

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Memory({self.location!r}, scope={self.scope!r})"

    @property
    def scope(self) -> str:
        """The scope this memory writes."""
        return str(self._c.scope)

    @property
    def location(self) -> str:
        """Where the store lies."""
        return self._c.store.location

    @property
    def actor(self) -> str:
        """Who is writing: `user` only for a person at a terminal."""
        return self._c.origin.actor

    def close(self) -> None:
        """Note the chain's head outside the store, and release everything. Safe to call twice."""
        if self._closed:
            return
        self._closed = True
        try:
            self._heads.note(self._c.store)
        finally:
            self._c.store.close()

    # -- facts and records --------------------------------------------------------------------------------------

    def memorize(
        self, content: str, *, entity: str | tuple[str, str] | None = None, tags: Sequence[str] = (),
        importance: float = 0.5, namespace: str = "", valid_from: Time | None = None, valid_to: Time | None = None,
        source: str = "", at: Time | None = None,
    ) -> Memorized:  # fmt: skip
        """Keep a fact. What is known already is merged; what it contradicts is named in `conflicts`.

        The entity it is about is a kind and a name, as a pair or written `kind/name`.
        """
        return memorize.memorize(
            self._c.narrowed(namespace=namespace), content, entity=entity, tags=tags, importance=importance,
            valid_from=when(valid_from, "valid_from"), valid_to=when(valid_to, "valid_to"), source=source,
            at=when(at, "at"),
        )  # fmt: skip

    def resolve(self, id: str, other: str, how: str) -> None:
        """Settle a conflict: `supersede` (id replaces other), `keep` (both hold), `discard` (id was wrong)."""
        memorize.resolve(self._c, id, other, how)

    def add_many(self, items: Iterable[Mapping[str, Any]]) -> Ids:
        """Add records as they are in one transaction; gives their ids in order. Nothing is merged."""
        ids = add.add_many(self._c, items)
        if len(ids) >= VECTOR_FILES_FROM:
            self._c.meaning.save([self.scope])
        return ids

    def recall(
        self, query: str, *, limit: int = 5, mode: str = "hybrid", min_score: float | None = None,
        fusion: str = "weighted", kinds: Sequence[str] = (), tags: Sequence[str] = (), namespace: str = "",
        scope: str = "", min_trust: int = 0, since: Time | None = None, until: Time | None = None,
        as_of: Time | None = None, valid_at: Time | None = None, graph: bool = False,
    ) -> Recall:  # fmt: skip
        """Find what answers a question, best first, each hit with its reasons. Writes nothing."""
        question = recall.RecallQuery(
            query=query, limit=limit, mode=mode, min_score=min_score, fusion=fusion, kinds=kinds_of(kinds),
            tags=texts_of(tags, "tags"), min_trust=min_trust, since=when(since, "since"), until=when(until, "until"),
            as_of=when(as_of), valid_at=when(valid_at, "valid_at"), graph=graph,
        )  # fmt: skip
        return recall.recall(self._c.narrowed(scope=scope, namespace=namespace), question)

    def get(self, id: str, *, as_of: Time | None = None) -> Record | None:
        """Give a record, as it was at a time if one is given; None when it is not in reach."""
        return self._c.get(id, when(as_of))

    def list(
        self, *, kinds: Sequence[str] = (), statuses: Sequence[str] = ("active",), tags: Sequence[str] = (),
        namespace: str = "", scope: str = "", order: str = "created", limit: int = 100, after: str = "",
        as_of: Time | None = None, since: Time | None = None, until: Time | None = None, min_trust: int = 0,
    ) -> RecordPage:  # fmt: skip
        """List records page by page; `after` is the previous page's `next`."""
        narrow = self._c.narrowed(scope=scope, namespace=namespace)
        where = narrow.filter(
            kinds=kinds_of(kinds), statuses=statuses_of(statuses), tags=texts_of(tags, "tags"),
            as_of=when(as_of), since=when(since, "since"), until=when(until, "until"),
            min_trust=whole_of(min_trust, "min_trust"),
        )  # fmt: skip
        page = narrow.store.find(
            where, order=text_of(order, "order"), limit=whole_of(limit, "limit"), after=text_of(after, "after")
        )
        return page if page.records else replace(page, notices=old_id_notice(narrow))

    def links(self, id: str, *, as_of: Time | None = None) -> Links:
        """Give the links that touch a record, strongest first."""
        self._c.require(id)
        return self._c.store.links([id], self._c.walls, as_of=when(as_of))

    def about(self, entity: str, *, as_of: Time | None = None) -> Records:
        """List the facts about an entity, most important first."""
        return graph.facts_about(self._c, entity, as_of=when(as_of))

    def context(
        self, *, facts: int | None = None, budget_tokens: int | None = None, guidance: bool = False,
        as_of: Time | None = None,
    ) -> ContextBlock:  # fmt: skip
        """Give the block of facts for a prompt; empty when there is nothing. Writes nothing."""
        return context.context(self._c, facts=facts, budget_tokens=budget_tokens, guidance=guidance, as_of=when(as_of))

    # -- history ------------------------------------------------------------------------------------------------

    def history(self, id: str) -> Records:
        """Give every version of a record, oldest first."""
        return history.history(self._c, id)

    def rollback(self, id: str, version: int) -> Record:
        """Bring back the content of an older version, as a new version."""
        return history.rollback(self._c, id, version)

    def undo(self) -> Undone:
        """Take back the last write of this scope."""
        return history.undo(self._c)

    def revise(
        self, id: str, *, title: str | None = None, body: str | None = None, tags: Sequence[str] | None = None,
        importance: float | None = None, valid_from: Time | None = None, valid_to: Time | None = None,
    ) -> Revised:  # fmt: skip
        """Write the next version of a record; what is not given stays, and what a fact now contradicts is named."""
        return revise.revise(
            self._c, id, title=title, body=body, tags=tags, importance=importance,
            valid_from=when(valid_from, "valid_from"), valid_to=when(valid_to, "valid_to"),
        )  # fmt: skip

    def retire(self, id: str, *, force: bool = False) -> Record:
        """Take a record out of use; `undo` brings it back. What a person's lesson cites needs a person's force."""
        return forget.retire(self._c, id, force=force)

    def forget(self, *ids: str, session: str = "", derived: bool = False, force: bool = False) -> Forgotten:
        """Delete records for good, with history, index and vectors: those named, or all that a session wrote."""
        written = quarantine.of_session(self._c, session) if session else []
        named = [*ids, *(record.id for record in written)]
        return forget.forget(self._c, named, derived=derived, force=force)

    def quarantine(self, *ids: str, origin: Mapping[str, str] | None = None, release: bool = False) -> Records:
        """Trust these records no more, nor what is derived from them: those named, or all of an origin."""
        return quarantine.quarantine(self._c, ids, origin or {}, release=release)

    def approve(self, *ids: str, withdraw: bool = False) -> Records:
        """Vouch for records, as a person: their trust is then that of one's own."""
        return quarantine.approve(self._c, ids, withdraw=withdraw)

    def events(self, id: str = "", *, limit: int = 100) -> Events:
        """Give what happened, newest first: to one record, or in this scope."""
        # What other scopes did with a record that several share is theirs.
        scopes = self._c.walls if id else (self.scope,)
        if id:
            self._c.require(id)
        return self._c.store.events(subject=id, scopes=scopes, newest=True, limit=whole_of(limit, "limit"))

    # -- consolidation ------------------------------------------------------------------------------------------

    def stats(self) -> Stats:
        """Count what this memory reads."""
        return self._c.store.stats(self._c.walls)

    def prune(
        self, *, below: float | None = None, older_than_days: float | None = None, dry_run: bool = False
    ) -> Pruned:
        """Archive facts of little importance that are old as well; a person's facts are never touched."""
        return consolidate.prune(self._c, below=below, older_than_days=older_than_days, dry_run=dry_run)

    def merge(self, *, dry_run: bool = False, progress: Progress | None = None) -> Merged:
        """Merge facts that say the same; tags, links, the higher importance and the history are kept."""
        return consolidate.merge(self._c, dry_run=dry_run, progress=progress)

    def junk(self, *, days: int = 30, progress: Progress | None = None) -> AuditReport:
        """Say what of this scope is said twice, unused for so many days, unevidenced or flagged. Writes nothing."""
        from tacit.records.junk import junk

        return junk(self._c, days, progress)

    def maintain(self, *, rebuild: bool = False, progress: Progress | None = None) -> Maintained:
        """Do one bounded pass of upkeep."""
        return upkeep.maintain(self._c, rebuild=rebuild, progress=progress)

    def sync(self) -> SyncReceipt:
        """Take in what hooks left behind, forget what was read before, and say where the store stands now."""
        return upkeep.sync(self._c, self._drain)

    # -- leaving, checking --------------------------------------------------------------------------------------

    def export_lines(self) -> Iterator[bytes]:
        """Give everything of the tenant as lines of JSON."""
        return transfer.export_lines(self._c)

    def import_lines(self, lines: Iterable[bytes | str]) -> Imported:
        """Bring an export in; ids, versions, links and times are kept."""
        return transfer.import_lines(self._c, lines)

    def scan(self) -> Leaks:
        """Find secrets that are in the store already; says where, never what."""
        return scan.scan(self._c)

    def backup(self, target: str | Path) -> Path:
        """Write a consistent copy of the store while others use it."""
        return backup.backup(self._c, Path(target).expanduser().absolute())

    def verify(self) -> Verification:
        """Check seals, events, records and projections; a sound head is noted outside the store."""
        outcome = self._c.store.verify(self._heads.known(self._c.store))
        if outcome.ok:
            self._heads.note(self._c.store)
        return outcome

    def doctor(self) -> Findings:
        """Examine this memory; says what is wrong and what to do."""
        return [*upkeep.doctor(self._c, self._heads.known(self._c.store)), *self.memdir.findings()]

    def status(self) -> dict[str, Any]:
        """Tell what this memory is, what is in it, and what is off or behind."""
        return upkeep.status(self._c) | {"notices": list(self.notices)}
