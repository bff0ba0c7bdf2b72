"""The entity graph: entities, weighted relations between them, and walks along the relations."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, NamedTuple

from tacit.errors import NotFound, UsageError
from tacit.facts.memorize import entity_draft
from tacit.model.event import NewEvent
from tacit.model.kinds import fold
from tacit.model.link import ABOUT, RESERVED, Link
from tacit.model.record import Record, RecordPage
from tacit.model.results import GraphStep
from tacit.model.scope import parse_scope
from tacit.model.verb import arg
from tacit.records.arguments import After, AsOf, Limit, Namespace, Query, number_of, text_of, whole_of
from tacit.records.connection import EVERYTHING, Connection, known_relation
from tacit.records.drafts import entity_key
from tacit.records.forget import retire_record
from tacit.records.keep import ensure, reword
from tacit.records.write import admitted, retry_lost_write, writing
from tacit.text.tokens import query_tokens

MOST_DEPTH = 10
MOST_STEPS = 1_000
Name = Annotated[str, arg("An entity, by its id, kind/name or name.", record=True)]
Relation = Annotated[str, arg("How the two entities are connected: depends_on, owns, …")]
Relationship = tuple[Link, Record, Record]


class EntityView(NamedTuple):
    """An entity, the facts about it, and its relations with both ends of each."""

    record: Record
    facts: list[Record]
    relations: list[Relationship]


@retry_lost_write
def add_entity(
    c: Connection, kind: Annotated[str, arg("The kind of the entity: service, file, person, …")],
    name: Annotated[str, arg("The name of the entity.")],
    description: Annotated[str, arg(
        "One sentence about the entity; replaces the old description.", option="--description"
    )] = "",
    *, namespace: Namespace = "",
) -> Record:  # fmt: skip
    """Add an entity. If it exists, a new description replaces the old one."""
    c = c.narrowed(namespace=namespace)
    draft = admitted(c, entity_draft(c, kind, name, description))
    now = c.clock.now()
    with writing(c, now) as tx:
        record = ensure(c, tx, draft, now)
        if draft.body and record.body != draft.body:
            record = reword(c, tx, record, now, body=draft.body)
        tx.append(NewEvent(type="entity.added", subject=record.id, scope=record.scope))
    return record


def find_entity(c: Connection, name: Name, *, as_of: AsOf = None) -> Record:
    """Return an entity by id, by `kind/name`, or by a name that only one entity has."""
    as_of = c.when(as_of)
    if (
        text_of(name, "entity").startswith("entity_")
        and (record := c.store.get(name, c.walls, as_of))
        and record.kind == "entity"
    ):
        return record
    kind, slash, rest = name.partition("/")
    found: Sequence[Record] = ()
    if slash:
        where = c.filter(kinds=("entity",), key=entity_key(kind, rest), as_of=as_of)
        found = c.store.find(where, limit=3).records
    if not found:
        found = c.store.find(c.filter(kinds=("entity",), facets=(("name", fold(name)),), as_of=as_of), limit=10).records
    own = [record for record in found if record.scope == str(c.scope)]
    found = own or found
    if not found:
        raise NotFound(f"no entity {name[:80]!r} in {', '.join(c.walls)}", "`tacit entity list` shows the entities")
    if len(found) > 1:
        names = ", ".join(_named(record) for record in found)
        raise UsageError(f"{name[:80]!r} names several entities: {names}", "give kind/name or the id of one of them")
    return found[0]


def _named(record: Record) -> str:
    return f"{record.key} ({record.id})"


def show_entity(c: Connection, name: Name, *, as_of: AsOf = None) -> EntityView:
    """Show an entity by id, kind/name or name, with the facts about it and its relations."""
    record = find_entity(c, name, as_of=as_of)
    return EntityView(record, facts_about(c, record.id, as_of=as_of), list_relations(c, record.id, as_of=as_of))


def list_entities(
    c: Connection, *, kind: Annotated[str, arg("Only entities of a kind.")] = "", limit: Limit = 100, after: After = "",
    as_of: AsOf = None,
) -> RecordPage:  # fmt: skip
    """List entities, newest first."""
    as_of = c.when(as_of)
    facets = (("kind", fold(text_of(kind, "kind"))),) if kind else ()
    where = c.filter(kinds=("entity",), facets=facets, as_of=as_of)
    return c.store.find(where, limit=whole_of(limit, "limit"), after=text_of(after, "after"))


def facts_about(c: Connection, entity: Name, *, as_of: AsOf = None) -> list[Record]:
    """List the facts about an entity, most important first."""
    as_of = c.when(as_of)
    links = c.store.links(
        [find_entity(c, entity, as_of=as_of).id], c.walls, relation=ABOUT, outgoing=False, as_of=as_of
    )
    found = (c.store.get(link.source, c.walls, as_of) for link in links)
    facts = [record for record in found if record is not None and record.status == "active"]
    return sorted(facts, key=lambda fact: (-fact.importance, fact.id))


def search_entities(c: Connection, query: Query, *, limit: Limit = 20) -> list[Record]:
    """Find entities by the words of their names and descriptions, best first."""
    matches = c.store.match(
        query_tokens(text_of(query, "query")), c.filter(kinds=("entity",)), whole_of(limit, "limit")
    )
    records = c.store.get_many([match.id for match in matches], c.walls)
    return [records[match.id] for match in matches if match.id in records]


def remove_entity(c: Connection, name: Name) -> Record:
    """Retire an entity; `tacit undo` brings it back."""
    return retire_record(c, find_entity(c, name))


@retry_lost_write
def add_relation(
    c: Connection, source: Name, relation: Relation, target: Name, *,
    strength: Annotated[float, arg(
        "The strength of the relation, from 0 to 1; adding the relation again replaces its strength."
    )] = 1.0,
) -> Link:  # fmt: skip
    """Relate two entities. Adding the same relation again replaces its strength."""
    relation = known_relation(c, relation)
    if relation in RESERVED:
        raise UsageError(f"{relation!r} is a relation that tacit itself uses", "choose another name for the relation")
    if not 0 <= number_of(strength, "strength") <= 1:
        raise UsageError(f"strength must be from 0 to 1, not {strength}", "1 is the strongest")
    a, b = find_entity(c, source), find_entity(c, target)
    if a.id == b.id:
        raise UsageError("an entity cannot be related to itself", "give two different entities")
    now = c.clock.now()
    link = Link(source=a.id, relation=relation, target=b.id, scope=str(c.scope), since=now, weight=float(strength))
    with writing(c, now) as tx:
        tx.link(link)
        tx.append(NewEvent(type="relation.added", subject=a.id, scope=str(c.scope)))
    return link


def list_relations(c: Connection, entity: Name = "", *, limit: Limit = 100, as_of: AsOf = None) -> list[Relationship]:
    """List relations of an entity, or all of them, strongest first, with both ends."""
    as_of = c.when(as_of)
    ids = [find_entity(c, entity, as_of=as_of).id] if entity else _entity_ids(c, as_of)
    links = [link for link in c.store.links(ids, c.walls, as_of=as_of) if link.relation not in RESERVED]
    ends = _ends(c, links, as_of)
    found = [(x, ends[x.source], ends[x.target]) for x in links if x.source in ends and x.target in ends]
    return found[: whole_of(limit, "limit")]


def _entity_ids(c: Connection, as_of: datetime | None) -> list[str]:
    where = c.filter(kinds=("entity",), as_of=as_of)
    return c.store.ids(where) if as_of is None else [r.id for r in c.store.find(where, limit=EVERYTHING).records]


def _ends(c: Connection, links: Sequence[Link], as_of: datetime | None) -> dict[str, Record]:
    """Return the entities at the ends of links, if this connection may read them and they are in use."""
    ids = list(dict.fromkeys(end for link in links for end in (link.source, link.target)))
    if as_of is None:
        records = c.store.get_many(ids, c.walls)
    else:
        records = {id: record for id in ids if (record := c.store.get(id, c.walls, as_of))}
    return {id: record for id, record in records.items() if record.kind == "entity" and record.status == "active"}


@retry_lost_write
def remove_relation(c: Connection, source: Name, relation: Relation, target: Name) -> None:
    """End a relation; `tacit undo` brings it back."""
    a, b, relation = find_entity(c, source), find_entity(c, target), known_relation(c, relation)
    link = own_link(c, a.id, relation, b.id)
    if link is None or relation in RESERVED:
        raise NotFound(
            f"{a.title} is not related to {b.title} by {relation!r}", "`tacit relation list` shows all relations"
        )
    now = c.clock.now()
    with writing(c, now) as tx:
        tx.unlink(a.id, relation, b.id, link.scope, now)
        tx.append(NewEvent(type="relation.removed", subject=a.id, scope=str(c.scope)))


def own_link(c: Connection, source: str, relation: str, target: str) -> Link | None:
    """Return a link of this connection's own scope, or raise an error if only another scope has it."""
    found = c.store.links([source], c.walls, relation=relation, incoming=False)
    equal = [link for link in found if link.target == target]
    own = [link for link in equal if c.scope.holds(parse_scope(link.scope))]
    if equal and not own:
        c.writes(equal[0].scope)
    return own[0] if own else None


