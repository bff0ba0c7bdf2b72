"""Tenants of one database: whatever one asks with another's ids, keys, names, scopes and cursors, it gets its own."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tacit.app.memory import Memory
from tacit.app.open_store import choose_vectors
from tacit.errors import NotFound, UsageError
from tacit.model.query import Filter
from tacit.store.filters import cursor_of
from tacit.store.postgres.store import PostgresStore
from tacit.testing import FakeEmbedder
from tacit.vectors.vector_files import VectorFiles
from tests.contracts.makers import HERE, at, here
from tests.postgres import Database, Server, fresh_database
from tests.server.crew import memory_of, settings_of
from tests.server.roles import role_of
from tests.server.tenants import DIM, MODEL, Tenant, filled

TENANTS = 50
Call = tuple[str, Callable[[], object]]
EVERY = ("project:here", "global", "user:tester")
STATUSES = ("active", "archived", "superseded", "retired")


@pytest.fixture(scope="module")
def solo(postgres_server: Server) -> Iterator[str]:
    """A role that will belong to one tenant."""
    with role_of(postgres_server) as made:
        yield made


@pytest.fixture(scope="module")
def few(solo: str, postgres_server: Server) -> Iterator[tuple[Database, list[Tenant]]]:
    """Eight tenants; `solo` belongs to the first alone. Nothing is written to it afterwards."""
    with fresh_database(postgres_server) as database:
        tenants = filled(database, 8)
        database.let_in(tenants[0].name, solo)
        yield database, tenants


def scopes_of(them: Tenant) -> tuple[str, ...]:
    """Give every scope another tenant has."""
    return (*EVERY, them.secret_scope)


def store_calls(store: PostgresStore, near: VectorFiles, me: Tenant, them: Tenant) -> Iterator[Call]:
    """Give every question of the port, asked with what is another tenant's."""
    walls, fact, other = scopes_of(them), them.fact, them.revised
    theirs = Filter(scopes=walls, statuses=STATUSES)
    yield "get", lambda: store.get(fact.id, walls)
    yield "get as of", lambda: store.get(other.id, walls, as_of=at(0))
    yield "get_many", lambda: store.get_many([*them.ids[:20], me.fact.id], walls)
    for order in ("created", "updated", "importance"):
        yield f"find {order}", partial(store.find, theirs, order=order, limit=5, after=cursor_of(fact, order))
    yield "find key", lambda: store.find(Filter(scopes=walls, key=them.entity.key))
    yield "find tag", lambda: store.find(Filter(scopes=walls, tags=(them.mark,)))
    yield "find facet", lambda: store.find(Filter(scopes=walls, facets=(("tag", them.mark),)))
    yield "find as of", lambda: store.find(Filter(scopes=walls, as_of=at(1)), limit=3)
    yield "count", lambda: none(store.count(Filter(scopes=(them.secret_scope,))))
    yield "count tag", lambda: none(store.count(Filter(scopes=walls, tags=(them.mark,))))
    yield "ids", lambda: store.ids(theirs)
    yield "history", lambda: none(store.history(other.id, walls))
    yield "links", lambda: none(store.links([fact.id, them.entity.id, them.term.id], walls))
    yield "links as of", lambda: none(store.links([them.entity.id], walls, relation="calls", as_of=at(5)))
    yield "events of", lambda: none(store.events(subject=fact.id, scopes=walls))
    yield "events", lambda: store.events(limit=50, newest=True)
    yield "tallies", lambda: none(store.tallies([fact.id]))
    yield "match", lambda: store.match(["stage", "port"], theirs, 5)
    yield "match mark", lambda: none(store.match([them.mark], theirs, 5))
    yield "match tag", lambda: none(store.match(["port"], here(tags=(them.mark,)), 5))
    yield "scopes", lambda: store.scopes()
    yield "scopes under", lambda: none(store.scopes([them.secret_scope]))
    yield "vectors", lambda: list(store.vectors(MODEL, HERE))[:10]
    yield "vectors scope", lambda: none(list(store.vectors(MODEL, them.secret_scope)))
    yield "vector_stamp", lambda: none(store.vector_stamp(MODEL, them.secret_scope) != (0, -1))
    yield "coverage", lambda: none(store.coverage(MODEL, [them.secret_scope]).total)
    yield "stats", lambda: none(store.stats([them.secret_scope]).records)
    yield "missing_vectors", lambda: store.missing_vectors("another", 5, after=fact.id)
    yield "searched", lambda: none(store.searched([them.secret_scope]))
    yield "nearest", lambda: near.nearest(them.vector().astype(np.float32), MODEL, theirs, 5)
    yield "seal", lambda: store.seal(99)


