"""Namespaces at the doors: every command, RPC method and tool takes one, and none makes one by a slip."""

import json

import click
import pytest

from tacit import NotFound
from tacit.app.open import open_memory
from tacit.doors.rpc.methods import methods_of
from tacit.doors.rpc.protocol import reply
from tacit.testing import temporary_memory
from tests.doors.test_bad_values import COMMANDS, arguments
from tests.doors.test_commands import prepared, story  # noqa: F401 - fixtures


def takes(command, option):
    return any(option in one.opts for one in command.params if isinstance(one, click.Option))


ROOMS = sorted(path for path, command in COMMANDS.items() if takes(command, "--namespace"))
WHOLE = sorted(path for path, command in COMMANDS.items() if not takes(command, "--namespace"))
# What a command needs beside its example.
MORE = {"procedure record": ["Deploy staging"]}


@pytest.fixture
def room(tacit, monkeypatch):
    """Give what a command says in a namespace `lab` that another one, `shop`, is beside."""
    monkeypatch.setenv("TACIT_SCOPE", "project:x")
    for name in ("lab", "shop"):
        tacit("namespace", "add", name)
        tacit("memorize", f"the {name} gateway listens on port 8443", "--namespace", name)
    return tacit


def test_every_command_refuses_a_namespace_that_does_not_exist(tacit, story, person, figures):  # noqa: F811
    """S17: exit 3 from every command that takes one, to read and to write, and nothing is written anywhere."""
    person()

    def newest():
        with open_memory() as memory:
            return [event.seq for event in memory.events(limit=1)]

    before, wrong = newest(), {}
    for path in ROOMS:
        answer = tacit(*path.split(), *arguments(path, story), *MORE.get(path, []), "--namespace=nowhere", "--json")
        if (answer.code, "nowhere" in answer.out) != (3, True):
            wrong[path] = (answer.code, answer.out[:100], answer.err[:100])
    figures("commands with a namespace", len(ROOMS))

    assert {} == wrong
    assert before == newest()


def test_whole_scopes_know_no_namespaces():
    """S17: what is about the home, the store or whole scopes does not offer the option, so that nothing ignores it."""
    nouns = {path.split()[0] for path in WHOLE}

    assert {"memdir", "scope", "namespace", "backup", "restore", "verify", "doctor", "config", "connect"} <= nouns
    assert {"recall", "context", "manifest", "export", "note", "episode", "lesson", "relation", "procedure"} <= {
        path.split()[0] for path in ROOMS
    }


def test_writing_begins_a_namespace_only_with_create(tacit):
    """S17: without the flag it is exit 3 and nothing is kept; with it the namespace is there for everybody."""
    refused = tacit("remember", "the lab gateway listens on port 8443", "--namespace", "lab", "--json")
    kept = tacit("remember", "the lab gateway listens on port 8443", "--namespace", "lab", "--create", "--json")

    assert (3, "not_found", 0) == (refused.code, refused.json["error"]["code"], kept.code)
    assert "--create" in refused.json["error"]["hint"]
    assert ["lab"] == [one["name"] for one in tacit("namespace", "list", "--json").json["namespaces"]]
    assert 2 == tacit("recall", "port", "--namespace", "lab", "--create").code


@pytest.mark.parametrize("words", [
    ["context"], ["list"], ["recall", "gateway"], ["export", "jsonl"], ["list", "--scope", "{scope}/namespace:lab"],
])  # fmt: skip
def test_a_command_says_nothing_of_the_other_namespace(room, words):
    """S17: by --namespace, and by a scope that names the namespace."""
    scope = room("status", "--json").json["scope"]
    named = [word.format(scope=scope) for word in words]
    answer = room(*named, *([] if "--scope" in words else ["--namespace", "lab"]))

    assert (0, True, False) == (answer.code, "lab gateway" in answer.out, "shop gateway" in answer.out)


def test_a_scope_may_name_a_namespace_and_a_slip_in_it_is_an_error_too(room, monkeypatch):
    """S17: on the command line, in the environment, and in the library."""
    scope = room("status", "--json").json["scope"]
    wrong = f"{scope}/namespace:lba"

    assert 3 == room("recall", "port", "--scope", wrong).code
    assert 3 == room("memorize", "deploys are manual", "--scope", wrong).code
    with pytest.raises(NotFound, match="lba"):
        open_memory(scope=wrong)
    with open_memory(scope=wrong, create=True) as memory:
        memory.memorize("deploys are manual")
    monkeypatch.setenv("TACIT_SCOPE", wrong)
    assert 0 == room("recall", "deploys").code


def test_an_export_of_a_scope_holds_nothing_else(tacit):
    """S17: `export --scope` used to export every scope of the tenant; without a scope it still does."""
    tacit("memorize", "everybody knows of the gateway", "--scope", "global")
    tacit("memorize", "this project knows of the port")
    scope = tacit("status", "--json").json["scope"]

    def said(*words):
        answer = tacit("export", "jsonl", *words)
        assert 0 == answer.code
        return ["everybody knows" in answer.out, "this project knows" in answer.out]

    assert [[True, True], [True, False], [False, True]] == [said(), said("--scope", "global"), said("--scope", scope)]
    assert 3 == tacit("export", "jsonl", "--scope", "project:nobody").code
    assert 3 == tacit("export", "jsonl", "--scope", "project:nobody", "--out", "x.jsonl").code


@pytest.fixture
def call():
    """Return `call(method, **params)` of a memory with two namespaces."""
    with temporary_memory() as memory:
        for name in ("lab", "shop"):
            memory.within(name, create=True).notes.create(f"the {name} gateway")
        methods = methods_of(memory)

        def ask(method, **params):
            request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            answer = json.loads(reply(methods, json.dumps(request).encode()))
            return answer.get("result", answer.get("error"))

        yield ask


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("memory.list", {}),
        ("memory.search", {"query": "gateway", "mode": "text"}),
        ("recall", {"query": "gateway"}),
        ("list", {}),
        ("manifest.assemble", {"memory_query": "gateway"}),
    ],
)
def test_rpc_methods_read_one_namespace(call, method, params):
    """S17: by hand and by declaration, with `namespace`."""
    said = json.dumps(call(method, **params, namespace="lab"))

    assert (True, False) == ("lab gateway" in said, "shop gateway" in said)


def test_rpc_begins_a_namespace_only_with_create(call):
    """S17: an unknown one is not found, for reading and writing; what knows no namespaces says so."""
    for method, params in (("memory.create", {"content": "x"}), ("memory.list", {}), ("lesson.list", {}),
                           ("episode.start", {"task": "x"}), ("fact.memorize", {"content": "x"})):  # fmt: skip
        assert -32002 == call(method, **params, namespace="nowhere")["code"], method
    assert call("memory.create", content="a new one", namespace="nowhere", create=True)["id"]
    assert 1 == call("memory.list", namespace="nowhere")["returned"]
    assert -32602 == call("verify", namespace="lab")["code"]
    assert -32602 == call("memory.list", namespace="a/b")["code"]
