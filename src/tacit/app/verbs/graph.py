"""The parts of a memory: entities, relations, terms, namespaces."""

from __future__ import annotations

from datetime import datetime

from tacit.facts import entity_graph as graph
from tacit.facts import terms
from tacit.model.link import Link
from tacit.model.record import Record, RecordPage
from tacit.model.results import GraphStep
from tacit.model.timestamps import parse_time
from tacit.records.connection import Connection
from tacit.records.retire import retire_record

Time = str | datetime
# Inside the classes `list` is a verb.
Records = list[Record]
Edges = list[tuple[Link, Record, Record]]
Steps = list[GraphStep]
Rooms = list[tuple[str, str, int]]


def when(value: Time | None, field: str = "as_of") -> datetime | None:
    """Read a caller's time, if there is one."""
    return None if value is None else parse_time(value, field)


class _Part:
    def __init__(self, connection: Connection) -> None:
        self._c = connection


class Entities(_Part):
    """The things facts are about."""

    def add(self, kind: str, name: str, description: str = "", *, namespace: str = "") -> Record:
        """Make an entity, or give the one there is."""
        return graph.add_entity(self._c.narrowed(namespace=namespace), kind, name, description)

    def get(self, name: str, *, as_of: Time | None = None) -> Record:
        """Give an entity by id, `kind/name`, or a name only one has."""
        return graph.find_entity(self._c, name, as_of=when(as_of))

    def list(self, *, kind: str = "", limit: int = 100, after: str = "", as_of: Time | None = None) -> RecordPage:
        """List entities, newest first."""
        return graph.list_entities(self._c, kind=kind, limit=limit, after=after, as_of=when(as_of))

    def search(self, query: str, *, limit: int = 20) -> Records:
        """Find entities by the words of their names and descriptions."""
        return graph.search_entities(self._c, query, limit)

    def remove(self, name: str) -> Record:
        """Retire an entity."""
        return retire_record(self._c, graph.find_entity(self._c, name))


class Relations(_Part):
    """How entities are connected."""

    def add(self, source: str, relation: str, target: str, *, strength: float = 1.0) -> Link:
        """Relate two entities; relating them again replaces the strength."""
        return graph.add_relation(self._c, source, relation, target, strength)

    def list(self, entity: str = "", *, limit: int = 100, as_of: Time | None = None) -> Edges:
        """List relations, strongest first, with both ends."""
        return graph.list_relations(self._c, entity, limit=limit, as_of=when(as_of))

    def remove(self, source: str, relation: str, target: str) -> None:
        """End a relation."""
        graph.remove_relation(self._c, source, relation, target)

    def walk(
        self, start: str, *, depth: int = 2, relation: str = "", direction: str = "both", as_of: Time | None = None
    ) -> Steps:
        """Walk from an entity, nearest first, each entity once."""
        return graph.walk(self._c, start, depth=depth, relation=relation, direction=direction, as_of=when(as_of))


class Terms(_Part):
    """What words mean here."""

    def add(self, term: str, definition: str = "", *, category: str = "", namespace: str = "") -> Record:
        """Define a term, or give the one there is."""
        return terms.add_term(self._c.narrowed(namespace=namespace), term, definition, category)

    def get(self, term: str) -> Record:
        """Give a term by id or name."""
        return terms.find_term(self._c, term)

    def list(self, *, category: str = "", limit: int = 100, after: str = "") -> RecordPage:
        """List terms, newest first."""
        return terms.list_terms(self._c, category=category, limit=limit, after=after)

    def search(self, query: str, *, limit: int = 20) -> Records:
        """Find terms by the words of their names and definitions."""
        return terms.search_terms(self._c, query, limit)

    def link(self, term: str, target: str) -> Link:
        """Say that a record uses a term."""
        return terms.link_term(self._c, term, target)

    def unlink(self, term: str, target: str) -> None:
        """Take that back."""
        terms.unlink_term(self._c, term, target)

    def uses(self, term: str) -> Records:
        """List what uses a term."""
        return terms.uses_of(self._c, terms.find_term(self._c, term))

    def of(self, id: str) -> Records:
        """List the terms a record uses."""
        return terms.terms_of(self._c, id)

    def remove(self, term: str) -> Record:
        """Retire a term."""
        return retire_record(self._c, terms.find_term(self._c, term))


class Namespaces(_Part):
    """Rooms inside the scope."""

    def add(self, name: str, description: str = "") -> Record:
        """Make a namespace, or give the one there is."""
        return terms.add_namespace(self._c, name, description)

    def list(self) -> Rooms:
        """List namespaces: name, description, records in it."""
        return terms.list_namespaces(self._c)

    def show(self, name: str) -> tuple[str, str, int]:
        """Give one namespace."""
        return terms.show_namespace(self._c, name)

    def remove(self, name: str) -> None:
        """Retire a namespace; one that still holds records is refused."""
        terms.remove_namespace(self._c, name)