def walk(
    c: Connection, start: Name, *, depth: Annotated[int, arg("How many steps to walk.", ge=1, le=MOST_DEPTH)] = 2,
    relation: Annotated[str, arg("Follow only relations with this name.")] = "",
    direction: Annotated[str, arg("Which direction of relations to follow.", choices=("both", "out", "in"))] = "both",
    as_of: AsOf = None,
) -> list[GraphStep]:  # fmt: skip
    """List the entities that can be reached from an entity, nearest first, each once and by its strongest link."""
    as_of = c.when(as_of)
    if not 1 <= whole_of(depth, "depth") <= MOST_DEPTH:
        raise UsageError(f"depth must be from 1 to {MOST_DEPTH}, not {depth}", "2 includes neighbours of neighbours")
    if text_of(direction, "direction") not in ("both", "out", "in"):
        raise UsageError(f"{direction[:40]!r} is not a direction", "use both, out or in")
    text_of(relation, "relation")
    first = find_entity(c, start, as_of=as_of)
    seen, edge, steps = {first.id}, [first.id], list[GraphStep]()
    for level in range(1, depth + 1):
        links = c.store.links(
            edge,
            c.walls,
            relation=text_of(relation, "relation"),
            incoming=direction != "out",
            outgoing=direction != "in",
            as_of=as_of,
        )
        links = [link for link in links if link.relation not in RESERVED]
        ends, here, edge = _ends(c, links, as_of), set(edge), []
        for link in links:
            for near, far in ((link.source, link.target), (link.target, link.source)):
                if near in here and far in ends and far not in seen and len(steps) < MOST_STEPS:
                    seen.add(far)
                    edge.append(far)
                    steps.append(GraphStep(depth=level, link=link, entity=ends[far]))
        if not edge:
            break
    return steps
