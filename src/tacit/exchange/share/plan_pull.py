"""Decide what a pull does with each shared record, before anything is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import NamedTuple

import msgspec

from tacit.errors import TacitError
from tacit.exchange.rules.shareable import SHARED_KINDS, shared_digest
from tacit.exchange.rules.shared_versions import SharedRecord, SharedStatement, SharedVersion, settle
from tacit.exchange.share.accepted import share_command
from tacit.exchange.share.arriving import FORM, arriving_record, changed_record, claimed_trust, twin_of
from tacit.exchange.share.folder import Statements
from tacit.exchange.share.home import (
    REMOVED_BY_AUTHOR,
    REMOVED_HERE,
    AcceptedFolder,
    FolderState,
    KnownRecord,
    WaitingChange,
)
from tacit.exchange.share.plan_push import forgotten_here
from tacit.model.kinds import kind_shown
from tacit.model.payload import Note
from tacit.model.record import Record, replace, short_id
from tacit.model.scope import parse_scope
from tacit.model.timestamps import stamp
from tacit.model.transfer import Skipped
from tacit.records.citation_protection import protected_by
from tacit.records.connection import Connection
from tacit.text.frame import framed
from tacit.text.plural import plural

APPROVED = 3
_MOST_LISTED = 500
_SHOWN_CHARS = 200


class PullPlan:
    """What a pull will do, decided record by record before anything is written."""

    def __init__(self) -> None:
        self.new: dict[str, Record] = {}
        self.changed: dict[str, tuple[Record, Record]] = {}
        self.retired: list[Record] = []
        self.forgotten: list[Record] = []
        self.confirmed: dict[str, tuple[Record, int]] = {}
        """Records that a carried key confirms, with the trust they have where they come from."""
        self.agreed: dict[str, KnownRecord] = {}
        self.left: list[Skipped] = []
        self.waiting: dict[str, WaitingChange] = {}
        """What is not taken until a person takes it."""
        self.elsewhere: Counter[tuple[str, str]] = Counter()
        """How many records have another scope in the folder, by the scope here and there."""
        self.unchanged = 0

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to write to the store."""
        return not (self.new or self.changed or self.retired or self.forgotten or self.confirmed)

    def leave(self, what: str, why: str) -> None:
        """Name what is not taken."""
        if len(self.left) < _MOST_LISTED:
            self.left.append(Skipped(what, why))


class _Told(NamedTuple):
    """A shared record: what holds in the folder, what is here, and what was agreed on."""

    id: str
    shared: SharedRecord
    local: Record | None
    known: KnownRecord | None


