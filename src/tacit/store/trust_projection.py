"""Trust as a projection: computed from a record, its tallies and its sources, and passed on to derived records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tacit.admission.trust import trust_of
from tacit.model.event import NewEvent
from tacit.model.link import DERIVED_FROM
from tacit.model.record import Record
from tacit.store.filters import marks
from tacit.store.reader import SqlReader
from tacit.store.rows import RECORD_COLUMNS, read_record

_LOWEST = (
    "SELECT l.source, MIN(r.trust) FROM links l JOIN records r ON r.tenant = l.tenant AND r.id = l.target "
    "WHERE l.tenant = ? AND l.relation = ? AND l.until IS NULL AND l.source IN ({}) GROUP BY l.source"
)
_UPDATE = "UPDATE records SET trust = ? WHERE tenant = ? AND id = ?"
_TOGETHER = 500
# Deeper than any real chain of derivations; a circle ends here.
_MOST_DEPTH = 64


class TrustTransaction(SqlReader):
    """A write that keeps the trust of records up to date: trust is computed when the write ends, after its events."""

    def __init__(self) -> None:
        self._derived: list[tuple[str, str]] = []
        self._retrusted: set[str] = set()
        self._reworded: dict[str, str] = {}
        self._unproven: set[str] = set()

    def _run(self, sql: str, values: Sequence[Any] = ()) -> None:
        """Run a statement."""
        raise NotImplementedError

    def retrust(self, ids: Sequence[str]) -> None:
        """Recompute the trust of these records and of all records derived from them when this write ends."""
        self._retrusted |= set(ids)

    def append(self, happening: NewEvent) -> int:
        """Append an event in this transaction and return its number."""
        raise NotImplementedError

    def _reword(self, old: Record, fresh: Record) -> None:
        """Remember a record whose text changes, because what was said for it covers only the text of that time."""
        payload_changed = old.kind != "lesson" and old.payload != fresh.payload  # a lesson's state is in its payload
        text_changed = (old.title, old.body) != (fresh.title, fresh.body)
        if payload_changed or text_changed:
            self._reworded[fresh.id] = fresh.scope
        # Evidence for other kinds is about what happened; their text is made anew from that.
        if text_changed and fresh.kind == "fact":
            self._unproven.add(fresh.id)

    def _lapse(self) -> None:
        """End a person's approval of a text that somebody else changed, and the evidence for a fact."""
        for id, tally in self.tallies(list(self._reworded)).items():
            ended = [("record.unapproved", "approved", "unapproved")]
            ended += [("record.doubted", "evidenced", "doubted")] if id in self._unproven else []
            for type, begun, over in ended:
                if tally.get(begun, 0) > tally.get(over, 0):
                    self.append(NewEvent(type=type, subject=id, scope=self._reworded[id]))
                    self._retrusted.add(id)

    def _outlive(self, ids: Sequence[str]) -> None:
        """Keep the trust 0 of records derived from these: forgetting a flagged source must not raise their trust."""
        for part in _parts(ids):
            sql = f"SELECT id FROM records WHERE tenant = ? AND trust = 0 AND id IN ({marks(part)})"
            bad = [row[0] for row in self._all(sql, [self.tenant, *part])]
            for id in sorted(self._below(bad) - set(ids)):
                self.append(NewEvent(type="record.quarantined", subject=id))
            self._retrusted |= self._below(part) - set(ids)

    def alone(self, name: str) -> None:
        """Let no other write use this name until this one ends."""
        raise NotImplementedError

    def _settle_trust(self) -> None:
        if not (self._retrusted or self._derived):
            return
        # One at a time, and the last lock to take: whoever derives from a source must see its latest trust.
        self.alone("trust")
        edge = self._retrusted | self._outranking()
        for _ in range(_MOST_DEPTH):
            changed = [id for part in _parts(edge) for id in self._settled(part)]
            if not changed:
                return
            edge = self._below(changed)

    def _outranking(self) -> set[str]:
        """Return the new derivations that are trusted more than their source; most are not, and cost one query."""
        trusts: dict[str, int] = {}
        for part in _parts({id for pair in self._derived for id in pair}):
            sql = f"SELECT id, trust FROM records WHERE tenant = ? AND id IN ({marks(part)})"
            trusts |= dict(self._all(sql, [self.tenant, *part]))
        return {source for source, target in self._derived if trusts.get(source, 0) > trusts.get(target, 3)}

    def _settled(self, ids: Sequence[str]) -> list[str]:
        """Write the trust of records whose trust differs, and return them."""
        standing = self.tallies(ids)
        lowest: dict[str, int] = dict(self._all(_LOWEST.format(marks(ids)), [self.tenant, DERIVED_FROM, *ids]))
        changed = []
        sql = f"SELECT {RECORD_COLUMNS} FROM records WHERE tenant = ? AND id IN ({marks(ids)})"
        for record in self._sound(self._all(sql, [self.tenant, *ids]), read_record):
            trust = trust_of(record, standing.get(record.id, {}), lowest.get(record.id, 3))
            if trust != record.trust:
                self._run(_UPDATE, (trust, self.tenant, record.id))
                changed.append(record.id)
        return changed

    def _below(self, ids: Iterable[str]) -> set[str]:
        """Return the records that are derived from these."""
        found: set[str] = set()
        for part in _parts(ids):
            sql = (
                f"SELECT source FROM {self.POINTING_AT} "
                f"WHERE tenant = ? AND target IN ({marks(part)}) AND relation = ? AND until IS NULL"
            )
            found |= {row[0] for row in self._all(sql, [self.tenant, *part, DERIVED_FROM])}
        return found


def _parts(ids: Iterable[str]) -> list[list[str]]:
    ordered = sorted(ids)
    return [ordered[start : start + _TOGETHER] for start in range(0, len(ordered), _TOGETHER)]
