"""A verb is declared once: its arguments, its sentence, who may call it; every door is made from that."""

from __future__ import annotations

import pytest

from tacit.app.verbs.declare import Verb
from tacit.app.verbs.registry import NOUNS, every_verb
from tacit.doors.rpc.declared import wire_name

VERBS = {verb.full_name: verb for verb in every_verb()}


@pytest.mark.parametrize("name", sorted(VERBS))
def test_every_verb_says_what_it_does(name: str) -> None:
    """One sentence for the verb, and one for each argument that a door offers."""
    verb: Verb = VERBS[name]

    assert verb.sentence.endswith((".", "…", '"', ")"))
    assert [] == [one.name for one in verb.arguments() if verb.on_wire and not one.sentence]


def test_every_noun_is_found_on_a_memory() -> None:
    """The class of a noun says under which name a Memory has it."""
    assert [] == [noun.__name__ for noun in NOUNS if noun.__name__ != "Memory" and not getattr(noun, "NOUN", "")]


def test_names_on_the_wire_are_unique() -> None:
    """No two verbs share a method."""
    names = [wire_name(verb) for verb in VERBS.values()]

    assert len(names) == len(set(names))