def memory_calls(memory: Memory, them: Tenant) -> Iterator[Call]:
    """Give every reading verb of a memory, asked with what is another tenant's."""
    id, cursor = them.fact.id, cursor_of(them.fact, "created")
    yield "memory get", lambda: none(memory.get(id))
    for mode in ("hybrid", "lexical", "semantic"):
        yield f"recall {mode}", partial(memory.recall, f"staging port {them.mark}", mode=mode, graph=mode == "hybrid")
    yield "recall as of", lambda: memory.recall("staging port", as_of=at(100_000))
    yield "recall scope", lambda: memory.recall("staging", scope=them.secret_scope)
    yield "list", lambda: memory.list(limit=5, after=cursor)
    yield "list tag", lambda: none(memory.list(tags=[them.mark]).records)
    yield "links", lambda: memory.links(id)
    yield "about", lambda: memory.about(them.entity.id)
    yield "about name", lambda: memory.about("service/thing 3")
    yield "context", lambda: memory.context()
    yield "history", lambda: memory.history(them.revised.id)
    yield "events", lambda: memory.events(id)
    yield "entity", lambda: memory.entities.get(them.entity.id)
    yield "entity name", lambda: memory.entities.get("thing 3")
    yield "entities", lambda: memory.entities.list(limit=3, after=cursor)
    yield "entity search", lambda: memory.entities.search(f"thing {them.mark}")
    yield "relations", lambda: memory.relations.list()
    yield "walk", lambda: memory.relations.walk(them.entity.id)
    yield "term", lambda: memory.terms.get(them.term.id)
    yield "term name", lambda: memory.terms.get("thing 4")
    yield "terms", lambda: memory.terms.search(f"thing {them.mark}")
    yield "terms of", lambda: memory.terms.of(id)
    yield "uses", lambda: memory.terms.uses("thing 4")
    yield "rooms", lambda: memory.namespaces.list()
    yield "stats", lambda: memory.stats()


def none(answer: Any) -> Any:
    """Expect nothing at all: an empty answer, a zero, no."""
    assert not answer, f"there is something: {answer!r}"[:300]
    return answer


def asked(me: Tenant, calls: Iterator[Call]) -> tuple[int, list[str]]:
    """Ask, and give how many answers there were and what of them was foreign; not found is an answer too."""
    count, leaks = 0, []
    for name, call in calls:
        try:
            answer = call()
        except (NotFound, UsageError) as refusal:
            answer = [mark for mark in (refusal.message, refusal.hint) if "belongs to" in mark]
        leaks += [f"{name}: {foreign}" for foreign in me.foreign(answer)]
        count += 1
    return count, leaks


@pytest.mark.soak
def test_no_foreign_row_is_ever_seen(
    database: Database, tmp_path: Path, budget: Callable[..., int], figures: Callable[..., None]
) -> None:
    """50 tenants ask everything with foreign ids, keys, scopes and cursors, thousands of times: no row, no word."""
    tenants = filled(database, TENANTS)
    dice, calls, leaks, wanted = random.Random(50), 0, [], budget(1_000, soak=100_000)
    for turn, me in enumerate(itertools.cycle(tenants)):
        others = dice.sample([one for one in tenants if one is not me], 5)
        with closing(PostgresStore(database.url, me.name)) as store:
            store.accelerate(tmp_path / me.name)
            store.write_words()
            near = VectorFiles(store, tmp_path / me.name)
            answers = [asked(me, store_calls(store, near, me, them)) for them in others]
        if turn % 2:
            home = tmp_path / me.name
            with memory_of(database.url, me.name, home, embedder_of=lambda: FakeEmbedder(MODEL, DIM)) as memory:
                answers.append(asked(me, memory_calls(memory, others[0])))
        calls += sum(count for count, _found in answers)
        leaks += [leak for _count, found in answers for leak in found]
        if calls >= wanted:
            break
    figures("isolation calls", calls)
    figures("isolation foreign rows", len(leaks))

    assert [] == leaks[:20]


