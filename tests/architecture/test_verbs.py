"""A verb is declared once: its arguments, its sentence, who may call it; every door is made from that."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import tacit
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
        context = click.Context(command, help_option_names=["-h", "--help"])
        for sub in command.list_commands(context) if isinstance(command, click.Group) else ():
            if found := command.get_command(context, sub):
                yield from walk(found, f"{path} {sub}")

    assert [] == list(walk(cli, "tacit"))


def test_verbs_that_reach_beyond_the_store_are_not_on_the_wire() -> None:
    """What writes or reads any path, or runs commands, is not for whoever holds the token of a server."""
    wire = {verb.full_name for verb in VERBS.values() if verb.on_wire}

    assert set() == {name for name in wire if name.startswith("exchange.")} | (wire & {"backup", "procedures.replay"})


@pytest.mark.parametrize("name", sorted(name for name, verb in VERBS.items() if verb.who == "person"))
def test_a_verb_for_people_refuses_an_agent(name: str, tmp_path: Path) -> None:
    """Who may call a verb is declared, and holds before anything is looked up."""
    verb = VERBS[name]
    needed = [one for one in verb.arguments() if one.default is inspect.Parameter.empty and not one.many]

    with tacit.open_memory(tmp_path / "m.db", scope="project:demo") as memory, pytest.raises(tacit.PersonNeeded):
        verb.of(memory)(*("fact_x" for _ in needed))


def test_a_bound_verb_has_the_signature_of_its_function(tmp_path: Path) -> None:
    """`help()` and editors show what a verb takes."""
    with tacit.open_memory(tmp_path / "m.db", scope="project:demo") as memory:
        parameters = list(inspect.signature(memory.recall).parameters)

    assert parameters[:2] == ["query", "limit"]


@pytest.mark.parametrize("since", ["2h", "yesterday", "2020-01-01"])
def test_a_span_is_a_time_at_every_door(since: str, tmp_path: Path) -> None:
    """The library reads `2h` and `yesterday` as the command line does."""
    with tacit.open_memory(tmp_path / "m.db", scope="project:demo") as memory:
        memory.memorize("Staging listens on 8443")

        assert 1 == len(memory.list(since=since).records)
        assert 1 == len(memory.recall("staging", since=since))
