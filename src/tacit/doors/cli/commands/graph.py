"""entity, relation, term, namespace: nouns then verbs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tacit.app.verbs.graph import Entities, Namespaces, Relations, Terms
from tacit.doors.cli.command_call import record_document
from tacit.doors.cli.verb_commands import Given, View, group, of_page, of_record, of_records, sentence
from tacit.facts.entity_graph import EntityView, Relationship
from tacit.facts.terms import TermView
from tacit.model.payload import Entity, Term, plain
from tacit.model.record import Record, payload_of
from tacit.model.results import GraphStep
from tacit.text.plural import plural


def _entities(records: Sequence[Record]) -> None:
    kinds = [payload_of(record, Entity).kind for record in records]
    _named(records, kinds, ["id", "kind", "name", "description", "created"], "no entities")


def _terms(records: Sequence[Record]) -> None:
    categories = [payload_of(record, Term).category for record in records]
    _named(records, categories, ["id", "category", "term", "definition", "created"], "no terms")


def _named(records: Sequence[Record], sorts: Sequence[str], headings: Sequence[str], empty: str) -> None:
    """Print records that have a name: the name, the kind or category, and the beginning of the description."""
    from tacit.doors.cli.render import cell, day, table

    pairs = zip(records, sorts, strict=True)
    table(headings, [(r.id, sort, r.title, cell(r.body, 60), day(r.created_at)) for r, sort in pairs], empty=empty)


def _show_entity(found: EntityView, _given: Given) -> None:
    from tacit.doors.cli.render import say

    say(f"{found.record.key}  ({found.record.id})", *([found.record.body] if found.record.body else []))
    for fact in found.facts:
        say(f"  {fact.body}  ({fact.id})")
    for link, source, target in found.relations:
        say(f"  {source.title} {link.relation} {target.title} ({link.weight:g})")


def _entity_document(found: EntityView, _given: Given) -> dict[str, Any]:
    return {
        "record": record_document(found.record), "facts": [record_document(fact) for fact in found.facts],
        "relations": [_edge(one) for one in found.relations],
    }  # fmt: skip


def _edge(relationship: Relationship) -> dict[str, object]:
    link, source, target = relationship
    return {
        "source": {"id": source.id, "name": source.title}, "relation": link.relation,
        "target": {"id": target.id, "name": target.title}, "strength": link.weight, "since": plain(link.since),
    }  # fmt: skip


entity = group("entity", "Things facts are about: a service, a file, a person.")
entity.verb(Entities.add, of_record("entity", lambda record, _given: f"{record.key}: {record.id}"))
entity.verb(Entities.show, View("entity", _show_entity, _entity_document))
entity.verb(Entities.list, of_page("entities", _entities))
entity.verb(Entities.search, of_records("entities", _entities))
entity.verb(Entities.remove, of_record("entity", lambda record, _given: f"retired {record.key}"))


def _show_relations(found: Sequence[Relationship], _given: Given) -> None:
    from tacit.doors.cli.render import table

    rows = [(source.title, link.relation, target.title, f"{link.weight:g}") for link, source, target in found]
    table(["source", "relation", "target", "strength"], rows, empty="no relations")


def _show_walk(steps: Sequence[GraphStep], _given: Given) -> None:
    from tacit.doors.cli.render import say

    for step in steps:
        arrow = "->" if step.link.target == step.entity.id else "<-"
        say(f"{'  ' * step.depth}{arrow} {step.link.relation} {step.entity.key} ({step.link.weight:g})")
    if not steps:
        say("no relations")


def _walk_document(steps: Sequence[GraphStep], given: Given) -> dict[str, Any]:
    rows = [{"depth": step.depth, "link": plain(step.link), "entity": record_document(step.entity)} for step in steps]
    return {"start": given.start, "steps": rows}


relation = group("relation", "How entities are connected, and how strongly.")
relation.verb(Relations.add, sentence(
    "relation", lambda link, given: f"{given.source} {link.relation} {given.target} ({link.weight:g})",
    lambda link, _given: {"relation": plain(link)},
))  # fmt: skip
relation.verb(Relations.list, View(
    "relations", _show_relations, lambda found, _given: {"relations": [_edge(one) for one in found]}
))  # fmt: skip
relation.verb(Relations.remove, sentence(
    "relation", lambda _none, given: f"ended: {given.source} {given.relation} {given.target}",
    lambda _none, given: {"source": given.source, "relation": given.relation, "target": given.target},
))  # fmt: skip
relation.verb(Relations.walk, View("walk", _show_walk, _walk_document))


def _show_term(found: TermView, _given: Given) -> None:
    from tacit.doors.cli.render import one_line, say, worded

    record = found.record
    say(f"{record.title}: {record.body}", f"  {getattr(record.payload, 'category', '')}  {record.id}")
    say(*(f"  used by {use.id}: {one_line(worded(use))}" for use in found.uses))


def _term_document(found: TermView, _given: Given) -> dict[str, Any]:
    return {"record": record_document(found.record), "uses": [record_document(use) for use in found.uses]}


term = group("term", "Definitions of words used here.")
term.verb(Terms.add, of_record("term", lambda record, _given: f"{record.title}: {record.id}"))
term.verb(Terms.show, View("term", _show_term, _term_document))
term.verb(Terms.list, of_page("terms", _terms))
term.verb(Terms.search, of_records("terms", _terms))
term.verb(Terms.link, sentence(
    "term", lambda _link, given: f"{given.target} uses {given.term}", lambda link, _given: {"link": plain(link)}
))  # fmt: skip
term.verb(Terms.unlink, sentence(
    "term", lambda _none, given: f"{given.target} no longer uses {given.term}",
    lambda _none, given: {"term": given.term, "target": given.target},
))  # fmt: skip
term.verb(Terms.remove, of_record("term", lambda record, _given: f"retired {record.title}"))


def _show_namespaces(found: Sequence[tuple[str, str, int]], _given: Given) -> None:
    from tacit.doors.cli.render import table

    table(["name", "description", "records"], found, empty="no namespaces")


def _namespace(found: tuple[str, str, int], _given: Given | None = None) -> dict[str, Any]:
    return {"name": found[0], "description": found[1], "records": found[2]}


namespace = group("namespace", "Parts of a scope, each with its own records.")
namespace.verb(Namespaces.add, of_record("namespace", lambda record, _given: f"{record.title}: {record.id}"))
namespace.verb(Namespaces.list, View(
    "namespaces", _show_namespaces, lambda found, _given: {"namespaces": [_namespace(one) for one in found]}
))  # fmt: skip
namespace.verb(Namespaces.show, sentence(
    "namespace", lambda found, _given: "\n".join([f"{found[0]}: {plural(found[2], 'record')}", *found[1:2]]).strip(),
    _namespace,
))  # fmt: skip
namespace.verb(Namespaces.remove, sentence(
    "namespace", lambda _none, given: f"retired {given.name}", lambda _none, given: {"name": given.name}
))  # fmt: skip
