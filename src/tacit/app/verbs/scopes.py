"""Scopes: what the store holds for each project, user and team; move one, merge two."""

from __future__ import annotations

from tacit.app.nouns import Noun
from tacit.app.verbs.declare import verb
from tacit.records import scopes


class Scopes(Noun):
    """The scopes of a store."""

    NOUN = "scopes"
    WHOLE = True

    list = verb(scopes.list_scopes)
    move = verb(scopes.move, who="person")
    merge = verb(scopes.merge, who="person")
