"""Entities, relations, terms and namespaces."""

from __future__ import annotations

from tacit.app.nouns import Noun
from tacit.app.verbs.declare import verb
from tacit.facts import entity_graph, terms


class Entities(Noun):
    """The things facts are about."""

    NOUN = "entities"
    add = verb(entity_graph.add_entity, creates=True)
    get = verb(entity_graph.find_entity)
    show = verb(entity_graph.show_entity)
    list = verb(entity_graph.list_entities)
    search = verb(entity_graph.search_entities)
    remove = verb(entity_graph.remove_entity)


class Relations(Noun):
    """How entities are connected."""

    NOUN = "relations"
    add = verb(entity_graph.add_relation, creates=True)
    list = verb(entity_graph.list_relations)
    remove = verb(entity_graph.remove_relation)
    walk = verb(entity_graph.walk)


class Terms(Noun):
    """Definitions of words used here."""

    NOUN = "terms"
    add = verb(terms.add_term, creates=True)
    get = verb(terms.find_term)
    show = verb(terms.show_term)
    list = verb(terms.list_terms)
    search = verb(terms.search_terms)
    link = verb(terms.link_term)
    unlink = verb(terms.unlink_term)
    uses = verb(terms.uses_of)
    of = verb(terms.terms_of)
    remove = verb(terms.remove_term)


class Namespaces(Noun):
    """Parts of a scope, each with its own records."""

    NOUN = "namespaces"
    WHOLE = True
    add = verb(terms.add_namespace, creates=True)
    list = verb(terms.list_namespaces)
    show = verb(terms.show_namespace)
    remove = verb(terms.remove_namespace)