def test_whoever_belongs_to_one_tenant_sees_that_one(
    few: tuple[Database, list[Tenant]], solo: str, tmp_path: Path
) -> None:
    """A role of one tenant gets from it what the role of all gets, and no other tenant opens for it."""
    database, (mine, *others) = few
    url = database.server.as_role(solo, database.name)
    with closing(PostgresStore(url, mine.name)) as own, closing(PostgresStore(database.url, mine.name)) as all:
        assert list(all.export()) == list(own.export())
        assert len(mine.records) == own.count(Filter(scopes=(*scopes_of(mine),), statuses=STATUSES))
        for them in others[:5]:
            assert [] == asked(mine, store_calls(own, VectorFiles(own, tmp_path), mine, them))[1]
    for them in others[:3]:
        with pytest.raises(Exception, match="is not a member of the tenant"):
            PostgresStore(url, them.name)


def test_everything_that_leaves_is_ones_own(few: tuple[Database, list[Tenant]], tmp_path: Path) -> None:
    """Export, dump, backup, verification and status of a tenant hold all of its own rows and none of another's."""
    database, tenants = few
    for me in tenants[::3]:
        with memory_of(database.url, me.name, tmp_path / me.name) as memory:
            exported = b"\n".join(memory.export_lines()).decode()
            report = memory.verify()
            memory.backup(tmp_path / f"{me.name}.db")
            said = repr([memory.status(), memory.doctor()])
        with closing(PostgresStore(database.url, me.name)) as store:
            rows = list(store.dump())

        assert [] == me.foreign(exported) + me.foreign(rows) + me.foreign(said)
        assert all(one.id in exported for one in me.records)
        assert (True, 2, len(me.records) + 1) == (report.ok, report.events, report.records)
        assert (tmp_path / f"{me.name}.db").stat().st_size > 0


def test_numbers_count_ones_own(few: tuple[Database, list[Tenant]]) -> None:
    """Counts, coverage, totals and stamps are those of the tenant, however many others look alike."""
    database, tenants = few
    with closing(PostgresStore(database.url, tenants[7].name)) as store:
        me, here_only = tenants[7], [one for one in tenants[7].records if one.scope.startswith(HERE)]
        recalled = [one for one in here_only if one.kind not in ("entity", "namespace")]

        assert len(here_only) == store.count(here())
        assert len(here_only) == sum(store.stats([HERE]).records.values())
        assert (3, 2, 1) == (store.stats([HERE]).links, store.stats([HERE]).events, store.stats([HERE]).versions)
        assert (len(recalled) - 1, len(recalled)) == (store.coverage(MODEL, [HERE]).embedded, len(recalled))
        assert {me.fact.id: {"repetitions": 1}} == store.tallies([me.fact.id])
        assert sorted([*EVERY, f"{HERE}/namespace:room", me.secret_scope]) == store.scopes()


def test_roles_and_tenants_that_share_a_home_share_no_file(
    few: tuple[Database, list[Tenant]], solo: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a file holds is what one role may read of one tenant, even if the same URL leads to several roles."""
    monkeypatch.setattr("tacit.store.accelerated.SMALLEST", 1)
    database, (mine, other, *_more) = few
    nobody = database.url.replace("//tester@", "//")
    found = {}
    for role, tenant in (("tester", mine), ("tester", other), (solo, mine)):
        monkeypatch.setenv("PGUSER", role)
        with closing(PostgresStore(nobody, tenant.name)) as store:
            choose_vectors(store, settings_of(nobody, tenant.name, tmp_path))
            store.write_words()
            found[role, tenant.name] = store._words_path
            assert tenant.foreign(store._words_path.read_bytes()) == []

    assert 3 == len({*found.values()}) == len(list(tmp_path.rglob("words.index")))
