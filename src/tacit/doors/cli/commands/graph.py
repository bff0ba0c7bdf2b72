"""entity, relation, term, namespace: nouns then verbs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import click

from tacit.doors.cli.command_call import CommandCall, options, record_document
from tacit.doors.cli.commands.records import paged, said, said_of
from tacit.model.link import Link
from tacit.model.payload import Entity, Term, plain
from tacit.model.record import Record, payload_of
from tacit.model.results import GraphStep
from tacit.text.plural import plural


def _found(door: CommandCall, thing: str, records: list[Record], show: Callable[[Sequence[Record]], None]) -> None:
    door.answer(thing, {"records": [record_document(r) for r in records]}, lambda: show(records))


def _entities(records: Sequence[Record]) -> None:
    kinds = [payload_of(record, Entity).kind for record in records]
    _named(records, kinds, ["id", "kind", "name", "description", "created"], "no entities")


def _terms(records: Sequence[Record]) -> None:
    categories = [payload_of(record, Term).category for record in records]
    _named(records, categories, ["id", "category", "term", "definition", "created"], "no terms")


def _named(records: Sequence[Record], sorts: Sequence[str], headings: Sequence[str], empty: str) -> None:
    """Print what has a name: of which sort it is, and the beginning of what is said of it."""
    from tacit.doors.cli.render import cell, day, table

    pairs = zip(records, sorts, strict=True)
    table(headings, [(r.id, sort, r.title, cell(r.body, 60), day(r.created_at)) for r, sort in pairs], empty=empty)


# -- entity -----------------------------------------------------------------------------------------------------


@click.group()
def entity() -> None:
    """Things facts are about: a service, a file, a person."""


@entity.command("add")
@click.argument("kind")
@click.argument("name")
@click.option("--description", default="")
@click.option("--namespace", default="")
@options
def entity_add(door: CommandCall, kind: str, name: str, description: str, namespace: str) -> None:
    """Make an entity, or give the one there is."""
    with door.memory(writes=True) as memory:
        record = memory.entities.add(kind, name, description, namespace=namespace)
    said_of(door, "entity", record, f"{record.key}: {record.id}")


@entity.command("show")
@click.argument("name")
@click.option("--as-of", default=None, metavar="TIME")
@options
def entity_show(door: CommandCall, name: str, as_of: str | None) -> None:
    """Show an entity by id, kind/name or name: facts about it and its relations."""
    with door.memory() as memory:
        record = memory.entities.get(name, as_of=as_of)
        facts = memory.about(record.id, as_of=as_of)
        relations = memory.relations.list(record.id, as_of=as_of)

    def show() -> None:
        from tacit.doors.cli.render import say

        say(f"{record.key}  ({record.id})", *([record.body] if record.body else []))
        for fact in facts:
            say(f"  {fact.body}  ({fact.id})")
        for link, source, target in relations:
            say(f"  {source.title} {link.relation} {target.title} ({link.weight:g})")

    document = {
        "record": record_document(record), "facts": [record_document(fact) for fact in facts],
        "relations": [_edge(*relation) for relation in relations],
    }  # fmt: skip
    door.answer("entity", document, show)


def _edge(link: Link, source: Record, target: Record) -> dict[str, object]:
    return {
        "source": {"id": source.id, "name": source.title}, "relation": link.relation,
        "target": {"id": target.id, "name": target.title}, "strength": link.weight, "since": plain(link.since),
    }  # fmt: skip


@entity.command("list")
@click.option("--kind", default="")
@click.option("--limit", type=click.IntRange(1, 10_000), default=100, show_default=True)
@click.option("--after", default="", metavar="CURSOR")
@click.option("--as-of", default=None, metavar="TIME")
@options
def entity_list(door: CommandCall, kind: str, limit: int, after: str, as_of: str | None) -> None:
    """List entities, newest first."""
    with door.memory() as memory:
        page = memory.entities.list(kind=kind, limit=limit, after=after, as_of=as_of)
    paged(door, "entities", page, _entities)


@entity.command("search")
@click.argument("query")
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True)
@options
def entity_search(door: CommandCall, query: str, limit: int) -> None:
    """Find entities by the words of their names and descriptions."""
    with door.memory() as memory:
        records = memory.entities.search(query, limit=limit)
    _found(door, "entities", records, _entities)


@entity.command("remove")
@click.argument("name")
@options
def entity_remove(door: CommandCall, name: str) -> None:
    """Retire an entity; `tacit undo` brings it back."""
    with door.memory() as memory:
        record = memory.entities.remove(name)
    said_of(door, "entity", record, f"retired {record.key}")


# -- relation ---------------------------------------------------------------------------------------------------


@click.group()
def relation() -> None:
    """How entities are connected, and how strongly."""


@relation.command("add")
@click.argument("source")
@click.argument("relation")
@click.argument("target")
@click.option("--strength", type=float, default=1.0, show_default=True, help="0 to 1; adding again replaces it.")
@options
def relation_add(door: CommandCall, source: str, relation: str, target: str, strength: float) -> None:
    """Relate SOURCE to TARGET, both named by id, kind/name or name."""
    with door.memory(writes=True) as memory:
        link = memory.relations.add(source, relation, target, strength=strength)
    said(door, "relation", {"relation": plain(link)}, f"{source} {link.relation} {target} ({link.weight:g})")


@relation.command("list")
@click.argument("entity", default="")
@click.option("--limit", type=click.IntRange(1, 10_000), default=100, show_default=True)
@click.option("--as-of", default=None, metavar="TIME")
@options
def relation_list(door: CommandCall, entity: str, limit: int, as_of: str | None) -> None:
    """List relations, of one entity or all, strongest first."""
    with door.memory() as memory:
        found = memory.relations.list(entity, limit=limit, as_of=as_of)

    def show() -> None:
        from tacit.doors.cli.render import table

        rows = [(source.title, link.relation, target.title, f"{link.weight:g}") for link, source, target in found]
        table(["source", "relation", "target", "strength"], rows, empty="no relations")

    door.answer("relations", {"relations": [_edge(*row) for row in found]}, show)


@relation.command("remove")
@click.argument("source")
@click.argument("relation")
@click.argument("target")
@options
def relation_remove(door: CommandCall, source: str, relation: str, target: str) -> None:
    """End a relation; `tacit undo` brings it back."""
    with door.memory() as memory:
        memory.relations.remove(source, relation, target)
    document: dict[str, object] = {"source": source, "relation": relation, "target": target}
    said(door, "relation", document, f"ended: {source} {relation} {target}")


@relation.command("walk")
@click.argument("start")
@click.option("--depth", type=click.IntRange(1, 10), default=2, show_default=True)
@click.option("--relation", default="", help="Only this relation.")
@click.option("--direction", type=click.Choice(["both", "out", "in"]), default="both", show_default=True)
@click.option("--as-of", default=None, metavar="TIME")
@options
def relation_walk(door: CommandCall, start: str, depth: int, relation: str, direction: str, as_of: str | None) -> None:
    """Walk the graph from an entity, nearest first."""
    with door.memory() as memory:
        steps = memory.relations.walk(start, depth=depth, relation=relation, direction=direction, as_of=as_of)

    def show() -> None:
        from tacit.doors.cli.render import say

        for step in steps:
            arrow = "->" if step.link.target == step.entity.id else "<-"
            say(f"{'  ' * step.depth}{arrow} {step.link.relation} {step.entity.key} ({step.link.weight:g})")
        if not steps:
            say("no relations")

    door.answer("walk", {"start": start, "steps": [_step(step) for step in steps]}, show)


def _step(step: GraphStep) -> dict[str, object]:
    return {"depth": step.depth, "link": plain(step.link), "entity": record_document(step.entity)}


# -- term -------------------------------------------------------------------------------------------------------


@click.group()
def term() -> None:
    """What words mean here."""


@term.command("add")
@click.argument("name")
@click.argument("definition", default="")
@click.option("--category", default="")
@click.option("--namespace", default="")
@options
def term_add(door: CommandCall, name: str, definition: str, category: str, namespace: str) -> None:
    """Define a term; defining it again replaces the definition and keeps its history."""
    with door.memory(writes=True) as memory:
        record = memory.terms.add(name, definition, category=category, namespace=namespace)
    said_of(door, "term", record, f"{record.title}: {record.id}")


@term.command("show")
@click.argument("name")
@options
def term_show(door: CommandCall, name: str) -> None:
    """Show a term and what uses it."""
    with door.memory() as memory:
        record = memory.terms.get(name)
        uses = memory.terms.uses(record.id)

    def show() -> None:
        from tacit.doors.cli.render import one_line, say, worded

        say(f"{record.title}: {record.body}", f"  {getattr(record.payload, 'category', '')}  {record.id}")
        say(*(f"  used by {use.id}: {one_line(worded(use))}" for use in uses))

    door.answer("term", {"record": record_document(record), "uses": [record_document(use) for use in uses]}, show)


@term.command("list")
@click.option("--category", default="")
@click.option("--limit", type=click.IntRange(1, 10_000), default=100, show_default=True)
@click.option("--after", default="", metavar="CURSOR")
@options
def term_list(door: CommandCall, category: str, limit: int, after: str) -> None:
    """List terms, newest first."""
    with door.memory() as memory:
        page = memory.terms.list(category=category, limit=limit, after=after)
    paged(door, "terms", page, _terms)


@term.command("search")
@click.argument("query")
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True)
@options
def term_search(door: CommandCall, query: str, limit: int) -> None:
    """Find terms by the words of their names and definitions."""
    with door.memory() as memory:
        records = memory.terms.search(query, limit=limit)
    _found(door, "terms", records, _terms)


@term.command("link")
@click.argument("name")
@click.argument("target")
@options
def term_link(door: CommandCall, name: str, target: str) -> None:
    """Say that a fact, note or entity (by id) uses a term."""
    with door.memory() as memory:
        link = memory.terms.link(name, target)
    said(door, "term", {"link": plain(link)}, f"{target} uses {name}")


@term.command("unlink")
@click.argument("name")
@click.argument("target")
@options
def term_unlink(door: CommandCall, name: str, target: str) -> None:
    """Take that back."""
    with door.memory() as memory:
        memory.terms.unlink(name, target)
    said(door, "term", {"term": name, "target": target}, f"{target} no longer uses {name}")


@term.command("remove")
@click.argument("name")
@options
def term_remove(door: CommandCall, name: str) -> None:
    """Retire a term; `tacit undo` brings it back."""
    with door.memory() as memory:
        record = memory.terms.remove(name)
    said_of(door, "term", record, f"retired {record.title}")


# -- namespace --------------------------------------------------------------------------------------------------


@click.group()
def namespace() -> None:
    """Rooms inside a scope."""


@namespace.command("add")
@click.argument("name")
@click.option("--description", default="")
@options
def namespace_add(door: CommandCall, name: str, description: str) -> None:
    """Make a namespace, or give the one there is."""
    with door.memory(writes=True) as memory:
        record = memory.namespaces.add(name, description)
    said_of(door, "namespace", record, f"{record.title}: {record.id}")


@namespace.command("list")
@options
def namespace_list(door: CommandCall) -> None:
    """List the namespaces of this scope."""
    with door.memory() as memory:
        found = memory.namespaces.list()

    def show() -> None:
        from tacit.doors.cli.render import table

        table(["name", "description", "records"], found, empty="no namespaces")

    document = {"namespaces": [{"name": name, "description": body, "records": held} for name, body, held in found]}
    door.answer("namespaces", document, show)


@namespace.command("show")
@click.argument("name")
@options
def namespace_show(door: CommandCall, name: str) -> None:
    """Show one namespace."""
    with door.memory() as memory:
        title, body, held = memory.namespaces.show(name)
    document: dict[str, object] = {"name": title, "description": body, "records": held}
    said(door, "namespace", document, f"{title}: {plural(held, 'record')}" + (f"\n{body}" if body else ""))


@namespace.command("remove")
@click.argument("name")
@options
def namespace_remove(door: CommandCall, name: str) -> None:
    """Retire an empty namespace; one that holds records is refused."""
    with door.memory() as memory:
        memory.namespaces.remove(name)
    said(door, "namespace", {"name": name}, f"retired {name}")
