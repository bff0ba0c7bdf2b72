"""Any script of operations leaves the store equal to a plain model of dicts and lists."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from tacit.admission.trust import trust_of
from tacit.errors import KeyTaken, VersionConflict
from tacit.model.event import tally
from tacit.model.kinds import facets_of
from tacit.model.link import Link
from tacit.model.record import Record
from tacit.ports.store import Store
from tacit.store.sqlite.store import SqliteStore
from tests.contracts.makers import AGENT, ELSEWHERE, HERE, PERSON, ROOM, at, happened, here, record

SCOPES = (HERE, ROOM, ELSEWHERE)
ALL = (HERE, ELSEWHERE)
LIVE = ("active", "archived", "superseded", "retired")
WORDS = ("alpha", "beta", "gamma", "delta")

kinds = st.sampled_from(("fact", "note", "term", "entity"))
bodies = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
tags = st.lists(st.sampled_from(("red", "Blue", "grün")), unique=True, max_size=2).map(tuple)
keys = st.sampled_from(("", "", "k1", "k2"))
relations = st.sampled_from(("about", "uses"))


class Model(RuleBasedStateMachine):
    """The store beside plain dicts; each rule does one thing to both."""

    ids = Bundle("ids")
    gone = Bundle("gone")

    @staticmethod
    def open() -> Store:
        """Open an empty store; another engine opens its own."""
        return SqliteStore(":memory:")

    def __init__(self) -> None:
        super().__init__()
        self.store = self.open()
        self.versions: dict[str, list[Record]] = {}
        self.links: dict[tuple[str, str, str], float] = {}
        self.ended: list[tuple[tuple[str, str, str], float, int, int]] = []
        self.since: dict[tuple[str, str, str], int] = {}
        self.counts: Counter[str] = Counter()
        self.minute = 0

    def teardown(self) -> None:
        """Whatever happened, the store is sound, and a rebuilt index changes nothing."""
        report = self.store.verify(self.store.head())
        assert report.ok, report.findings
        before = [self.store.match([word], here(scopes=ALL, statuses=()), 50) for word in WORDS]
        self.store.rebuild()
        assert before == [self.store.match([word], here(scopes=ALL, statuses=()), 50) for word in WORDS]
        assert self.store.verify().ok
        self.store.close()

    # -- what a test does to the store and to the model ---------------------------------------------------------

    def tick(self) -> int:
        """Let a minute pass."""
        self.minute += 1
        return self.minute

    def holder(self, one: Record) -> str | None:
        """Name the other record that holds a record's key."""
        for id, versions in self.versions.items():
            other = versions[-1]
            same = (other.scope, other.kind, other.key) == (one.scope, one.kind, one.key)
            if id != one.id and one.key and same and other.status != "retired":
                return id
        return None

    def put(self, one: Record, type: str = "noted") -> bool:
        """Put a version in both; a taken key must be a conflict in the store, and then nothing changed."""
        taken = one.status != "retired" and self.holder(one) is not None
        try:
            with self.store.transaction(one.origin, one.updated_at) as tx:
                tx.put(one, expected=one.version - 1)
                happened(tx, type, one.id, one.scope)
        except KeyTaken:
            assert taken
            return False
        assert not taken
        self.versions.setdefault(one.id, []).append(one)
        self.counts[one.id] += type in ("fact.memorized", "fact.repeated")
        return True

    def next(self, id: str, **changes: Any) -> Record:
        """Make a record's next version."""
        old = self.versions[id][-1]
        made = msgspec.structs.replace(old, **{"version": old.version + 1, "updated_at": at(self.tick())} | changes)
        return msgspec.structs.replace(made, trust=trust_of(made))

    # -- rules --------------------------------------------------------------------------------------------------

    @rule(
        target=ids, kind=kinds, body=bodies, tags=tags, key=keys, scope=st.sampled_from(SCOPES),
        importance=st.sampled_from((0.0, 0.5, 1.0)), person=st.booleans(),
    )  # fmt: skip
    def add(
        self, kind: str, body: str, tags: tuple[str, ...], key: str, scope: str, importance: float, person: bool
    ) -> Any:
        """Add a record."""
        origin = PERSON if person else AGENT
        one = record(
            self.tick(), body, kind=kind, title=body.split()[0], tags=tags, key=key, scope=scope, importance=importance,
            origin=origin, tenant=self.store.tenant,
        )  # fmt: skip
        return one.id if self.put(one, "fact.memorized") else multiple()

    @rule(id=ids, body=bodies, tags=tags)
    def revise(self, id: str, body: str, tags: tuple[str, ...]) -> None:
        """Change a record's content."""
        self.put(self.next(id, body=body, tags=tags))

    @rule(id=ids, status=st.sampled_from(LIVE))
    def restatus(self, id: str, status: str) -> None:
        """Archive, retire, or bring back, perhaps onto a key that is taken by now."""
        self.put(self.next(id, status=status))

    @rule(id=ids, scope=st.sampled_from(SCOPES), key=keys)
    def move(self, id: str, scope: str, key: str) -> None:
        """Move a record to another scope, with another key."""
        self.put(self.next(id, scope=scope, key=key))

    @rule(id=ids, data=st.data())
    def roll_back(self, id: str, data: st.DataObject) -> None:
        """Write an older version's content as a new version."""
        old = data.draw(st.sampled_from(self.versions[id]))
        self.put(self.next(id, body=old.body, tags=old.tags, status=old.status, key=old.key, scope=old.scope))

    @rule(id=ids)
    def collide(self, id: str) -> None:
        """Write against a version that is no longer current."""
        stale = self.next(id, version=self.versions[id][-1].version + 2)
        with pytest.raises(VersionConflict), self.store.transaction(AGENT, at(self.minute)) as tx:
            tx.put(stale, expected=stale.version - 1)
            happened(tx)

    @rule(id=ids)
    def repeat(self, id: str) -> None:
        """Let something happen that counts."""
        with self.store.transaction(AGENT, at(self.tick())) as tx:
            happened(tx, "fact.repeated", id)
        self.counts[id] += 1

    @rule(source=ids, to=ids, relation=relations, weight=st.sampled_from((0.1, 0.5, 1.0)))
    def link(self, source: str, to: str, relation: str, weight: float) -> None:
        """Link two records, or change a link's weight."""
        name, now = (source, relation, to), self.tick()
        with self.store.transaction(AGENT, at(now)) as tx:
            tx.link(Link(source=source, relation=relation, target=to, scope=HERE, since=at(now), weight=weight))
            happened(tx)
        if name in self.links:
            self.ended.append((name, self.links[name], self.since[name], now))
        self.links[name], self.since[name] = weight, now

    @rule(source=ids, to=ids, relation=relations)
    def unlink(self, source: str, to: str, relation: str) -> None:
        """End a link, if there is one."""
        name, now = (source, relation, to), self.tick()
        with self.store.transaction(AGENT, at(now)) as tx:
            assert (name in self.links) == tx.unlink(source, relation, to, HERE, at(now))
            happened(tx)
        if name in self.links:
            self.ended.append((name, self.links.pop(name), self.since.pop(name), now))

    @rule(target=gone, id=consumes(ids))
    def forget(self, id: str) -> str:
        """Forget a record."""
        with self.store.transaction(PERSON, at(self.tick())) as tx:
            tx.forget([id])
        del self.versions[id]
        self.links = {name: weight for name, weight in self.links.items() if id not in (name[0], name[2])}
        self.ended = [row for row in self.ended if id not in (row[0][0], row[0][2])]
        return id

    @rule(id=ids, body=bodies)
    def fail(self, id: str, body: str) -> None:
        """Break off a write that did a bit of everything."""
        with pytest.raises(ZeroDivisionError), self.store.transaction(AGENT, at(self.tick())) as tx:
            tx.put(self.next(id, body=body), expected=self.versions[id][-1].version)
            tx.link(Link(source=id, relation="about", target=id, scope=HERE, since=at(self.minute)))
            happened(tx, "fact.repeated", id)
            tx.forget([id])
            raise ZeroDivisionError

    @rule(where=st.fixed_dictionaries({}, optional={
        "kinds": kinds.map(lambda kind: (kind,)),
        "statuses": st.sampled_from((("active",), ("retired", "archived"), ())),
        "tags": tags, "key": keys, "min_trust": st.sampled_from((0, 3)), "actors": st.just(("user",)),
        "scopes": st.sampled_from(((HERE,), (ROOM,), (ELSEWHERE,), ALL, ("project:none",), ())),
        "since": st.integers(0, 30).map(at), "until": st.integers(0, 30).map(at),
        "as_of": st.integers(0, 60).map(at),
    }), order=st.sampled_from(("created", "updated", "importance")), limit=st.integers(1, 5))  # fmt: skip
    def find(self, where: dict[str, Any], order: str, limit: int) -> None:
        """List, count and match under any filter, now or as of a time."""
        asked = here(**where)
        expected = [one for one in self.standing(asked.as_of) if self.passes(one, asked)]
        key = {
            "created": lambda one: (one.created_at, one.id),
            "updated": lambda one: (one.updated_at, one.id),
            "importance": lambda one: (one.importance, one.created_at, one.id),
        }[order]
        expected.sort(key=key, reverse=True)
        page = self.store.find(asked, order=order, limit=limit)

        assert expected[:limit] == list(page.records)
        assert (len(expected) > limit) == bool(page.next)
        if page.next:
            assert expected[limit : 2 * limit] == list(
                self.store.find(asked, order=order, limit=limit, after=page.next).records
            )
        assert len(expected) == self.store.count(asked)
        if asked.as_of is None:
            assert {one.id for one in expected} == set(self.store.ids(asked))
            found = {match.id for match in self.store.match([WORDS[0]], asked, 1000)}
            assert {one.id for one in expected if WORDS[0] in f"{one.title} {one.body}".split()} == found

    def standing(self, moment: Any) -> list[Record]:
        """Give the records as they stood at a time; the wall is where they are now."""
        if moment is None:
            return [versions[-1] for versions in self.versions.values()]
        past = ([one for one in versions if one.updated_at <= moment] for versions in self.versions.values())
        return [versions[-1] for versions in past if versions]

    def passes(self, one: Record, where: Any) -> bool:
        """Say whether a record passes a filter, the plain way."""
        scope = self.versions[one.id][-1].scope
        return (
            any(scope == wall or scope.startswith(f"{wall}/namespace:") for wall in where.scopes)
            and (not where.kinds or one.kind in where.kinds)
            and (not where.statuses or one.status in where.statuses)
            and set(where.tags) <= set(one.tags)
            and (not where.key or where.key == one.key)
            and one.trust >= where.min_trust
            and (not where.actors or one.origin.actor in where.actors)
            and (where.since is None or one.created_at >= where.since)
            and (where.until is None or one.created_at < where.until)
        )

    @rule(id=ids, minute=st.integers(0, 60))
    def look(self, id: str, minute: int) -> None:
        """Read one record with its history, tallies, facets and links, now and as of a time."""
        versions = self.versions[id]
        then = [one for one in versions if one.updated_at <= at(minute)]

        assert versions == self.store.history(id, ALL)
        assert versions[-1] == self.store.get(id, ALL)
        assert (then[-1] if then else None) == self.store.get(id, ALL, as_of=at(minute))
        assert ({"repetitions": self.counts[id]} if self.counts[id] else {}) == self.store.tallies([id]).get(id, {})
        for facet in facets_of(versions[-1]):
            assert id in self.store.ids(here(scopes=ALL, statuses=(), facets=(facet,)))
        now = {name: weight for name, weight in self.links.items() if id in (name[0], name[2])}
        assert now == self.linked(id, None)
        past = {name: weight for name, weight, since, until in self.ended if since <= minute < until}
        past |= {name: weight for name, weight in self.links.items() if self.since[name] <= minute}
        assert {name: weight for name, weight in past.items() if id in (name[0], name[2])} == self.linked(
            id, at(minute)
        )

    def linked(self, id: str, moment: Any) -> dict[tuple[str, str, str], float]:
        """Give a record's links as the store has them."""
        found = self.store.links([id], ALL, as_of=moment)
        return {(link.source, link.relation, link.target): link.weight for link in found}

    @rule(id=gone)
    def miss(self, id: str) -> None:
        """Look for what was forgotten."""
        assert self.store.get(id, ALL) is None
        assert [] == self.store.history(id, ALL)
        assert [] == self.store.links([id], ALL)

    @invariant()
    def projections_follow(self) -> None:
        """Tallies are the fold of the events, and the totals agree."""
        folded = tally(self.store.events(limit=100_000))
        assert {(id, "repetitions"): count for id, count in self.counts.items() if count} == folded
        assert len(self.versions) == self.store.count(here(scopes=ALL, statuses=()))


