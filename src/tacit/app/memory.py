"""Memory: the object that library callers use. Open one with `tacit.open_memory`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tacit.app.nouns import MemoryNouns
from tacit.app.verbs.declare import verb
from tacit.facts import consolidate, entity_graph, memorize
from tacit.loop import activity_log, context, doctor, maintain, overview, remember, stats, why
from tacit.model.payload import plain
from tacit.model.record import Record
from tacit.model.report import Finding, ForgetPreview, Forgotten, Verification
from tacit.model.results import DrainReport, Imported, SyncReceipt
from tacit.model.verb import arg
from tacit.notes import manifest
from tacit.records import (
    add,
    backup,
    browse,
    conflicts,
    export_import,
    forget,
    forget_preview,
    history,
    quarantine,
    revise,
    secret_scan,
)
from tacit.records.arguments import Force, Id, Progress
from tacit.search import recall
from tacit.sessions.forget_session import records_to_forget
from tacit.sessions.forgotten import note_forgotten

if TYPE_CHECKING:
    from tacit.records.junk import AuditReport

# Inside the class `list` is a verb.
Records = list[Record]
Findings = list[Finding]
Previews = list[ForgetPreview]
WrittenIn = Annotated[str, arg("An agent session: what it wrote, its turns and its recap; no import brings it back.")]
WithDerived = Annotated[bool, arg("Also delete the records derived from these.")]


class Memory(MemoryNouns):
    """A memory as one caller sees it: one scope to write, several to read."""

    # -- facts ------------------------------------------------------------------------------------------------------

    resolve = verb(memorize.resolve)
    conflicts = verb(conflicts.open_conflicts)
    memorize = verb(memorize.memorize, creates=True)
    remember = verb(remember.remember, creates=True)
    recall = verb(recall.recall)
    about = verb(entity_graph.facts_about)
    context = verb(context.context)
    prune = verb(consolidate.prune)
    merge = verb(consolidate.merge)

    # -- records ----------------------------------------------------------------------------------------------------

    add_many = verb(add.add_many, creates=True)
    get = verb(browse.get)
    full_id = verb(browse.full_id)
    log = verb(activity_log.log)
    overview = verb(overview.overview)
    weekly_stats = verb(stats.weekly_stats)
    why = verb(why.why)
    list = verb(browse.list_records)
    links = verb(browse.links)
    events = verb(browse.events)
    stats = verb(browse.stats)
    undo = verb(history.undo)
    rollback = verb(history.rollback)
    history = verb(history.history)
    revise = verb(revise.revise)
    retire = verb(forget.retire)

    @verb()
    def forget(
        self, *ids: Id, session: WrittenIn = "", derived: WithDerived = False, force: Force = False
    ) -> Forgotten:  # fmt: skip
        """Delete records for good: content, history, index and vectors. Deleting cannot be undone."""
        named = records_to_forget(self._c, ids, session)
        forgotten = forget.forget(self._c, named.ids, derived=derived, force=force)
        note_forgotten(self._c, named.sessions, named.ids)
        return forgotten

    @verb()
    def forget_preview(self, *ids: Id, session: WrittenIn = "", derived: WithDerived = False) -> Previews:
        """Show what `forget` would delete: texts, versions, authors, and what hangs on each. Changes nothing."""
        named = records_to_forget(self._c, ids, session)
        return forget_preview.forget_preview(self._c, named.ids, derived=derived)

    @verb(who="person")
    def quarantine(
        self, *ids: Id,
        origin: Annotated[Mapping[str, str] | None, arg(
            "All records from this origin, as session=ID; repeatable.", metavar="PART=VALUE"
        )] = None,
        release: Annotated[bool, arg("Trust the records again.")] = False,
    ) -> Records:  # fmt: skip
        """Stop trusting records and those derived from them, so that these are neither injected nor evidence.

        Only a person may.
        """
        return quarantine.quarantine(self._c, ids, origin or {}, release=release)

    @verb(who="person")
    def approve(self, *ids: Id, withdraw: Annotated[bool, arg("Withdraw the approval.")] = False) -> Records:
        """Approve records, which are then trusted like your own. Only a person may approve."""
        return quarantine.approve(self._c, ids, withdraw=withdraw)

    # -- the store --------------------------------------------------------------------------------------------------

    export_lines = verb(export_import.export_lines, on_wire=False)
    scan = verb(secret_scan.scan)

    @verb(creates=True, on_wire=False, whole=True)
    def import_lines(self, lines: Iterable[bytes | str]) -> Imported:
        """Import an export. Ids, versions, links and times are kept."""
        return export_import.import_lines(self._c, lines)

    @verb(on_wire=False, whole=True)
    def backup(
        self, target: Annotated[str | Path, arg("The file to write.", metavar="FILE")],
        progress: Progress | None = None,
    ) -> Path:  # fmt: skip
        """Write a consistent copy of the store while others use it."""
        return backup.backup(self._c, Path(target).expanduser().absolute(), progress)

    @verb()
    def junk(
        self, *, days: Annotated[int, arg(
            "A record counts as unused after this many days without use.", ge=0, le=100_000
        )] = 30,
        progress: Progress | None = None,
    ) -> AuditReport:  # fmt: skip
        """List the records of this scope that are duplicates, unused, without evidence, or flagged. Writes nothing."""
        from tacit.records.junk import junk

        return junk(self._c, days, progress)

    def due_for_maintenance(self) -> tuple[str, ...]:
        """Return the scopes of the store if its last maintenance is longer ago than the settings allow, else none."""
        due = self._c.store.lasting and maintain.maintain_is_due(self._c)
        return tuple(self._c.store.scopes()) if due else ()

    maintain = verb(maintain.maintain, whole=True)

    @verb(whole=True)
    def sync(self) -> SyncReceipt:
        """Process queued hook data, drop cached reads, and report the store's position."""
        return maintain.sync(self._c, self._drain or DrainReport)

    @verb(whole=True)
    def verify(
        self, *,
        since: Annotated[bool, arg("Check only what came after the last verification that found everything sound.")]
        = False,
        progress: Progress | None = None,
    ) -> Verification:  # fmt: skip
        """Check seals, events, records and projections. If all are sound, save the newest seal outside the store."""
        store = self._c.store
        sound = self._heads.sound(store) if since else None
        outcome = store.verify(self._heads.known(store), since=sound, progress=progress)
        if outcome.ok:
            self._heads.note(store)
            before = sound[0] if sound and outcome.skipped else 0
            self._heads.note_sound(store, (before + outcome.seals, outcome.head))
        return outcome

    @verb(whole=True)
    def doctor(self, *, progress: Progress | None = None) -> Findings:
        """Check this memory, and report problems with their fixes."""
        from tacit.exchange.share.accepted import shared_findings

        found = doctor.doctor(self._c, self._heads.known(self._c.store), progress)
        return [*found, *self.memdir.findings(), *shared_findings(self._c)]

    @verb()
    def status(self) -> dict[str, Any]:
        """Return the settings and contents of this memory, and what is off or incomplete."""
        from tacit.app.backlog import backlog
        from tacit.exchange.share.accepted import shared_findings

        found = doctor.status(self._c) | {"notices": [*self.notices]}
        found["warnings"] += [one.message for one in shared_findings(self._c) if one.level != "ok"]
        home = self._c.home
        shared = [plain(one) for one in self.share.list()] if home else []
        return found | {"shared": shared, "backlog": backlog(home) if home else {}}

    manifest = verb(manifest.assemble)
