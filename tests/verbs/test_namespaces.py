"""Namespaces: parts of a scope that every verb reads and writes apart, and that are never made by a slip."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from tacit import Conflict, NotFound, UsageError
from tacit.app.memory import Memory
from tacit.app.verbs.registry import every_verb
from tacit.notes.task_phases import PHASES
from tacit.testing import temporary_memory

ROOMS = ("lab", "shop")
# What writes, and what answers with the name that it is asked about.
NOT_READERS = (
    "forget", "forget_preview", "undo", "prune", "merge", "scan", "junk", "procedures.chosen", "episodes.prune",
    "tasks.ledger",
)  # fmt: skip


def fill(memory: Memory, mark: str) -> dict[str, str]:
    """Write something of every kind into a memory, all with the same mark, and return the ids."""
    fact = memory.memorize(f"the {mark} gateway listens on port 8443", entity=("service", f"{mark}-api"))
    memory.entities.add("service", f"{mark}-db")
    memory.relations.add(f"service/{mark}-api", "calls", f"service/{mark}-db")
    term = memory.terms.add(f"{mark}-slo", f"what {mark} promises")
    episode = memory.episodes.start(f"repair the {mark} gateway", language="python")
    episode.step(tool="pytest", action="run tests", result="success", observation=mark)
    episode.complete("success", result=f"{mark} repaired")
    memory.tasks.log_phase(f"{mark}-1", PHASES[0])
    return {
        "fact": fact.id, "term": term.id, "episode": episode.id,
        "note": memory.notes.create(f"all about the {mark} gateway").id,
        "lesson": memory.lessons.create(f"restart the {mark} gateway before testing").id,
        "procedure": memory.procedures.record(f"Deploy {mark} gateway", steps=[f"make {mark}"]).id,
        "failure": memory.learned.capture(f"make {mark}-gateway", error=f"no rule to make {mark}", exit_code=2).id,
        "rule": memory.remember(f"always use {mark}-cli instead of kubectl").id,
        "skill": memory.skills.create(f"{mark} skill", f"how {mark} works").id,
        "persona": memory.personas.create(f"{mark} keeper", f"keeps {mark}").id,
        "team": memory.teams.create(f"{mark} team", f"builds {mark}").id,
    }  # fmt: skip


@pytest.fixture
def memory() -> Iterator[Memory]:
    """A memory with two namespaces that hold something of every kind."""
    with temporary_memory() as made:
        for room in ROOMS:
            fill(made.within(room, create=True), f"{room}mark")
        yield made


def readers() -> dict[str, tuple[Any, dict[str, Any]]]:
    """Return each verb that needs at most words to look for, with them."""
    words = {"query": "gateway", "task": "repair the gateway", "text": "make shopmark-gateway"}
    found = {}
    for verb in every_verb():
        needed = [one.name for one in verb.arguments() if one.default is inspect.Parameter.empty and not one.many]
        if not (verb.is_whole or verb.creates) and verb.who == "anyone" and set(needed) <= set(words):
            found[verb.full_name] = (verb, {name: words[name] for name in needed})
    return {name: one for name, one in found.items() if name not in NOT_READERS}


READERS = readers()
MORE: dict[str, dict[str, Any]] = {
    "export_lines": {"own": True}, "manifest": {"query": "gateway", "statuses": ["candidate"]},
}  # fmt: skip
SAYING = (
    "recall", "context", "list", "manifest", "notes.list", "notes.search", "lessons.list", "lessons.recall", "log",
    "episodes.list", "episodes.search", "relations.list", "entities.list", "terms.list", "skills.list", "teams.list",
    "procedures.list", "procedures.search", "learned.list", "learned.query", "export_lines",
)  # fmt: skip


def shown(value: Any) -> str:
    """Return everything that an answer says."""
    value = getattr(value, "hits", value)
    if inspect.isgenerator(value):
        value = [line.decode() for line in value]
    return repr(msgspec.to_builtins(value, enc_hook=repr))


def answer(memory: Memory, name: str) -> str:
    """Return everything that a verb answers."""
    verb, given = READERS[name]
    return shown(verb.of(memory)(**given, **MORE.get(name, {})))


def test_no_verb_reads_beyond_its_namespace(memory: Memory, figures: Callable[..., None]) -> None:
    """S17: what a verb answers in one namespace names nothing of another one, nor of the scope around both."""
    fill(memory, "outermark")
    said = {name: answer(memory.within("lab"), name) for name in READERS}
    figures("verbs read in a namespace", len(said))

    assert [] == [name for name, text in said.items() if "shopmark" in text or "outermark" in text]


def test_every_noun_can_be_read_in_its_namespace_and_in_the_scope_around_it(memory: Memory) -> None:
    """S17: what was written in a namespace is found there, and in its scope, where no namespace is named."""
    for room in (memory.within("shop"), memory):
        assert [] == [name for name in SAYING if "shopmark" not in answer(room, name)]


def test_a_record_of_another_namespace_does_not_exist_there(memory: Memory) -> None:
    """S17: not by its id, its short id or its name, to read, to change or to remove."""
    lab = memory.within("lab")
    ids = fill(memory.within("shop"), "secondmark")
    calls: list[Callable[[], Any]] = [
        *(lambda one=one: lab.history(one) for one in ids.values()), lambda: lab.why(ids["fact"][-8:]),
        lambda: lab.retire(ids["fact"]), lambda: lab.revise(ids["note"], body="x"), lambda: lab.notes.show(ids["note"]),
        lambda: lab.procedures.show("deploy-secondmark-gateway"), lambda: lab.episodes.show(ids["episode"]),
        lambda: lab.entities.show("service/secondmark-api"), lambda: lab.lessons.show(ids["lesson"]),
        lambda: lab.terms.show("secondmark-slo"), lambda: lab.skills.get("secondmark-skill"),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(NotFound):
            call()

    assert lab.get(ids["fact"]) is None
    assert [] == lab.tasks.ledger("secondmark-1")


@pytest.mark.parametrize("wrong", ["lba", "Lab", "lab2", "la"])
def test_an_unknown_namespace_is_an_error_for_reading_and_for_writing(memory: Memory, wrong: str) -> None:
    """S17: a slip of the hand finds nothing and writes nothing; the error names the namespace and what to do."""
    before = memory.namespaces.list()
    for call in (
        lambda: memory.within(wrong), lambda: memory.recall("port", namespace=wrong),
        lambda: memory.list(namespace=wrong), lambda: memory.memorize("deploys are manual", namespace=wrong),
        lambda: memory.entities.add("service", "x", namespace=wrong), lambda: memory.terms.add("x", namespace=wrong),
        lambda: memory.add_many([{"kind": "note", "body": "x", "namespace": wrong}]),
        lambda: memory.notes.create("x", scope=f"{memory.scope}/namespace:{wrong}"),
        lambda: memory.notes.list(scopes={"exact": f"{memory.scope}/namespace:{wrong}"}),
    ):  # fmt: skip
        with pytest.raises(NotFound, match=f"no namespace '{wrong}'") as caught:
            call()
        assert "--create" in caught.value.hint

    assert before == memory.namespaces.list()


def test_a_namespace_begins_when_it_is_added_or_written_with_create(memory: Memory) -> None:
    """S17: both ways; `create` alone, without a write, makes nothing, and a known one needs no `create`."""
    memory.within("never-written", create=True).recall("port")
    memory.within("desk", create=True).notes.create("a note")
    memory.namespaces.add("attic")

    assert ["attic", "desk", *ROOMS] == [name for name, _about, _held in memory.namespaces.list()]
    assert ["a note"] == [one.body for one in memory.within("desk").notes.list()]
    assert [] == memory.within("attic").notes.list()
    with pytest.raises(NotFound):
        memory.within("never-written")


def test_what_is_added_together_may_use_a_namespace_that_is_added_with_it() -> None:
    """S17: one call brings a namespace and what is in it; a namespace that it does not bring is still an error."""
    with temporary_memory() as memory:
        rows = [{"kind": "note", "body": "x", "namespace": "lab"}, {"kind": "namespace", "name": "lab"}]
        memory.add_many(rows)

        assert [("lab", "", 1)] == memory.namespaces.list()
        with pytest.raises(NotFound):
            memory.add_many([*rows, {"kind": "note", "body": "x", "namespace": "shop"}])


@pytest.mark.parametrize("kind", ["lesson", "episode", "procedure", "note"])
def test_a_namespace_is_not_removed_while_it_holds_anything(kind: str) -> None:
    """S17: candidates, drafts and finished episodes count too; afterwards it is unknown until somebody begins it."""
    write: dict[str, Callable[[Memory], str]] = {
        "lesson": lambda room: room.lessons.create("restart the gateway before testing").id,
        "episode": lambda room: room.episodes.start("repair the gateway").id,
        "procedure": lambda room: room.procedures.record("Deploy", steps=["make"]).id,
        "note": lambda room: room.notes.create("a note").id,
    }
    with temporary_memory(actor="user") as memory:
        memory.namespaces.add("lab")
        room = memory.within("lab")
        id = write[kind](room)
        with pytest.raises(Conflict, match="1 record"):
            memory.namespaces.remove("lab")
        memory.forget(id)
        memory.namespaces.remove("lab")
        with pytest.raises(NotFound):
            memory.within("lab")
        memory.within("lab", create=True).notes.create("begun again")

        assert [("lab", "", 1)] == memory.namespaces.list()


def test_namespaces_do_not_nest_and_close_with_their_memory(memory: Memory) -> None:
    """S17: a namespace has none of its own; closing one leaves the memory around it open."""
    with pytest.raises(UsageError, match="do not nest"):
        memory.within("lab").within("shop")
    with memory.within("lab") as lab:
        assert f"{memory.scope}/namespace:lab" == lab.scope

    assert memory.recall("gateway")


def test_exports_mean_their_scope(memory: Memory, tmp_path: Any) -> None:
    """S17: an export of one scope holds that scope with its namespaces, one of a namespace that alone, and no other."""
    outer = fill(memory, "outermark")

    def marks(lines: Iterator[bytes]) -> list[bool]:
        said = b"\n".join(lines).decode()
        return [f"{mark}mark" in said for mark in ("lab", "shop", "outer")]

    assert [True, True, True] == marks(memory.export_lines()) == marks(memory.export_lines(own=True))
    assert [True, False, False] == marks(memory.within("lab").export_lines(own=True))
    memory.within("lab").exchange.learnings(tmp_path / "learnings")
    memory.within("lab").exchange.procedures(tmp_path / "procedures.jsonl")
    said = "".join(path.read_text() for path in tmp_path.rglob("*.*") if path.suffix in (".md", ".jsonl"))
    assert (True, False, False) == ("labmark" in said, "shopmark" in said, "outermark" in said)
    with temporary_memory(scope="project:nobody-was-here") as nobody, pytest.raises(NotFound, match="nobody-was-here"):
        next(nobody.export_lines(own=True))

    assert outer["fact"] in b"".join(memory.export_lines(own=True)).decode()


def test_an_export_of_one_scope_is_imported_whole(tmp_path: Any) -> None:
    """S17: what one scope exports arrives elsewhere with its versions and links; nothing of another scope does."""
    with temporary_memory(folder=tmp_path / "a", scope="global") as memory:
        memory.memorize("everybody knows this")
    with temporary_memory(folder=tmp_path / "a") as memory:
        old = memory.memorize("the api listens on port 8443", entity=("service", "api"))
        memory.revise(old.id, body="the api listens on port 9443")
        lines = list(memory.export_lines(own=True))
    with temporary_memory(folder=tmp_path / "b") as memory:
        memory.import_lines(lines)

        assert [1, 2] == [one.version for one in memory.history(old.id)]
        assert ["about"] == [one.relation for one in memory.links(old.id)]
        assert "everybody knows this" not in [one.body for one in memory.list().records]


def test_the_memory_directory_belongs_to_the_whole_scope(tmp_path: Any) -> None:
    """S17: its files would be read into a namespace again, so that is refused with a reason."""
    with temporary_memory(memdir=str(tmp_path)) as memory:
        memory.namespaces.add("lab")
        for call in (memory.within("lab").memdir.sync, lambda: memory.within("lab").memdir.select("a task")):
            with pytest.raises(UsageError, match="whole scope"):
                call()