def sqlite(_request: pytest.FixtureRequest) -> type[Model]:
    """Give the model of a store in memory."""
    return Model


def postgres(request: pytest.FixtureRequest) -> type[Model]:
    """Give the model of a store on a server: one database for all scripts, a tenant for each."""
    database = request.getfixturevalue("database")
    numbers = itertools.count()

    class OnServer(Model):
        @staticmethod
        def open() -> Store:
            return database.store(f"script-{next(numbers)}", connections=2)

    return OnServer


@pytest.mark.soak
@pytest.mark.parametrize(("model", "short", "long"), [(sqlite, 100, 5_000), (postgres, 15, 500)],
                         ids=["sqlite", "postgres"])  # fmt: skip
def test_the_store_behaves_like_a_dict(
    request: pytest.FixtureRequest, budget: Callable[..., int], figures: Callable[..., None],
    model: Callable[[pytest.FixtureRequest], type[Model]], short: int, long: int,
) -> None:  # fmt: skip
    """Any script of operations gives the answers a plain model gives, and leaves a store that verifies."""
    examples = budget(short, soak=long)
    run_state_machine_as_test(
        model(request),
        settings=settings(
            max_examples=examples, stateful_step_count=25, deadline=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
        ),
    )  # fmt: skip
    figures(f"model scripts on {model.__name__}", examples)
