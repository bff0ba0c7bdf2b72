"""The graph, terms and namespaces: names that are admitted, and rooms that do not nest."""

import pytest

from tacit import NotAdmitted, UsageError
from tacit.model.record import replace
from tacit.testing import temporary_memory


@pytest.mark.parametrize(
    ("relation", "error"),
    [
        ("", UsageError),
        (" \n", UsageError),
        (None, UsageError),
        ("a\x00b", NotAdmitted),
        ("a\x1b[31mb", NotAdmitted),
        ("a\x9bb", NotAdmitted),
        ("\ud800", NotAdmitted),
        ("x" * 201, NotAdmitted),
    ],
)
def test_the_name_of_a_relation_is_admitted(relation, error):
    """A relation is named by a short line of text; nothing in it breaks a terminal or a store."""
    with temporary_memory() as memory:
        memory.entities.add("service", "a")
        memory.entities.add("service", "b")
        with pytest.raises(error):
            memory.relations.add("a", relation, "b")

        assert [] == memory.relations.list()
        assert "depends on" == memory.relations.add("a", " depends\n on ", "b").relation


def test_a_secret_in_a_relation_is_taken_out():
    """The name of a relation goes through the redactor like every text."""
    with temporary_memory() as memory:
        memory._c = replace(memory._c, redact=lambda text: text.replace("hunter2", "[secret]"))
        memory.entities.add("service", "a")
        memory.entities.add("service", "b")

        assert "logs in with [secret]" == memory.relations.add("a", "logs in with hunter2", "b").relation


def test_a_room_has_no_rooms():
    """In a namespace the list of namespaces is empty, and none can be made there, by either verb."""
    with temporary_memory(scope="project:test/namespace:lab") as memory:
        assert [] == memory.namespaces.list()
        for make in (
            lambda: memory.namespaces.add("inner"),
            lambda: memory.add_many([{"kind": "namespace", "name": "inner"}]),
        ):
            with pytest.raises(UsageError, match="do not nest"):
                make()


@pytest.mark.parametrize("name", ["a b", "a/b", "\x1b", "x" * 201, "\ud800"])
def test_both_verbs_know_what_a_namespace_may_be_called(name):
    """`add_many` refuses the names that `namespaces.add` refuses: no scope could hold them."""
    with temporary_memory() as memory:
        for make in (
            lambda: memory.namespaces.add(name),
            lambda: memory.add_many([{"kind": "namespace", "name": name}]),
        ):
            with pytest.raises(UsageError):
                make()

        assert ["lab"] == [memory.get(id).title for id in memory.add_many([{"kind": "namespace", "name": "lab"}])]