class PullPlanning:
    """Decides what to do with each shared record."""

    def __init__(
        self, c: Connection, folder: AcceptedFolder, state: FolderState, me: str, take: Collection[str] | None
    ) -> None:
        self._c, self._folder, self._state, self._me, self._take = c, folder, state, me, take
        self._plan = PullPlan()
        self._keys: set[tuple[str, str, str]] = set()
        self._forgotten: set[str] | None = None
        self._unnamed: Counter[str] = Counter()

    def all(self, statements: Statements) -> PullPlan:
        """Plan everything, in the order of ids."""
        local = self._c.store.get_many(list(statements), self._c.store.scopes()) if statements else {}
        for id in sorted(statements):
            known = self._state.records.get(id)
            told = statements[id].values()
            shared = settle(told, known.author if known else "")
            for writer in shared.foreign:
                self._plan.leave(id, f"writer {writer[:8]} names another author of it than {shared.author[:8]}")
            self._one(_Told(id, shared, local.get(id), known))
        for scope, count in sorted(self._unnamed.items()):
            line = share_command("init" if self._folder.pushes else "accept", self._folder.path, scope)
            why = f"no person named this scope for this folder; `{line}` takes them, a person can run it"
            self._plan.leave(f"{plural(count, 'record')} of {scope}", why)
        return self._plan

    def _one(self, told: _Told) -> None:
        if told.shared.removed:
            self._removed(told)
            return
        holds = told.shared.holds
        if holds is None or holds.line is None:
            self._plan.unchanged += 1
            return
        holds = self._placed(told.local, holds, str(holds.line.get("scope")))
        if not self._may_come(told.id, holds.line or {}):
            return
        known = told.known
        if known is not None and known.digest == REMOVED_HERE:
            self._plan.unchanged += 1
        elif known is not None and known.version == holds.version and (told.local or known.digest[:1] in ("=", "-")):
            self._same(told, known, holds)
        elif told.local is None:
            self._new(told, holds)
        else:
            self._compared(told, told.local, holds)

    def _placed(self, local: Record | None, holds: SharedStatement, scope: str) -> SharedStatement:
        """Return a statement with the scope that its record has here: homes may name one project differently."""
        place = self._folder.here(scope)
        if local is not None and local.scope != place and self._folder.takes(local.scope):
            if _is_shareable(place):
                self._plan.elsewhere[local.scope.partition("/namespace:")[0], place.partition("/namespace:")[0]] += 1
            place = local.scope
        return holds if place == scope else holds._replace(line={**(holds.line or {}), "scope": place})

    def _may_come(self, id: str, line: Mapping[str, object]) -> bool:
        """Return whether a line may come in; if not, it is named."""
        scope = str(line.get("scope"))
        if line.get("kind") not in SHARED_KINDS:
            self._plan.leave(id, "it is of a kind that is never shared")
        elif not _is_shareable(scope):
            self._plan.leave(id, "its scope is none that is shared")
        elif not self._folder.takes(scope):
            self._unnamed[self._c.redact(scope.partition("/namespace:")[0])] += 1
        else:
            return True
        return False

    def _same(self, told: _Told, known: KnownRecord, holds: SharedStatement) -> None:
        """Plan for a version that is here already: only a carried key may have been added since."""
        self._plan.unchanged += 1
        local = told.local
        if not holds.signed or known.signed or local is None or shared_digest(local) != known.digest:
            return
        self._confirm(local, holds)
        self._plan.agreed[told.id] = msgspec.structs.replace(known, signed=True)

    def _confirm(self, local: Record, holds: SharedStatement) -> None:
        """Plan that a record has the trust it has where it comes from, if a carried key confirms it."""
        if (trust := claimed_trust(holds)) > 1:
            self._plan.confirmed[local.id] = (local, trust)

    def _new(self, told: _Told, holds: SharedStatement) -> None:
        if self._forgotten is None:
            self._forgotten = forgotten_here(self._c)
        if told.id in self._forgotten and not (told.known and told.known.digest == REMOVED_BY_AUTHOR):
            self._plan.unchanged += 1
            return
        fresh = self._admitted(told.id, holds)
        if fresh is None:
            return
        place = (fresh.kind, fresh.scope, fresh.key)
        other = twin_of(self._c.store, fresh)
        if other is not None and shared_digest(other) == shared_digest(fresh):
            self._agree(told, holds, f"={other.id}")
            self._plan.unchanged += 1
            return
        if fresh.key and (other is not None or place in self._keys):
            fresh = replace(fresh, key=f"{fresh.key[:250]}-{told.id[-6:].lower()}")
        self._keys.add((fresh.kind, fresh.scope, fresh.key))
        self._plan.new[told.id] = fresh
        self._agree(told, holds, shared_digest(fresh))
        self._confirm(fresh, holds)

    def _compared(self, told: _Told, local: Record, holds: SharedStatement) -> None:
        """Plan for a record that is here in another version."""
        known = told.known or _claimed_base(local, self._folder, told.shared.author)
        back = known is not None and known.digest == REMOVED_BY_AUTHOR
        if (local.status == "retired" and not back) or (not back and self._is_newer(local, known, holds)):
            # What was removed or changed here since is for the next push to say.
            self._plan.unchanged += 1
            return
        fresh = self._admitted(told.id, holds)
        if fresh is None:
            return
        if shared_digest(fresh) == shared_digest(local) and not back:
            self._plan.unchanged += 1
            self._agree(told, holds, shared_digest(local))
            self._confirm(local, holds)
        elif why := self._why_kept(local, fresh, holds):
            self._plan.leave(f"{kind_shown(local.kind)} {told.id}", why)
        else:
            changed = changed_record(local, fresh, self._c.clock.now())
            self._plan.changed[told.id] = (local, changed)
            self._agree(told, holds, shared_digest(changed))
            self._confirm(changed, holds)

    def _is_newer(self, local: Record, known: KnownRecord | None, holds: SharedStatement) -> bool:
        """Return whether the version here was changed since the last agreement, and is later than the folder's."""
        if known is not None and known.digest == shared_digest(local):
            return False
        number = known.number + 1 if known else local.version
        return holds.version < SharedVersion(number, stamp(local.updated_at), self._me)

    def _why_kept(self, local: Record, fresh: Record, holds: SharedStatement) -> str:
        """Return why a change is not taken: somebody here relies on what is here; empty if it is taken."""
        if (local.kind, local.scope) != (fresh.kind, fresh.scope):
            return "it is of another kind or in another scope here"
        if isinstance(local.payload, Note) and local.payload.path:
            return "its file in the memory directory is the truth; change that file"
        in_use = local.kind in ("lesson", "procedure") and local.status in ("active", "promoted")
        if self._is_taken(local) or not (local.trust > 1 or in_use):
            return ""
        if holds.signed and claimed_trust(holds) >= local.trust:
            return ""
        self._plan.waiting[local.id] = WaitingChange(local.version, "changed")
        said, line = framed(fresh.body, _SHOWN_CHARS), f"tacit share pull --take {short_id(local.id)}"
        return f"home {holds.version.writer[:8]} changed it, and you rely on the version here; `{line}` takes: {said}"

    def _removed(self, told: _Told) -> None:
        known, local = told.known, told.local
        self._plan.unchanged += 1
        if known is None or known.digest in (REMOVED_HERE, REMOVED_BY_AUTHOR) or told.shared.author == self._me:
            return
        if local is not None and local.status != "retired" and (why := self._why_not_removed(local, told.shared)):
            self._plan.leave(f"{kind_shown(local.kind)} {told.id}", f"its author removed it, but {why}")
            return
        if local is not None and local.scope and self._folder.takes(local.scope):
            self._plan.unchanged -= 1
            if told.shared.removed == "forgotten":
                self._plan.forgotten.append(local)
            elif local.status != "retired":
                self._plan.retired.append(local)
        self._plan.agreed[told.id] = msgspec.structs.replace(known, digest=REMOVED_BY_AUTHOR)

    def _why_not_removed(self, local: Record, shared: SharedRecord) -> str:
        """Return why a removal by the author is not taken: a person here relies on it; empty if it is taken."""
        wrote, approved = local.origin.actor == "user", local.trust == APPROVED and not shared.signed
        if (wrote or approved) and not self._is_taken(local):
            self._plan.waiting[local.id] = WaitingChange(local.version, "removed")
            did = "wrote the version here" if wrote else "approved it"
            return f"a person here {did}; `tacit share pull --take {short_id(local.id)}` removes it here too"
        return "a person's record here cites it" if protected_by(self._c.store, [local.id]) else ""

    def _is_taken(self, local: Record) -> bool:
        """Return whether the person asked for what others made of this record."""
        return self._take is None or local.id in self._take

    def _admitted(self, id: str, holds: SharedStatement) -> Record | None:
        try:
            return arriving_record(self._c, holds, self._folder)
        except (TacitError, KeyError, TypeError, AttributeError, ValueError, RecursionError, OverflowError) as error:
            # A line of a stranger may hold anything.
            why = error.message if isinstance(error, TacitError) else "it is not a record of a tacit export"
            self._plan.leave(id, self._c.redact(why)[:300])
            return None

    def _agree(self, told: _Told, holds: SharedStatement, digest: str) -> None:
        number, at, writer = holds.version
        self._plan.agreed[told.id] = KnownRecord(told.shared.author, number, at, writer, holds.signed, digest)


def _is_shareable(scope: str) -> bool:
    """Return whether a text is a scope, and not that of a user."""
    try:
        return parse_scope(scope).kind != "user"
    except TacitError:
        return False


def _claimed_base(local: Record, folder: AcceptedFolder, author: str) -> KnownRecord | None:
    """Return the version that a record says it came in with: what was agreed on may be lost, the record is not."""
    claimed = local.origin.claimed or {}
    if local.origin.actor != "import" or (claimed.get("form"), claimed.get("folder")) != (FORM, folder.id):
        return None
    try:
        return KnownRecord(
            author, int(claimed["version"]), str(claimed["at"]), str(claimed["writer"]), False, shared_digest(local)
        )
    except (KeyError, ValueError, TypeError):
        return None
