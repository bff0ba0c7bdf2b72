"""Many tenants of one database that look alike: same scopes, names and words, and a mark of each in its texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Any

import numpy as np

from tacit.model.link import Link
from tacit.model.payload import Entity, Namespace, Term
from tacit.model.record import Record
from tests.contracts.makers import AGENT, HERE, all_sealed, at, happened, record, revised
from tests.postgres import Database

MODEL, DIM = "fake-1", 64
ROOM = f"{HERE}/namespace:room"
RECORDS = 200
_MARK = re.compile(r"mark(\d{3})x")
_ID = re.compile(r"\b(?:fact|note|term|entity|namespace)_([0-9A-Z]{26})\b")


class Tenant:
    """One of many: its number is in every text and every id."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.name = f"tenant{number:03d}"
        self.mark = f"mark{number:03d}x"
        self.secret_scope = f"project:only-{self.mark}"
        self.records = list(self._make())
        self.ids = [one.id for one in self.records]
        self._own = {id.partition("_")[2] for id in self.ids}
        facts = [one for one in self.records if one.kind == "fact"]
        self.fact, self.revised = facts[0], facts[1]
        self.entity, self.other = [one for one in self.records if one.kind == "entity"][:2]
        self.term = next(one for one in self.records if one.kind == "term")
        self.links = [
            Link(source=self.fact.id, relation="about", target=self.entity.id, scope=HERE, since=at(0)),
            Link(source=self.entity.id, relation="calls", target=self.other.id, scope=HERE, since=at(0)),
            Link(source=self.term.id, relation="defines", target=self.fact.id, scope=HERE, since=at(0)),
        ]

    def _make(self) -> Iterator[Record]:
        kinds = ("fact", "fact", "note", "entity", "term", "fact", "fact", "fact", "note", "fact")
        scopes = (HERE, HERE, HERE, HERE, HERE, ROOM, self.secret_scope, HERE, "global", "user:tester")
        for n in range(RECORDS):
            kind, name = kinds[n % 10], f"thing {n}"
            payload = {"entity": Entity(kind="service", name=name), "term": Term(term=name)}.get(kind)
            more = {"payload": payload, "key": f"service/{name}" if kind == "entity" else name} if payload else {}
            yield record(
                self.number * 1_000 + n, f"staging port {n} belongs to {self.mark}", kind=kind, tenant=self.name,
                title=name if payload else f"title {self.mark}", scope=scopes[n % 10], tags=("red", self.mark), **more,
            )  # fmt: skip
        yield record(
            self.number * 1_000 + RECORDS, self.mark, kind="namespace", tenant=self.name, title="room", key="room",
            payload=Namespace(name="room"),
        )  # fmt: skip

    def fill(self, database: Database) -> None:
        """Write everything of this tenant, in two writes."""
        with closing(database.store(self.name)) as store:
            with store.transaction(AGENT, at(0)) as tx:
                tx.add(self.records)
                for link in self.links:
                    tx.link(link)
                tx.embed(MODEL, {one.id: self.vector().tobytes() for one in self.records})
                happened(tx, "fact.memorized", self.fact.id, mark=self.mark)
            with store.transaction(AGENT, at(1)) as tx:
                tx.put(revised(self.revised, body=f"staging port revised by {self.mark}"), expected=1)
                happened(tx, "noted", self.revised.id, mark=self.mark)
            # What tests write into files needs a seal, which waits for transactions of others.
            all_sealed(store)

    def vector(self) -> Any:
        """Give a vector of this tenant alone."""
        values = np.ones(DIM, np.float32)
        values[self.number % DIM] = 3
        return (values / np.linalg.norm(values)).astype("<f2")

    def foreign(self, answer: object) -> list[str]:
        """Give whatever of other tenants an answer shows: marks in texts, ids of records."""
        text = repr(answer)
        marks = [mark for mark in _MARK.findall(text) if int(mark) != self.number]
        return marks + [id for id in _ID.findall(text) if id not in self._own]


def filled(database: Database, count: int) -> list[Tenant]:
    """Fill a database with so many tenants."""
    tenants = [Tenant(number) for number in range(1, count + 1)]
    _let_in(database, (tenant.name for tenant in tenants))
    for tenant in tenants:
        tenant.fill(database)
    return tenants


def _let_in(database: Database, names: Iterable[str]) -> None:
    import psycopg

    from tests.postgres import APP

    with psycopg.connect(database.owner_url, autocommit=True) as owner:
        for name in names:
            owner.execute("SELECT tacit.let_in(%s, %s)", (APP, name))
