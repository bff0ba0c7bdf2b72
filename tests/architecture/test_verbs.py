"""A verb is declared once: its arguments, its sentence, who may call it; every door is made from that."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from tacit.app.verbs.declare import Verb
from tacit.app.verbs.registry import NOUNS, every_verb
from tacit.doors.cli.main import cli
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


COMMON = ("as_json", "store", "scope", "also")


def test_no_argument_of_a_verb_takes_a_common_option_away() -> None:
    """The options every command has are not arguments of its verb as well."""

    def walk(command: click.Command, path: str) -> Iterator[str]:
        names = [one.name for one in command.params]
        yield from (f"{path}: {name}" for name in COMMON if names.count(name) > 1)
        context = click.Context(command)
        for sub in command.list_commands(context) if isinstance(command, click.Group) else ():
            if found := command.get_command(context, sub):
                yield from walk(found, f"{path} {sub}")

    assert [] == list(walk(cli, "tacit"))


def test_verbs_that_reach_beyond_the_store_are_not_on_the_wire() -> None:
    """What writes or reads any path, or runs commands, is not for whoever holds the token of a server."""
    wire = {verb.full_name for verb in VERBS.values() if verb.on_wire}

    assert set() == {name for name in wire if name.startswith("exchange.")} | (wire & {"backup", "procedures.replay"})
